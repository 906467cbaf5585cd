"""Which fields of which objects a function compares, helpers included: intersections, membership, intervals, versions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.view import Call
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.conditions import asked_at
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import CONTENT, Leaf, gathered, spelled, translated, whose
from ctxlint.roles.literals import Literal, literals_of
from ctxlint.roles.neighbours import are_neighbours
from ctxlint.roles.ranges import held_by_fields
from ctxlint.roles.selectors import chosen
from ctxlint.roles.starred import filled

HELPERS = 2
ORDERED = frozenset(["<", "<=", ">", ">="])
BEFORE = frozenset(["<", "<="])
"""Operators that ask if the left side comes first."""

_SETS = frozenset(["&", "&="])
_TESTS = frozenset(["in", "not in", "==", "!=", "<", "<=", ">", ">="])
_SAME = frozenset(["==", "!="])
_METHODS = frozenset(["isdisjoint", "intersection", "issubset", "issuperset", "startswith", "is_relative_to", "difference"])
_APART = frozenset(["isdisjoint", "not in", "!="])


class Overlap(msgspec.Struct, frozen=True, gc=False):
    """A comparison at an event. `left` and `right` are the fields on both sides, `looked` those by which a side was looked up.

    `beside` are tests of single fields that must hold together with it (`a.writes and b.writes and …`).
    `apart` is true when it holds if the two sides have nothing in common.
    """

    event: int
    operator: str
    left: frozenset[Leaf]
    right: frozenset[Leaf]
    looked: frozenset[Leaf] = frozenset()
    beside: tuple[Literal, ...] = ()
    apart: bool = False
    value: Value | None = None
    iterated: bool = False
    """Whether the left side is an element of something that is gone through."""
    settled: bool = False
    """Whether it is a callee's comparison, and the callee knew already whose fields it compares."""

    @property
    def fields(self) -> frozenset[Leaf]:
        """Every field that plays a part."""
        return self.left | self.right | self.looked

    def between(self, meets: Callable[[Leaf, Leaf], bool]) -> Iterator[tuple[Leaf, Leaf]]:
        """For each field that meets one of another object of its class, a pair of them: one of the left, one of the right.

        Not all pairs: in a function that handles many objects there are more than anybody could look at.
        """
        others = self._alike(self.right)
        for kind, ones in self._alike(self.left).items():
            met: set[Leaf] = set()
            for one in ones:
                found = next((other for other in others.get(kind, ()) if self._apart(one, other) and meets(one, other)), None)
                if found is not None:
                    met.add(found)
                    yield one, found
            for other in others.get(kind, ()):
                found = None if other in met else next((one for one in ones if self._apart(one, other) and meets(one, other)), None)
                if found is not None:
                    yield found, other

    def _alike(self, side: frozenset[Leaf]) -> dict[tuple[str, str], list[Leaf]]:
        """The fields of one side that can be compared with one another: of one class, and of one name unless order is asked for."""
        found: dict[tuple[str, str], list[Leaf]] = {}
        for leaf in side:
            if leaf.field:
                found.setdefault((leaf.owner, "" if self.operator in ORDERED else leaf.field), []).append(leaf)
        return found

    def _apart(self, one: Leaf, other: Leaf) -> bool:
        """Whether two fields are of different objects; what was collected is of others only where there are many: in a loop."""
        if one.instance != other.instance:
            return True
        return one.collected != other.collected and self.operator not in ORDERED and one.instance not in ("self", "cls")


