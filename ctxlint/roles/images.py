"""What a value shares with a cell: which cell, and how many of its levels were copied on the way.

An alias copies no level, `list(x)` one, `[dict(m) for m in x]` two, a deep copy all of them.
Two objects share what lies at least as many steps below the cell as levels were copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import ClassObject, Instance, Types
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
_COPIERS = ("__copy__", "__replace__", "__post_init__", "__attrs_post_init__")
_SPREADS = frozenset(["extend", "extendleft", "update"])


class Image(msgspec.Struct, frozen=True, gc=False):
    """A value shares the structure of `holder` below `depth` levels; `where` is the deepest event that hands it out.

    `taken` is true when it was removed from its container: nobody else has it any more.
    `around` is how many steps below the value itself it lies: one in `[x]`, two in `{"a": {"b": x}}`.
    `apart` are fields that the copy of an object was given values of its own for. `folded` is how many of the levels are
    those of the containers around it: a list of copied rows is its table copied two levels deep.
    """

    holder: Holder
    depth: int
    where: tuple[FunctionId, int]
    taken: bool = False
    around: int = 0
    apart: tuple[str, ...] = ()
    folded: int = 0


def shares(image: Image, mutated: Holder) -> bool:
    """Whether a change of the object at a place is seen through the image."""
    if not mutated.startswith(image.holder):
        return False
    below = _STEP.findall(mutated[len(image.holder):])
    if image.apart and below and below[0][1:] in image.apart:
        return False
    return (mutated == image.holder or mutated[len(image.holder)] in ".[") and len(below) >= image.depth


def as_whole(image: Image) -> Image:
    """The image as one of the whole whose elements were put together anew: `[row[:] for row in table]` copies `table`."""
    while image.around and image.holder.endswith(ITEM) and not image.taken:
        image = msgspec.structs.replace(
            image, holder=image.holder[:-len(ITEM)], depth=min(image.depth + 1, DEEP), around=image.around - 1, folded=image.folded + 1,
        )
    return image


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
        self._given: dict[FunctionId, frozenset[Image]] = {}

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Image]:
        """What the value, as evaluated at an event, shares with cells, formals and containers."""
        return self._of(identity, at, value, 0)

    def is_new(self, identity: FunctionId, at: int, path: AccessPath) -> bool:
        """Whether the object at a path from a local is a copy, or was put together here, as far as is known."""
        if not isinstance(path.root, Name) or path.root.scope != "local" or self._is_receiver(identity, path.root.name):
            return False
        images = self.of(identity, at, path.root)
        return bool(images) and not any(len(path.steps) - image.around >= image.depth for image in images)

    def through(self, identity: FunctionId, at: int, path: AccessPath) -> frozenset[Holder]:
        """The places of the object at a path from a local that shares it with something: it lies as deep as was not copied."""
        if not isinstance(path.root, Name) or path.root.scope != "local":
            return frozenset()
        below = [step if step.startswith("[") else f".{step}" for step in path.steps]
        return frozenset(
            image.holder + "".join(below[image.around:]) for image in self.of(identity, at, path.root)
            if len(below) - image.around >= image.depth and len(below) >= image.around
        )

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
            for part in self._alternatives(identity, value) if operator == "if" else value.parts:
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
                    yield from _inside(self._of(identity, at, part, level))
        elif operator == "+":
            for part in value.parts:
                yield from _deeper(self._of(identity, at, part, level), 1, (identity, at))
        elif operator in ("comprehension-list", "comprehension-set", "comprehension-generator"):
            yield from _inside(self._of(identity, at, value.parts[0], level))
        elif operator == "comprehension-dict":
            yield from _inside(self._of(identity, at, value.parts[1], level))
        elif operator in ("item", "element"):
            holders = self._holders.of(identity, at, value)
            for holder in holders:
                yield Image(holder, 0, (identity, at), self._is_taken(identity, at, value))
            if not holders and (operator == "element" or not isinstance(value.parts[1], Constant)):
                yield from _out_of(self._of(identity, at, value.parts[0], level))

    def _alternatives(self, identity: FunctionId, value: Compound) -> tuple[Value, ...]:
        """Both sides of a choice; only the default one when an option of the function decides."""
        test, then, otherwise = value.parts
        holds = True
        if isinstance(test, Compound) and test.operator == "not":
            test, holds = test.parts[0], False
        for formal in self._view.function(identity).formals:
            if test == Name(formal.name, "local") and isinstance(formal.default, Constant) and formal.default.kind == "bool":
                return (then,) if (formal.default.text == "True") == holds else (otherwise,)
        return then, otherwise

    def _name(self, identity: FunctionId, at: int, name: Name, level: int) -> Iterator[Image]:
        if name.scope != "local":
            for holder in self._holders.of(identity, at, name):
                yield Image(holder, 0, (identity, at))
            return
        definitions = self._view.definitions(identity)
        if self._is_receiver(identity, name.name):
            return
        for number in definitions.definitions(at, name.name):
            if number == ENTRY_VALUE:
                if any(formal.name == name.name for formal in self._view.function(identity).formals):
                    yield Image(f"{identity.module}:{name.name}", 0, (identity, at))
                continue
            event = self._view.event(identity, number)
            if event.kind == "local" and event.value is not None:
                yield from self._of(identity, number, event.value, level)
        for number in definitions.additions(at, name.name):
            yield from self._added(identity, number, level)

    def _added(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        """What an event puts into the object of a local: `x[key] = v`, `x.append(v)`, `x["a"].extend(v)`."""
        event = self._view.event(identity, number)
        steps = event.path.steps if event.path is not None else ()
        if event.kind == "write" and event.value is not None:
            yield from _inside(self._of(identity, number, event.value, level), len(steps))
            return
        for argument in event.arguments:
            images = self._of(identity, number, argument.value, level)
            if steps[-1:] and steps[-1] in _SPREADS:
                yield from _inside(_deeper(images, 1, (identity, number)), len(steps) - 1)
            else:
                yield from _inside(images, len(steps))

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
        elif event.kind == "iterate" and event.value is not None:
            elements = self._holders.of(identity, number, Result(number))
            for holder in elements:
                yield Image(holder, 0, (identity, number))
            if not elements:
                yield from _out_of(self._of(identity, number, event.value, level))
        elif event.kind == "call" and event.path is not None:
            yield from self._call(identity, number, event, event.path, level)

    def _is_taken(self, identity: FunctionId, at: int, value: Value, level: int = 0) -> bool:
        """Whether a value is (a part of) what was removed from its container."""
        if level > MAX_DEPTH:
            return False
        if isinstance(value, Compound) and value.operator == "item":
            return self._is_taken(identity, at, value.parts[0], level + 1)
        if isinstance(value, Name) and value.scope == "local":
            numbers = [n for n in self._view.definitions(identity).definitions(at, value.name) if n >= 0]
            bound = [(n, self._view.event(identity, n)) for n in numbers]
            return bool(bound) and all(
                event.kind == "local" and event.value is not None and self._is_taken(identity, number, event.value, level + 1)
                for number, event in bound
            )
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "read" and event.path is not None:
                return self._is_taken(identity, value.event, event.path.root, level + 1)
            return event.kind == "call" and event.path is not None and event.path.steps[-1:] != () and event.path.steps[-1] in _REMOVES
        return False

    def _call(self, identity: FunctionId, number: int, event: Event, path: AccessPath, level: int) -> Iterator[Image]:
        match = self._view.does(identity, number, "copies", "snapshot")
        if match is not None:
            target = argument_of(match.call, match.effect.target)
            if target is not None:
                apart = self._given_anew(identity, number, event, target) if match.effect.depth == 1 else ()
                for image in self._of_argument(identity, number, event, target, level) if apart is not None else ():
                    own = msgspec.structs.replace(image, apart=image.apart or apart or ()) if not image.depth else image
                    yield from _deeper([own], match.effect.depth, (identity, number))
                for argument in event.arguments:
                    if argument.keyword:
                        yield from _inside(self._of(identity, number, argument.value, level))
            return
        if any(call.functions for call in self._view.calls(identity, number)):
            yield from self._through(identity, number, level)
            return
        if path.steps and path.steps[-1] == "copy" and not event.arguments:
            receiver = AccessPath(path.root, path.steps[:-1])
            yield from _deeper(self._of_argument(identity, number, event, receiver, level), 1, (identity, number))
        elif self.is_construction(identity, number, path):
            for argument in event.arguments:
                yield from _inside(self._of(identity, number, argument.value, level))
        else:
            taken = bool(path.steps) and path.steps[-1] in _REMOVES
            for holder in self._holders.of(identity, number, Result(number)):
                if path.steps and path.steps[-1] in ("get", "setdefault", *_REMOVES):
                    yield Image(holder, 0, (identity, number), taken)

    def _given_anew(self, identity: FunctionId, number: int, event: Event, target: Value | AccessPath) -> tuple[str, ...] | None:
        """The fields that a copy of an object gets values of its own for; none when its class sees to the copy itself."""
        inference, program = self._view.inference, self._view.program
        path = target if isinstance(target, AccessPath) else AccessPath(target)
        for type in inference.of_path(identity, number, path):
            if isinstance(type, Instance) and program.class_(type.name) is not None:
                methods = [program.method(type.name, name) for name in _COPIERS]
                if any(m is not None and any(e.kind == "write" for e in self._view.function(m).events) for m in methods):
                    return None
        named = [argument.keyword for argument in event.arguments if argument.keyword not in ("", "*", "**")]
        for argument in event.arguments:
            if isinstance(argument.value, Compound) and argument.value.operator == "dict":
                named += [key.text for key in argument.value.parts[::2] if isinstance(key, Constant)]
        return tuple(named)

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

    def is_construction(self, identity: FunctionId, number: int, path: AccessPath) -> bool:
        """Whether a path names a class of the program, so that calling it makes an object."""
        return any(
            isinstance(t, ClassObject) and self._view.program.class_(t.name) is not None
            for t in self._view.inference.of_path(identity, number, path)
        )

    # Through calls.

    def _through(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        for call in self._view.calls(identity, number):
            for target in call.functions[:6]:
                if is_constructor(self._view, target):
                    for at, event in enumerate(self._view.function(target).events):
                        for image in self._of(target, at, event.value, 1) if event.kind == "write" and event.value is not None else ():
                            yield from _inside(self.translated(identity, number, call, target, image, level))
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
                depth = max(passed.depth, image.depth - passed.around)
                yield Image(passed.holder + rest, depth, image.where, passed.taken, passed.around + image.around)


def copied(image: Image, levels: int) -> Image:
    """The image in a copy of so many levels of the whole that it is a part of; levels that are copied already stay as they are."""
    return msgspec.structs.replace(image, depth=max(image.depth, min(levels - image.around, DEEP)))


def _deeper(images: Iterable[Image], levels: int, where: tuple[FunctionId, int]) -> Iterator[Image]:
    for image in images:
        moved = copied(image, levels)
        yield msgspec.structs.replace(moved, where=where) if moved.depth > image.depth or not image.around else image


def _out_of(images: Iterable[Image]) -> Iterator[Image]:
    """An element of what the images are of."""
    for image in images:
        if image.around:
            yield msgspec.structs.replace(image, around=image.around - 1)
        else:
            yield msgspec.structs.replace(image, holder=f"{image.holder}{ITEM}", depth=max(image.depth - 1, 0))


def _inside(images: Iterable[Image], steps: int = 1) -> Iterator[Image]:
    """The images as parts of a new object, so many steps below it."""
    for image in images:
        yield msgspec.structs.replace(image, around=image.around + steps)
