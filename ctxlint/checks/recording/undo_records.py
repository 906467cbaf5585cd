"""Mutations whose undo record in memory comes afterwards and may be dropped.

A container is an undo log by what flows into it: the value that a mutation overwrites (read before it), or a closure that changes
the same cell. Adding to a plain list cannot fail; what makes the record droppable is an append of its own that refuses or skips,
or something fallible between the mutation and the append.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import changes_after_failure
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.recording.fallible import may_fail, may_skip
from ctxlint.checks.recording.record_facts import record_facts
from ctxlint.checks.recording.taken import Taken, taken
from ctxlint.checks.recording.undo_deltas import LastTakers, changes_near, is_called_undo, is_told, opposite, put_in
from ctxlint.checks.wording import short_cell
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import between, path, reachable
from ctxlint.ir.value import Closure, Name, Result
from ctxlint.roles.entering import REMOVALS

NEAR_RECORD = 2
"""An undo record that is added further down than this many calls is another function's business."""

Drop = Literal["refused", "skipped", "interrupted"]


class Replay(msgspec.Struct, frozen=True):
    """The function that takes records out of the container and changes the cell with them."""

    function: FunctionId
    event: int


class Candidate(msgspec.Struct, frozen=True):
    """A mutation, its undo record, the event at which the record can be lost, and how; `sure` tells that no queue looks like it."""

    function: FunctionId
    mutation: Mutation
    record: Mutation
    fault: int
    drop: Drop
    replay: Replay | None
    sure: bool


def before_undo_record(analysis: Analysis, takers: LastTakers, identity: FunctionId) -> Iterator[Finding]:
    """Report the function's mutations that an undo cannot take back when something between them and their record fails."""
    mutations = [m for m in analysis.summaries.of(identity).mutations if m.cells]
    records = [m for m in mutations if m.how == "add" and m.distance <= NEAR_RECORD]
    if not records or len(mutations) < 2 or is_constructor(analysis.view, identity):
        return
    for record in records:
        kept = taken(analysis, identity, analysis.cells.entering.values(identity, record), record.event)
        inverted = _inverted(analysis, identity, record)
        undoing = takers.of(record.cells[-1]) - {identity}
        for mutation in mutations:
            if mutation.distance <= 1 and mutation.event != record.event and not set(mutation.cells) & set(record.cells):
                candidate = _candidate(analysis, identity, mutation, record, kept, inverted, undoing)
                if candidate is not None:
                    yield _finding(analysis, candidate)
                    break


def _candidate(
    analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Mutation, kept: frozenset[Taken], inverted: frozenset[str],
    takers: frozenset[FunctionId],
) -> Candidate | None:
    image = any(cell == mutation.cells[-1] and read < mutation.event for cell, read in kept)
    if not image and mutation.how in REMOVALS and (mutation.cells[-1], mutation.event) in kept:      # the change itself reads it
        image = writer_from_records(analysis, identity, mutation.cells[-1], record.cells[-1]) is not None
    inverse = mutation.cells[-1] in inverted
    delta = bool(takers) and not image and not inverse and is_told(analysis, identity, mutation, record)
    back = opposite(analysis, identity, mutation, record.cells[-1], takers) if delta else None
    if not image and not inverse and back is None:
        analysis.spare(identity, mutation.event, "neither the overwritten value nor an inverse goes into the container", record.event)
        return None
    graph = analysis.view.graph(identity)
    others = {m.event for m in analysis.summaries.mutations_of(identity, record.cells[-1])
              if m.cells[-1] == record.cells[-1] and m.how == "add" and m.event != record.event}
    if comes_before(graph, record.event, mutation.event) or any(comes_before(graph, o, mutation.event) for o in others):
        analysis.spare(identity, mutation.event, "the undo record comes first", record.event)
        return None
    if record.event not in reachable(graph, mutation.event) or path(        # what is remembered says no to most of them
        graph, mutation.event, record.event, others, start="completed", consistent=False
    ) is None:
        return None
    lost = _lost(analysis, identity, mutation, record)
    if lost is None:
        analysis.spare(identity, mutation.event, "nothing between the change and its undo record can fail, and the record is not refused", record.event)
        return None
    fault, drop = lost
    container = record.cells[-1]
    replay = Replay(back.function, back.mutation.event) if back is not None else caller_of_records(
        analysis, identity, container) if inverse else writer_from_records(analysis, identity, mutation.cells[-1], container)
    if replay is None and not is_stack_beside(analysis, mutation.cells[-1], container):
        analysis.spare(identity, mutation.event, "nobody takes records out of the container to undo with them", record.event)
        return None
    if drop != "skipped" and changes_after_failure(analysis, identity, mutation, fault):
        analysis.spare(identity, mutation.event, "a handler takes the change back", fault)
        return None
    sure = back is None or mutation.how not in ("add", "item") or is_called_undo(analysis, back, container)
    return Candidate(identity, mutation, record, fault, drop, replay, sure)


def _inverted(analysis: Analysis, identity: FunctionId, record: Mutation) -> frozenset[str]:
    """The cells that the closures change which go into the record."""
    closures = [a.value for a in analysis.view.event(identity, record.event).arguments if isinstance(a.value, Closure)]
    inverses = [analysis.summaries.of(FunctionId(identity.module, closure.function)) for closure in closures]
    return frozenset(m.cells[-1] for inverse in inverses for m in inverse.mutations if m.cells)


