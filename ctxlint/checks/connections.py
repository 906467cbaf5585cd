"""Which connection a call goes to, and what a commit makes last."""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.paths import path
from ctxlint.ir.value import AccessPath, Result


def holders(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[str]:
    """What the call goes to: the attribute that holds the connection, or the local object; of what is handed to a library that
    runs it, what that goes to.
    """
    at = analysis.view.event(identity, event).path
    if at is None or not at.steps:
        return frozenset()
    own, *handed = analysis.view.calls(identity, event) or (None,)
    if own is not None and handed and any(map(analysis.view.runs, own.externals)):
        through = [call.receiver for call in handed if call.receiver is not None]
        return frozenset().union(*(named(analysis, identity, event, receiver) for receiver in through))
    return named(analysis, identity, event, AccessPath(at.root, at.steps[:-1]))


def named(analysis: Analysis, identity: FunctionId, event: int, holder: AccessPath) -> frozenset[str]:
    """The names of an object that is the same wherever in the function it is named."""
    names = set()
    for each in analysis.view.resolve_path(identity, event, holder):
        cells = cells_of(analysis.view, identity, event, each)
        names.add(cells[-1] if cells else repr(each))
    return frozenset(names)


def committed_at(analysis: Analysis, identity: FunctionId, event: int) -> tuple[StoreEffect, ...]:
    """The function's own changes that a commit on the same connection makes last; empty for any other event."""
    effects = analysis.summaries.effects_at(identity, event)
    if not effects or any(e.kind != "commit" for e in effects):
        return ()
    graph, connection = analysis.view.graph(identity), holders(analysis, identity, event)
    own = analysis.summaries.of(identity).effects
    commits = {e.event for e in own if e.kind == "commit"} - {event}
    return tuple(
        e for e in own
        if e.kind in WRITES and e.medium == "sql" and e.distance == 0 and goes_through(analysis, identity, e.event, connection)
        and path(graph, e.event, event, commits, start="completed") is not None
    )


def goes_through(analysis: Analysis, identity: FunctionId, event: int, connection: frozenset[str]) -> bool:
    """Whether the call goes to the connection, or to a cursor that it gave."""
    if not connection or holders(analysis, identity, event) & connection:
        return bool(connection)
    at = analysis.view.event(identity, event).path
    given = analysis.view.resolve_path(identity, event, AccessPath(at.root, at.steps[:-1])) if at is not None else ()
    return any(
        isinstance(each.root, Result) and not each.steps and holders(analysis, identity, each.root.event) & connection for each in given
    )
