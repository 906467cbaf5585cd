"""Whether the edit that a record is replayed by takes back just what the recorded edit did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.narrowing import ISINSTANCE
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.positions.quantities import normal
from ctxlint.checks.turning import is_reversed
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import dominates, path, reachable
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.record import Record
from ctxlint.roles.sums import Atom, Sum, single, substituted
from ctxlint.roles.undo import UndoRecords


class Mismatch(msgspec.Struct, frozen=True):
    """What the replay gets wrong about a recorded edit, in words, and which of its edits does."""

    text: str
    edit: Edit


def applies(analysis: Analysis, undo: UndoRecords, replayer: FunctionId, edit: Edit, record: Record) -> bool:
    """Whether the replay's edit can be the one for this record: no test before it denies one of the record's literals."""
    view = analysis.view
    graph = view.graph(replayer)
    for block in view.function(replayer).blocks:
        for each in block.edges:
            if each.condition is None:
                continue
            target = graph.size + each.target
            if len(graph.predecessors(target)) == 1 and dominates(graph, target, edit.event):
                if _denied(undo, replayer, target, each.condition, record):
                    return False
    return True


def _denied(undo: UndoRecords, replayer: FunctionId, at: int, condition: Condition, record: Record) -> bool:
    value, holds = condition.value, condition.holds
    asked = asked_classes(undo, replayer, at, value, record)
    if asked:
        return (not asked.isdisjoint(_classes(undo, record))) != holds
    if isinstance(value, Compound) and value.operator in ("and", "or"):
        if (value.operator == "and") == holds:
            return any(_denied(undo, replayer, at, Condition(part, holds), record) for part in value.parts)
        return False
    if isinstance(value, Compound) and value.operator == "not":
        return _denied(undo, replayer, at, Condition(value.parts[0], not holds), record)
    if not isinstance(value, Compound) or value.operator not in ("==", "!=", "is", "is not", "match", "in"):
        return False
    wanted = {part.text for part in _literals(value)}
    if not wanted:
        return False
    known = {
        record.parts[holder].constant for part in value.parts for holder in undo.holders.of(replayer, at, part)
        if holder in record.parts and record.parts[holder].constant is not None
    }
    if not known:
        return False
    same = bool(known & wanted)
    return same != (holds if value.operator not in ("!=", "is not") else not holds)


def asked_classes(undo: UndoRecords, replayer: FunctionId, at: int, value: Value, record: Record) -> frozenset[str]:
    """The classes of which a test asks whether the record, one that is an object, is an instance."""
    subject: Value | None = None
    named: list[Value] = []
    if isinstance(value, Result):
        event = undo.view.event(replayer, value.event)
        if event.kind == "call" and event.path == ISINSTANCE and len(event.arguments) == 2:
            subject, at = event.arguments[0].value, value.event
            asked = event.arguments[1].value
            named = list(asked.parts) if isinstance(asked, Compound) else [asked]
    elif isinstance(value, Compound) and value.operator == "match":
        subject = value.parts[0]
        named = [p.parts[0] if isinstance(p, Compound) and p.operator == "and" else p for p in value.parts[1:]]
    if subject is None or not _classes(undo, record) or f"{record.container}[*]" not in undo.holders.of(replayer, at, subject):
        return frozenset()
    found = [
        kind.name for each in named for kind in in_order(undo.view.inference.of_value(replayer, at, each)) if isinstance(kind, ClassObject)
    ]
    return frozenset(found) if len(found) == len(named) else frozenset()


def _classes(undo: UndoRecords, record: Record) -> frozenset[str]:
    """The class of a record that is an object of the program, and its bases."""
    owners = {part.rpartition(".")[0] for part in record.parts if "[" not in part}
    infos = [undo.view.program.class_(owner) for owner in owners]
    return frozenset(base for info in infos if info is not None for base in info.mro) if len(owners) == 1 else frozenset()


def _literals(value: Compound) -> Iterable[Constant]:
    for part in value.parts:
        if isinstance(part, Constant) and part.kind == "str":
            yield part
        elif isinstance(part, Compound) and part.operator in ("list", "tuple", "set"):
            yield from [p for p in part.parts if isinstance(p, Constant) and p.kind == "str"]


def mismatch(analysis: Analysis, undo: UndoRecords, record: Record, forward: Sequence[Edit], replayer: FunctionId,
             inverse: Sequence[Edit]) -> Mismatch | None:
    """The first way in which the replay's edits are not those of the record, taken back in reverse order."""
    done = merged(in_sequence(analysis, record.function, forward))
    undone = merged(in_sequence(analysis, replayer, inverse))
    if not done or len(done) != len(undone):
        return None
    if all(edit.operation == "store" for edit in (*done, *undone)):
        places = [translated(undo, record, done[0], replayer, edit.start, False) for edit in undone]
        if None not in places and sorted(map(repr, places)) == sorted(repr(edit.start) for edit in done):
            return None                                    # an exchange, which is its own inverse
    for first, second in zip(done, reversed(undone)):
        found = _compared(analysis, undo, record, first, second, replayer, grown=len(done) == 1)
        if found is not None:
            return found
    return None


