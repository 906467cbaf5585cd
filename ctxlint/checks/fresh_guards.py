"""What makes a stale write safe: a lock or transaction over read and write, a version that travels along, a second look."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source
from ctxlint.calls.sql import locks_rows
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.terms import Term, subterms
from ctxlint.calls.texts import text_of_value
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.checked_inside import checks_its_base
from ctxlint.checks.lock_keys import picking_keys
from ctxlint.checks.records import keys_of, same_store, selectors, values_asked_for
from ctxlint.checks.suspensions import comes_before, suspension_between, wait_between, waits
from ctxlint.flow.guards import guards
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.knowledge.words import hints


def guard_of(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> str:
    """The fact by which another writer is kept out or noticed, in words; empty when the write has no guard."""
    if write.conditional:
        return "the write is conditional: the store itself refuses it when the record is another one"
    if is_held_over(analysis, identity, read, write.event):
        return "one hold of a lock or a transaction lasts from the read to the write"
    if _locks_what_it_reads(analysis, identity, read):
        return "the query locks the rows that it reads until the transaction ends"
    if compares(analysis, identity, read, write):
        return "a condition of the write compares what was read with what is there now"
    if analysis.guards.held_by_callers(identity):
        return "every known caller holds a lock over the call"
    if carries_version(analysis, identity, write.event):
        return "the write carries a version, so that the store can refuse it"
    if carries_expectation(analysis, identity, write.event):
        return "the write is told what it may replace"
    if checks_its_base(analysis, identity, write):
        return "the called function compares what is stored with the version of what it is given, before it writes"
    if compares_old_content(analysis, identity, read, write) and is_answered(analysis, identity, write.event):
        return "the write is handed what was read beside what is to replace it, and its answer is looked at"
    if looks_again(analysis, identity, read, write):
        return "the write depends on a second reading after the last suspension point"
    return ""


def _locks_what_it_reads(analysis: Analysis, identity: FunctionId, read: int) -> bool:
    return any(
        locks_rows(text_of_value(analysis.view, *effect.origin, argument.value))
        for effect in analysis.summaries.effects_at(identity, read) if effect.kind == "read" and effect.medium == "sql"
        for argument in analysis.view.event(*effect.origin).arguments
    )


def is_held_over(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether one hold of a lock lasts from the read to the write; a lock of another key than the record's is none."""
    sites = analysis.guards.held(identity, read) & analysis.guards.held(identity, write)
    return any(not _locks_another_key(analysis, identity, site, read) for site in sites)


