"""`fresh_at`: what is written was computed from a reading that another writer may have outdated.

A store pair: content read from a store through one call goes, after a suspension point, into a write of the same store, and
nothing guards the two.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.knowledge.words import hints

MAX_DEPTH = 4
"""Calls between here and the primitive read, plus those to the primitive write: beyond, the pair is another function's."""


class Pair(msgspec.Struct, frozen=True):
    """A read whose content flows into a later write of the same store, and the suspension point between them."""

    function: FunctionId
    read: int
    write: StoreEffect
    suspension: int
    keys: frozenset[str]
    depth: int


def fresh_at(analysis: Analysis) -> Iterator[Finding]:
    """Report writes derived from a reading that is older than the last suspension point."""
    for identity in analysis.program.functions():
        seen: set[int] = set()
        for pair in pairs(analysis, identity):
            if pair.write.event not in seen:
                seen.add(pair.write.event)
                yield _finding(analysis, pair)


def pairs(analysis: Analysis, identity: FunctionId) -> Iterator[Pair]:
    """The unguarded stale pairs of one function, the latest flowing read of each write."""
    summary = analysis.summaries.of(identity)
    writes = [e for e in summary.effects if e.kind in ("write", "move") and e.keys and not e.staged and not e.deferred]
    if not writes:
        return
    for write in writes:
        sources = analysis.summaries.sources.of_all(identity, write.event, write.contents)
        reads = sorted({s.event for s in sources if s.kind == "read" and s.event >= 0}, reverse=True)
        for read in reads:
            pair = _pair(analysis, identity, read, write)
            if pair is not None:
                yield pair
                break


def _pair(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> Pair | None:
    loads = [e for e in analysis.summaries.effects_at(identity, read) if e.kind == "read" and e.keys & write.keys]
    if not loads or read == write.event:
        return None
    nearest = min(loads, key=lambda e: e.distance)
    depth = nearest.distance + write.distance
    if depth > MAX_DEPTH:
        return None
    suspension = _suspension_between(analysis, identity, read, write.event, external=write.medium != "file")
    if suspension is None or _is_guarded(analysis, identity, read, write):
        return None
    return Pair(identity, read, write, suspension, nearest.keys & write.keys, depth)


def _suspension_between(
    analysis: Analysis, identity: FunctionId, read: int, write: int, *, external: bool
) -> int | None:
    """A point on a path from the read to the write where another writer can run; awaiting either of them counts.

    On a store of another process the two calls alone are enough.
    """
    view = analysis.view
    graph = view.graph(identity)
    points = {n for n, e in enumerate(view.function(identity).events)
              if e.kind == "suspend" and analysis.summaries.suspends(identity, n)}
    own = {n for n in points if view.awaited_call(identity, view.event(identity, n).value) == write}
    witness = path(graph, read, write, through=points - own, start="completed")
    if witness is not None:
        return next(n for n in witness.nodes if n in points)
    if path(graph, read, write, start="completed") is None:
        return None
    if own:
        return min(own)
    return write if external else None


def _is_guarded(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    held = analysis.guards.held
    if held(identity, read) & held(identity, write.event) or analysis.guards.held_by_callers(identity):
        return True
    return carries_version(analysis, identity, write.event)


def carries_version(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether the write takes a version argument, so that the store itself can refuse it (compare-and-swap)."""
    if analysis.view.does(identity, write, "compare-and-set"):
        return True
    return any(hints(a.keyword, analysis.words.versions) for a in analysis.view.event(identity, write).arguments if a.keyword)


def _finding(analysis: Analysis, pair: Pair) -> Finding:
    view, identity = analysis.view, pair.function
    store = store_name(pair.write)
    confidence: Confidence = "medium"
    other = _second_writer(analysis, pair)
    return Finding(
        function=identity, event=pair.write.event, kind="store-pair", confidence=confidence,
        fields={
            "store": store, "read": str(view.line(identity, pair.read)), "write": str(view.line(identity, pair.write.event)),
            "suspension": str(view.line(identity, pair.suspension)), "writer": other.text,
        },
        flow=(
            FlowStep(identity, pair.read, f"reads {store}"),
            FlowStep(identity, pair.suspension, "another writer can run here"),
            FlowStep(identity, pair.write.event, f"writes {store} from the old reading"),
        ),
        evidence=(other,),
        chain=("read", "suspend", "write", *sorted(pair.keys)[:1]),
    )


def _second_writer(analysis: Analysis, pair: Pair) -> Evidence:
    for access in analysis.stores.writers(pair.keys):
        if access.function != pair.function:
            return Evidence(f"second writer: `{analysis.program.symbol(access.function)}`", access.function, access.effect.event)
    return Evidence("second writer: another call of the same function")