def left_over(analysis: Analysis, undo: UndoRecords, record: Record, forward: Sequence[Edit], replayer: FunctionId,
              inverse: Sequence[Edit]) -> Mismatch | None:
    """An edit beside the recorded one that moves what lies behind it, or all of the cell, and that no edit of the replay takes back."""
    graph = analysis.view.graph(record.function)
    pushes = {e.event for e in undo.edits.of(record.function) if record.container in e.holders}
    moving = [e for e in forward if e.shifts and e.operation not in ("append", "pop", "reorder")]
    shifting = [e for e in inverse if e.shifts]
    if len(moving) == 1 and moving[0].operation == "whole" and shifting and _replaces_all(analysis, undo, moving[0]):
        return Mismatch("it replaces every occurrence, and the record says where one was", moving[0])
    if record.command is not None or len(pushes) > 1 or len(shifting) != 1 or shifting[0].looped or shifting[0].operation == "whole":
        return None
    if record.bound is not None or record.inverse is not None or any(e.operation == "whole" for e in moving):
        return None
    for first in moving:
        for second in moving:
            if second.event in reachable(graph, first.event) and first.event not in reachable(graph, second.event):
                if second.removed != Sum() and len(merged([first, second])) == 2 and _starts_in_front(second) and not (
                    _resets_log(analysis, record, second)
                ):
                    return Mismatch("no edit of the replay takes this one back", second)
    return None


def _resets_log(analysis: Analysis, record: Record, edit: Edit) -> bool:
    """Whether what makes an edit, or a step beside it, also empties the log."""
    graph = analysis.view.graph(record.function)
    return any(
        record.container in m.cells and m.event != record.event and (m.event == edit.event or m.event in reachable(graph, edit.event)
                                                                   or edit.event in reachable(graph, m.event))
        for m in analysis.summaries.of(record.function).mutations if m.how in _EMPTIES
    )


_EMPTIES = frozenset(["clear", "rebind", "remove", "delete"])


def _starts_in_front(edit: Edit) -> bool:
    return edit.start is not None and edit.start == Sum() or (edit.looped and edit.positions[:1] in ((), (Constant("int", "0"),)))


def _replaces_all(analysis: Analysis, undo: UndoRecords, edit: Edit) -> bool:
    """Whether the new content is the old one with every occurrence of something replaced."""
    value = edit.contents[0] if edit.contents and not edit.distance else None
    while isinstance(value, Compound) and value.operator == "item":
        value = value.parts[0]
    event = analysis.view.event(edit.origin[0], value.event) if isinstance(value, Result) else None
    if event is None or event.kind != "call" or event.path is None or not event.path.steps:
        return False
    counts = [a for a in event.arguments if a.keyword == "count"]
    positional = [a for a in event.arguments if not a.keyword]
    if event.path.steps[-1] == "replace" and len(positional) == 2 and not counts:
        return bool(undo.holders.of_receiver(edit.origin[0], value.event) & edit.holders) if isinstance(value, Result) else False
    return event.path.steps[-1] in ("sub", "subn") and len(positional) <= 3 and not counts and any(
        undo.holders.of(edit.origin[0], edit.event, a.value) & edit.holders for a in positional
    )