class Overlaps:
    """The comparisons of every function; memoised."""

    def __init__(self, summaries: Summaries, fields: Fields) -> None:
        self._view = summaries.view
        self._fields = fields
        self._own: dict[FunctionId, tuple[Overlap, ...]] = {}
        self._all: dict[tuple[FunctionId, int], tuple[Overlap, ...]] = {}
        self._open: dict[FunctionId, bool] = {}

    def own(self, identity: FunctionId) -> tuple[Overlap, ...]:
        """The comparisons that the function makes itself."""
        found = self._own.get(identity)
        if found is None:
            found = self._own[identity] = tuple(dict.fromkeys(self._find(identity)))
        return found

    def of(self, identity: FunctionId, depth: int = HELPERS) -> tuple[Overlap, ...]:
        """The function's comparisons and those of its callees, in terms of what it passes them."""
        found = self._all.get((identity, depth))
        if found is None:
            found = self._all[identity, depth] = tuple(dict.fromkeys([*self.own(identity), *self._lifted(identity, depth)]))
        return found

    def deciding(self, identity: FunctionId) -> tuple[Overlap, ...]:
        """The function's own comparisons, and those of helpers that compare what they are given without knowing what it is."""
        found = [overlap for overlap in self.own(identity)]
        for number, calls in self._view.calling_inside(identity):
            for call in calls:
                for target in call.functions[:4]:
                    if target != identity and self._is_open(target):
                        found += self._seen_from(identity, number, call, target, HELPERS)
        return tuple(dict.fromkeys(found))

    def _is_open(self, identity: FunctionId) -> bool:
        """Whether the function compares two of its formals, or parts of them, itself or by a helper that it hands them to."""
        known = self._open.get(identity)
        if known is None:
            known = self._open[identity] = self._meet_formals(identity, self.own(identity)) or (
                any(self._meet_formals(target, self.own(target)) for target in self._helpers(identity))
                and self._meet_formals(identity, self._lifted(identity, 1)))
        return known

    def _helpers(self, identity: FunctionId) -> Iterator[FunctionId]:
        """What a function that is given two things or more calls itself."""
        for _, calls in self._view.calling_inside(identity) if len(self._view.function(identity).formals) > 1 else ():
            yield from (target for call in calls for target in call.functions[:4] if target != identity)

    def _meet_formals(self, identity: FunctionId, overlaps: Iterable[Overlap]) -> bool:
        formals = {formal.name for formal in self._view.function(identity).formals}
        return len(formals) > 1 and any(
            not formals.isdisjoint([leaf.instance for leaf in overlap.left])
            and not formals.isdisjoint([leaf.instance for leaf in overlap.right])
            for overlap in overlaps
        )

    def _lifted(self, identity: FunctionId, depth: int) -> Iterator[Overlap]:
        if depth == 0:
            return
        for number, event in enumerate(self._view.function(identity).events):
            if event.path is not None and event.kind in ("call", "read"):
                for call in self._view.calls(identity, number):
                    for target in call.functions[:4]:
                        if target != identity:
                            yield from self._seen_from(identity, number, call, target, depth)

    def _seen_from(self, identity: FunctionId, number: int, call: Call, target: FunctionId, depth: int) -> Iterator[Overlap]:
        below = self.of(target, depth - 1)
        if not below:
            return
        told = [tuple(frozenset(_of_callee(leaf, target) for leaf in side) for side in (each.left, each.right, each.looked)) for each in below]
        asked = {whose(leaf.instance) for sides in told for side in sides for leaf in side}
        actuals = filled(self._view, call, target)
        passed = {name: self._fields.of(identity, number, value) for name, value in actuals.items() if name in asked}
        formals = self._view.function(target).formals
        if call.receiver is not None and formals and formals[0].name not in actuals and formals[0].name in asked:
            passed[formals[0].name] = self._fields.of_path(identity, number, call.receiver, self._view.event(identity, number).keys)
        for overlap, own in zip(below, told):
            sides = [frozenset(new for leaf in side for new in translated(chosen(self._view, leaf, actuals), passed)) for side in own]
            yield msgspec.structs.replace(
                overlap, event=number, left=sides[0], right=sides[1], looked=sides[2], value=Result(number),
                settled=overlap.settled or (bool(_owners(overlap.fields)) and
                    _owners(frozenset().union(*sides)) <= _owners(overlap.fields)
                    and not _is_told(overlap.left, sides[0]) and not _is_told(overlap.right, sides[1])
                ),
            )

    # One function.

    def _find(self, identity: FunctionId) -> Iterator[Overlap]:
        function = self._view.function(identity)
        for number, event in enumerate(function.events):
            if event.kind == "call" and event.path is not None and event.path.steps[-1:] and event.path.steps[-1] in _METHODS:
                yield from self._of_method(identity, number, event, event.path)
            if isinstance(event.value, Compound):
                yield from self._within(identity, number, event.value, tuple)
            for argument in event.arguments:
                if isinstance(argument.value, Compound):
                    yield from self._within(identity, number, argument.value, tuple)
        for index, block in enumerate(function.blocks if function.events else ()):
            at = max(block.last - 1, 0)
            asked = [e.condition.value for e in block.edges if e.condition is not None and isinstance(e.condition.value, Compound)]
            for value in dict.fromkeys(asked):
                yield from self._within(identity, at, value, tuple, asked_at(self._view, identity, index, block))

    def _within(
        self, identity: FunctionId, at: int, value: Compound, beside: Callable[[], tuple[Literal, ...]], seen_at: int | None = None
    ) -> Iterator[Overlap]:
        """The comparisons in a value; what holds `beside` them is found out where there is one."""
        where = at if seen_at is None else seen_at
        if value.operator in _SETS or (value.operator in _TESTS and len(value.parts) == 2 and not any(map(_is_literal, value.parts))):
            looked = self._looked_on_both(identity, value)
            left = self._side(identity, where, value.parts[0])
            right = self._side(identity, where, value.parts[-1]) if left or looked else left
            left, right = self._apart_by_key(identity, where, value.parts[0], value.parts[-1], left, right) if left and right else (left, right)
            if value.operator in ORDERED and {leaf.field for leaf in left}.isdisjoint({leaf.field for leaf in right}):
                left, right = (side | held_by_fields(self._fields, identity, where, side) for side in (left, right))
            if left and right and value.operator in ORDERED and are_neighbours(self._view, identity, where, value.parts):
                yield Overlap(
                    at, "adjacent", frozenset(leaf for leaf in left if leaf.field), frozenset(map(gathered, right)), frozenset(), beside(), False, value)
            if (left and right) or looked:
                through = self._is_iterated(identity, where, value.parts[0])
                yield Overlap(at, value.operator, left, right, looked, beside(), value.operator in _APART, value, through)
        if value.operator in _TESTS and len(value.parts) == 2:
            yield from self._distinct(identity, at, value, where)
            yield from self._still_there(identity, at, value, where)
        for part in value.parts:
            if isinstance(part, Compound):
                also = functools.partial(self._also, identity, where, value, part, beside) if value.operator == "and" else beside
                yield from self._within(identity, at, part, functools.cache(also), seen_at)

    def _also(
        self, identity: FunctionId, where: int, value: Compound, part: Value, beside: Callable[[], tuple[Literal, ...]]
    ) -> tuple[Literal, ...]:
        """What holds together with a part of a conjunction."""
        return (*beside(), *(
            literal for other in value.parts if other is not part
            for literal in literals_of(self._fields, identity, where, other, True)
        ))

    def _still_there(self, identity: FunctionId, at: int, value: Compound, where: int) -> Iterator[Overlap]:
        """Whether a place still holds what a field says was found there: `all(state[k] == v for k, v in change.basis.items())`."""
        for one, other in (value.parts, value.parts[::-1]) if value.operator in _SAME else ():
            looked = self._looked(identity, one)
            found = looked and frozenset(leaf for leaf in self._fields.of(identity, where, other) if leaf in looked)
            if found:
                yield Overlap(at, "still there", found, frozenset(), value=value)

    def _distinct(self, identity: FunctionId, at: int, value: Compound, where: int) -> Iterator[Overlap]:
        """Whether all of many are distinct: a set of them has as many elements as there are (`len(set(paths)) == len(paths)`)."""
        counted = [self._counted(identity, part) for part in value.parts]
        whole = [each for each in counted if each is not None]
        sets = [each for each in whole if self._is_set(identity, each)]
        if len(sets) == 1:
            found = frozenset(leaf for leaf in self._fields.of(identity, where, sets[0]) if leaf.field)
            others = frozenset(msgspec.structs.replace(leaf, collected=not leaf.collected) for leaf in found)
            if found:
                yield Overlap(at, "distinct", found, others, frozenset(), (), value.operator in ("==", ">="), value)

    def _counted(self, identity: FunctionId, value: Value) -> Value | None:
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if event is not None and event.kind == "call" and event.path == AccessPath(Name("len", "global")) and event.arguments:
            return event.arguments[0].value
        return None

    def _is_set(self, identity: FunctionId, value: Value) -> bool:
        if isinstance(value, Compound):
            return value.operator == "comprehension-set"
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        return event is not None and event.kind == "call" and event.path is not None and (
            event.path.root in (Name("set", "global"), Name("frozenset", "global")) or event.path.steps[-1:] == ("union",))

    def _of_method(self, identity: FunctionId, number: int, event: Event, path: AccessPath) -> Iterator[Overlap]:
        if any(call.functions for call in self._view.calls(identity, number)):
            return
        left = self._fields.of_path(identity, number, AccessPath(path.root, path.steps[:-1]), event.keys)
        right = self._fields.of_all(identity, number, [a.value for a in event.arguments]) if left else left
        if left and right and isinstance(path.root, (Name, Result)) and len(path.steps) == 1:
            left, right = self._apart_by_key(identity, number, path.root, event.arguments[0].value, left, right)
        if left and right:
            yield Overlap(number, path.steps[-1], left, right, frozenset(), (), path.steps[-1] in _APART, Result(number))

    def _apart_by_key(
        self, identity: FunctionId, at: int, one: Value, other: Value, left: frozenset[Leaf], right: frozenset[Leaf]
    ) -> tuple[frozenset[Leaf], frozenset[Leaf]]:
        """Both sides, told apart when they are entries of one field under two keys: `self.writes[a]` and `self.writes[b]`."""
        if {leaf.who for leaf in left if leaf.field}.isdisjoint({leaf.who for leaf in right if leaf.field}):
            return left, right
        keys = self._entry_key(identity, at, one), self._entry_key(identity, at, other)
        if keys[0] == keys[1] or not all(keys):
            return left, right
        return tuple(frozenset(  # type: ignore[return-value]
            msgspec.structs.replace(leaf, instance=f"{leaf.instance}[{key}]") if leaf.field else leaf for leaf in side
        ) for side, key in zip((left, right), keys))

    def _entry_key(self, identity: FunctionId, at: int, value: Value, depth: int = 4) -> str:
        """The key under which a value, or what it is an element of, is an entry of a container."""
        if isinstance(value, Name) and value.scope == "local" and depth:
            bound = [n for n in self._view.definitions(identity).definitions(at, value.name) if n >= 0]
            held = self._view.event(identity, bound[0]).value if len(bound) == 1 else None
            return self._entry_key(identity, bound[0], held, depth - 1) if held is not None else ""
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if event is None or event.path is None or not isinstance(value, Result):
            inner = event.value if event is not None and event.kind == "iterate" else None
            return self._entry_key(identity, at, inner, depth - 1) if inner is not None and depth else ""
        if event.kind == "read" and event.path.steps[-1:] == ("[*]",):
            return spelled(event.keys[-1]) if not isinstance(event.keys[-1], Constant) else ""
        if event.kind == "call" and event.arguments and event.path.steps[-1:] == ("get",):
            return spelled(event.arguments[0].value) if not isinstance(event.arguments[0].value, Constant) else ""
        if event.kind == "call" and not event.path.steps and len(event.arguments) == 1 and depth:
            return self._entry_key(identity, value.event, event.arguments[0].value, depth - 1)
        return ""

    def _side(self, identity: FunctionId, at: int, value: Value) -> frozenset[Leaf]:
        """The fields on one side; what was looked up by a field is content of the state, not of the change."""
        return frozenset() if self._looked(identity, value) else self._fields.of(identity, at, value)

    def _looked_on_both(self, identity: FunctionId, value: Compound) -> frozenset[Leaf]:
        """The fields by which both sides of a comparison were looked up (`live[key] != base.get(key)`), or one that is ordered."""
        if value.operator not in _TESTS or value.operator in ("in", "not in"):
            return frozenset()
        left, right = (self._looked(identity, part, asked=True) for part in value.parts)
        return left | right if value.operator in ORDERED else left & right

    def _looked(self, identity: FunctionId, value: Value, asked: bool = False) -> frozenset[Leaf]:
        """The fields by which something in a value was looked up, or with `asked` by which somebody was asked for it."""
        found: set[Leaf] = set()
        pending: list[Value] = [value]
        while pending:
            part = pending.pop()
            if isinstance(part, Compound):
                pending += part.parts
            elif isinstance(part, Result):
                event = self._view.event(identity, part.event)
                keys = list(event.keys) if event.kind == "read" else []
                if event.kind == "call" and event.path is not None:
                    told = event.path.steps[-1:] == ("get",) or (asked and self._answers(identity, part.event, event.path))
                    keys += [a.value for a in event.arguments[:1]] if told else []
                for key in keys:
                    if self._is_iterated(identity, part.event, key):
                        found |= {leaf for leaf in self._fields.of(identity, part.event, key) if leaf.field}
                if event.kind == "read" and event.path is not None and isinstance(event.path.root, Result):
                    pending.append(event.path.root)
        return frozenset(found)

    def _answers(self, identity: FunctionId, number: int, path: AccessPath) -> bool:
        """Whether somebody who is told a single thing answers by what is looked up by it; of an unknown one that is believed."""
        calls = self._view.calls(identity, number)
        if len(self._view.event(identity, number).arguments) != 1 or not path.steps or path.steps[-1] in CONTENT:
            return False
        targets = [(target, Name(name, "local")) for call in calls for target in call.functions[:1] for name in self._view.bound(call, target)]
        return not targets or any(
            (event.kind == "read" and event.keys[-1:] == (key,)) or (
                event.kind == "call" and event.path is not None and event.path.steps[-1:] == ("get",)
                and event.arguments and event.arguments[0].value == key)
            for target, key in targets for event in self._view.function(target).events
        )

    def _is_iterated(self, identity: FunctionId, at: int, key: Value) -> bool:
        """Whether a key is an element of something that is gone through, as the keys of a set of accesses are."""
        if not isinstance(key, Name) or key.scope != "local":
            return False
        bound = [self._view.event(identity, n) for n in self._view.definitions(identity).definitions(at, key.name) if n >= 0]
        return any(
            e.kind == "local" and any(self._view.event(identity, r).kind == "iterate" for r in _results(e.value)) for e in bound
        )


def _results(value: Value | None) -> Iterator[int]:
    if isinstance(value, Result):
        yield value.event
    elif isinstance(value, Compound):
        for part in value.parts:
            yield from _results(part)


def _of_callee(leaf: Leaf, target: FunctionId) -> Leaf:
    """A field of what an event of a callee gives: its number says nothing in the caller."""
    return msgspec.structs.replace(leaf, instance=f"{target}{leaf.instance}") if leaf.instance.startswith("#") else leaf


def _is_told(side: frozenset[Leaf], passed: frozenset[Leaf]) -> bool:
    """Whether a helper compares something of which only its callers know what it holds."""
    return not _owners(side) and bool(_owners(passed))


def _owners(leaves: frozenset[Leaf]) -> frozenset[str]:
    return frozenset(leaf.owner for leaf in leaves if leaf.field and leaf.owner)


def _is_literal(value: Value) -> bool:
    return isinstance(value, Constant) or (
        isinstance(value, Compound) and value.operator in ("list", "tuple", "set") and all(map(_is_literal, value.parts))
    )
