"""Records that say only where an edit was, and are replayed by that position without a look at what lies there."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.duals import applies
from ctxlint.diagnostic import Confidence
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holder, is_within
from ctxlint.roles.measures import slice_of
from ctxlint.roles.record import Record, Replay
from ctxlint.roles.undo import UndoRecords


class Carried(msgspec.Struct, frozen=True):
    """A positional record, the edits it stands for, and those by which it is replayed."""

    record: Record
    edits: tuple[Edit, ...]
    replays: tuple[Replay, ...]

    @property
    def cell(self) -> Holder:
        """The cell in words of the whole program."""
        return min(self.replays[0].edit.holders)


class Reason(msgspec.Struct, frozen=True):
    """Why the position can be wrong when it is used: `kind` of the rule, the fact in words, and where it shows."""

    kind: str
    text: str
    confidence: Confidence
    function: FunctionId
    event: int


def carried_by(analysis: Analysis, undo: UndoRecords, record: Record) -> list[Carried]:
    """The record with its replays, for every cell that it is replayed in by position alone."""
    replays = [
        replay for replay in undo.replays(record)
        if not is_constructor(analysis.view, replay.function) and applies(analysis, undo, replay.function, replay.edit, record)
    ]
    replays += [replay for replay in undo.called_replays(record) if not _repeats(undo, record, replay)]
    replays = _inverses(analysis, undo, record, replays)
    if not replays or any(_recognises(undo, record, replay) for replay in replays):
        return []
    if undo.is_kept_up_to_date(record.container):
        return []
    cells = dict.fromkeys(replay.edit.holders for replay in replays)
    found = [_in_cell(analysis, undo, record, [r for r in replays if r.edit.holders & cell]) for cell in cells]
    return [carried for carried in found if carried is not None]


def _in_cell(analysis: Analysis, undo: UndoRecords, record: Record, replays: list[Replay]) -> Carried | None:
    cell = _as_recorded(undo, record, replays[0].edit.holders)
    edits = tuple(e for e in undo.edits.of(record.function) if e.holders & cell)
    edits = tuple(e for e in edits if record.distance and e.event == record.event) or edits
    if undo.is_of_one_call(record):
        edits = tuple(e for e in edits if not undo.is_taken_back_here(record, e))
    replays = [replay for replay in replays if _can_undo(analysis, undo, replay.edit, edits)]
    if not replays:
        return None
    if not edits and not _is_mark(record, cell):
        return None
    if not _is_sequence(analysis, undo, record, edits, replays):
        return None
    return Carried(record, edits, tuple(replays))


def _repeats(undo: UndoRecords, record: Record, replay: Replay) -> bool:
    """Whether a function that is kept does the edit again: what redo calls."""
    inverse = replay.edit
    return any(
        edit.operation == inverse.operation and edit.operation in ("insert", "remove", "append", "prepend") and edit.event != inverse.event
        and edit.holders & inverse.holders
        for edit in undo.edits.of(record.function)
    ) and record.bound is None


def _is_sequence(
    analysis: Analysis, undo: UndoRecords, record: Record, edits: tuple[Edit, ...], replays: list[Replay]
) -> bool:
    """Whether the cell has positions: a mapping that is edited by keys has none, and they cannot shift."""
    if any(undo.edits.is_sequence(record.function, edit) for edit in (*edits, *(replay.edit for replay in replays))):
        return True
    cell = replays[0].edit.holders
    return any(
        edit.positional and edit.holders & cell
        for holder in sorted(cell) for change in analysis.cells.changes(holder) for edit in undo.edits.own(change.function)
    )


def _as_recorded(undo: UndoRecords, record: Record, cell: frozenset[Holder]) -> frozenset[Holder]:
    """The cell as the recording function names it: it may be reached through a part of the record."""
    found = set(cell)
    for holder in cell:
        for part, made in record.parts.items():
            kind, _, place = holder.rpartition(" ")
            if is_within(place, part):
                prefix = f"{kind} " if kind else ""
                found.update(f"{prefix}{h}{place[len(part):]}" for h in undo.holders.of(made.where, made.at, made.value))
    return frozenset(found)


def _inverses(analysis: Analysis, undo: UndoRecords, record: Record, replays: list[Replay]) -> list[Replay]:
    """The replays that undo: a function that repeats the recorded edit on a cell it has just set anew rebuilds it instead."""
    found = []
    for replay in replays:
        resets = any(
            e.operation == "whole" and e.event < replay.edit.event and e.holders & replay.edit.holders
            for e in undo.edits.of(replay.function)
        )
        if not resets and not _reworks(analysis, undo, replay):
            found.append(replay)
    return found


def _reworks(analysis: Analysis, undo: UndoRecords, replay: Replay) -> bool:
    """Whether the edit puts in what it has made of the same part of the cell: nothing of it was recorded."""
    function, event = replay.edit.origin
    pending: list[tuple[Value, int]] = [(v, event) for v in (replay.edit.contents if replay.edit.distance == 0 else ())]
    seen: set[tuple[Value, int]] = set()
    while pending:
        value, at = pending.pop()
        if (value, at) in seen:
            continue
        seen.add((value, at))
        if isinstance(value, Compound):
            pending += [(part, at) for part in value.parts]
        elif isinstance(value, Name) and value.scope == "local":
            bound = [n for n in analysis.view.definitions(function).definitions(at, value.name) if n >= 0]
            pending += [(v, n) for n in bound if (v := analysis.view.event(function, n).value) is not None]
        elif isinstance(value, Result):
            it = analysis.view.event(function, value.event)
            if it.kind == "read" and slice_of(it) is not None and undo.holders.of_event(function, value.event) & replay.edit.holders:
                return True
            pending += [(a.value, value.event) for a in it.arguments]
    return False


def _can_undo(analysis: Analysis, undo: UndoRecords, inverse: Edit, edits: tuple[Edit, ...]) -> bool:
    """Whether an edit can take one of the recorded ones back.

    What leaves the number of elements as it is undoes none that changes it, and what stores the same constant again repeats it.
    """
    if inverse.operation != "store" or not edits:
        return True
    stored = analysis.view.event(*inverse.origin).value
    if isinstance(stored, Result) and undo.holders.of(inverse.origin[0], inverse.origin[1], stored) & {f"{h}[*]" for h in inverse.holders}:
        return True                                        # elements change places
    if isinstance(stored, Constant) and any(analysis.view.event(*edit.origin).value == stored for edit in edits):
        return False
    return any(edit.operation in ("store", "slice") for edit in edits)


def _is_mark(record: Record, cell: frozenset[Holder]) -> bool:
    """Whether a part of the record is how long the cell was."""
    return any(
        atom[:2] == ("len", "place") and atom[2] in cell and part.number.constant == 0 and len(part.number.terms) == 1
        for part in record.parts.values() for atom in part.number.atoms
    )


def _recognises(undo: UndoRecords, record: Record, replay: Replay) -> bool:
    """Whether the replay compares content of the cell with something of the record before it edits, or searches for it."""
    cell = replay.edit.holders
    if replay.function == record.function and not undo.is_of_one_call(record):
        origin, event = replay.edit.origin
        return origin != record.function and any(
            is_within(h, c) for mentioned in undo.mentions.compared_before(origin, event) for h in mentioned for c in cell
        )
    compared = list(undo.mentions.compared_before(replay.function, replay.edit.event))
    if replay.edit.distance:
        function, event = replay.edit.origin
        compared += [
            frozenset([*mentioned, record.container]) if any(":" in h for h in mentioned) else mentioned
            for mentioned in undo.mentions.compared_before(function, event)
        ]
    compared.append(undo.mentions.of_all(replay.function, replay.edit.event, replay.edit.positions))
    return any(
        any(is_within(h, c) for h in mentioned for c in cell) and any(is_of(record, h) for h in mentioned) for mentioned in compared
    )


def is_of(record: Record, holder: Holder) -> bool:
    return is_within(holder, record.container) or any(is_within(holder, part) for part in record.parts)


def revisions(undo: UndoRecords, record: Record, replay: Replay) -> Iterator[Holder]:
    """Cells that the replay compares with the record: a bypass that changes one of them makes the replay refuse."""
    for mentioned in undo.mentions.compared_before(replay.function, replay.edit.event):
        if any(is_of(record, holder) for holder in mentioned):
            yield from (holder for holder in mentioned if not is_of(record, holder))
