"""Edits that put in as many elements as something else has, beside a replay that takes back a number which does not depend on it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.duals import translated
from ctxlint.checks.positions.positional import Carried, Reason
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.holders import Holder
from ctxlint.roles.undo import UndoRecords

MAX_DEPTH = 12

_CUTS = frozenset(["split", "splitlines", "rsplit"])
_COPIES = frozenset(["list", "tuple"])


def resized(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """One edit that puts in a list made round by round, whose length nobody asks for, and a replay of a fixed number or extent."""
    record = carried.record
    if record.command is not None or record.distance or len(carried.edits) != 1:
        return
    edit = carried.edits[0]
    if edit.operation != "slice" or edit.distance or len(edit.contents) != 1 or edit.looped:
        return
    content = edit.contents[0]
    if not _varies(analysis, undo, record.function, edit.event, content, edit.holders, 0) or _is_measured(analysis, record.function, content):
        return
    for replay in carried.replays:
        if sum(bool(e.holders & edit.holders) for e in undo.edits.of(replay.function)) != 1 or replay.edit.looped:
            return
        removed = translated(undo, record, edit, replay.function, replay.edit.removed, False)
        if removed is not None and all(atom[0] == "param" for atom in removed.atoms) and removed != edit.inserted:
            yield Reason(
                "not-the-dual", "it puts in as many elements as there happen to be, and the replay removes another number", "medium",
                record.function, edit.event,
            )
            return


def _varies(
    analysis: Analysis, undo: UndoRecords, identity: FunctionId, at: int, value: Value, cell: frozenset[Holder], depth: int
) -> bool:
    """Whether a value is a list with an element for each of something that is no display and not taken from the cell."""
    view = analysis.view
    if depth > MAX_DEPTH or undo.mentions.of(identity, at, value) & cell:
        return False
    if isinstance(value, Name) and value.scope == "local":
        bound = view.definitions(identity).definitions(at, value.name)
        values = [(n, view.event(identity, n).value if n >= 0 and view.event(identity, n).kind == "local" else None) for n in bound]
        return bool(values) and all(v is not None and _varies(analysis, undo, identity, n, v, cell, depth + 1) for n, v in values)
    if isinstance(value, Compound):
        if value.operator == "or":
            return _varies(analysis, undo, identity, at, value.parts[0], cell, depth + 1)
        return value.operator == "comprehension-list" and len(value.parts) == 2 and (
            _is_open(analysis, undo, identity, at, value.parts[1], cell, depth + 1)
        )
    if not isinstance(value, Result):
        return False
    event = view.event(identity, value.event)
    if event.kind != "call" or event.path is None:
        return False
    if event.path.steps[-1:] and event.path.steps[-1] in _CUTS:
        return True
    if not event.path.steps and getattr(event.path.root, "name", "") in _COPIES and len(event.arguments) == 1:
        return _varies(analysis, undo, identity, value.event, event.arguments[0].value, cell, depth + 1)
    targets = [target for call in view.calls(identity, value.event) for target in call.functions]
    if any(isinstance(a.value, Compound) for a in event.arguments):
        return False                                       # a display has a length that is written down
    if len(targets) != 1 or any(undo.mentions.of(identity, value.event, a.value) & cell for a in event.arguments):
        return False
    given = [
        (number, e.value) for number, e in enumerate(view.function(targets[0]).events) if e.kind == "return" and e.value is not None
    ]
    return bool(given) and all(_varies(analysis, undo, targets[0], number, each, cell, depth + 1) for number, each in given)


def _is_open(
    analysis: Analysis, undo: UndoRecords, identity: FunctionId, at: int, value: Value, cell: frozenset[Holder], depth: int
) -> bool:
    """Whether nobody has written down how many elements a value has, and it is not made of the cell."""
    view = analysis.view
    if depth > MAX_DEPTH or undo.mentions.of(identity, at, value) & cell:
        return False
    if isinstance(value, Name) and value.scope == "local":
        for number in view.definitions(identity).definitions(at, value.name):
            made = view.event(identity, number).value if number >= 0 else None
            if number >= 0 and (made is None or not _is_open(analysis, undo, identity, number, made, cell, depth + 1)):
                return False
        return True
    if isinstance(value, Compound):
        if value.operator == "or":
            return _is_open(analysis, undo, identity, at, value.parts[0], cell, depth + 1)
        return _varies(analysis, undo, identity, at, value, cell, depth + 1)
    if not isinstance(value, Result):
        return False
    given = [a.value for a in view.event(identity, value.event).arguments]
    return any(not isinstance(each, Constant) for each in given) and all(
        not isinstance(each, Compound) and not undo.mentions.of(identity, value.event, each) & cell for each in given
    )


def _is_measured(analysis: Analysis, identity: FunctionId, content: Value) -> bool:
    """Whether the function asks for the length of the content, or hands it to somebody who may."""
    wanted = repr(content)
    return any(
        repr(argument.value) == wanted
        for event in analysis.view.function(identity).events if event.kind == "call" for argument in event.arguments
    )
