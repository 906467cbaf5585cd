"""Columns of a row that are written from what a session read before a long wait, and the functions that write them meanwhile.

What such an object holds is what was in the database when the session read it, also where the attribute is read after the wait:
only a new reading by the session makes it fresh.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import condition_sources, is_held_over
from ctxlint.checks.staleness.stale_cells import StaleCell
from ctxlint.checks.suspensions import comes_before
from ctxlint.flow.paths import path
from ctxlint.ir.value import AccessPath, Name, Result
from ctxlint.roles.cells import Change

DEEPEST = 3
"""How many calls down a long wait, or the end of a transaction, is looked for."""

_RENEWS = frozenset({"reads", "loads", "commits", "restores"})
"""What a session does after which it holds nothing old: it reads the object again, or ends its transaction."""


def stale_rows(analysis: Analysis, identity: FunctionId) -> Iterator[StaleCell]:
    """The columns that one function writes from rows that it read before a long wait."""
    for write in analysis.summaries.of(identity).mutations:
        read = _reading_of_row(analysis, identity, write) if write.cells else None
        if read is None or not _carries_old_column(analysis, identity, read, write):
            continue
        wait = _long_wait(analysis, identity, read, write.event)
        if wait is None or not _is_saved(analysis, identity, read, write.event):
            analysis.spare(identity, write.event, "nothing long is waited for between the reading of the row and its change", read)
            continue
        fact = _guard_of(analysis, identity, read, wait, write.event)
        if fact:
            analysis.spare(identity, write.event, fact, read)
        else:
            others = _writers_of_column(analysis, identity, write.cells[-1])
            goes_in = _goes_into(analysis, identity, wait, write)
            yield StaleCell("unit-of-work", identity, write.cells[-1], read, wait, write, others, goes_in)


def _reading_of_row(analysis: Analysis, identity: FunctionId, write: Mutation) -> int | None:
    """The event at which the row was read of which a column is set; None when something else is changed."""
    root, steps = write.path.root, write.path.steps
    if write.distance or not isinstance(root, Result) or steps[:-1] not in ((), ("[*]",)) or steps[-1:] in ((), ("[*]",)):
        return None
    return root.event if analysis.rows.read_at(identity, root.event) else None


def _carries_old_column(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether the column's old content goes into what it is set to."""
    if write.how == "augment":
        return True
    sources = analysis.summaries.sources.of_all(identity, write.event, write.values)
    return any(
        s.kind == "cell" and s.name == write.cells[-1] and s.event >= 0
        and any(each.root == Result(read) for each in analysis.view.paths(identity, s.event))
        for s in sources
    )


def _long_wait(analysis: Analysis, identity: FunctionId, read: int, write: int) -> int | None:
    """An event between the two that waits for something else than the database, on a way on which the row is not read anew."""
    renewals = {
        n for n in analysis.view.call_graph.calls(identity)
        if n != read and _renews(analysis, identity, n, read, 0)
    }
    coroutine = analysis.view.function(identity).kind == "coroutine"
    points = {n for n in _points(analysis, identity, coroutine) if n not in renewals}
    graph = analysis.view.graph(identity)
    witness = path(graph, read, write, {read} | renewals, through=points, start="completed") if points else None
    return None if witness is None else next(n for n in witness.nodes if n in points)


