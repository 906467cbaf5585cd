"""Changes of a cell that its undo log does not know of, and that move what lies behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.records import may_be_other_holder
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import Witness, path, reachable
from ctxlint.ir.event import Event
from ctxlint.ir.function import Condition
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holder, is_within
from ctxlint.roles.record import Record
from ctxlint.roles.undo import UndoRecords

MAX_CALLERS = 3


class Bypass(msgspec.Struct, frozen=True):
    """An edit of a function that leaves the log as it was."""

    function: FunctionId
    edit: Edit
    text: str
    confidence: Confidence


def bypasses(
    analysis: Analysis, undo: UndoRecords, record: Record, cell: frozenset[Holder], replayers: frozenset[FunctionId], *, tail: bool
) -> Iterator[Bypass]:
    """The edits of the cell that move positions and are not in the record's container; `tail`: counted from the end."""
    for function in _changers(analysis, undo, record, cell):
        if function in replayers or is_constructor(analysis.view, function) or _is_inverse(undo, record, function):
            continue
        for edit in undo.edits.own(function):
            known = bool(edit.holders & cell)
            if (known or _looks_like(analysis, function, edit, cell)) and _moves(analysis, function, edit, tail) and not (
                undo.is_of_something_new(function, edit)
            ):
                if _touches(analysis, undo, function, record.container):
                    yield from _sometimes(analysis, undo, function, edit, record.container)
                elif not _is_called_by_commands(analysis, undo, record, function) and not _asks_log(analysis, undo, function, edit, record.container) and not _is_of_other_times(analysis, undo, record, function, edit) and not _covered(analysis, undo, function, record.container, cell, replayers, 0):
                    yield Bypass(function, edit, "changes the cell and records nothing", "high" if known else "medium")
                break


def _is_inverse(undo: UndoRecords, record: Record, function: FunctionId) -> bool:
    """Whether the function is one of those that the log holds, or whose calls it holds."""
    log = record.container
    return function in undo.kept_in(log, record.function) or undo.commands.belongs(function, log) or undo.registered.belongs(function, log)


def _is_called_by_commands(analysis: Analysis, undo: UndoRecords, record: Record, function: FunctionId) -> bool:
    """Whether every caller is a command of the log: the function is how they reach the cell."""
    callers = {caller for caller, _ in analysis.view.call_graph.callers(function)}
    return bool(callers) and all(_is_inverse(undo, record, caller) for caller in callers)


def _changers(analysis: Analysis, undo: UndoRecords, record: Record, cell: frozenset[Holder]) -> Iterable[FunctionId]:
    """The functions that may edit the cell by operations of their own."""
    named = {change.function: None for holder in sorted(cell) for change in analysis.cells.changes(holder)}
    if any(":" in holder or holder.startswith(f"{record.function.module}.") for holder in cell):
        named.update({i: None for i in analysis.program.functions() if i.module == record.function.module})
    return named


def _looks_like(analysis: Analysis, function: FunctionId, edit: Edit, cell: frozenset[Holder]) -> bool:
    """Whether the edit is one of an attribute of a formal without a type, and only the cell's class in this module has such an attribute."""
    for holder in edit.holders:
        head, _, attribute = holder.rpartition(".")
        formal = head.partition(":")[2]
        if not formal or "." in formal or "[" in formal or head.partition(":")[0] != function.module:
            continue
        having = {
            f"{c}.{attribute}" for c in analysis.program.classes()
            if c.startswith(f"{function.module}.") and attribute in analysis.view.inference.stores(c)
        }
        if len(having) == 1 and having <= cell:
            return True
    return False


def _moves(analysis: Analysis, function: FunctionId, edit: Edit, tail: bool) -> bool:
    if edit.operation == "reorder":
        return True
    if edit.operation in ("append", "pop"):
        return tail or (edit.operation == "append" and any(_is_bounded(analysis, holder) for holder in edit.holders))
    return edit.shifts


def _is_bounded(analysis: Analysis, cell: Holder) -> bool:
    """Whether the cell is a queue with a maximal length: what is added at its end drops the first when it is full."""
    return any(
        isinstance(value, Result) and _is_bounded_queue(analysis.view.event(change.function, value.event))
        for change in analysis.cells.changes(cell) if change.mutation.how == "rebind" for value in change.mutation.values
    )


def _is_bounded_queue(event: Event) -> bool:
    if event.kind != "call" or event.path is None:
        return False
    name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
    sizes = [a.value for i, a in enumerate(event.arguments) if a.keyword == "maxlen" or (i == 1 and not a.keyword)]
    return name == "deque" and any(not (isinstance(size, Constant) and size.kind == "none") for size in sizes)


def _asks_log(analysis: Analysis, undo: UndoRecords, function: FunctionId, edit: Edit, container: Holder) -> bool:
    """Whether the edit is only made when a test of the log itself allows it: nothing is recorded that it could shift."""
    return any(
        container in undo.holders.of(function, edit.event, value)
        for condition in conditions_before(analysis, function, edit.event)
        for value in _inside(analysis, function, condition.value)
    )


def _is_of_other_times(analysis: Analysis, undo: UndoRecords, record: Record, function: FunctionId, edit: Edit) -> bool:
    """Whether a flag that has to be set where the record is made is not set where this edit is."""
    recording = set(_flags(analysis, undo, record.function, record.event))
    return any((holder, not holds) in recording for holder, holds in _flags(analysis, undo, function, edit.event))


def _flags(analysis: Analysis, undo: UndoRecords, function: FunctionId, event: int) -> Iterator[tuple[Holder, bool]]:
    """The places that tests before an event find true or false."""
    for condition in conditions_before(analysis, function, event):
        yield from _flag(analysis, undo, function, event, condition)


