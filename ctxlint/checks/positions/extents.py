"""Edits that can reach past the end of a cell: they add more than they take, and a replay of the same extent leaves the rest."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.positions.positional import Carried, Reason
from ctxlint.flow.paths import dominates
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holder
from ctxlint.roles.measures import slice_of
from ctxlint.roles.record import Record
from ctxlint.roles.sums import ZERO, Atom, Sum, substituted
from ctxlint.roles.undo import UndoRecords

_ORDERED = frozenset(["<", "<=", ">", ">=", "==", "!="])
_COPIES = frozenset(["bytes", "bytearray", "list", "tuple", "str"])


def outgrown(analysis: Analysis, undo: UndoRecords, carried: Carried) -> Iterator[Reason]:
    """A replacement whose end nobody compares with the length, undone by as much as was there."""
    record = carried.record
    for edit in carried.edits:
        if edit.operation != "slice" or edit.start is None or edit.removed in (None, ZERO) or edit.removed != edit.inserted:
            continue
        assert edit.removed is not None
        taken = {h for h, part in record.parts.items() if _is_slice(analysis, undo, part.where, part.at, part.value, edit.holders)}
        if not taken or edit.distance or not _is_passed(edit.start + edit.removed):
            continue
        for replay in carried.replays:
            if sum(bool(e.holders & edit.holders) for e in undo.edits.of(replay.function)) > 1:
                continue                                   # another edit of the replay takes back what was added
            if replay.edit.removed is not None and {a[2] for a in replay.edit.removed.atoms if a[:2] == ("len", "place")} & taken:
                if not _reaches_within(analysis, undo, record.function, edit, record, taken):
                    yield Reason(
                        "outgrown", "it can reach past the end: then it adds more than it takes, and the replay removes only what it took",
                        "medium", record.function, edit.event,
                    )
                    return


def _is_passed(sum: Sum) -> bool:
    return bool(sum.terms) and all(a[0] == "param" or a[:2] == ("len", "param") for a in sum.atoms)


def _is_slice(
    analysis: Analysis, undo: UndoRecords, identity: FunctionId, at: int, value: Value, cell: frozenset[Holder], depth: int = 0
) -> bool:
    """Whether a value is a slice of the cell: as long as it was asked to be, or shorter at the end."""
    view = analysis.view
    if isinstance(value, Name) and value.scope == "local" and depth < 6:
        bound = [view.event(identity, n) for n in view.definitions(identity).definitions(at, value.name) if n >= 0]
        return len(bound) == 1 and bound[0].value is not None and _is_slice(analysis, undo, identity, at, bound[0].value, cell, depth + 1)
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "call" and event.path is not None and not event.path.steps and len(event.arguments) == 1:
            if getattr(event.path.root, "name", "") in _COPIES and depth < 6:
                return _is_slice(analysis, undo, identity, value.event, event.arguments[0].value, cell, depth + 1)
        return event.kind == "read" and slice_of(event) is not None and bool(undo.holders.of_event(identity, value.event) & cell)
    return False


def _reaches_within(
    analysis: Analysis, undo: UndoRecords, identity: FunctionId, edit: Edit, record: Record, taken: set[Holder]
) -> bool:
    """Whether the end of the edit, or the length of what it took, is compared with something before it."""
    assert edit.start is not None and edit.removed is not None
    end = edit.start + edit.removed
    lengths = [repr(record.parts[h].value) for h in taken]
    if any(_compares(analysis, undo, identity, edit.event, c.value, end, lengths, {}) for c in conditions_before(analysis, identity, edit.event)):
        return True
    graph = analysis.view.graph(identity)
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "call" and number != edit.event and dominates(graph, number, edit.event):
            for call in analysis.view.calls(identity, number):
                for target in call.functions[:3]:
                    given: dict[Atom, Sum] = {}
                    for name, value in analysis.view.bound(call, target).items():
                        given["param", name] = undo.measures.number(identity, number, value)
                        given["len", "param", name] = undo.measures.length(identity, number, value)
                    exit_node = analysis.view.graph(target).exit
                    for condition in conditions_before(analysis, target, exit_node):
                        if _compares(analysis, undo, target, exit_node, condition.value, end, [], given):
                            return True
    return False


def _compares(
    analysis: Analysis, undo: UndoRecords, identity: FunctionId, at: int, value: Value, end: Sum, lengths: list[str], given: dict[Atom, Sum]
) -> bool:
    if not isinstance(value, Compound):
        return False
    if value.operator in _ORDERED and len(value.parts) == 2:
        one, other = (substituted(undo.measures.number(identity, at, part), given) for part in value.parts)
        for rest in (one - other - end, other - one - end):
            if rest.terms and not set(rest.atoms) & set(end.atoms):     # the end itself against something else, terms moved across
                return True
        for part in value.parts:
            number = substituted(undo.measures.number(identity, at, part), given)
            if not isinstance(part, Constant) and not (number - end).terms:
                return True
            if isinstance(part, Result) and any(
                repr(a.value) in lengths for a in analysis.view.event(identity, part.event).arguments
            ):
                return True
    return any(_compares(analysis, undo, identity, at, part, end, lengths, given) for part in value.parts)
