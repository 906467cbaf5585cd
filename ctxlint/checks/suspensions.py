"""Where another writer can run between two events of one function."""

from __future__ import annotations

from collections.abc import Collection

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.paths import path

EXTERNAL = frozenset({"sql", "store"})
"""Media that live in another process: each call on them lets others in, awaited or not."""


def suspension_between(analysis: Analysis, identity: FunctionId, read: int, write: int) -> int | None:
    """A real suspension point strictly between the two, on a way that does not read again; awaiting either of them is none."""
    own = {n for n in suspensions(analysis, identity) if _waits_for(analysis, identity, n) in (read, write)}
    return _passed(analysis, identity, read, write, suspensions(analysis, identity) - own)


def own_suspension(analysis: Analysis, identity: FunctionId, read: int, write: int) -> int | None:
    """The wait for the write (or the reading) itself, where another writer can run as well."""
    own = [n for n in suspensions(analysis, identity) if _waits_for(analysis, identity, n) in (read, write)]
    waits_for_write = [n for n in own if _waits_for(analysis, identity, n) == write]
    found = waits_for_write or own
    return min(found) if found and comes_before(analysis, identity, read, write) else None


def wait_between(analysis: Analysis, identity: FunctionId, read: int, write: int) -> int | None:
    """The same, of a function that may run in several threads: there, every call that keeps its thread waiting is such a point."""
    if analysis.view.function(identity).kind == "coroutine":
        return suspension_between(analysis, identity, read, write)
    return _passed(analysis, identity, read, write, waits(analysis, identity) - {read, write})


def waits(analysis: Analysis, identity: FunctionId) -> frozenset[int]:
    """The events at which a coroutine suspends, or a function that runs in threads keeps its own one waiting."""
    if analysis.view.function(identity).kind == "coroutine":
        return suspensions(analysis, identity)
    calls = analysis.view.call_graph.calls(identity)
    return suspensions(analysis, identity) | {n for n in calls if analysis.blocking.waits(identity, n)}


def comes_before(analysis: Analysis, identity: FunctionId, first: int, second: int) -> bool:
    """Whether the second event can follow the completed first one."""
    return path(analysis.view.graph(identity), first, second, start="completed") is not None


def suspensions(analysis: Analysis, identity: FunctionId) -> frozenset[int]:
    """The events of the function at which it really suspends."""
    events = analysis.view.function(identity).events
    return frozenset(n for n, e in enumerate(events) if e.kind == "suspend" and analysis.summaries.suspends(identity, n))


def lets_others_in(effect: StoreEffect) -> bool:
    """Whether the mere call is a moment in which another process can write the store."""
    return effect.medium in EXTERNAL


def _passed(analysis: Analysis, identity: FunctionId, read: int, write: int, points: Collection[int]) -> int | None:
    graph = analysis.view.graph(identity)
    witness = path(graph, read, write, {read}, through=points, start="completed") if points else None
    return None if witness is None else next(n for n in witness.nodes if n in points)


def _waits_for(analysis: Analysis, identity: FunctionId, point: int) -> int | None:
    return analysis.view.awaited_call(identity, analysis.view.event(identity, point).value)
