"""The retry trap of two stores: a second attempt finds in the first store what the first attempt put there, and leaves before the
entry of the second one, from which the first is made again.
"""

from __future__ import annotations

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source, named_in
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.retries import Test, gates, tests
from ctxlint.checks.units import ends_between
from ctxlint.flow.paths import path


def found_again(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> int | None:
    """The event at which a second attempt leaves because of what was put into the first store, and stays there; or None."""
    if change.kind not in ("append", "write"):
        return None
    reads = frozenset(
        e.event for e in analysis.summaries.of(identity).effects if e.kind == "read" and e.keys & change.keys and e.event < change.event
    )
    if not reads or not _says_the_same(analysis, identity, change, record):
        return None
    graph = analysis.view.graph(identity)
    recorded = {e.event for e in analysis.summaries.of(identity).effects if e.kind in WRITES and e.keys & record.keys} - {record.event}
    for gate in gates(analysis, identity, record.event):
        if comes_before(graph, gate.at, change.event) and not (recorded and path(graph, gate.at, recorded, {change.event}) is not None):
            if any(_finds(analysis, identity, change, reads, gate.behind, test) for test in tests(gate.condition.value, gate.condition.holds)):
                return gate.at if change.medium != "sql" or ends_between(analysis, identity, change.event, record.event) else None
    return None


def _says_the_same(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    """Whether all that is put into the first store, but for constants, goes into the entry, too."""
    put, told = _content(analysis, identity, change), _content(analysis, identity, record)
    return bool(named_in(put) & named_in(told))


def _finds(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, reads: frozenset[int], at: int, test: Test
) -> bool:
    """Whether the test is that the first store has no such entry, asked by something that goes into what is put there."""
    if test.relation != "absent":
        return False
    found = {s.event for s in analysis.summaries.sources.of(identity, at, test.subject) if s.kind == "read"} & reads
    put = named_in(_content(analysis, identity, change))
    return any(
        named_in(analysis.summaries.sources.of_all(identity, read, [a.value for a in analysis.view.event(identity, read).arguments])) & put
        for read in found
    )


def _content(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> frozenset[Source]:
    return analysis.summaries.sources.of_all(identity, effect.event, effect.contents)
