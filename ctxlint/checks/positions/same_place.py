"""Whether the recorded position is the one at which the edit is made."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.duals import applies, in_sequence, translated
from ctxlint.checks.positions.positional import Carried, Reason
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import Compound, Name, Result, Value, parts_of
from ctxlint.roles.edit import Edit
from ctxlint.roles.record import Record
from ctxlint.roles.sums import Sum
from ctxlint.roles.undo import UndoRecords

_ADJUSTS = frozenset(["min", "max", "abs", "len", "int"])
_FINDS = frozenset(["index", "find", "rindex", "rfind", "bisect", "bisect_left", "bisect_right"])


def elsewhere(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A record of the position that was asked for, or found in another way, beside an edit at the one that came out."""
    record = carried.record
    if record.command is not None or record.distance:
        return
    for edit in carried.edits:
        if edit.distance or edit.operation not in ("insert", "remove", "store", "slice") or not edit.positions:
            continue
        for replay in carried.replays:
            recorded = translated(undo, record, edit, replay.function, replay.edit.start, False)
            made = undo.edits.settle(record.function, undo.measures.number(record.function, edit.event, edit.positions[0]))
            if recorded is None or made is None or recorded == made or not _is_alone(carried, edit):
                continue
            if _is_adjusted(analysis, record, edit, recorded):
                yield Reason(
                    "raw-position", "it keeps the number that was passed, and the edit is made at the one that was worked out from it",
                    "medium", record.function, edit.event,
                )
                return
            if _is_found(analysis, record.function, recorded) and is_round(analysis, record.function, edit.event, edit.positions[0], 0):
                yield Reason(
                    "not-the-dual", "it keeps a place that was searched for, and the edit is made at another one", "medium",
                    record.function, edit.event,
                )
                return


def moved_elsewhere(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """Two edits that move something, one of them at a position worked out from the one that is recorded and replayed as it is."""
    record = carried.record
    if record.command is not None or record.distance:
        return
    done = in_sequence(analysis, record.function, carried.edits)
    for function in dict.fromkeys(replay.function for replay in carried.replays):
        undone = in_sequence(analysis, function, [
            e for e in undo.edits.of(function)
            if e.holders & carried.replays[0].edit.holders and applies(analysis, undo, function, e, record)
        ])
        if len(done) < 2 or len(done) != len(undone):
            continue
        for edit, inverse in zip(done, reversed(undone)):
            recorded = translated(undo, record, edit, function, inverse.start, False)
            if edit.distance or not edit.positions or recorded is None or recorded == edit.start or not inverse.positions:
                continue
            if _is_adjusted(analysis, record, edit, recorded) and edit.operation in ("insert", "remove"):
                yield Reason(
                    "raw-position", "it keeps the number that was passed, and the edit is made at the one that was worked out from it",
                    "medium", record.function, edit.event,
                )
                return


def bound_later(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A kept function that sees a variable of the function around it, which is bound anew before the inverse runs."""
    record = carried.record
    if record.inverse is None:
        return
    captured = analysis.view.function(record.inverse).captures
    used = {
        name for replay in carried.replays for position in replay.edit.positions
        for name in captured if Name(name, "captured") in parts_of(position)
    }
    after = reachable(analysis.view.graph(record.function), record.event)
    for number, event in enumerate(analysis.view.function(record.function).events):
        if number in after and event.kind == "local" and event.path is not None and getattr(event.path.root, "name", "") in used:
            yield Reason(
                "bound-later", "a new value is bound to the variable that the inverse will look into", "high", record.function, number
            )
            return


def _is_alone(carried: Carried, edit: Edit) -> bool:
    """Whether no other edit beside it can be the one whose place is recorded."""
    return all(other.event == edit.event for other in carried.edits)


def _is_adjusted(analysis: Analysis, record: Record, edit: Edit, recorded: Sum) -> bool:
    """Whether the record has a formal as it is, and the edit's position was worked out from the same formal."""
    names = [str(atom[1]) for atom in recorded.atoms if atom[0] == "param"]
    if len(names) != 1 or len(recorded.terms) != 1 or recorded.constant:
        return False
    return names[0] in _worked_out_from(analysis, record.function, edit.event, edit.positions[0], 0)


def _worked_out_from(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int) -> frozenset[str]:
    """The names that a position is computed from by arithmetic, choices and clamping."""
    if depth > 8:
        return frozenset()
    if isinstance(value, Name) and value.scope == "local":
        found = {value.name}
        for number in analysis.view.definitions(identity).definitions(at, value.name):
            event = analysis.view.event(identity, number) if number >= 0 else None
            if event is not None and event.kind == "local" and event.value is not None:
                found |= _worked_out_from(analysis, identity, number, event.value, depth + 1)
        return frozenset(found)
    if isinstance(value, Compound) and value.operator in ("+", "-", "+=", "-=", "if", "or", "%", "-x"):
        return frozenset().union(*(_worked_out_from(analysis, identity, at, part, depth + 1) for part in value.parts))
    if isinstance(value, Result):
        event = analysis.view.event(identity, value.event)
        if event.kind == "call" and event.path is not None and not event.path.steps:
            if getattr(event.path.root, "name", "") in _ADJUSTS:
                return frozenset().union(
                    *(_worked_out_from(analysis, identity, value.event, a.value, depth + 1) for a in event.arguments)
                )
    return frozenset()


def _is_found(analysis: Analysis, identity: FunctionId, sum: Sum) -> bool:
    """Whether a sum is the result of a search, and nothing else."""
    if len(sum.terms) != 1 or sum.constant:
        return False
    atom = sum.atoms[0]
    if atom[0] != "event" or atom[1] != str(identity) or not isinstance(atom[2], int):
        return False
    event = analysis.view.event(identity, atom[2])
    name = (event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")) if event.path is not None else ""
    return event.kind == "call" and name in _FINDS


def is_round(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int) -> bool:
    """Whether a position is what a loop goes through."""
    if isinstance(value, Name) and value.scope == "local" and depth < 6:
        bound = [n for n in analysis.view.definitions(identity).definitions(at, value.name) if n >= 0]
        values = [(n, analysis.view.event(identity, n).value) for n in bound]
        return bool(values) and all(v is not None and is_round(analysis, identity, n, v, depth + 1) for n, v in values)
    if isinstance(value, Compound) and value.operator in ("item", "element") and depth < 6:
        return is_round(analysis, identity, at, value.parts[0], depth + 1)
    return isinstance(value, Result) and analysis.view.event(identity, value.event).kind == "iterate"
