"""What a value shares with a cell: which cell, and how many of its levels were copied on the way.

An alias copies no level, `list(x)` one, `[dict(m) for m in x]` two, a deep copy all of them.
Two objects share what lies at least as many steps below the cell as levels were copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import ClassObject, Instance, Types, in_order
from ctxlint.calls.view import Call, argument_of
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.holders import ITEM, Holder, Holders
from ctxlint.roles.measures import slice_of

DEEP = 99
MAX_DEPTH = 9
HELPERS = 3

_IMMUTABLE = frozenset(f"builtins.{name}" for name in ("str", "bytes", "int", "float", "complex", "bool", "NoneType", "range"))
_REMOVES = frozenset(["pop", "popleft", "popitem"])


class Image(msgspec.Struct, frozen=True, gc=False):
    """A value shares the structure of `holder` below `depth` levels; `where` is the deepest event that hands it out.

    `taken` is true when it was removed from its container: nobody else has it any more.
    """

    holder: Holder
    depth: int
    where: tuple[FunctionId, int]
    taken: bool = False


class Stored(msgspec.Struct, frozen=True, gc=False):
    """At an event of a function, `place` gets something that shares structure with a cell."""

    place: Holder
    image: Image
    function: FunctionId
    event: int


def shares(image: Image, mutated: Holder) -> bool:
    """Whether a change of the object at a place is seen through the image."""
    if not mutated.startswith(image.holder):
        return False
    below = _STEP.findall(mutated[len(image.holder):])
    return (mutated == image.holder or mutated[len(image.holder)] in ".[") and len(below) >= image.depth


def steps_below(inner: Holder, outer: Holder) -> int:
    """How many steps a place lies below another one."""
    return len(_STEP.findall(inner[len(outer):]))


_STEP = re.compile(r"\[[^\]]*\]|\.\w+")


class Images:
    """Follows values to the cells that they share structure with; memoised."""

    def __init__(self, summaries: Summaries, holders: Holders) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self._known: dict[tuple[FunctionId, int, Value], frozenset[Image]] = {}
        self._stored: dict[FunctionId, tuple[Stored, ...]] = {}
        self._given: dict[FunctionId, frozenset[Image]] = {}

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Image]:
        """What the value, as evaluated at an event, shares with cells, formals and containers."""
        return self._of(identity, at, value, 0)

    def _of(self, identity: FunctionId, at: int, value: Value, level: int) -> frozenset[Image]:
        key = (identity, at, value)
        known = self._known.get(key)
        if known is None:
            if level > MAX_DEPTH or self._is_immutable(self._view.inference.of_value(identity, at, value)):
                return frozenset()
            self._known[key] = frozenset()
            known = self._known[key] = frozenset(self._find(identity, at, value, level + 1))
        return known

    def _is_immutable(self, types: Types) -> bool:
        return bool(types) and all(isinstance(t, Instance) and t.name in _IMMUTABLE for t in types)

    def _find(self, identity: FunctionId, at: int, value: Value, level: int) -> Iterator[Image]:
        if isinstance(value, Name):
            yield from self._name(identity, at, value, level)
        elif isinstance(value, Result):
            yield from self._event(identity, value.event, level)
        elif isinstance(value, Compound):
            yield from self._compound(identity, at, value, level)

    def _compound(self, identity: FunctionId, at: int, value: Compound, level: int) -> Iterator[Image]:
        operator = value.operator
        if operator in ("or", "and", "if"):
            for part in value.parts[1:] if operator == "if" else value.parts:
                yield from self._of(identity, at, part, level)
        elif operator in ("list", "tuple", "set", "dict"):
            parts = value.parts[1::2] if operator == "dict" else value.parts
            spread = {index for index, key in enumerate(value.parts[::2]) if isinstance(key, Compound) and key.operator == "**"}
            for index, part in enumerate(parts):
                if isinstance(part, Compound) and part.operator == "*":
                    yield from _deeper(self._of(identity, at, part.parts[0], level), 1, (identity, at))
                elif operator == "dict" and index in spread:
                    yield from _deeper(self._of(identity, at, part, level), 1, (identity, at))
                else:
                    yield from self._of(identity, at, part, level)
        elif operator == "+":
            for part in value.parts:
                yield from _deeper(self._of(identity, at, part, level), 1, (identity, at))
        elif operator in ("comprehension-list", "comprehension-set", "comprehension-generator"):
            yield from self._of(identity, at, value.parts[0], level)
        elif operator == "comprehension-dict":
            yield from self._of(identity, at, value.parts[1], level)
        elif operator in ("item", "element"):
            for holder in self._holders.of(identity, at, value):
                yield Image(holder, 0, (identity, at), self._is_taken(identity, at, value))

    def _name(self, identity: FunctionId, at: int, name: Name, level: int) -> Iterator[Image]:
        if name.scope != "local":
            for holder in self._holders.of(identity, at, name):
                yield Image(holder, 0, (identity, at))
            return
        definitions = self._view.definitions(identity)
        for number in definitions.definitions(at, name.name):
            if number == ENTRY_VALUE:
                if not self._is_receiver(identity, name.name):
                    yield Image(f"{identity.module}:{name.name}", 0, (identity, at))
                continue
            event = self._view.event(identity, number)
            if event.kind == "local" and event.value is not None:
                yield from self._of(identity, number, event.value, level)
        for number in definitions.additions(at, name.name):
            event = self._view.event(identity, number)
            values = [event.value] if event.kind == "write" and event.value is not None else [a.value for a in event.arguments]
            for each in values:
                yield from self._of(identity, number, each, level)

    def _is_receiver(self, identity: FunctionId, name: str) -> bool:
        return receiver_name(self._view.function(identity)) == name

    def _event(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        event = self._view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            targets = [target for call in self._view.calls(identity, number) for target in call.functions]
            if targets:
                yield from self._through(identity, number, level)
                return
            depth = 1 if slice_of(event) is not None else 0
            if not self._is_immutable(self._view.inference.of_event(identity, number)):
                for holder in self._holders.of_event(identity, number):
                    yield Image(holder, depth, (identity, number), self._is_taken(identity, number, event.path.root))
        elif event.kind == "suspend" and event.note == "await" and event.value is not None:
            yield from self._of(identity, number, event.value, level)
        elif event.kind == "iterate":
            for holder in self._holders.of(identity, number, Result(number)):
                yield Image(holder, 0, (identity, number))
        elif event.kind == "call" and event.path is not None:
            yield from self._call(identity, number, event, event.path, level)

    def _is_taken(self, identity: FunctionId, at: int, value: Value) -> bool:
        """Whether a value is (a part of) what was removed from its container."""
        if isinstance(value, Compound) and value.operator == "item":
            return self._is_taken(identity, at, value.parts[0])
        if isinstance(value, Name) and value.scope == "local":
            bound = [self._view.event(identity, n) for n in self._view.definitions(identity).definitions(at, value.name) if n >= 0]
            return bool(bound) and all(e.kind == "local" and e.value is not None and self._is_taken(identity, at, e.value) for e in bound)
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "read" and event.path is not None:
                return self._is_taken(identity, value.event, event.path.root)
            return event.kind == "call" and event.path is not None and event.path.steps[-1:] != () and event.path.steps[-1] in _REMOVES
        return False

    def _call(self, identity: FunctionId, number: int, event: Event, path: AccessPath, level: int) -> Iterator[Image]:
        match = self._view.does(identity, number, "copies", "snapshot")
        if match is not None:
            target = argument_of(match.call, match.effect.target)
            if target is not None:
                yield from _deeper(self._of_argument(identity, number, event, target, level), match.effect.depth, (identity, number))
                for argument in event.arguments:
                    if argument.keyword:
                        yield from self._of(identity, number, argument.value, level)
            return
        if any(call.functions for call in self._view.calls(identity, number)):
            yield from self._through(identity, number, level)
            return
        if path.steps and path.steps[-1] == "copy" and not event.arguments:
            receiver = AccessPath(path.root, path.steps[:-1])
            yield from _deeper(self._of_argument(identity, number, event, receiver, level), 1, (identity, number))
        elif self._is_construction(identity, number, path):
            for argument in event.arguments:
                yield from self._of(identity, number, argument.value, level)
        else:
            taken = bool(path.steps) and path.steps[-1] in _REMOVES
            for holder in self._holders.of(identity, number, Result(number)):
                if path.steps and path.steps[-1] in ("get", "setdefault", *_REMOVES):
                    yield Image(holder, 0, (identity, number), taken)

    def _of_argument(
        self, identity: FunctionId, number: int, event: Event, target: Value | AccessPath, level: int
    ) -> frozenset[Image]:
        if not isinstance(target, AccessPath):
            return self._of(identity, number, target, level)
        if not target.steps:
            return self._of(identity, number, target.root, level)
        return frozenset(
            Image(holder, 0, (identity, number)) for holder in self._holders.of_path(identity, number, target, event.keys)
        )

    def _is_construction(self, identity: FunctionId, number: int, path: AccessPath) -> bool:
        return any(
            isinstance(t, ClassObject) and self._view.program.class_(t.name) is not None
            for t in self._view.inference.of_path(identity, number, path)
        )

    # Through calls.

    def _through(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        for call in self._view.calls(identity, number):
            for target in call.functions[:6]:
                if is_constructor(self._view, target):
                    for stored in self.stored(target):
                        yield from self.translated(identity, number, call, target, stored.image, level)
                elif target != identity:
                    for image in self.given(target):
                        yield from self.translated(identity, number, call, target, image, level)

    def given(self, identity: FunctionId) -> frozenset[Image]:
        """What a function's result shares with cells and its formals."""
        found = self._given.get(identity)
        if found is None:
            self._given[identity] = frozenset()
            events = self._view.function(identity).events
            found = self._given[identity] = frozenset(
                image for at, event in enumerate(events) if event.kind == "return" and event.value is not None
                for image in self.of(identity, at, event.value)
            )
        return found

    def translated(
        self, identity: FunctionId, number: int, call: Call, target: FunctionId, image: Image, level: int = 0
    ) -> Iterator[Image]:
        """A callee's image with its formals replaced by what the call passes."""
        head = f"{target.module}:"
        name = image.holder[len(head):].partition("[")[0].partition(".")[0] if image.holder.startswith(head) else ""
        formals = {formal.name for formal in self._view.function(target).formals}
        if not name or name not in formals:
            yield image
            return
        actuals = self._view.bound(call, target)
        if name in actuals:
            rest = image.holder[len(head) + len(name):]
            for passed in self._of(identity, number, actuals[name], level + 1):
                if rest and passed.depth:
                    continue
                yield Image(passed.holder + rest, passed.depth + image.depth, image.where, passed.taken)

    # Stores.

    def stored(self, identity: FunctionId) -> tuple[Stored, ...]:
        """What a function, or a callee, stores into attributes and containers that shares structure with something."""
        found = self._stored.get(identity)
        if found is None:
            self._stored[identity] = ()
            found = self._stored[identity] = tuple(dict.fromkeys([*self._own_stores(identity), *self._lifted_stores(identity)]))
        return found

    def _own_stores(self, identity: FunctionId) -> Iterator[Stored]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "write" and event.path is not None and event.path.steps and event.value is not None:
                yield from self._parts(identity, number, number, event.value, self._holders.of_event(identity, number))
            elif event.kind == "call" and event.path is not None and event.path.steps and event.path.steps[-1] in _PUTS:
                holders = self._holders.of_receiver(identity, number)
                into_items = event.path.steps[-1] in ("append", "appendleft", "add", "insert")
                places = [f"{holder}{ITEM}" for holder in holders] if into_items else list(holders)
                for argument in event.arguments[-1:]:
                    yield from self._parts(identity, number, number, argument.value, places, 0 if into_items else 1)

    def _parts(
        self, identity: FunctionId, number: int, at: int, value: Value, places: Iterable[Holder], copied: int = 0, level: int = 0
    ) -> Iterator[Stored]:
        """The parts of what is stored, each with its own place."""
        if isinstance(value, Name) and value.scope == "local" and level < 4:
            definitions = self._view.definitions(identity)
            bindings = definitions.definitions(at, value.name)
            bound = self._view.event(identity, bindings[0]) if len(bindings) == 1 and bindings[0] >= 0 else None
            if bound is not None and bound.kind == "local" and bound.value is not None and not definitions.additions(at, value.name):
                yield from self._parts(identity, number, bindings[0], bound.value, places, copied, level + 1)
                return
        if isinstance(value, Compound) and value.operator == "dict" and not copied:
            for key, part in zip(value.parts[::2], value.parts[1::2]):
                step = f"[{key.text}]" if isinstance(key, Constant) else "" if isinstance(key, Compound) and key.operator == "**" else ITEM
                if step:
                    yield from self._parts(identity, number, at, part, [f"{p}{step}" for p in places], 0, level + 1)
            return
        if isinstance(value, Compound) and value.operator == "tuple" and not copied:
            for index, part in enumerate(value.parts):
                yield from self._parts(identity, number, at, part, [f"{p}[{index}]" for p in places], 0, level + 1)
            return
        if isinstance(value, Result) and not copied:
            fields = list(self._constructed(identity, value.event))
            if fields:
                for place, image in fields:
                    yield Stored(place, image, identity, number)
                return
        for place in sorted(places):
            for image in self.of(identity, at, value):
                if image.holder != place:
                    moved = msgspec.structs.replace(image, depth=image.depth + copied) if copied else image
                    yield Stored(place, moved, identity, number)

    def _constructed(self, identity: FunctionId, number: int) -> Iterator[tuple[Holder, Image]]:
        """The fields of an object that a call makes, and what they share with something."""
        event = self._view.event(identity, number)
        if event.kind != "call" or event.path is None or not self._is_construction(identity, number, event.path):
            return
        for built in in_order(self._view.inference.of_path(identity, number, event.path)):
            if isinstance(built, ClassObject):
                made = False
                for call in self._view.calls(identity, number):
                    for target in call.functions:
                        if is_constructor(self._view, target):
                            made = True
                            for stored in self.stored(target):
                                for image in self.translated(identity, number, call, target, stored.image):
                                    yield stored.place, image
                if not made:
                    for name, value in self._fields(built.name, event):
                        for image in self.of(identity, number, value):
                            yield f"{attribute_owner(self._view, built.name, name)}.{name}", image

    def _fields(self, class_id: ClassId, event: Event) -> Iterator[tuple[str, Value]]:
        info = self._view.program.class_(class_id)
        names: list[str] = []
        for ancestor in reversed(info.mro) if info is not None else ():
            declared = self._view.program.class_(ancestor)
            names += [f.name for f in declared.ir.fields if f.annotation and f.name not in names] if declared is not None else []
        for index, argument in enumerate(event.arguments):
            name = argument.keyword or (names[index] if index < len(names) else "")
            if name and name not in ("*", "**"):
                yield name, argument.value

    def _lifted_stores(self, identity: FunctionId) -> Iterator[Stored]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind != "call":
                continue
            for call in self._view.effective_calls(identity, number):
                for target in call.functions[:4]:
                    if target == identity or is_constructor(self._view, target):
                        continue
                    for stored in self.stored(target):
                        if stored.image.holder.startswith(f"{target.module}:"):
                            for image in self.translated(identity, number, call, target, stored.image):
                                if image != stored.image:
                                    yield Stored(stored.place, image, identity, number)


def _deeper(images: Iterable[Image], levels: int, where: tuple[FunctionId, int]) -> Iterator[Image]:
    for image in images:
        yield msgspec.structs.replace(image, depth=min(image.depth + levels, DEEP), where=where)


_PUTS = frozenset(["append", "appendleft", "add", "insert", "extend", "update", "setdefault"])
