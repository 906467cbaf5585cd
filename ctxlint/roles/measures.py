"""Positions and lengths as sums of what a function was given, what it found in its cells, and constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.view import View
from ctxlint.flow.loops import Loops
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.holders import Holder, Holders, is_within
from ctxlint.roles.sums import ONE, ZERO, Atom, Sum, single

MAX_DEPTH = 14

_SAME_NUMBER = frozenset(["int", "index"])
_SAME_LENGTH = frozenset(["list", "tuple", "reversed", "sorted", "bytes", "bytearray", "enumerate", "iter", "memoryview"])


class Measures:
    """Evaluates positions and lengths; asks `Holders` what an expression reads."""

    def __init__(self, view: View, holders: Holders) -> None:
        self._view = view
        self.holders = holders
        self._recall = Recall[tuple[bool, FunctionId, int, Value], Sum](_itself)

    def number(self, identity: FunctionId, at: int, value: Value) -> Sum:
        """What `value` is at event `at`, as a sum."""
        return self._number(identity, at, value, 0)

    def length(self, identity: FunctionId, at: int, value: Value) -> Sum:
        """How long `value` is at event `at`, as a sum."""
        return self._length(identity, at, value, 0)

    # Numbers.

    def _number(self, identity: FunctionId, at: int, value: Value, depth: int) -> Sum:
        question = (False, identity, at, value)
        return self._recall.ask(question, lambda: self._find_number(identity, at, value, depth + 1), depth, MAX_DEPTH - 1)

    def _find_number(self, identity: FunctionId, at: int, value: Value, depth: int) -> Sum:
        if isinstance(value, Constant):
            return Sum(_integer(value)) if value.kind == "int" else _unknown(identity, at, value)
        if isinstance(value, Name):
            return self._named(identity, at, value, depth, length=False)
        if isinstance(value, Result):
            return self._computed(identity, value.event, depth)
        if isinstance(value, Compound):
            parts = [self._number(identity, at, part, depth) for part in value.parts] if value.operator in _ARITHMETIC else []
            if value.operator in ("+", "+="):
                return _total(parts)
            if value.operator in ("-", "-="):
                return parts[0] - _total(parts[1:])
            if value.operator == "-x":
                return parts[0].times(-1)
            if value.operator == "+x":
                return parts[0]
            if value.operator == "if":
                one, other = (self._number(identity, at, part, depth) for part in value.parts[1:])
                return one if one == other else single(("choice", str(identity), repr(value), at))
            return self._part_given(identity, value, depth) or self._place(identity, at, value)
        return _unknown(identity, at, value)

    def _named(self, identity: FunctionId, at: int, name: Name, depth: int, *, length: bool) -> Sum:
        wrap = (lambda atom: single(("len", *atom))) if length else single
        if name.scope != "local":
            holders = self.holders.of(identity, at, name)
            return wrap(("place", min(holders))) if holders else _unknown(identity, at, name)
        definitions = self._view.definitions(identity).definitions(at, name.name)
        if len(definitions) != 1:
            return wrap(("choice", str(identity), name.name, *definitions))
        number = definitions[0]
        if number == ENTRY_VALUE:
            return wrap(("param", name.name))
        event = self._view.event(identity, number)
        if event.kind != "local" or event.value is None:
            return _unknown(identity, at, name)
        if length and self._view.definitions(identity).additions(at, name.name):
            return wrap(("grown", str(identity), name.name, at))
        return self._length(identity, number, event.value, depth) if length else self._number(identity, number, event.value, depth)

    def _computed(self, identity: FunctionId, number: int, depth: int) -> Sum:
        event = self._view.event(identity, number)
        if event.kind == "call" and event.path is not None:
            name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
            if name == "len" and len(event.arguments) == 1 and not event.path.steps:
                return self._length(identity, number, event.arguments[0].value, depth)
            if name in _SAME_NUMBER and len(event.arguments) == 1 and (not event.path.steps or event.path.root == Name("operator", "global")):
                return self._number(identity, number, event.arguments[0].value, depth)
            if name in _SEARCHES and is_in_order(event):
                return self.sorted_place(identity, number, _SEARCHES[name], *(a.value for a in event.arguments))
            if name == "__len__" and event.path.steps:
                return self._sized(identity, number, self.holders.of_receiver(identity, number))
            if name in ("min", "max") and len(event.arguments) == 2 and not event.path.steps:
                return self._clamped(name, [self._number(identity, number, a.value, depth) for a in event.arguments]) or (
                    _unknown(identity, number, Result(number)))
        given = self._given(identity, number, None, depth) if event.kind in ("call", "read") else None
        return given or self._place(identity, number, Result(number))

    def _clamped(self, name: str, sums: list[Sum]) -> Sum | None:
        """The number that is kept inside a cell: `min(n, len(cell))`, `max(0, len(cell) - n)`. An edit has no room for more."""
        sized = [any(atom[0] == "size" for atom in sum.atoms) for sum in sums]
        if sized.count(True) != 1:
            return None
        inside, limit = (sums[sized.index(False)], sums[sized.index(True)])
        if name == "max":
            return limit if not inside.terms else None
        return inside if [count for _, count in limit.terms] == [1] else None

    def _part_given(self, identity: FunctionId, value: Compound, depth: int) -> Sum | None:
        whole, position = value.parts if value.operator == "item" else (None, None)
        if isinstance(whole, Result) and isinstance(position, Constant) and position.text.isdigit():
            return self._given(identity, whole.event, position, depth)
        return None

    def _given(self, identity: FunctionId, number: int, part: Constant | None, depth: int) -> Sum | None:
        """What a callee that changes nothing gives back on its only way to do so (or a part of that), as the caller sees it."""
        calls = self._view.calls(identity, number)
        if len(calls) != 1 or len(calls[0].functions) != 1 or not self._recall.reaches(depth + 2, MAX_DEPTH):
            return None
        target = calls[0].functions[0]
        returned = self._view.inference.facts(target).returned
        if target == identity or len(returned) != 1 or not self.holders.is_plain(target):
            return None
        value = self._view.event(target, returned[0]).value
        if part is not None:
            parts = value.parts if isinstance(value, Compound) and value.operator == "tuple" else ()
            value = parts[int(part.text)] if int(part.text) < len(parts) else None
        sum = ZERO if value is None else self._number(target, returned[0], value, depth + 2)
        actuals = self._view.bound(calls[0], target) if sum.terms else {}
        found = None if value is None else Sum(sum.constant)
        for atom, count in sum.terms:
            seen = self._as_passed(identity, number, atom, target, actuals, depth + 2)
            found = None if found is None or seen is None else found.plus(seen, count)
        return found

    def _as_passed(
        self, identity: FunctionId, number: int, atom: Atom, target: FunctionId, actuals: Mapping[str, Value], depth: int
    ) -> Sum | None:
        """An unknown of a callee in terms of what a call passes."""
        kind, what = (atom[:2], atom[2]) if atom[0] == "len" else (atom[:1], atom[1])
        if kind[-1] == "param":
            actual = actuals.get(str(what))
            measured = self._length if len(kind) > 1 else self._number
            return None if actual is None else measured(identity, number, actual, depth)
        if kind[-1] not in ("place", "size"):
            return None
        holder = str(what)
        name = next((n for n in actuals if is_within(holder, f"{target.module}:{n}")), None)
        if name is not None:
            passed = self.holders.of(identity, number, actuals[name])
            if len(passed) != 1:
                return None
            holder = min(passed) + holder[len(target.module) + 1 + len(name):]
        elif ":" in holder:
            return None
        return single(("size", holder, number) if kind == ("size",) else (*kind, holder))

    def _place(self, identity: FunctionId, at: int, value: Value) -> Sum:
        holders = self.holders.of(identity, at, value)
        return single(("place", min(holders))) if holders else _unknown(identity, at, value)

    def sorted_place(self, identity: FunctionId, at: int, side: str, cell: Value, item: Value, key: Value | None = None) -> Sum:
        """Where an item belongs in a sorted cell: before ("left") or behind ("right") those that are equal to it.

        With a key one function is given the item and another one its key: they are taken for those of one item.
        """
        holders = self.holders.of(identity, at, cell)
        if not holders:
            return _unknown(identity, at, Compound("sorted", (cell, item)))
        return single(("sorted", side, min(holders), repr(self.number(identity, at, item)) if key is None else "by key"))

    # Lengths.

    def _length(self, identity: FunctionId, at: int, value: Value, depth: int) -> Sum:
        question = (True, identity, at, value)
        return self._recall.ask(question, lambda: self._find_length(identity, at, value, depth + 1), depth, MAX_DEPTH - 1)

    def _find_length(self, identity: FunctionId, at: int, value: Value, depth: int) -> Sum:
        if isinstance(value, Constant):
            return Sum(len(value.text)) if value.kind == "str" else self._unmeasured(identity, at, value)
        if isinstance(value, Name):
            return self._named(identity, at, value, depth, length=True)
        if isinstance(value, Result):
            return self._length_of_event(identity, value.event, depth)
        if isinstance(value, Compound):
            if value.operator in ("list", "tuple"):
                return _total([
                    self._length(identity, at, part.parts[0], depth) if isinstance(part, Compound) and part.operator == "*" else ONE
                    for part in value.parts
                ])
            if value.operator in ("+", "+="):
                return _total([self._length(identity, at, part, depth) for part in value.parts])
            if value.operator == "*" and len(value.parts) == 2:
                return self._repeated(identity, at, value.parts[0], value.parts[1], depth)
            if value.operator == "f-string":
                return _total([self._length(identity, at, part, depth) for part in value.parts])
            if value.operator == "if" and all(isinstance(part, Constant) for part in value.parts[1:]):
                lengths = {self._length(identity, at, part, depth) for part in value.parts[1:]}
                return lengths.pop() if len(lengths) == 1 else single(("either", repr(value)))
            if value.operator.startswith("comprehension-") and len(value.parts) == 2 and self._is_filtered(identity, at, value):
                return single(("some", repr(self._length(identity, at, value.parts[1], depth))))
            if value.operator == "or" and value.parts[-1] in _NOTHING:
                return self._length(identity, at, value.parts[0], depth)
            holders = self.holders.of(identity, at, value)
            if holders:
                return single(("len", "place", min(holders)))
        return self._unmeasured(identity, at, value)

    def _is_filtered(self, identity: FunctionId, at: int, made: Compound) -> bool:
        """Whether the rounds of a comprehension ask something that its elements do not hold."""
        events = self._view.function(identity).events
        driver = next((n for n in range(at - 1, -1, -1) if events[n].kind == "iterate" and events[n].value == made.parts[1]), None)
        if driver is None:
            return False
        used: set[int] = set()
        pending: list[Value] = [made.parts[0]]
        while pending:
            value = pending.pop()
            if isinstance(value, Compound):
                pending += value.parts
            elif isinstance(value, Result) and value.event not in used:
                used.add(value.event)
                event = events[value.event]
                pending += [a.value for a in event.arguments] + list(event.keys) + ([event.path.root] if event.path else [])
        last = next((n for n in range(driver + 1, at) if events[n].kind == "iterate"), at)
        inside = self._view.graph(identity).derived(Loops).loop_of(driver)
        return inside is not None and any(
            n not in used and events[n].kind in ("call", "read") for n in range(driver + 1, last) if n in inside.body
        )

    def _repeated(self, identity: FunctionId, at: int, whole: Value, times: Value, depth: int) -> Sum:
        """The length of `[None] * n`."""
        if not isinstance(whole, Compound):
            whole, times = (whole, times) if isinstance(whole, Constant) and whole.kind != "int" else (times, whole)
        if isinstance(whole, Constant) and whole.kind in ("str", "bytes") and not isinstance(times, (Constant, Name)):
            return single(("either", repr((whole, times))))
        once = self._length(identity, at, whole, depth)
        return self._number(identity, at, times, depth) if once == ONE else self._unmeasured(identity, at, Compound("*", (whole, times)))

    def _length_of_event(self, identity: FunctionId, number: int, depth: int) -> Sum:
        event = self._view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            bounds = slice_of(event)
            if bounds is not None:
                whole = self._sized(identity, number, self.holders.of_event(identity, number))
                start, stop = self.bounds(identity, number, bounds, whole)
                return stop - start
            return self._sized(identity, number, self.holders.of_event(identity, number))
        if event.kind == "call" and event.path is not None:
            if event.path.steps and event.path.steps[-1] in ("copy", "upper", "lower") and not event.arguments:
                holders = self.holders.of_receiver(identity, number)
                return self._sized(identity, number, holders)
            name = getattr(event.path.root, "name", "") if not event.path.steps else ""
            if name in _SAME_LENGTH and event.arguments:
                return self._length(identity, number, event.arguments[0].value, depth)
        return self._sized(identity, number, self.holders.of(identity, number, Result(number)))

    def bounds(self, identity: FunctionId, at: int, bounds: Compound, whole: Sum) -> tuple[Sum, Sum]:
        """Where a slice of something `whole` long begins and ends; constants below zero count from the end."""
        start, stop = bounds.parts[0], bounds.parts[1]
        return (
            ZERO if _is_none(start) else self._from_end(self.number(identity, at, start), whole),
            whole if _is_none(stop) else self._from_end(self.number(identity, at, stop), whole),
        )

    def from_end(self, position: Sum, whole: Sum) -> Sum:
        """The position an index denotes: one that is written as less than nothing counts from the end."""
        return self._from_end(position, whole)

    def _from_end(self, position: Sum, whole: Sum) -> Sum:
        negative = position.constant <= 0 and all(count < 0 for _, count in position.terms) and position != ZERO
        return whole + position if negative else position

    def _sized(self, identity: FunctionId, at: int, holders: Iterable[Holder]) -> Sum:
        """How long a cell is at an event. Fields of records do not change, so their length has no time."""
        chosen = min(holders, default="")
        if not chosen:
            return single(("len", "event", str(identity), at))
        return single(("size", chosen, at))

    def _unmeasured(self, identity: FunctionId, at: int, value: Value) -> Sum:
        return single(("len", *_unknown(identity, at, value).atoms[0]))


_NOTHING = (Compound("list", ()), Compound("tuple", ()), Constant("str", ""))
_SEARCHES = {"bisect_left": "left", "bisect_right": "right", "bisect": "right"}
_ARITHMETIC = frozenset(["+", "+=", "-", "-=", "-x", "+x"])


def is_in_order(event: Event) -> bool:
    """Whether a call is given a sorted sequence and an item, and at most a key beside them."""
    return [argument.keyword for argument in event.arguments] in (["", ""], ["", "", "key"])


def slice_of(event: Event) -> Compound | None:
    """The slice that an event's last item step takes; none for a single item or an attribute."""
    if event.path is None or not event.path.steps or event.path.steps[-1] != "[*]" or not event.keys:
        return None
    key = event.keys[-1]
    return key if isinstance(key, Compound) and key.operator == "slice" and _is_none(key.parts[2]) else None


def _is_none(value: Value) -> bool:
    return isinstance(value, Constant) and value.kind == "none"


def _integer(value: Constant) -> int:
    try:
        return int(value.text, 0)
    except ValueError:
        return 0


def _total(sums: Iterable[Sum]) -> Sum:
    found = ZERO
    for each in sums:
        found = found + each
    return found


def _itself(question: tuple[bool, FunctionId, int, Value]) -> Sum:
    """What a number, or a length, is in terms of nothing else."""
    is_length, identity, at, value = question
    unknown = _unknown(identity, at, value)
    return single(("len", *unknown.atoms[0])) if is_length else unknown


def _unknown(identity: FunctionId, at: int, value: Value) -> Sum:
    where = value.event if isinstance(value, Result) else at
    return single(("event", str(identity), where, "" if isinstance(value, Result) else repr(value)))
