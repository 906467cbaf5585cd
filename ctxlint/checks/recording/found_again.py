"""The retry trap of two stores: a second attempt finds in the first store what the first attempt put there, and leaves before the
entry of the second one, from which the first is made again.
"""

from __future__ import annotations

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source, named_in
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.recording.units import ends_between
from ctxlint.checks.retries import Gate, gates, tests
from ctxlint.flow.paths import path, reachable


def found_again(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> int | None:
    """The event at which a second attempt leaves because of what was put into the first store, and stays there; or None."""
    if change.kind not in ("append", "write") or change.medium == record.medium == "interface":
        return None                                      # two interfaces may be one store: that which waits, and that which does not
    reads = frozenset(
        e.event for e in analysis.summaries.of(identity).effects if e.kind == "read" and e.keys & change.keys and e.event < change.event
    )
    if not reads or not _says_the_same(analysis, identity, change, record):
        return None
    graph = analysis.view.graph(identity)
    recorded = {e.event for e in analysis.summaries.of(identity).effects if e.kind in WRITES and e.keys & record.keys} - {record.event}
    for gate in gates(analysis, identity, record.event):
        if not comes_before(graph, gate.at, change.event) or recorded and path(graph, gate.at, recorded, {change.event}) is not None:
            continue
        if _asks_for_it(analysis, identity, change, record, reads, gate) and _lasts(analysis, identity, change, record):
            return gate.at
    return None


def _lasts(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    """Whether the change stands when the record fails; a store that is told afterwards that all is done may keep nothing till then."""
    if change.medium == "sql":
        return ends_between(analysis, identity, change.event, record.event)
    if change.medium != "interface":
        return True
    events, own = analysis.view.function(identity).events, analysis.view.event(identity, change.event).path
    return own is not None and not any(
        events[n].kind == "exit" or events[n].kind == "call" and not events[n].arguments and (at := events[n].path) is not None
        and at.root == own.root and at.steps and at.steps[:-1] == own.steps[:len(at.steps) - 1]
        for n in reachable(analysis.view.graph(identity), record.event) if n < len(events)
    )


def _says_the_same(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    """Whether all that is put into the first store, but for constants, goes into the entry, too."""
    put, told = _content(analysis, identity, change), _content(analysis, identity, record)
    return bool(named_in(put) & named_in(told))


def _asks_for_it(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, reads: frozenset[int], gate: Gate
) -> bool:
    """Whether the gate is that the first store has no such entry, asked for by something that is put there, or told of it."""
    sources = analysis.summaries.sources
    found = {
        s.event for test in tests(gate.condition.value, gate.condition.holds) if test.relation == "absent"
        for s in sources.of(identity, gate.behind, test.subject) if s.kind == "read"
    } & reads
    asked = [*sources.of(identity, gate.behind, gate.condition.value)] if found else []
    for read in found:
        asked += sources.of_all(identity, read, [a.value for a in analysis.view.event(identity, read).arguments])
    said = {s.name for effect in (change, record) for s in _content(analysis, identity, effect) if s.kind == "param"}
    return any(s.kind == "param" and s.name in said for s in asked)


def _content(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> frozenset[Source]:
    return analysis.summaries.sources.of_all(identity, effect.event, effect.contents)