def _flag(analysis: Analysis, undo: UndoRecords, function: FunctionId, at: int, condition: Condition) -> Iterator[tuple[Holder, bool]]:
    value, holds = condition.value, condition.holds
    while isinstance(value, Compound) and value.operator == "not":
        value, holds = value.parts[0], not holds
    if isinstance(value, Name) or (isinstance(value, Result) and analysis.view.event(function, value.event).kind == "read"):
        yield from ((holder, holds) for holder in undo.holders.of(function, at, value))


def _inside(analysis: Analysis, function: FunctionId, value: Value) -> Iterator[Value]:
    """The value, its parts, and what sizes among them are taken of."""
    yield value
    if isinstance(value, Compound):
        for part in value.parts:
            yield from _inside(analysis, function, part)
    elif isinstance(value, Result):
        event = analysis.view.event(function, value.event)
        for argument in event.arguments if event.kind == "call" else ():
            yield from _inside(analysis, function, argument.value)


def _touches(analysis: Analysis, undo: UndoRecords, function: FunctionId, container: Holder) -> bool:
    """Whether the function, or a callee, changes the log: records, removes or resets."""
    if any(container in edit.holders for edit in undo.edits.of(function)):
        return True
    if any(record.container == container for record in undo.records(function)):
        return True
    return any(container in mutation.cells for mutation in analysis.summaries.of(function).mutations)


def _covered(
    analysis: Analysis, undo: UndoRecords, function: FunctionId, container: Holder, cell: frozenset[Holder],
    replayers: frozenset[FunctionId], depth: int,
) -> bool:
    """Whether every known caller records, or replays: then the function is a part of those."""
    callers = analysis.view.call_graph.callers(function)
    if not callers or depth >= MAX_CALLERS:
        return False
    return all(
        caller in replayers or _records_apart(analysis, undo, caller, number, container, cell) or is_constructor(analysis.view, caller)
        or _covered(analysis, undo, caller, container, cell, replayers, depth + 1)
        for caller, number in callers
    )


def _records_apart(
    analysis: Analysis, undo: UndoRecords, function: FunctionId, call: int, container: Holder, cell: frozenset[Holder]
) -> bool:
    """Whether the function touches the log otherwise than by calls that edit the cell too: those record their own edit only.

    What is called of another object of the same class touches the log of that one.
    """
    if not _touches(analysis, undo, function, container):
        return False
    edits = undo.edits.of(function)
    whole = {e.event for e in edits if e.distance and e.holders & cell}
    touching = {e.event for e in edits if container in e.holders}
    touching |= {r.event for r in undo.records(function) if r.container == container}
    touching |= {m.event for m in analysis.summaries.of(function).mutations if container in m.cells}
    if touching and all(_is_of_another(analysis, function, call, event) for event in touching - whole):
        return False
    return not touching or not touching <= whole


def _is_of_another(analysis: Analysis, function: FunctionId, one: int, other: int) -> bool:
    """Whether two events are calls of two objects of one class."""
    paths = [_receiver(analysis.view.event(function, number)) for number in (one, other)]
    if paths[0] is None or paths[1] is None or paths[0] == paths[1]:
        return False
    kinds = [analysis.view.inference.of_path(function, n, p) for n, p in zip((one, other), paths) if p is not None]
    return bool(kinds[0] & kinds[1]) and may_be_other_holder(analysis, function, one, other)


def _receiver(event: Event) -> AccessPath | None:
    return AccessPath(event.path.root, event.path.steps[:-1]) if event.kind == "call" and event.path is not None and event.path.steps else None


def _sometimes(analysis: Analysis, undo: UndoRecords, function: FunctionId, edit: Edit, container: Holder) -> Iterator[Bypass]:
    """An ordinary way through a recording function that edits and does not record."""
    graph = analysis.view.graph(function)
    touching = {e.event for e in undo.edits.of(function) if container in e.holders}
    touching |= {r.event for r in undo.records(function) if r.container == container}
    touching |= {m.event for m in analysis.summaries.of(function).mutations if container in m.cells}
    if any(edit.event in reachable(graph, event) and path(graph, graph.entry, edit.event, {event}) is None for event in touching):
        return
    before = path(graph, graph.entry, edit.event, touching)
    if before is None:
        return
    recording = {flag for event in touching for flag in _flags(analysis, undo, function, event)}
    if any((holder, not holds) in recording for condition in before.conditions for holder, holds in _flag(analysis, undo, function, edit.event, condition)):
        return
    witness = path(graph, edit.event, graph.exit, touching, start="completed")
    if witness is None or witness.consistent is False:
        return
    if not _is_switch(analysis, undo, function, witness, container):
        yield Bypass(function, edit, "can change the cell and leave without a record", "medium")


def _is_switch(analysis: Analysis, undo: UndoRecords, function: FunctionId, witness: Witness, container: Holder) -> bool:
    """Whether the way depends on a plain flag, by which a replay says that it records nothing, or on nothing having changed."""
    for condition in witness.conditions:
        value: Value = condition.value
        if isinstance(value, Compound) and value.operator == "not":
            value = value.parts[0]
        if isinstance(value, Name):
            return True
        if isinstance(value, Result) and analysis.view.event(function, value.event).kind == "read":
            mentioned = undo.mentions.of(function, value.event, value)
            if not any(is_within(holder, container) for holder in mentioned):
                return True
        if isinstance(value, Compound) and value.operator in ("==", "!=", "is", "is not"):
            return True
    return False
