"""The edits of sequences that functions make, in terms of their formals.

An edit is followed through helpers by replacing the helper's formals with what the call passes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import BoundMethod, FunctionRef, in_order
from ctxlint.calls.view import Call
from ctxlint.flow.loops import Loop, Loops, may_repeat
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.event import Argument, Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value, parts_of
from ctxlint.roles.edit import Edit, edits_in_order, is_placed, may_be_at_a_place, rebased
from ctxlint.roles.holders import STORE, Holder, Holders, is_within
from ctxlint.roles.measures import Measures
from ctxlint.roles.reading import Reader
from ctxlint.roles.sums import ONE, ZERO, Atom, Sum, single, substituted

MAX_DISTANCE = 3
"""An edit further down than this many calls is another function's business."""


class _Passed(NamedTuple):
    """What a call gives for formals: the values, their numbers and lengths, and the places that they are."""

    values: dict[str, Value]
    sums: dict[Atom, Sum]
    places: dict[Holder, frozenset[Holder]]


class Edits:
    """The edits of every function, those of the callees it hands its cells to included."""

    def __init__(self, summaries: Summaries, holders: Holders, measures: Measures) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self._measures = measures
        self._made: dict[FunctionId, tuple[Edit, ...]] = {}
        self._own: dict[FunctionId, tuple[Edit, ...]] = {}
        self._all = Recall[FunctionId, tuple[Edit, ...]](lambda identity: (), first=min)
        self._placed = Recall[FunctionId, tuple[Edit, ...]](lambda identity: (), first=min)

    def made(self, identity: FunctionId) -> Sequence[Edit]:
        """The operations of the function itself that are edits, each by itself: not yet as often and as late as they are made."""
        found = self._made.get(identity)
        if found is None:
            found = self._made[identity] = tuple(Reader(self._summaries, self._measures, identity).edits())
        return found

    def own(self, identity: FunctionId) -> tuple[Edit, ...]:
        """The edits that the function makes by operations of its own, in event order."""
        found = self._own.get(identity)
        if found is None:
            made = self.made(identity)
            if made and may_repeat(self._view.function(identity)):
                made = [self._counted(identity, edit) for edit in made]
            found = self._own[identity] = tuple(self._settled(identity, edit, made) for edit in made)
        return found

    def of(self, identity: FunctionId) -> tuple[Edit, ...]:
        """The edits of the function and its callees, in event order."""
        return self._all.ask(identity, lambda: edits_in_order([*self.own(identity), *self._lifted(identity, self.of)]))

    def placed(self, identity: FunctionId) -> tuple[Edit, ...]:
        """Those edits of the function and its callees that are at a place which is found somewhere, in event order.

        Few edits are: what most functions add at an end is not followed to their callers before somebody asks for it.
        """
        return self._placed.ask(identity, lambda: edits_in_order(
            [*filter(is_placed, self.own(identity)), *self._lifted(identity, self.placed)] if identity in self.at_places else []
        ))

    def may_be_left_out(self, edit: Edit, *, whatever_is_given: bool = False) -> bool:
        """Whether some callee on the way to an edit has an ordinary way that leaves it out, be it only because of what lies in the cell."""
        return edit.below is not None and (
            self._is_avoided(*edit.below, whatever_is_given) or self.may_be_left_out(edit.below[1], whatever_is_given=whatever_is_given))

    @functools.cached_property
    def at_places(self) -> frozenset[FunctionId]:
        """The functions of which some edit may be at a place that is found somewhere, be it a callee's.

        What is added at an end, set anew or reordered as a whole is at none, and no call makes anything else of it.
        """
        found = {identity for identity in self._view.program.functions() if any(map(may_be_at_a_place, self.made(identity)))}
        above: dict[FunctionId, list[FunctionId]] = {}
        for identity in self._view.program.functions() if found else ():
            for _, calls in self._view.calling(identity):
                for call in calls:
                    for target in call.functions[:6]:
                        above.setdefault(target, []).append(identity)
        near = frozenset(found)
        for _ in range(MAX_DISTANCE):
            near = frozenset(caller for identity in near for caller in above.get(identity, ()) if caller not in found)
            found |= near
        return frozenset(found)

    def settle(self, identity: FunctionId, sum: Sum) -> Sum | None:
        """The sum with lengths as they were when the function began."""
        return self._settle(identity, sum, self.of(identity)) if any(atom[0] == "size" for atom in sum.atoms) else sum

    def is_sequence(self, identity: FunctionId, edit: Edit) -> bool:
        """Whether the cell of an edit is known to be a sequence: by the operation, or by its type."""
        function, number = edit.origin
        event = self._view.event(function, number)
        if edit.positional or event.path is None or not event.path.steps:
            return edit.positional
        if any(holder.startswith(STORE) for holder in edit.holders):
            return True
        return Reader(self._summaries, self._measures, function).is_sequence(number, AccessPath(event.path.root, event.path.steps[:-1]))

    def by_method(self, identity: FunctionId, number: int, arguments: Sequence[Value]) -> Edit | None:
        """The edit that calling a bound method of a sequence, read at an event, with these arguments will make."""
        event = self._view.event(identity, number)
        if event.kind != "read" or event.path is None or not event.path.steps:
            return None
        return next(iter(Reader(self._summaries, self._measures, identity).by_method(number, event.path, event.keys, list(arguments))), None)

    def by_function(self, identity: FunctionId, at: int, function: Value, arguments: Sequence[Value]) -> Edit | None:
        """The edit that calling a function of the program, or a method read from an object, with these arguments will make."""
        event = self._view.event(identity, function.event) if isinstance(function, Result) else None
        if event is not None and (event.kind != "read" or event.path is None or not event.path.steps):
            return None
        for kind in in_order(self._view.inference.of_value(identity, at, function)):
            if isinstance(kind, FunctionRef) and isinstance(kind.function, FunctionId):
                return self.when_called(identity, at, kind.function, None, arguments)
            if isinstance(kind, BoundMethod) and isinstance(kind.method, FunctionId) and event is not None and event.path is not None:
                return self.when_called(identity, at, kind.method, AccessPath(event.path.root, event.path.steps[:-1]), arguments)
        return None

    def when_called(
        self, identity: FunctionId, number: int, target: FunctionId, receiver: AccessPath | None, arguments: Sequence[Value]
    ) -> Edit | None:
        """The one edit that a function will make when it is called with these values, as they are at an event."""
        given = tuple(Argument("", value) for value in arguments)
        call = Call((target,), (), (), given, receiver, self._view.function(target).qualname.rpartition(".")[2])
        made = [edit for edit in self._outlasting(target, self.of(target)) if edit.operation not in ("whole", "reorder")]
        if len(made) != 1:
            return None
        return self._seen_from(identity, number, target, made[0], self._what_is_passed(identity, number, call, target), later=True)

    # Loops.

    def _counted(self, identity: FunctionId, edit: Edit) -> Edit:
        """An edit that is made once in every round of a loop, as the one edit that all rounds make together."""
        graph = self._view.graph(identity)
        loop = graph.derived(Loops).loop_of(edit.event)
        if loop is None or edit.operation not in ("append", "pop"):
            if loop is None or edit.operation == "store":
                return edit
            every = edit.operation == "insert" and loop.driver is not None and edit.inserted == ONE
            rounds = self._rounds(identity, loop.driver, edit) if every and loop.driver is not None else None
            return msgspec.structs.replace(
                edit, start=None, looped=True, partial=every and self._is_left_out(identity, edit, loop, rounds), repeats=rounds)
        if loop.driver is None and edit.operation == "pop":
            mark = self._mark(identity, edit, loop)
            if mark is not None:
                return msgspec.structs.replace(edit, operation="slice", start=mark, removed=single(("size", min(edit.holders), loop.head)) - mark)
        rounds = self._rounds(identity, loop.driver, edit) if loop.driver is not None else self._counted_down(identity, edit, loop)
        partial = self._is_left_out(identity, edit, loop, rounds) and (loop.driver is not None or rounds is None)
        times = single(("rounds", str(identity), edit.event)) if rounds is None or partial else rounds
        start = edit.start - times + ONE if edit.operation == "pop" and edit.start is not None else edit.start
        return msgspec.structs.replace(
            edit, start=start, partial=partial, repeats=rounds,
            removed=times if edit.operation == "pop" else edit.removed,
            inserted=times if edit.operation == "append" else edit.inserted,
        )

    def _is_left_out(self, identity: FunctionId, edit: Edit, loop: Loop, rounds: Sum | None) -> bool:
        """Whether some round makes no edit, or some way out leaves rounds out; what was chosen for the loop, a callee takes."""
        graph = self._view.graph(identity)
        alike = {e.event for e in self.made(identity) if e.operation == edit.operation and e.holders & edit.holders} | {edit.event}
        is_chosen = rounds is None or any(atom[0] not in ("param", "place", "size", "len") or atom[1] == "event" for atom in rounds.atoms)
        if loop.driver is None or self.may_be_left_out(edit, whatever_is_given=is_chosen) or path(graph, loop.driver, loop.driver, alike, exceptional=False) is not None:
            return True
        return any(
            successor.target not in loop.body and successor.kind == "next" and node != loop.driver
            for node in loop.body for successor in graph.successors(node)
        )

    def _mark(self, identity: FunctionId, edit: Edit, loop: Loop) -> Sum | None:
        """What `while len(cell) > mark: cell.pop()` leaves."""
        graph = self._view.graph(identity)
        for node in sorted(loop.body):
            for successor in graph.successors(node):
                asked = successor.condition.value if successor.condition is not None and successor.target in loop.body else None
                if isinstance(asked, Compound) and asked.operator in (">", "!=") and len(asked.parts) == 2:
                    length, mark = (self._measures.number(identity, edit.event, part) for part in asked.parts)
                    if len(length.terms) == 1 and length.atoms[0][0] == "size" and length.atoms[0][1] in edit.holders and not length.constant:
                        return mark
        return None

    def _counted_down(self, identity: FunctionId, edit: Edit, loop: Loop) -> Sum | None:
        """What `while n: …; n -= 1` begins with, if every round counts and makes the edit."""
        graph = self._view.graph(identity)
        for node in sorted(loop.body):
            for successor in graph.successors(node):
                asked = successor.condition.value if successor.condition is not None and successor.target in loop.body else None
                for name in _counting(asked):
                    bound = self._view.definitions(identity).definitions(node, name.name)
                    steps = [n for n in bound if n in loop.body]
                    rest = [n for n in bound if n not in loop.body]
                    if len(steps) != 1 or len(rest) != 1 or not _is_step_down(self._view.event(identity, steps[0])):
                        continue
                    if any(path(graph, loop.head, loop.head, {event}, exceptional=False) is not None for event in (steps[0], edit.event)):
                        continue
                    if rest[0] < 0:
                        return single(("param", name.name))
                    first = self._view.event(identity, rest[0])
                    return self._measures.number(identity, rest[0], first.value) if first.kind == "local" and first.value else None
        return None

    def _rounds(self, identity: FunctionId, driver: int, edit: Edit) -> Sum | None:
        """How many rounds a loop over `range(n)` or over a sequence makes; one that pops asks for `n` also by `min(n, len(cell))`."""
        over = self._view.event(identity, driver).value
        if isinstance(over, Result):
            event = self._view.event(identity, over.event)
            if event.kind == "call" and event.path == AccessPath(Name("range", "global")) and len(event.arguments) == 1:
                asked = event.arguments[0].value
                return self._measures.number(identity, over.event, self._unclamped(identity, asked, edit) if edit.operation == "pop" else asked)
        return None if over is None else self._measures.length(identity, driver, over)

    def _unclamped(self, identity: FunctionId, asked: Value, edit: Edit) -> Value:
        """What was asked for, of the smaller of it and the length of the cell."""
        event = self._view.event(identity, asked.event) if isinstance(asked, Result) else None
        if event is None or event.kind != "call" or event.path != AccessPath(Name("min", "global")) or len(event.arguments) != 2:
            return asked
        rest = []
        for argument in event.arguments:
            number = self._measures.number(identity, asked.event, argument.value) if isinstance(asked, Result) else ZERO
            if not any(atom[0] == "size" and atom[1] in edit.holders for atom in number.atoms):
                rest.append(argument.value)
        return rest[0] if len(rest) == 1 else asked

    # Time: lengths before and after other edits.

    def _settled(self, identity: FunctionId, edit: Edit, others: Sequence[Edit]) -> Edit:
        return msgspec.structs.replace(
            edit,
            start=self._settle(identity, edit.start, others),
            removed=self._settle(identity, edit.removed, others),
            inserted=self._settle(identity, edit.inserted, others),
        )

    def _settle(self, identity: FunctionId, sum: Sum | None, others: Iterable[Edit]) -> Sum | None:
        if sum is None:
            return None
        actuals: dict[Atom, Sum] = {}
        for atom in sum.atoms:
            if atom[0] == "size":
                found = self._size_at(identity, str(atom[1]), int(atom[2]), others)
                if found is None:
                    return None
                actuals[atom] = found
        return substituted(sum, actuals) if actuals else sum

    def _size_at(self, identity: FunctionId, holder: Holder, event: int, others: Iterable[Edit]) -> Sum | None:
        """The length of a cell at an event: what it was at the beginning, and what edits before the event added."""
        found = single(("len", "place", holder))
        for other in others:
            if holder not in other.holders or other.event == event:
                continue
            graph = self._view.graph(identity)
            if event in reachable(graph, other.event):
                if other.event in reachable(graph, event):
                    continue
                if other.removed is None or other.inserted is None:
                    return None
                if any(atom[0] == "size" for s in (other.removed, other.inserted) for atom in s.atoms):
                    return None
                found = found + other.inserted - other.removed
        return found

    # Through calls.

    def _lifted(self, identity: FunctionId, edits_of: Callable[[FunctionId], tuple[Edit, ...]]) -> Iterator[Edit]:
        """The edits that callees make, in terms of what they are passed."""
        own = self.own(identity)
        repeats = may_repeat(self._view.function(identity))
        events = self._view.function(identity).events
        for number, calls in self._view.calling(identity):
            reached = [
                (call, target) for call in calls for target in call.functions[:6]
                if target != identity and not is_constructor(self._view, target)
            ]
            event = events[number]
            if not reached or event.kind not in ("call", "write", "delete") or _postpones(event):
                continue
            if event.kind != "call" and any(edit.event == number for edit in own):
                continue
            seen: set[object] = set()
            for call, target in reached:
                passed: _Passed | None = None
                for edit in self._outlasting(target, edits_of(target)):
                    if edit.distance < MAX_DISTANCE and edit.operation not in ("whole", "reorder"):
                        passed = passed or self._what_is_passed(identity, number, call, target)
                        lifted = self._seen_from(identity, number, target, edit, passed)
                        if repeats and lifted.repeats is None and not lifted.looped and ONE in (lifted.inserted, lifted.removed):
                            lifted = self._counted(identity, lifted)
                        essence = (lifted.holders, lifted.operation, lifted.start, lifted.removed, lifted.inserted)
                        if lifted.holders and essence not in seen:
                            seen.add(essence)
                            yield lifted

    def _outlasting(self, target: FunctionId, edits: tuple[Edit, ...]) -> Iterable[Edit]:
        """The edits that a caller can tell: not those of lists that are gone when the function returns."""
        passing = self._holders.of_one_call(target) if edits else ()
        return [edit for edit in edits if not edit.holders <= passing] if passing else edits

    def _what_is_passed(self, identity: FunctionId, number: int, call: Call, target: FunctionId) -> _Passed:
        """What a call gives for the formals of one of its functions."""
        actuals = self._view.bound(call, target)
        sums: dict[Atom, Sum] = {}
        renamed: dict[Holder, frozenset[Holder]] = {}
        for name, value in actuals.items():
            sums["param", name] = self._measures.number(identity, number, value)
            sums["len", "param", name] = self._measures.length(identity, number, value)
            renamed[f"{target.module}:{name}"] = self._holders.of(identity, number, value)
        return _Passed(actuals, sums, renamed)

    def _seen_from(
        self, identity: FunctionId, number: int, target: FunctionId, edit: Edit, passed: _Passed, *, later: bool = False
    ) -> Edit:
        """A callee's edit in terms of what the call passes; of a call that is made `later`, with lengths as they are then."""
        actuals, sums, renamed = passed
        holders = rebased(edit.holders, renamed)

        def seen(sum: Sum | None) -> Sum | None:
            if sum is None:
                return None
            moved = {
                atom: single(("len", "place", held) if later else ("size", held, number))
                for atom in sum.atoms if atom[:2] == ("len", "place")
                for held in [min(rebased([str(atom[-1])], renamed), default=str(atom[-1]))]
            }
            places = {
                atom: single(("place", min(found))) for atom in sum.atoms
                if atom[0] == "place" and (found := rebased([str(atom[1])], renamed))
            }
            return substituted(sum, {**sums, **places, **moved})

        return msgspec.structs.replace(
            edit, holders=holders, event=number, distance=edit.distance + 1, below=(target, edit),
            start=self._settle(identity, seen(edit.start), self.own(identity)),
            removed=self._settle(identity, seen(edit.removed), self.own(identity)),
            inserted=self._settle(identity, seen(edit.inserted), self.own(identity)),
            repeats=seen(edit.repeats),
            positions=self._passed(target, edit.event, edit.positions, actuals),
            contents=self._passed(target, edit.event, edit.contents, actuals),
        )

    def _is_avoided(self, target: FunctionId, edit: Edit, whatever_is_given: bool) -> bool:
        """Whether some ordinary way through a function makes no such edit."""
        graph = self._view.graph(target)
        alike = {e.event for e in self.of(target) if e.holders & edit.holders and (e.removed, e.inserted) == (edit.removed, edit.inserted)}
        witness = path(graph, graph.entry, graph.exit, alike, exceptional=False)
        return witness is not None and (not whatever_is_given or any(
            is_within(holder, cell) for condition in witness.conditions for part in parts_of(condition.value)
            for holder in self._holders.of(target, edit.event, part) for cell in edit.holders
        ))

    def _passed(self, target: FunctionId, at: int, values: tuple[Value, ...], actuals: Mapping[str, Value]) -> tuple[Value, ...]:
        """What the call passes for the formals that values of the callee are made of."""
        origins = self._view.origins(target)
        names = {str(what) for value in values for kind, what in origins.roots(value, at) if kind == "param"}
        return tuple(actuals[name] for name in sorted(names) if name in actuals)


def _counting(asked: Value | None) -> Iterator[Name]:
    """The variables that a test asks whether they are not yet down to nothing."""
    if isinstance(asked, Name) and asked.scope == "local":
        yield asked
    elif isinstance(asked, Compound) and asked.operator == "and":
        for part in asked.parts:
            yield from _counting(part)
    elif isinstance(asked, Compound) and asked.operator in (">", "!=") and asked.parts[1:] == (Constant("int", "0"),):
        yield from _counting(asked.parts[0])


def _is_step_down(event: Event) -> bool:
    return event.kind == "local" and isinstance(event.value, Compound) and event.value.operator in ("-", "-=") and (
        event.value.parts[1:] == (Constant("int", "1"),))


def _postpones(event: Event) -> bool:
    """Whether a call only keeps another one for later."""
    return event.path is not None and (event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")) == "partial"
