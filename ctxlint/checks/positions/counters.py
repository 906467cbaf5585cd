"""Counts that go with a loop: whether a round that is counted is one that edits, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.positional import Carried, Reason
from ctxlint.flow.loops import Loop, Loops
from ctxlint.flow.paths import path
from ctxlint.ir.value import Constant, Name
from ctxlint.roles.edit import Edit
from ctxlint.roles.undo import UndoRecords

_COUNTED = frozenset(["append", "pop", "insert", "remove", "prepend"])


def counted_otherwise(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A loop that edits in some rounds and counts others, by a variable."""
    record = carried.record
    if record.command is not None or record.distance:
        return
    for edit in carried.edits:
        loop = analysis.view.graph(record.function).derived(Loops).loop_of(edit.event)
        if loop is None or record.event in loop.body or edit.operation not in _COUNTED:
            continue
        if _is_miscounted_by_variable(analysis, undo, carried, edit, loop):
            yield Reason(
                "miscounted", "some round of the loop counts and makes no edit, or edits and is not counted", "high",
                record.function, edit.event,
            )
            return


def _is_miscounted_by_variable(analysis: Analysis, undo: UndoRecords, carried: Carried, edit: Edit, loop: Loop) -> bool:
    """Whether a variable that the replay takes for the number of elements is another one."""
    record = carried.record
    for replay in carried.replays:
        sums = [s for s in (replay.edit.removed, replay.edit.inserted) if s is not None]
        used = {str(atom[1]) for s in sums for atom in s.atoms if atom[0] == "place"}
        for holder in used & record.parts.keys():
            part = record.parts[holder]
            if isinstance(part.value, Name) and part.where == record.function:
                steps = _steps(analysis, record.function, part.at, part.value, loop)
                if steps and _differs(analysis, undo, carried, edit, loop, steps):
                    return True
    return False


def _steps(analysis: Analysis, identity: FunctionId, at: int, name: Name, loop: Loop) -> set[int]:
    """Where the loop adds one to a variable that was nothing before; empty for one that is also bound in other ways."""
    found: set[int] = set()
    for number in analysis.view.definitions(identity).definitions(at, name.name):
        event = analysis.view.event(identity, number) if number >= 0 else None
        if event is not None and event.kind == "local" and number in loop.body:
            parts = getattr(event.value, "parts", ())
            if getattr(event.value, "operator", "") not in ("+", "+=") or parts[-1:] != (Constant("int", "1"),):
                return set()
            found.add(number)
        elif event is None or event.value != Constant("int", "0"):
            return set()
    return found


def _differs(analysis: Analysis, undo: UndoRecords, carried: Carried, edit: Edit, loop: Loop, steps: set[int]) -> bool:
    """Whether some round passes the edits and no counting step, or such a step and no edit."""
    graph = analysis.view.graph(carried.record.function)
    start = loop.driver if loop.driver is not None else loop.head
    edits = {e.event for e in carried.edits if e.operation == edit.operation and e.event in loop.body}

    def round_through(event: int, without: set[int]) -> bool:
        return all(
            path(graph, one, other, without, exceptional=False) is not None
            for one, other in ((start, event), (event, start))
        )

    if undo.edits.may_be_left_out(edit):
        return path(graph, start, start, edits, exceptional=False) is None and path(graph, start, start, steps, exceptional=False) is None
    return any(round_through(event, steps) for event in edits) or any(round_through(step, edits) for step in steps)