def in_sequence(analysis: Analysis, identity: FunctionId, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits, if all of them happen one after the other on every way; none if some are alternatives."""
    graph = analysis.view.graph(identity)
    ordered = sorted(edits, key=lambda e: e.event)
    for first, second in zip(ordered, ordered[1:]):
        if second.event not in reachable(graph, first.event) or not dominates(graph, first.event, second.event):
            return ()
    return tuple(ordered)


def merged(edits: Sequence[Edit]) -> list[Edit]:
    """Two edits at one start, of which the first only removes and the second only adds, are one."""
    found: list[Edit] = []
    for edit in edits:
        last = found[-1] if found else None
        if last is not None and last.start is not None and last.start == edit.start and last.inserted == Sum() and edit.removed == Sum():
            found[-1] = msgspec.structs.replace(last, inserted=edit.inserted, operation="slice", positions=last.positions + edit.positions)
        else:
            found.append(edit)
    return found


def _compared(
    analysis: Analysis, undo: UndoRecords, record: Record, forward: Edit, inverse: Edit, replayer: FunctionId, *, grown: bool
) -> Mismatch | None:
    start, removed, inserted = (
        normal(analysis.view, record.function, translated(undo, record, forward, replayer, s, grown))
        for s in (inverse.start, inverse.removed, inverse.inserted)
    )
    if forward.looped and forward.operation == "insert" and removed != forward.inserted:     # not one record a round
        forward = msgspec.structs.replace(forward, inserted=None if forward.partial else forward.repeats)
    own: dict[Atom, Sum] = {("place", holder): part.number for holder, part in record.parts.items()}
    own.update({("len", "place", holder): part.length for holder, part in record.parts.items()})
    forward = msgspec.structs.replace(
        forward, **{name: None if s is None else normal(analysis.view, record.function, substituted(s, own)) for name, s in (
            ("start", forward.start), ("removed", forward.removed), ("inserted", forward.inserted))}
    )
    if differ(forward.start, start):
        return Mismatch("it is replayed at another place than the edit was made", inverse)
    if inverse.looped:
        return _turned_round(analysis, replayer, inverse)
    if forward.repeats is not None and forward.operation == "append" and removed is not None and not removed.terms:
        return Mismatch("the replay removes a fixed number of elements, and a loop adds them", inverse)
    if differ(forward.inserted, removed) and not _are_tested(analysis, undo, record, forward, removed):
        return Mismatch("the replay removes another number of elements than the edit added", inverse)
    if removed is not None and removed == forward.removed and _is_told_by_others(analysis, record, forward) and not (
        _are_tested(analysis, undo, record, forward, removed)
    ):
        return Mismatch("the replay removes as many elements as the edit removed, not as many as it added", inverse)
    if differ(forward.removed, inserted):
        return Mismatch("the replay puts back another number of elements than the edit removed", inverse)
    return None


def _is_told_by_others(analysis: Analysis, record: Record, forward: Edit) -> bool:
    """Whether a helper worked out where the edit ends, and was not given what the edit puts in: that may be longer or shorter."""
    if forward.removed is None or forward.inserted is None or forward.distance or record.distance or not forward.inserted.terms:
        return False
    added = {str(atom[2]) for atom in forward.inserted.atoms if atom[:2] == ("len", "param")}
    if len(added) != len(forward.inserted.terms) or not all(a[0] == "event" for a in forward.removed.atoms) or not forward.removed.terms:
        return False
    return added.isdisjoint(_given(analysis, record.function, forward))


def _given(analysis: Analysis, identity: FunctionId, edit: Edit) -> set[str]:
    """The names that the positions of an edit are made of, arguments of calls included."""
    found: set[str] = set()
    pending: list[tuple[Value, int]] = [(value, edit.event) for value in edit.positions]
    seen: set[tuple[Value, int]] = set()
    while pending:
        value, at = pending.pop()
        if (value, at) in seen:
            continue
        seen.add((value, at))
        if isinstance(value, Compound):
            pending += [(part, at) for part in value.parts]
        elif isinstance(value, Name):
            found.add(value.name)
            bound = [n for n in analysis.view.definitions(identity).definitions(at, value.name) if n >= 0] if value.scope == "local" else []
            pending += [(v, n) for n in bound if (v := analysis.view.event(identity, n).value) is not None]
        elif isinstance(value, Result):
            it = analysis.view.event(identity, value.event)
            pending += [(v, value.event) for v in (*(a.value for a in it.arguments), *it.keys, *([it.path.root] if it.path else []))]
            if it.value is not None:
                pending.append((it.value, value.event))
    return found


def _are_tested(analysis: Analysis, undo: UndoRecords, record: Record, forward: Edit, removed: Sum | None) -> bool:
    """Whether a test before the edit lets through only as many new elements as the replay removes."""
    if forward.inserted is None or removed is None or forward.distance:
        return False
    rest = forward.inserted - removed
    pending = [c.value for c in conditions_before(analysis, record.function, forward.event)]
    while pending:
        value = pending.pop()
        if isinstance(value, Compound):
            pending += value.parts
            if value.operator in ("==", "!=") and len(value.parts) == 2:
                one, other = (undo.measures.number(record.function, forward.event, part) for part in value.parts)
                if rest in (one - other, other - one):
                    return True
    return False


def _turned_round(analysis: Analysis, replayer: FunctionId, inverse: Edit) -> Mismatch | None:
    """A loop that inserts one element after the other at one place puts the last one first."""
    view = analysis.view
    loop = view.graph(replayer).derived(Loops).loop_of(inverse.event)
    over = view.event(replayer, loop.driver).value if loop is not None and loop.driver is not None else None
    if loop is None or over is None or inverse.operation != "insert" or inverse.distance or not inverse.positions:
        return None
    position = inverse.positions[0]
    if not isinstance(position, Name) or position.scope != "local":
        return None
    if any(number in loop.body for number in view.definitions(replayer).definitions(inverse.event, position.name)):
        return None
    if is_reversed(view, replayer, inverse.event, over):
        return None
    return Mismatch("every round inserts at the same place, so that the last element comes first", inverse)


def translated(undo: UndoRecords, record: Record, forward: Edit, replayer: FunctionId, sum: Sum | None, grown: bool) -> Sum | None:
    """A sum of the replaying function in terms of the recording one: parts of the record as they were when it was made."""
    if sum is None:
        return None
    actuals: dict[Atom, Sum] = {}
    for atom in sum.atoms:
        if atom[0] == "place" and str(atom[1]) in record.parts:
            actuals[atom] = record.parts[str(atom[1])].number
        elif atom[0] == "len" and atom[1] == "place":
            holder = str(atom[2])
            if holder in record.parts:
                actuals[atom] = record.parts[holder].length
            elif holder in forward.holders:
                if not grown or forward.removed is None or forward.inserted is None:
                    return None
                actuals[atom] = single(atom) + forward.inserted - forward.removed
    return substituted(sum, actuals)


def differ(one: Sum | None, other: Sum | None) -> bool:
    """Whether two sums are surely not the same: nothing unknown is left in their difference but what was passed in."""
    if one is None or other is None:
        return False
    rest = one - other
    if rest == Sum():
        return False
    if not rest.terms or _is_fixed_beside_rounds(one, other) or _is_fixed_beside_rounds(other, one):
        return True
    return all(is_plain(atom) for atom in (*one.atoms, *other.atoms))


def _is_fixed_beside_rounds(fixed: Sum, other: Sum) -> bool:
    """Whether one is a number that was written down, the other what a loop makes in all its rounds."""
    return not fixed.terms and any(atom[0] == "rounds" for atom in other.atoms)


def is_plain(atom: Atom) -> bool:
    """What stands for itself: formals, their lengths, counts in texts, and the length of a cell when the function began."""
    return atom[0] in ("param", "sorted", "text", "either", "some") or (atom[0] == "len" and atom[1] in ("param", "place"))


def optional(analysis: Analysis, identity: FunctionId, edit: int, record: int) -> bool:
    """Whether some ordinary way to the record does not pass the edit, although the edit comes before it."""
    graph = analysis.view.graph(identity)
    return record in reachable(graph, edit) and path(graph, graph.entry, record, {edit}, exceptional=False) is not None
