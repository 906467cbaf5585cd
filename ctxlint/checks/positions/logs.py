"""Whether one log holds all edits of a cell, and gives the last one back first."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.positions.positional import Carried, Reason
from ctxlint.checks.turning import is_reversed
from ctxlint.flow.loops import Loops
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holder, is_within
from ctxlint.roles.record import Record
from ctxlint.roles.undo import UndoRecords


def many_logs(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A log for each key, or for each object, over one cell: each log gives its last one back first, all together do not."""
    record = carried.record
    if "[*]" in carried.cell or not any(edit.shifts for edit in carried.edits):
        return
    if record.container.endswith("[*]"):
        key = _chosen_by(analysis, record.function, record.event)
        if key is not None and not record.distance:
            yield Reason(
                "many-logs", "every key has a log of its own, which does not know what was edited under another one", "medium",
                record.function, record.event,
            )


def shared_between(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """Several objects with a log each that were given one list."""
    record = carried.record
    if record.command is not None or not any(edit.shifts for edit in carried.edits):
        return
    owner = record.container.partition("[")[0].rpartition(".")[0]
    if analysis.program.class_(owner) is None:
        return
    given = {f"{owner}.{step}" for edit in carried.edits for step in _first_steps(analysis, edit)}
    handings = [handing for handing in undo.shared.handings_to(owner) if handing.kept in given]
    for one in handings:
        others = [h for h in handings if h.whole & one.whole and (h.function, h.event) != (one.function, one.event)]
        if others or (any("@" not in h for h in one.whole) and _is_made_again(analysis, one.function, one.event)):
            yield Reason(
                "many-logs", "objects that share the list have a log each, which does not know what the others edit", "medium",
                one.function, one.event,
            )
            return


def _first_steps(analysis: Analysis, edit: Edit) -> tuple[str, ...]:
    """The attribute of the own object through which an edit reaches its cell."""
    path = analysis.view.event(*edit.origin).path
    return path.steps[:1] if path is not None and isinstance(path.root, Name) else ()


def _is_made_again(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether a loop makes an object in every round, or a function gives out a new one to everybody who calls it."""
    view = analysis.view
    if view.graph(identity).derived(Loops).loop_of(event) is not None:
        return True
    return view.function(identity).kind != "module" and any(
        e.kind == "return" and e.value is not None and ("result", event) in view.origins(identity).identity(e.value, number)
        for number, e in enumerate(view.function(identity).events)
    )


def replayed_forwards(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """One record of many edits, each at the place it had when the ones before were made, gone through in the same order."""
    record = carried.record
    many = {holder for holder in record.parts if holder.startswith(f"{record.container}[*][*]")}
    if not many or not any(e.looped and e.shifts for e in carried.edits) or _turns_round(analysis, record.function):
        return
    for replay in carried.replays:
        loop = analysis.view.graph(replay.function).derived(Loops).loop_of(replay.edit.event)
        if loop is None or loop.driver is None or not replay.places & many or _turns_round(analysis, replay.function):
            continue
        over = analysis.view.event(replay.function, loop.driver).value
        if over is not None and not is_reversed(analysis.view, replay.function, loop.driver, over):
            yield Reason(
                "out-of-order", "its edits are taken back in the order in which they were made, not the other way round", "high",
                replay.function, replay.edit.event,
            )
            return


def _turns_round(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether the function turns a list round in place, or puts every entry in front of the others."""
    return any(
        e.kind == "call" and e.path is not None and e.path.steps[-1:] in (("reverse",), ("sort",), ("appendleft",))
        or (e.kind == "call" and e.path is not None and e.path.steps[-1:] == ("insert",) and e.arguments[:1] and e.arguments[0].value == _FIRST)
        for e in analysis.view.function(identity).events
    )


def _chosen_by(analysis: Analysis, identity: FunctionId, event: int) -> Value | None:
    """The key by which one of several logs is chosen; none for the last one of a stack of logs."""
    view = analysis.view
    path, keys, at = view.event(identity, event).path, view.event(identity, event).keys, event
    for _ in range(4):
        if keys:
            return keys[-1] if _is_asked(keys[-1]) else None
        if path is None or len(path.steps) > 1:
            return None
        root = path.root
        if isinstance(root, Name) and root.scope == "local":
            bound = [n for n in view.definitions(identity).definitions(at, root.name) if n >= 0]
            value = view.event(identity, bound[0]).value if len(bound) == 1 else None
            if not isinstance(value, Result):
                return None
            root, at = value, bound[0]
        if not isinstance(root, Result):
            return None
        found = view.event(identity, root.event)
        if found.kind == "call" and found.path is not None and found.path.steps[-1:] in (("setdefault",), ("get",)) and found.arguments:
            return found.arguments[0].value if _is_asked(found.arguments[0].value) else None
        path, keys, at = found.path, found.keys, root.event
    return None


def _is_asked(key: Value) -> bool:
    """Whether a key comes from somebody who chooses: not a constant, not a position counted here."""
    return isinstance(key, (Name, Result))


_FIRST = Constant("int", "0")


def out_of_order(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A record is taken from the middle or the front while later edits, which moved its place, still stand."""
    if not any(e.shifts for e in carried.edits) or "[*]" in carried.cell:
        return
    for replay in carried.replays:
        event = _taken_out_of_order(analysis, undo, replay.function, carried.record.container, carried.edits, carried.record)
        if event is not None and not _is_last_of_all(analysis, undo, replay.function, event, carried.record.container):
            yield Reason(
                "out-of-order", "it can be replayed while later edits, which moved its place, still stand", "medium",
                replay.function, event,
            )


def _is_last_of_all(analysis: Analysis, undo: UndoRecords, function: FunctionId, event: int, container: Holder) -> bool:
    """Whether a test before it compares what is taken with an entry of the log: the others are refused."""
    for condition in conditions_before(analysis, function, event):
        value = condition.value
        if isinstance(value, Compound) and value.operator in ("==", "!=", "is", "is not"):
            if any(is_within(h, container) for part in value.parts for h in undo.mentions.of(function, event, part)):
                return True
    return False


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
            of_attribute = isinstance(event.value, Result) and view.event(function, event.value.event).kind == "read" and not (
                view.event(function, event.value.event).keys)
            if of_attribute or (isinstance(event.value, Name) and undo.is_of_one_call(record)):
                if container in undo.holders.of(function, number, event.value):
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
