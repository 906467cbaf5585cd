"""`carries`: an inverse record carries a position and nothing by which the place could be recognised when it is replayed.

Two facts are needed: the replay trusts the position, and the position can be wrong by then.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.bounds import Side, is_raw
from ctxlint.checks.bypasses import Bypass, bypasses
from ctxlint.checks.duals import applies, is_plain, mismatch, optional, translated
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import Compound, Constant, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import STORE, Holder, is_within
from ctxlint.roles.measures import ZERO
from ctxlint.roles.undo import Record, Replay, UndoRecords


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


def carries(analysis: Analysis) -> Iterator[Finding]:
    """Report the inverse records that say only where an edit was, when that place can be another one at replay."""
    undo = UndoRecords(analysis.summaries)
    reported: set[tuple[FunctionId, int]] = set()
    for identity in analysis.program.functions():
        for record in undo.records(identity):
            carried = _carried(analysis, undo, record)
            if carried is None:
                continue
            reason = next(_reasons(analysis, undo, carried), None)
            place = (record.function, record.made)
            if reason is not None and place not in reported:
                reported.add(place)
                yield _finding(analysis, carried, reason)


def _carried(analysis: Analysis, undo: UndoRecords, record: Record) -> Carried | None:
    """The record with its replays, if it is replayed by position alone."""
    replays = [
        replay for replay in undo.replays(record)
        if not is_constructor(analysis.view, replay.function) and applies(analysis, undo, replay.function, replay.edit, record)
    ]
    replays += undo.called_replays(record)
    replays = _inverses(analysis, undo, record, replays)
    if not replays or any(_recognises(undo, record, replay) for replay in replays):
        return None
    if undo.is_kept_up_to_date(record.container):
        return None
    cell = _as_recorded(undo, record, replays[0].edit.holders)
    edits = tuple(e for e in undo.edits.of(record.function) if e.holders & cell)
    edits = tuple(e for e in edits if record.distance and e.event == record.event) or edits
    replays = [replay for replay in replays if _can_undo(analysis, replay.edit, edits)]
    if not replays:
        return None
    if not edits and not _is_mark(record, cell):
        return None
    if not _is_sequence(analysis, undo, record, edits, replays):
        return None
    return Carried(record, edits, tuple(replays))


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
        if not resets:
            found.append(replay)
    return found


def _can_undo(analysis: Analysis, inverse: Edit, edits: tuple[Edit, ...]) -> bool:
    """Whether an edit can take one of the recorded ones back.

    What leaves the number of elements as it is undoes none that changes it, and what stores the same constant again repeats it.
    """
    if inverse.operation != "store" or not edits:
        return True
    stored = analysis.view.event(*inverse.origin).value
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
    if replay.function == record.function:
        return False
    compared = list(undo.mentions.compared_before(replay.function, replay.edit.event))
    if replay.edit.distance:
        function, event = replay.edit.origin
        compared += [
            frozenset([*mentioned, record.container]) if any(":" in h for h in mentioned) else mentioned
            for mentioned in undo.mentions.compared_before(function, event)
        ]
    compared.append(undo.mentions.of_all(replay.function, replay.edit.event, replay.edit.positions))
    return any(
        any(is_within(h, c) for h in mentioned for c in cell) and any(_is_of(record, h) for h in mentioned) for mentioned in compared
    )


def _is_of(record: Record, holder: Holder) -> bool:
    return is_within(holder, record.container) or any(is_within(holder, part) for part in record.parts)


def _reasons(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """Why the position can be wrong, the surest first."""
    yield from _not_the_dual(analysis, undo, carried)
    yield from _miscounted(analysis, undo, carried)
    yield from _raw(analysis, undo, carried)
    yield from _bypassed(analysis, undo, carried)
    yield from _out_of_order(analysis, undo, carried)


def _not_the_dual(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    for function in dict.fromkeys(replay.function for replay in carried.replays):
        bound = carried.record.bound if function == carried.record.function else None
        inverse = [bound] if bound is not None else [
            e for e in undo.edits.of(function)
            if e.holders & carried.replays[0].edit.holders and applies(analysis, undo, function, e, carried.record)
        ]
        found = mismatch(analysis, undo, carried.record, carried.edits, function, inverse)
        if found is not None:
            yield Reason("not-the-dual", found.text, "high", function, found.edit.event)


def _miscounted(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A loop that some round leaves out, and a record that counts every round."""
    for edit in carried.edits:
        if not edit.partial or edit.repeats is None:
            continue
        for replay in carried.replays:
            count = replay.edit.removed if edit.operation == "append" else replay.edit.inserted
            counted = translated(undo, carried.record, edit, replay.function, count, False)
            if counted == edit.repeats or _start_counts(undo, carried, edit, replay):
                yield Reason(
                    "miscounted", "some round of the loop makes no edit, and the record counts them all", "high",
                    carried.record.function, edit.event,
                )
                return
    yield from _counted_short(analysis, undo, carried)