def _points(analysis: Analysis, identity: FunctionId, coroutine: bool) -> Iterator[int]:
    """Where the function waits long: for what it awaits, or for the calls that keep a thread waiting."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events):
        if event.kind == "suspend" and coroutine:
            awaited = view.awaited_call(identity, event.value)
            if awaited is not None and analysis.summaries.suspends(identity, number) and _is_long(analysis, identity, awaited, 0):
                yield number
        elif event.kind == "call" and not coroutine and analysis.blocking.waits(identity, number) and _is_long(analysis, identity, number, 0):
            yield number


def _is_long(analysis: Analysis, identity: FunctionId, event: int, depth: int) -> bool:
    """Whether a call leads to something else than a database, a lock or memory."""
    view = analysis.view
    effects = [m.effect for m in view.modelled(identity, event)]
    if effects:
        return any(e.store not in ("sql", "lock", "memory", "statement") and (e.suspends or e.store) for e in effects)
    for call in view.calls(identity, event):
        if call.abstract or (call.unknown and not call.functions) or call.externals:
            return True
        if depth < DEEPEST and any(
            _is_long(analysis, target, n, depth + 1)
            for target in call.functions for n in view.call_graph.calls(target)
            if view.function(target).kind != "coroutine" or _is_awaited(analysis, target, n)
        ):
            return True
    return False


def _is_awaited(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    return any(
        e.kind == "suspend" and analysis.view.awaited_call(identity, e.value) == event for e in analysis.view.function(identity).events
    )


def _renews(analysis: Analysis, identity: FunctionId, event: int, read: int, depth: int) -> bool:
    """Whether after the call the session holds the row as it is by then: a refresh of it, an expiry, the end of the transaction."""
    for match in analysis.view.modelled(identity, event):
        if match.effect.store == "sql" and match.effect.does in _RENEWS:
            if match.effect.does in ("commits", "restores"):
                return True
            content = match.content
            if match.effect.content and (content is None or depth or (not isinstance(content, AccessPath) and any(
                each.root == Result(read) for each in analysis.view.resolve_path(identity, event, AccessPath(content))
            ))):
                return not analysis.rows.read_at(identity, event)
    return depth < DEEPEST and any(
        _renews(analysis, target, n, read, depth + 1)
        for call in analysis.view.effective_calls(identity, event) for target in call.functions
        for n in analysis.view.call_graph.calls(target)
    )


def _is_saved(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether the session's changes are committed afterwards: here, or by whoever passed the session in."""
    for number in analysis.view.call_graph.calls(identity):
        if number != write and any(e.kind == "commit" for e in analysis.summaries.effects_at(identity, number)):
            if comes_before(analysis, identity, write, number):
                return True
    event = analysis.view.event(identity, read)
    receiver = event.path.root if event.path is not None else None
    given = [receiver, *(argument.value for argument in event.arguments)]
    formals = {formal.name for formal in analysis.view.function(identity).formals[1:]}
    return any(isinstance(value, Name) and value.name in formals for value in given[:1])


def _guard_of(analysis: Analysis, identity: FunctionId, read: int, wait: int, write: int) -> str:
    """What keeps others from the row or notices them, in words; empty when nothing does."""
    if analysis.rows.is_protected(identity, read, analysis.rows.read_at(identity, read)):
        return "the row is locked when it is read, or has a version that is compared when it is written"
    if is_held_over(analysis, identity, read, write):
        return "one hold of a lock or a transaction lasts from the read to the write"
    if analysis.guards.held_by_callers(identity):
        return "every known caller holds a lock over the call"
    for source in condition_sources(analysis, identity, write):
        if source.kind in ("read", "cell") and source.event > wait and not any(
            each.root == Result(read) for each in analysis.view.paths(identity, source.event)
        ):
            return "the write depends on a second look after the wait"
    return ""


def _goes_into(analysis: Analysis, identity: FunctionId, wait: int, write: Mutation) -> bool:
    """Whether what is waited for gives something of what is written."""
    event = analysis.view.event(identity, wait)
    awaited = wait if event.kind == "call" else analysis.view.awaited_call(identity, event.value)
    return any(s.event == awaited for s in analysis.summaries.sources.of_all(identity, write.event, write.values))


def _writers_of_column(analysis: Analysis, identity: FunctionId, cell: str) -> tuple[Change, ...]:
    """The other functions that set the column of a row that is there already, and that can run meanwhile."""
    return tuple(
        change for change in analysis.cells.changes(cell)
        if change.function != identity and not is_constructor(analysis.view, change.function)
        and not _is_of_new(analysis, change) and analysis.ways_in.can_meet(identity, change.function)
    )


def _is_of_new(analysis: Analysis, change: Change) -> bool:
    """Whether the object is made by the function that changes it."""
    root = change.mutation.path.root
    if not isinstance(root, Result):
        return False
    event = analysis.view.event(change.function, root.event)
    return event.kind == "call" and not analysis.rows.read_at(change.function, root.event)
