"""What makes a stale write safe: a lock or transaction over read and write, a version that travels along, a second look."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis
from ctxlint.checks.records import same_store
from ctxlint.checks.suspensions import comes_before, suspension_between
from ctxlint.flow.guards import guards
from ctxlint.ir.value import Constant, Value
from ctxlint.knowledge.words import hints


def is_guarded(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether something connects the write with the reading, so that another writer is kept out or noticed."""
    held = analysis.guards.held
    return (
        bool(held(identity, read) & held(identity, write.event))
        or analysis.guards.held_by_callers(identity)
        or carries_version(analysis, identity, write.event)
        or looks_again(analysis, identity, read, write)
    )


def carries_version(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether the write takes a version argument, so that the store itself can refuse it (compare-and-swap)."""
    view = analysis.view
    if view.does(identity, write, "compare-and-set"):
        return True
    named: dict[str, Value] = {a.keyword: a.value for a in view.event(identity, write).arguments if a.keyword not in ("", "*", "**")}
    for call in view.calls(identity, write):
        for target in (*call.functions, *call.abstract):
            named.update(view.bound(call, target))
    return any(hints(name, analysis.words.versions) and _is_carried(value) for name, value in named.items())


def _is_carried(value: Value) -> bool:
    return not isinstance(value, Constant)


def looks_again(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the write depends on a second reading of the store after the last suspension point."""
    graph = analysis.view.graph(identity)
    asked = [
        source.event
        for guard in guards(graph, write.event)
        for source in analysis.summaries.sources.of(identity, guard.node, guard.condition.value)
        if source.kind == "read" and source.event >= 0 and source.event != read
    ]
    return any(_is_second_look(analysis, identity, read, again, write) for again in asked)


def _is_second_look(analysis: Analysis, identity: FunctionId, read: int, again: int, write: StoreEffect) -> bool:
    return (
        any(e.kind == "read" and same_store(e, write) for e in analysis.summaries.effects_at(identity, again))
        and comes_before(analysis, identity, read, again)
        and suspension_between(analysis, identity, again, write.event) is None
    )