def _counted_short(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """An edit at the tail that only some ways make, beside others, and a record whose count is the same on all."""
    record = carried.record
    graph = analysis.view.graph(record.function)
    for edit in carried.edits:
        others = [e for e in carried.edits if e.operation == edit.operation and e.event != edit.event]
        if edit.operation not in ("append", "pop") or edit.partial or not optional(analysis, record.function, edit.event, record.event):
            continue
        if any(o.event in reachable(graph, edit.event) or edit.event in reachable(graph, o.event) for o in others):
            for replay in carried.replays:
                count = replay.edit.removed if replay.edit.removed != ZERO else replay.edit.inserted
                counted = translated(undo, record, edit, replay.function, count, False)
                if counted is not None and counted.terms and all(is_plain(atom) for atom in counted.atoms):
                    yield Reason("miscounted", "this one is not in the recorded count", "medium", record.function, edit.event)
                    return


def _start_counts(undo: UndoRecords, carried: Carried, edit: Edit, replay: Replay) -> bool:
    parts = [part for holder, part in carried.record.parts.items() if holder in replay.places]
    return any(edit.repeats in (part.number, part.length) for part in parts)


def _raw(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    for edit in carried.edits:
        if edit.operation not in ("insert", "remove", "slice"):
            continue
        sides: tuple[Side, ...] = ("lower",) if edit.operation == "remove" else ("lower", "upper")
        for position, at in _starts(carried, edit):
            side = next((s for s in sides if is_raw(analysis, carried.record.function, at, position, s)), None)
            if side is not None:
                word = "negative" if side == "lower" else "past the end"
                yield Reason(
                    "raw-position", f"the position is used as it was passed: one that is {word} lands elsewhere", "medium",
                    carried.record.function, edit.event,
                )
                return


def _starts(carried: Carried, edit: Edit) -> Iterator[tuple[Value, int]]:
    """The values that say where an edit begins, and where they are evaluated; a slice's end is clamped without harm.

    The edit of a record object begins where one of its parts says.
    """
    for position in edit.positions[:1]:
        if not isinstance(position, Constant):
            yield position, edit.event
    for atom in edit.start.atoms if edit.start is not None else ():
        part = carried.record.parts.get(str(atom[1])) if atom[0] == "place" else None
        if part is not None and part.where == carried.record.function:
            yield part.value, carried.record.event


def _bypassed(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    replayers = frozenset(replay.function for replay in carried.replays)
    tail = any(_counts_from_tail(replay.edit) for replay in carried.replays)
    if carried.cell.startswith(STORE):
        yield Reason("bypassed", "people and other programs edit the file too", "medium", carried.record.function, carried.record.event)
    revisions = frozenset(h for replay in carried.replays for h in _revisions(undo, carried.record, replay))
    for bypass in bypasses(analysis, undo, carried.record, carried.replays[0].edit.holders, replayers, tail=tail):
        if not any(revisions.intersection(m.cells) for m in analysis.summaries.of(bypass.function).mutations):
            yield _of_bypass(analysis, bypass)


def _revisions(undo: UndoRecords, record: Record, replay: Replay) -> Iterator[Holder]:
    """Cells that the replay compares with the record: a bypass that changes one of them makes the replay refuse."""
    for mentioned in undo.mentions.compared_before(replay.function, replay.edit.event):
        if any(_is_of(record, holder) for holder in mentioned):
            yield from (holder for holder in mentioned if not _is_of(record, holder))


def _of_bypass(analysis: Analysis, bypass: Bypass) -> Reason:
    name = analysis.program.symbol(bypass.function)
    return Reason("bypassed", f"`{name}` {bypass.text}", bypass.confidence, bypass.function, bypass.edit.event)


def _counts_from_tail(edit: Edit) -> bool:
    """Whether the replay counts from the end of the cell as it is then."""
    return edit.start is not None and any(a[:2] == ("len", "place") and a[2] in edit.holders for a in edit.start.atoms)


def _out_of_order(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A record is taken from the middle or the front while later edits, which moved its place, still stand."""
    if not any(e.shifts for e in carried.edits) or "[*]" in carried.cell:
        return
    for replay in carried.replays:
        event = _taken_out_of_order(analysis, undo, replay.function, carried.record.container, carried.edits, carried.record)
        if event is not None:
            yield Reason(
                "out-of-order", "it can be replayed while later edits, which moved its place, still stand", "medium",
                replay.function, event,
            )


def _taken_out_of_order(
    analysis: Analysis, undo: UndoRecords, function: FunctionId, container: Holder, edits: tuple[Edit, ...], record: Record
) -> int | None:
    view = analysis.view
    pushed = next((e for e in undo.edits.of(record.function) if container in e.holders), None)
    if pushed is not None and pushed.operation != "append":
        return None
    for number, event in enumerate(view.function(function).events):
        if event.kind == "call" and event.path is not None and event.path.steps[-1:] in (("popleft",), ("pop",)):
            if container in undo.holders.of_receiver(function, number):
                first = event.arguments[0].value if event.arguments else None
                if event.path.steps[-1] == "popleft" or (first is not None and not _is_last(first)):
                    return number
        elif event.kind == "iterate" and event.value is not None:
            if isinstance(event.value, Result) and view.event(function, event.value.event).kind == "read":
                if container in undo.holders.of(function, number, event.value) and not view.event(function, event.value.event).keys:
                    return number
        elif event.kind == "read" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.keys:
            if f"{container}[*]" in undo.holders.of_event(function, number) and not _is_last(event.keys[-1]):
                if not (isinstance(event.keys[-1], Compound) and event.keys[-1].operator == "slice"):
                    return number
    return None


def _is_last(value: Value) -> bool:
    return value == Constant("int", "-1") or (
        isinstance(value, Compound) and value.operator == "-" and value.parts[-1] == Constant("int", "1")
    )


def _finding(analysis: Analysis, carried: Carried, reason: Reason) -> Finding:
    view, record, replay = analysis.view, carried.record, carried.replays[0]
    cell, log = short(carried.cell), short(record.container)
    replayer = analysis.program.symbol(replay.function)
    flow = [FlowStep(record.function, record.made, "records only where the edit is")]
    flow += [FlowStep(record.function, edit.event, f"edits `{cell}`") for edit in carried.edits[:1]]
    flow.append(FlowStep(reason.function, reason.event, reason.text))
    flow.append(FlowStep(replay.function, replay.edit.event, "edits at the recorded position without looking at what lies there"))
    return Finding(
        function=record.function, event=record.made, kind=reason.kind, confidence=reason.confidence,
        fields={
            "cell": cell, "log": log, "replayer": replayer, "reason": reason.text, "line": str(view.line(reason.function, reason.event)),
            "replay": str(view.line(replay.function, replay.edit.event)),
        },
        flow=tuple(flow),
        evidence=(Evidence(f"undo log: `{replayer}` takes records from `{log}` and edits `{cell}`", replay.function, replay.edit.event),),
        chain=("record", carried.cell, reason.kind),
    )


def short(holder: Holder) -> str:
    """A place in words: its class or function, and its name."""
    if holder.startswith(STORE):
        return f"the file {short(holder.rpartition(' ')[2])}"
    head, _, rest = holder.partition("[")
    name = ".".join(head.replace(":", ".").rsplit(".", 2)[-2:])
    return f"{name}[{rest}" if rest else name

