"""`precedes`: a cell is changed before the record that recovery needs, and the record may never be made.

Two kinds of record: the entry of a store from which a restore rebuilds the cell, and the undo record in memory that an undo
function replays.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.wording import store_name, short_cell
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import Witness, path
from ctxlint.roles.cells import Restore

NEAR = 3
"""A record further down than this many calls is another function's business."""

ACCUMULATES = frozenset({"augment", "item", "delete", "add", "remove", "clear", "mutate", "field"})
"""Changes that a later rebinding does not heal: what they did is only known from the record."""


class Candidate(msgspec.Struct, frozen=True):
    """A mutation, the record that follows it, and the restore that rebuilds the cell from the record."""

    function: FunctionId
    mutation: Mutation
    record: StoreEffect
    restore: Restore
    witness: Witness


def precedes(analysis: Analysis, *, first: str = "record", then: str = "mutate") -> Iterator[Finding]:
    """Report mutations whose durable record, or whose undo record, comes only afterwards and may fail."""
    for identity in analysis.program.functions():
        yield from _before_store(analysis, identity)


# Records in a store.


def _before_store(analysis: Analysis, identity: FunctionId) -> Iterator[Finding]:
    summary = analysis.summaries.of(identity)
    records = [e for e in summary.effects if e.kind in ("write", "append", "delete", "move") and e.keys
               and e.distance <= NEAR and not e.staged and not e.deferred]
    mutations = [m for m in summary.mutations if m.cells and m.distance <= 2]
    if not records or not mutations or is_constructor(analysis.view, identity):
        return
    for record in _first_per_event(records):
        for mutation in mutations:
            candidate = _candidate(analysis, identity, mutation, record)
            if candidate is not None:
                yield _store_finding(analysis, candidate)
                break


def _first_per_event(records: list[StoreEffect]) -> Iterator[StoreEffect]:
    seen: set[tuple[int, frozenset[str]]] = set()
    for record in records:
        if (record.event, record.keys) not in seen:
            seen.add((record.event, record.keys))
            yield record


def _candidate(
    analysis: Analysis, identity: FunctionId, mutation: Mutation, record: StoreEffect
) -> Candidate | None:
    if mutation.event == record.event:
        return None
    restores = [r for r in analysis.cells.restores(mutation.cells) if r.keys & record.keys]
    if not restores or any(r.function == identity for r in restores):
        return None
    graph = analysis.view.graph(identity)
    earlier = {e.event for e in analysis.summaries.of(identity).effects
               if e.keys & record.keys and e.kind != "read" and e.event != record.event and not e.deferred}
    witness = path(graph, mutation.event, record.event, earlier, start="completed")
    if witness is None or any(_dominates(analysis, identity, event, mutation.event) for event in earlier):
        return None
    if _compensates(analysis, identity, mutation, record):
        return None
    trap = retry_trap(analysis, identity, mutation)
    if not trap and (_heals(analysis, identity, mutation, record) or not _accumulates(analysis, identity, mutation)):
        return None
    return Candidate(identity, mutation, record, restores[0], witness)


def _dominates(analysis: Analysis, identity: FunctionId, first: int, second: int) -> bool:
    graph = analysis.view.graph(identity)
    return path(graph, graph.entry, second, {first}) is None


def _compensates(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: StoreEffect) -> bool:
    """Whether the failure of the record leads to a step that changes the cell back."""
    graph = analysis.view.graph(identity)
    undoing = {m.event for m in analysis.summaries.of(identity).mutations if set(m.cells) & set(mutation.cells)}
    return path(graph, record.event, undoing - {mutation.event}, {record.event}, start="failed") is not None


def _heals(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: StoreEffect) -> bool:
    """A save of the whole cell repeats what a failed one should have said; a delta is lost for good."""
    if record.kind in ("append", "delete"):
        return False
    if record.cells.intersection(mutation.cells):
        return True
    sources = analysis.summaries.sources.of_all(identity, record.event, record.contents)
    return any(s.kind == "cell" and s.name in mutation.cells for s in sources)


def _accumulates(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    if mutation.how in ACCUMULATES:
        return True
    sources = analysis.summaries.sources.of_all(identity, mutation.event, mutation.values)
    return any(s.kind == "cell" and s.name in mutation.cells for s in sources)


def retry_trap(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    """Whether a test before the mutation asks the very cell that it changes and leaves otherwise: a retry never gets there."""
    for condition in conditions_before(analysis, identity, mutation.event):
        sources = analysis.summaries.sources.of(identity, mutation.event, condition.value)
        if any(s.kind == "cell" and s.name in mutation.cells for s in sources):
            return True
    return False


def _store_finding(analysis: Analysis, found: Candidate) -> Finding:
    view, identity = analysis.view, found.function
    cell, store = short_cell(found.mutation.cells), store_name(found.record)
    restore = analysis.program.symbol(found.restore.function)
    trap = retry_trap(analysis, identity, found.mutation)
    shared = _same_content(analysis, found)
    confidence: Confidence = "high" if trap and shared else "medium" if shared or trap else "low"
    kind = "retry-trap" if trap else "store"
    return Finding(
        function=identity, event=found.mutation.event, kind=kind, confidence=confidence,
        fields={
            "cell": cell, "journal": store, "mutation": str(view.line(identity, found.mutation.event)),
            "record": str(view.line(identity, found.record.event)), "recovery": restore, "fault": f"line {view.line(identity, found.record.event)}",
        },
        flow=(
            FlowStep(identity, found.mutation.event, f"changes `{cell}`"),
            FlowStep(identity, found.record.event, f"records it in {store}; can fail here"),
            FlowStep(found.restore.function, found.restore.event, f"rebuilds `{cell}` from {store}"),
        ),
        evidence=(Evidence(f"journal: `{restore}` reads {store} back into `{cell}`", found.restore.function, found.restore.read),),
        chain=("mutate", found.mutation.cells[0], found.mutation.how, "record", *sorted(found.record.keys)[:1]),
    )


def _same_content(analysis: Analysis, found: Candidate) -> bool:
    """Whether what goes into the cell also goes into the record."""
    sources = analysis.summaries.sources
    into_cell = sources.of_all(found.function, found.mutation.event, found.mutation.values)
    into_record = sources.of_all(found.function, found.record.event, found.record.contents)
    return bool({_named(s) for s in into_cell} & {_named(s) for s in into_record})


def _named(source: Source) -> tuple[str, str, int]:
    return (source.kind, source.name, source.event if source.kind in ("call", "read") else -1)