def _lost(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Mutation) -> tuple[int, Drop] | None:
    """Where the record can be lost once the mutation is made, and how."""
    graph = analysis.view.graph(identity)
    if record.distance > 0:
        drop = may_skip(analysis, identity, record)
        if drop is not None:
            return record.event, drop
    for number in sorted(between(graph, mutation.event, record.event)):
        if may_fail(analysis, identity, number):
            lost = path(graph, number, (graph.exit, graph.raised), {record.event}, start="failed", consistent=False)
            if lost is not None:
                return number, "interrupted"
    refused = _refusal(analysis, identity, mutation, record)
    return None if refused is None else (refused, "interrupted")


def _refusal(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Mutation) -> int | None:
    """Where the function itself raises, with the mutation made, not taken back and not recorded."""
    graph = analysis.view.graph(identity)
    passed = {record.event, *(m.event for m in analysis.summaries.mutations_of(identity, mutation.cells[-1]))} - {mutation.event}
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "raise" and event.value is not None and path(graph, number, graph.raised, {record.event}) is not None:
            if path(graph, mutation.event, number, passed, start="completed", exceptional=False, consistent=False) is not None:
                return number
    return None


def writer_from_records(analysis: Analysis, recorder: FunctionId, cell: str, container: str) -> Replay | None:
    """The function that changes the cell with what it takes out of the container."""
    for change in changes_near(analysis, cell):
        if change.function == recorder or is_constructor(analysis.view, change.function) or not _takes(analysis, change.function, container):
            continue
        stored = taken(analysis, change.function, put_in(analysis, change), change.mutation.event, parts=True)
        if any(source == container for source, _ in stored):
            return Replay(change.function, change.mutation.event)
    return None


def caller_of_records(analysis: Analysis, recorder: FunctionId, container: str) -> Replay | None:
    """The method that calls what it takes out of the container."""
    info = analysis.program.class_(container.rpartition(".")[0])
    for method in info.ir.methods if info is not None else ():
        function = FunctionId(info.module, method.function) if info is not None else recorder
        for number, event in enumerate(analysis.view.function(function).events):
            if function != recorder and event.kind == "call" and event.path is not None and not event.path.steps:
                if isinstance(event.path.root, (Name, Result)):
                    if any(source == container for source, _ in taken(analysis, function, (event.path.root,), number)):
                        return Replay(function, number)
    return None


def is_stack_beside(analysis: Analysis, cell: str, container: str) -> bool:
    """Whether the same object holds the cell and the container, and some function takes entries out of the container again."""
    return cell.rpartition(".")[0] == container.rpartition(".")[0] and any(
        change.mutation.how == "remove" and not analysis.view.event(change.function, change.mutation.event).ignored
        for change in analysis.cells.changes(container)
    )


def _takes(analysis: Analysis, function: FunctionId, container: str) -> bool:
    """Whether the function takes records out of the container, here or in a callee, rather than only looks at it."""
    return any(m.cells[-1] == container and m.how in REMOVALS and m.distance <= NEAR_RECORD
               for m in analysis.summaries.mutations_of(function, container))



_FAULTS: dict[Drop, str] = {
    "refused": "the append of line {line}",
    "skipped": "the append of line {line}",
    "interrupted": "line {line}",
}


def _finding(analysis: Analysis, found: Candidate) -> Finding:
    identity = found.function
    cell, container = short_cell(found.mutation.cells[-1:]), short_cell(found.record.cells[-1:])
    recovery = analysis.program.symbol(found.replay.function) if found.replay is not None else ""
    steps = [FlowStep(identity, found.mutation.event, f"changes `{cell}`")]
    if found.drop == "interrupted":
        steps.append(FlowStep(identity, found.fault, "can fail, or never come back, before the change is recorded"))
        steps.append(FlowStep(identity, found.record.event, f"adds the undo record to `{container}`"))
    else:
        origin, event = found.record.origin
        steps.append(FlowStep(identity, found.record.event, f"adds the undo record to `{container}`; the record can be {found.drop}"))
        steps.append(FlowStep(origin, event, "this append is not reached on every way"))
    if found.replay is not None:
        steps.append(FlowStep(found.replay.function, found.replay.event, f"`{recovery}` takes the change of `{cell}` back"))
        evidence = Evidence(f"undo log: `{recovery}` replays `{container}` into `{cell}`", found.replay.function, found.replay.event)
    else:
        evidence = Evidence(f"undo log: what the change overwrites goes into `{container}`; reader not in the analysed code")
    return Finding(
        function=identity, event=found.mutation.event, kind="undo" if found.replay is not None else "undo-unread",
        confidence=_confidence(found),
        fields={
            "cell": cell, "journal": container, "mutation": At(identity, found.mutation.event),
            "record": At(identity, found.record.event), "recovery": recovery,
            "fault": At(identity, found.fault, _FAULTS[found.drop]),
        },
        flow=tuple(steps), evidence=(evidence,),
        chain=("mutate", found.mutation.cells[-1], found.mutation.how, "undo", found.record.cells[-1]),
        facts=record_facts(analysis, identity, found.mutation.event, found.record.event, found.mutation.cells) | {"drop": found.drop},
    )


def _confidence(found: Candidate) -> Confidence:
    if found.replay is None or not found.sure:
        return "low"
    return "high" if found.drop != "skipped" else "medium"
