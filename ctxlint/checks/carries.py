"""`carries`: an inverse record carries a position and nothing by which the place could be recognised when it is replayed.

Two facts are needed: the replay trusts the position, and the position can be wrong by then.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.positions.bounds import is_bounded, is_raw, is_raw_field
from ctxlint.checks.positions.bypasses import Bypass, bypasses
from ctxlint.checks.positions.counters import counted_otherwise
from ctxlint.checks.positions.duals import applies, left_over, mismatch
from ctxlint.checks.positions.extents import outgrown
from ctxlint.checks.positions.logs import many_logs, out_of_order, replayed_forwards, shared_between
from ctxlint.checks.positions.miscounts import miscounted
from ctxlint.checks.positions.positional import Carried, Reason, carried_by, revisions
from ctxlint.checks.positions.raw import Side
from ctxlint.checks.positions.resized import resized
from ctxlint.checks.positions.same_place import bound_later, elsewhere, moved_elsewhere
from ctxlint.ir.value import Constant, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import STORE, Holder
from ctxlint.roles.sums import ZERO
from ctxlint.roles.undo import UndoRecords


def carries(analysis: Analysis) -> Iterator[Finding]:
    """Report the inverse records that say only where an edit was, when that place can be another one at replay."""
    undo = UndoRecords(analysis.summaries)
    reported: set[tuple[FunctionId, int]] = set()
    for identity in analysis.program.functions():
        for record in undo.records(identity):
            for carried in carried_by(analysis, undo, record):
                if _is_judged_below(analysis, undo, carried):
                    continue
                reason = next(_reasons(analysis, undo, carried), None)
                place = (record.function, record.made) if reason is None else _shown_at(carried, reason)
                if reason is not None and place not in reported:
                    reported.add(place)
                    yield _finding(analysis, carried, reason)


def _shown_at(carried: Carried, reason: Reason) -> tuple[FunctionId, int]:
    """Where the record is put together: of what is wrong with all of its kind, there is one finding for all who call the helper."""
    record = carried.record
    return record.below if record.below is not None and reason.kind in _OF_ALL else (record.function, record.made)


_OF_ALL = frozenset(["bypassed", "many-logs"])
"""The kinds that say something of the cell and its log, not of one edit."""


def _is_judged_below(analysis: Analysis, undo: UndoRecords, carried: Carried) -> bool:
    """Whether one call makes the record and its edit, so that the callee shows all there is to know."""
    record = carried.record
    if not record.distance or record.bound is not None or not all(e.distance and e.event == record.event for e in carried.edits):
        return False
    return any(
        below.container == record.container and carried_by(analysis, undo, below)
        for call in analysis.view.calls(record.function, record.event) for target in call.functions for below in undo.records(target)
    )


def _reasons(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """Why the position can be wrong, the surest first.

    An inverse that the caller gets knows nothing of the others.
    """
    yield from _not_the_dual(analysis, undo, carried)
    yield from resized(analysis, undo, carried)
    yield from miscounted(analysis, undo, carried)
    yield from counted_otherwise(analysis, undo, carried)
    yield from bound_later(analysis, undo, carried)
    yield from elsewhere(analysis, undo, carried)
    yield from moved_elsewhere(analysis, undo, carried)
    yield from outgrown(analysis, undo, carried)
    yield from replayed_forwards(analysis, undo, carried)
    yield from many_logs(analysis, undo, carried)
    yield from shared_between(analysis, undo, carried)
    yield from _raw(analysis, undo, carried)
    if not carried.record.container.endswith("()"):
        if not undo.is_of_one_call(carried.record):
            yield from _bypassed(analysis, undo, carried)
        yield from out_of_order(analysis, undo, carried)


def _not_the_dual(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    for function in dict.fromkeys(replay.function for replay in carried.replays):
        bound = carried.record.bound if function == carried.record.function else None
        inverse = [bound] if bound is not None else [
            e for e in undo.edits.of(function)
            if (function != carried.record.function or undo.is_taken_back_here(carried.record, e)) and e.holders & carried.replays[0].edit.holders and applies(analysis, undo, function, e, carried.record)
        ]
        found = mismatch(analysis, undo, carried.record, carried.edits, function, inverse)
        if found is None:
            found = left_over(analysis, undo, carried.record, carried.edits, function, inverse)
        if found is not None:
            where = function if any(edit is found.edit for edit in inverse) else carried.record.function
            yield Reason("not-the-dual", found.text, "high", where, found.edit.event)


def _raw(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    for edit in carried.edits:
        if edit.operation not in ("insert", "remove", "slice") and not (edit.operation == "store" and _grows(analysis, undo, carried)):
            continue
        sides: tuple[Side, ...] = ("lower",) if edit.operation in ("remove", "store") else ("lower", "upper")
        for position, at in _starts(carried, edit):
            side = next((s for s in sides if _is_raw(analysis, carried, at, position, s) and not _is_asked_below(analysis, undo, carried, edit, s)), None)
            if side is not None:
                word = "negative" if side == "lower" else "past the end"
                yield Reason(
                    "raw-position", f"the position is used as it was passed: one that is {word} lands elsewhere", "medium",
                    carried.record.function, edit.event,
                )
                return


def _grows(analysis: Analysis, undo: UndoRecords, carried: Carried) -> bool:
    """Whether something adds or removes at the end without a record: a position counted from there is another one afterwards."""
    cell = carried.replays[0].edit.holders
    replayers = frozenset(replay.function for replay in carried.replays)
    return carried.record.command is None and any(True for _ in bypasses(analysis, undo, carried.record, cell, replayers, tail=True))


def _is_raw(analysis: Analysis, carried: Carried, at: int, position: Value, side: Side) -> bool:
    function = carried.record.function
    if carried.record.command is not None and is_raw_field(analysis, function, at, position, side):
        return True
    return is_raw(analysis, function, at, position, side)


def _is_asked_below(analysis: Analysis, undo: UndoRecords, carried: Carried, edit: Edit, side: Side) -> bool:
    """Whether the callee that makes the edit makes it only where the position lies inside."""
    inner = [
        (target, below) for call in (analysis.view.calls(carried.record.function, edit.event) if edit.distance else ())
        for target in call.functions for below in undo.edits.of(target) if below.origin == edit.origin and below.positions
    ]
    return bool(inner) and all(is_bounded(analysis, target, below.event, below.positions[0], side) for target, below in inner)


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
    counting = [_counts_from_tail(replay.edit) for replay in carried.replays]
    if carried.cell.startswith(STORE):
        yield Reason("bypassed", "people and other programs edit the file too", "medium", carried.record.function, carried.record.event)
    compared = frozenset(h for replay in carried.replays for h in revisions(undo, carried.record, replay))
    cell = carried.replays[0].edit.holders
    if carried.record.command is not None and all(":" in holder for holder in cell):
        return                                             # each call says which cell it is
    for bypass in bypasses(analysis, undo, carried.record, cell | undo.shared.aliases(cell), replayers, tail=any(counting)):
        if all(counting) and bypass.edit.operation in ("insert", "prepend") and bypass.edit.start == ZERO:
            continue                                       # what is counted from the end stays where it is
        if not any(compared.intersection(m.cells) for m in analysis.summaries.of(bypass.function).mutations):
            yield _of_bypass(analysis, bypass)


def _of_bypass(analysis: Analysis, bypass: Bypass) -> Reason:
    name = analysis.program.symbol(bypass.function)
    return Reason("bypassed", f"`{name}` {bypass.text}", bypass.confidence, bypass.function, bypass.edit.event)


def _counts_from_tail(edit: Edit) -> bool:
    """Whether the replay counts from the end of the cell as it is then."""
    return edit.start is not None and any(a[:2] == ("len", "place") and a[2] in edit.holders for a in edit.start.atoms)


def _finding(analysis: Analysis, carried: Carried, reason: Reason) -> Finding:
    record, replay = carried.record, carried.replays[0]
    cell, log = short(carried.cell), short(record.container)
    replayer = analysis.program.symbol(replay.function)
    function, event = _shown_at(carried, reason)
    flow = [FlowStep(function, event, "records only where the edit is")]
    flow += [FlowStep(record.function, edit.event, f"edits `{cell}`") for edit in carried.edits[:1]]
    flow.append(FlowStep(reason.function, reason.event, reason.text))
    flow.append(FlowStep(replay.function, replay.edit.event, "edits at the recorded position without looking at what lies there"))
    return Finding(
        function=function, event=event, kind=reason.kind, confidence=reason.confidence,
        fields={
            "cell": cell, "log": log, "replayer": replayer, "reason": reason.text, "line": At(reason.function, reason.event),
            "replay": At(replay.function, replay.edit.event),
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

