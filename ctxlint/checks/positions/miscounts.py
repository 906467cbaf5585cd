"""Whether the recorded count is what the edit really added or removed, on every way."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.positions.duals import is_plain, optional, translated
from ctxlint.checks.positions.positional import Carried, Reason, is_of
from ctxlint.checks.positions.same_place import is_round
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path, reachable
from ctxlint.roles.edit import Edit
from ctxlint.roles.record import Replay
from ctxlint.roles.sums import ONE, ZERO, Sum
from ctxlint.roles.undo import UndoRecords


def miscounted(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A loop that some round leaves out, and a record that counts every round."""
    for edit in carried.edits:
        if not edit.partial or edit.repeats is None:
            continue
        for replay in carried.replays:
            count = replay.edit.removed if edit.operation in ("append", "insert") else replay.edit.inserted
            counted = translated(undo, carried.record, edit, replay.function, count, False)
            if counted == edit.repeats or _counts_all(carried, edit, counted) or _start_counts(undo, carried, edit, replay):
                yield Reason(
                    "miscounted", "some round of the loop makes no edit, and the record counts them all", "high",
                    carried.record.function, edit.event,
                )
                return
    yield from _several(analysis, undo, carried)
    yield from _made_sometimes(analysis, undo, carried)
    yield from _counted_short(analysis, undo, carried)


def _several(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A loop that edits in every round under one record, and a replay that takes back one edit."""
    record = carried.record
    for edit in carried.edits:
        loop = analysis.view.graph(record.function).derived(Loops).loop_of(edit.event)
        inside = loop is not None and record.event not in loop.body
        if not edit.shifts or not (inside or (edit.looped and edit.distance)):
            continue
        if edit.operation in ("append", "pop") or record.distance:
            continue
        if all(_is_single(analysis, undo, replay, edit) for replay in carried.replays):
            yield Reason(
                "miscounted", "every round of the loop makes an edit, and the replay takes back one", "high",
                record.function, edit.event,
            )
            return


def _made_sometimes(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """An edit that some way to the record leaves out, and a replay that takes it back whatever the record says."""
    record = carried.record
    if record.distance or record.command is not None or len(carried.edits) != 1 or record.inverse is not None or record.bound is not None:
        return
    edit = carried.edits[0]
    graph = analysis.view.graph(record.function)
    if not edit.shifts or edit.operation == "whole" or graph.derived(Loops).loop_of(edit.event) is not None:
        return
    if any(is_round(analysis, record.function, edit.event, position, 0) for position in edit.positions):
        return                                             # a loop looks for the place
    before = path(graph, graph.entry, record.event, {edit.event}, exceptional=False)
    after = path(graph, record.event, graph.exit, {edit.event}, exceptional=False)
    if before is None or after is None or edit.event not in {*reachable(graph, record.event)} and record.event not in reachable(graph, edit.event):
        return
    for replay in carried.replays:
        if replay.edit.looped or ONE not in (replay.edit.removed, replay.edit.inserted) or replay.function == record.function:
            continue
        asked = [
            h for c in conditions_before(analysis, replay.function, replay.edit.event)
            for h in undo.mentions.of(replay.function, replay.edit.event, c.value)
        ]
        if not any(is_of(record, holder) for holder in asked):
            yield Reason(
                "miscounted", "some way records without this edit, and the replay takes it back all the same", "medium",
                record.function, edit.event,
            )
            return


def _is_single(analysis: Analysis, undo: UndoRecords, replay: Replay, edit: Edit) -> bool:
    """Whether the replay takes back just one element, once."""
    inverse = replay.edit
    graph = analysis.view.graph(replay.function)
    if inverse.looped or graph.derived(Loops).loop_of(inverse.event) is not None:
        return False
    return (inverse.removed, inverse.inserted) == (edit.inserted, edit.removed) and ONE in (inverse.removed, inverse.inserted)


def _counts_all(carried: Carried, edit: Edit, counted: Sum | None) -> bool:
    """Whether the record counts every round and the edits beside the loop."""
    assert edit.repeats is not None
    total: Sum = edit.repeats
    for other in carried.edits:
        if other.event != edit.event and other.operation == edit.operation:
            change = other.inserted if edit.operation in ("append", "insert") else other.removed
            if change is None:
                return False
            total = total + change
    return total == counted


def _counted_short(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """An edit at the tail that only some ways make, beside others, and a record whose count is the same on all."""
    record = carried.record
    graph = analysis.view.graph(record.function)
    for edit in carried.edits:
        others = [e for e in carried.edits if e.operation == edit.operation and e.event != edit.event]
        if edit.operation not in ("append", "pop") or edit.partial or not optional(analysis, record.function, edit.event, record.event):
            continue
        if edit.repeats is not None:
            continue                                       # every round makes one like it
        if any(o.event in reachable(graph, edit.event) or edit.event in reachable(graph, o.event) for o in others):
            for replay in carried.replays:
                count = replay.edit.removed if replay.edit.removed != ZERO else replay.edit.inserted
                counted = translated(undo, record, edit, replay.function, count, False)
                if counted is not None and (
                    counted.terms and all(is_plain(atom) for atom in counted.atoms) or counted == _always(analysis, undo, carried, edit)
                ):
                    yield Reason("miscounted", "this one is not in the recorded count", "medium", record.function, edit.event)
                    return


def _always(analysis: Analysis, undo: UndoRecords, carried: Carried, edit: Edit) -> Sum | None:
    """How many elements the edits like this one add, or remove, that no way to the record leaves out."""
    total = ZERO
    for other in carried.edits:
        change = other.inserted if edit.operation == "append" else other.removed
        if other.operation != edit.operation or change is None or other.looped or other.partial or undo.edits.may_be_left_out(other):
            return None
        if not optional(analysis, carried.record.function, other.event, carried.record.event):
            total = total + change
    return total if total != ZERO else None


def _start_counts(undo: UndoRecords, carried: Carried, edit: Edit, replay: Replay) -> bool:
    parts = [part for holder, part in carried.record.parts.items() if holder in replay.places]
    return any(edit.repeats in (part.number, part.length) for part in parts)