def locks_unlike_key(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether a hold lasts from the read to the write, but of a lock that a call picked by another key than the record.

    It may be a wider one: the lock of the account that the record belongs to.
    """
    sites = analysis.guards.held(identity, read) & analysis.guards.held(identity, write)
    picked = [s for s in sites if isinstance(v := analysis.view.event(identity, s).value, Result) and analysis.view.event(identity, v.event).kind == "call"]
    return any(_locks_another_key(analysis, identity, site, read) for site in picked)


def _locks_another_key(analysis: Analysis, identity: FunctionId, site: int, read: int) -> bool:
    picks = picking_keys(analysis, identity, analysis.view.event(identity, site).value)
    if not picks:
        return False
    wanted = {key for at, value in picks for key in keys_of(analysis, identity, at, value)}
    given = [v for each in selectors(analysis, identity, read) for v in values_asked_for(each) if not isinstance(v, Constant)]
    asked = {key for each in given for key in keys_of(analysis, identity, read, each)}
    places = [k for k in asked if isinstance(k, Term)] + [e.place for e in analysis.summaries.effects_at(identity, read)]
    asked |= {part for place in places for part in subterms(place)}
    return bool(wanted and given) and wanted.isdisjoint(asked)


def compares(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether a condition of the write itself compares what was read, beside its key, with what is there now."""
    sources = [analysis.summaries.sources.of(identity, write.event, value) for value in write.selects]
    carried = [any(s.kind == "read" and s.event == read for s in found) for found in sources]
    return any(carried) and not all(carried)


def compares_old_content(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the write is handed the old content itself beside the new one: it may replace it only if it is still there."""
    if write.medium == "sql" and write.selects:
        return False                                          # the statement says what it compares
    arguments = [a.value for a in analysis.view.event(identity, write.event).arguments]
    sources = {
        value: analysis.summaries.sources.of(identity, write.event, value) for value in arguments if not isinstance(value, Constant)
    }
    old = [v for v, found in sources.items() if {(s.kind, s.event) for s in found if s.kind == "read"} == {("read", read)}]
    plain = [v for v in old if not any(s.kind in ("param", "call") and s.event != read for s in sources[v])]
    whole = [v for v in plain if not _is_part(analysis, identity, write.event, v, read)]
    return bool(whole) and len(old) > 1 or any(_was_put_there(analysis, identity, read, write, value) for value in sources)


def _was_put_there(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect, value: Value) -> bool:
    """Whether the value is what the function itself put in place of the old content before, by a write that compared that."""
    origins = analysis.view.origins(identity)
    roots = origins.roots(value, write.event)
    if not roots or any(kind != "result" for kind, _ in roots):
        return False
    before = [e for e in analysis.summaries.of(identity).effects if e.kind in WRITES and e.event < write.event and e.keys & write.keys]
    return any(
        compares_old_content(analysis, identity, read, earlier) for earlier in before
        if any(origins.roots(a.value, earlier.event) == roots for a in analysis.view.event(identity, earlier.event).arguments)
    )


def is_answered(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether the function asks what the call at the event answered."""
    graph = analysis.view.graph(identity)
    return any(
        edge.condition is not None and ("result", event) in analysis.view.origins(identity).roots(edge.condition.value, node)
        for node in graph.order for edge in graph.successors(node) if node < len(analysis.view.function(identity).events)
    )


def _is_part(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: int) -> bool:
    """Whether the value is a field of what was read."""
    if _is_unpacked(analysis, identity, at, value):
        return False
    paths = analysis.view.resolve_path(identity, at, AccessPath(value))
    return any(path.root == Result(read) and path.steps for path in paths)


def _is_unpacked(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether the value is one of several that a call gave back together."""
    if not isinstance(value, Name) or value.scope != "local":
        return False
    definitions = [d for d in analysis.view.definitions(identity).definitions(at, value.name) if d >= 0]
    bound = [analysis.view.event(identity, d).value for d in definitions]
    return bool(bound) and all(isinstance(v, Compound) and v.operator == "item" and isinstance(v.parts[0], Result) for v in bound)


def carries_version(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether the write takes a version argument, so that the store itself can refuse it (compare-and-swap)."""
    if analysis.view.does(identity, write, "compare-and-set"):
        return True
    return any(hints(name, analysis.words.versions) and _is_carried(value) for name, value in _named(analysis, identity, write).items())


def carries_expectation(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether the write is told what it may replace, and an answer that it gives is looked at."""
    named = _named(analysis, identity, write)
    if not any(hints(name, analysis.words.expectations) and _is_carried(value) for name, value in named.items()):
        return False
    answers = any(
        analysis.view.function(target).returns == "bool"
        for call in analysis.view.calls(identity, write) for target in (*call.functions, *call.abstract)
    )
    return not answers or is_answered(analysis, identity, write)


def _named(analysis: Analysis, identity: FunctionId, write: int) -> dict[str, Value]:
    """What the call is given, by the name that it or the called function has for it."""
    view = analysis.view
    named: dict[str, Value] = {a.keyword: a.value for a in view.event(identity, write).arguments if a.keyword not in ("", "*", "**")}
    for call in view.calls(identity, write):
        for target in (*call.functions, *call.abstract):
            named.update(view.bound(call, target))
    return named


def _is_carried(value: Value) -> bool:
    return not isinstance(value, Constant)


def looks_again(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the write depends on a second reading of the store after the last suspension point."""
    asked = {s.event for s in condition_sources(analysis, identity, write.event) if s.kind == "read" and s.event not in (-1, read)}
    return any(_is_second_look(analysis, identity, read, again, write) for again in asked)


def _is_second_look(analysis: Analysis, identity: FunctionId, read: int, again: int, write: StoreEffect) -> bool:
    return (
        any(e.kind == "read" and same_store(e, write) for e in analysis.summaries.effects_at(identity, again))
        and comes_before(analysis, identity, read, again)
        and suspension_between(analysis, identity, again, write.event) is None
    )


def rechecks_object(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether a condition of the write looks at some cell after the last suspension point: a second look, or a generation.

    A cell that nobody changes, such as a limit, tells nothing.
    """
    asked = {s.event for s in condition_sources(analysis, identity, write) if s.kind == "cell" and s.event not in (-1, read)}
    if asked:
        graph = analysis.view.graph(identity)
        asked &= reachable(graph, waits(analysis, identity) & reachable(graph, read))  # where no way leads at all, none that agrees with itself does
    return any(
        _can_have_changed(analysis, identity, again) and comes_before(analysis, identity, read, again) and wait_between(analysis, identity, read, again) is not None
        and wait_between(analysis, identity, again, write) is None
        for again in asked
    )


def _can_have_changed(analysis: Analysis, identity: FunctionId, look: int) -> bool:
    """Whether somebody changes what is looked at, once its object is made; of what a call looks at, anybody may."""
    event = analysis.view.event(identity, look)
    paths = analysis.view.paths(identity, look) if event.kind == "read" else ()
    innermost = {cells[-1] for path in paths if (cells := cells_of(analysis.view, identity, look, path))}
    return not innermost or any(
        not is_constructor(analysis.view, change.function) for cell in innermost for change in analysis.cells.changes(cell)
    )


def conditions(analysis: Analysis, identity: FunctionId, event: int) -> Iterator[tuple[int, Value]]:
    """The conditions under which the event happens, each with the event at which it was asked."""
    graph = analysis.view.graph(identity)
    for guard in guards(graph, event):
        for edge in graph.successors(guard.node):
            if edge.condition == guard.condition:
                yield edge.target, guard.condition.value


def condition_sources(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[Source]:
    """What the conditions under which the event happens are made of, as they were when they were asked."""
    return frozenset().union(*(
        analysis.summaries.sources.of(identity, at, value) for at, value in conditions(analysis, identity, event)
    ))


def reads_again_inside(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether the called function reads the store anew and puts what it is given into that: the pair is its own."""
    for call in analysis.view.calls(identity, write.event):
        for target in call.functions:
            for inner in analysis.summaries.of(target).effects:
                same = inner.origin == write.origin and inner.kind == write.kind and inner.distance < write.distance
                if same and (_is_based_on_reading(analysis, target, inner) or reads_again_inside(analysis, target, inner)):
                    return True
    return False


def _is_based_on_reading(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    return any(
        source.kind == "read" and any(
            e.kind == "read" and same_store(e, write) for e in analysis.summaries.effects_at(identity, source.event)
        )
        for source in analysis.summaries.sources.of_all(identity, write.event, write.contents)
    )


def is_only_worker(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether the function only runs as one task that is not started twice, and nobody else writes the store."""
    sites = analysis.view.call_graph.callers(identity)
    if len(sites) != 1 or any(access.function != identity for access in analysis.stores.writers(write.keys)):
        return False
    caller, event = sites[0]
    takers = [n for n in analysis.view.call_graph.calls(caller)
              if any(c.deferred and identity in c.functions for c in analysis.view.effective_calls(caller, n))]
    kept = {
        cell for m in analysis.summaries.of(caller).mutations if m.how == "rebind" and not m.distance for cell in m.cells
        if {("result", n) for n in takers} & {a for v in m.values for a in analysis.view.origins(caller).identity(v, m.event)}
    }
    asked = {s.name for s in condition_sources(analysis, caller, event) if s.kind == "cell"}
    return bool(asked.intersection(kept))
