"""Follows values to the images that they are, see `roles.image`: through names, displays, copies and calls."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import ClassObject, Instance, Types, in_order
from ctxlint.calls.view import Call, argument_of
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value
from ctxlint.roles.decided import Decided
from ctxlint.roles.holders import ITEM, Holder, Holders
from ctxlint.roles.image import FIELD, IMMUTABLE, Image, deeper, inside, key_step, levels_left, lies_on, out_of, spelled, steps_in
from ctxlint.roles.measures import slice_of
from ctxlint.roles.passing import Passing
from ctxlint.roles.whole_objects import WholeObjects

MAX_DEPTH = 9
HELPERS = 3

_REMOVES = frozenset(["pop", "popleft", "popitem"])
_COPIERS = ("__copy__", "__replace__", "__post_init__", "__attrs_post_init__")
_VIEWS = frozenset(["items", "values"])
_PICKS = frozenset(["max", "min", "next"])
_SPREADS = frozenset(["extend", "extendleft", "update"])


class Images:
    """Follows values to the cells that they share structure with; memoised."""

    def __init__(self, summaries: Summaries, holders: Holders) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self.objects = WholeObjects(summaries.view)
        self.decided = Decided(summaries.view)
        self._recall = Recall[Hashable, frozenset[Image]](lambda question: frozenset())
        self._numbers: dict[tuple[FunctionId, int, Value], int] = {}
        """The questions about values by their numbers: a value is hashed once each time that it is asked for."""
        self._parts: dict[tuple[frozenset[Image], str], frozenset[Image]] = {}

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Image]:
        """What the value, as evaluated at an event, shares with cells, formals and containers."""
        return self._of(identity, at, value, 0)

    def is_new(self, identity: FunctionId, at: int, path: AccessPath) -> bool:
        """Whether the object at a path from a local is a copy, or was put together here, as far as is known."""
        if not isinstance(path.root, Name) or path.root.scope != "local" or self._is_receiver(identity, path.root.name):
            return False
        if self._is_given(identity, at, path.root):
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
            if len(below) - image.around >= image.depth and lies_on(below, image.within)
        )

    def _of(self, identity: FunctionId, at: int, value: Value, level: int) -> frozenset[Image]:
        if isinstance(value, (Constant, Closure)):
            return frozenset()
        question = self._numbers.setdefault((identity, at, value), len(self._numbers))
        return self._recall.ask(question, lambda: frozenset(self._find(identity, at, value, level + 1)), level, MAX_DEPTH)

    def _is_immutable(self, types: Types) -> bool:
        return bool(types) and all(isinstance(t, Instance) and t.name in IMMUTABLE for t in types)

    def _find(self, identity: FunctionId, at: int, value: Value, level: int) -> Iterator[Image]:
        if self._is_immutable(self._view.inference.of_value(identity, at, value)):
            return
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
                    yield from deeper(self._of(identity, at, part.parts[0], level), 1, (identity, at))
                elif operator == "dict" and index in spread:
                    yield from deeper(self._of(identity, at, part, level), 1, (identity, at))
                else:
                    key = value.parts[2 * index] if operator == "dict" else Constant("int", str(index)) if operator == "tuple" else None
                    yield from inside(self._of(identity, at, part, level), (key_step(key),))
        elif operator == "+":
            for part in value.parts:
                yield from deeper(self._of(identity, at, part, level), 1, (identity, at))
        elif operator.startswith("comprehension-"):
            yield from inside(self._of(identity, at, value.parts[1 if operator == "comprehension-dict" else 0], level))
        elif operator in ("item", "element"):
            entries = list(self._entries(identity, at, value, level))
            holders = self._holders.of(identity, at, value)
            if not holders or any(image.above for image in entries):
                yield from entries
            else:
                for holder in holders:
                    yield Image(holder, 0, (identity, at), self._is_taken(identity, at, value))

    def _entries(self, identity: FunctionId, at: int, value: Compound, level: int) -> Iterator[Image]:
        """An entry as a part of the images of its whole, which tell how much of that was copied."""
        images = self._of(identity, at, value.parts[0], level)
        if value.operator == "item" and self._is_pair(identity, value.parts[0]):
            yield from images if isinstance(value.parts[1], Constant) and value.parts[1].text == "1" else ()
            return
        step = ITEM if value.operator == "element" else key_step(value.parts[1])
        yield from out_of([image for image in images if image.around or step == ITEM], step)

    def _is_pair(self, identity: FunctionId, value: Value) -> bool:
        """Whether a value is a key with its value, as `items()` gives them; an image of it is one of the value."""
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if event is None or event.kind != "iterate" or not isinstance(event.value, Result):
            return False
        path = self._view.event(identity, event.value.event).path
        return path is not None and path.steps[-1:] == ("items",)

    def _alternatives(self, identity: FunctionId, value: Compound) -> tuple[Value, ...]:
        """Both sides of a choice; only one when what is known decides, or an option of the function that has a default."""
        test, then, otherwise = value.parts
        if self.decided.holds(identity, test):
            return (then,)
        if self.decided.fails(identity, test):
            return (otherwise,)
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
                for formal in self._view.function(identity).formals:
                    if formal.name == name.name:
                        yield Image(self._holders.given_first(identity, formal) or f"{identity.module}:{name.name}", 0, (identity, at))
                continue
            event = self._view.event(identity, number)
            if event.kind == "local" and event.value is not None and not self.decided.never(identity, number):
                yield from self._of(identity, number, event.value, level)
        for number in definitions.additions(at, name.name):
            if not self.decided.never(identity, number):
                yield from self._added(identity, number, level)

    def _is_given(self, identity: FunctionId, at: int, name: Name) -> bool:
        """Whether a local can be what the caller passed: one of its images is then the formal, not copied (or it has none)."""
        return ENTRY_VALUE in self._view.definitions(identity).definitions(at, name.name) and any(
            formal.name == name.name for formal in self._view.function(identity).formals)

    def _added(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        """What an event puts into the object of a local: `x[key] = v`, `x.append(v)`, `x["a"].extend(v)`."""
        event = self._view.event(identity, number)
        steps = event.path.steps if event.path is not None else ()
        if event.kind == "write" and event.value is not None:
            yield from inside(self._of(identity, number, event.value, level), spelled(event))
            return
        for argument in event.arguments:
            images = self._of(identity, number, argument.value, level)
            if steps[-1:] and steps[-1] in _SPREADS:
                yield from inside(deeper(images, 1, (identity, number)), spelled(event)[:-1])
            else:
                yield from inside(images, (*spelled(event)[:-1], ITEM))

    def _is_receiver(self, identity: FunctionId, name: str) -> bool:
        return receiver_name(self._view.function(identity)) == name

    def _event(self, identity: FunctionId, number: int, level: int) -> Iterator[Image]:
        event = self._view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            last = event.path.steps[-1] if len(event.path.steps) > 1 else ""
            if any(self._is_named(target, last) for call in self._view.calls(identity, number) for target in call.functions):
                yield from self._through(identity, number, level, last)
                return
            for whole in self.objects.of_path(identity, number, event.path):
                yield Image(whole, 0, (identity, number))
            depth = 1 if slice_of(event) is not None else 0
            if not self._is_immutable(self._view.inference.of_event(identity, number)):
                holders = self._holders.of_event(identity, number)
                made = self._copied_whole(identity, number, event.path, level) if holders else None
                for holder in holders:
                    if made is not None:
                        left = max(levels_left(made.depth, len(event.path.steps)), depth)
                        yield Image(holder, left, made.where, made.taken, above=made.above + 1)
                    else:
                        yield Image(holder, depth, (identity, number), self._is_taken(identity, number, event.path.root))
                if not holders:
                    yield from self._part(identity, number, event, event.path.root, depth, level)
        elif event.kind == "suspend" and event.note == "await" and event.value is not None:
            yield from self._of(identity, number, event.value, level)
        elif event.kind == "iterate" and event.value is not None:
            elements = self._holders.of(identity, number, Result(number))
            entries = list(out_of(self._of(identity, number, event.value, level)))
            if not elements or any(image.above for image in entries):
                yield from entries
            else:
                for holder in elements:
                    yield Image(holder, 0, (identity, number))
        elif event.kind == "call" and event.path is not None:
            yield from self._call(identity, number, event, event.path, level)

    def _copied_whole(self, identity: FunctionId, number: int, path: AccessPath, level: int) -> Image | None:
        """The shallowest copy that a local is, if it is nothing else: what lies in it was copied as deep as that, less the way to it."""
        if not isinstance(path.root, Name) or path.root.scope != "local" or self._is_receiver(identity, path.root.name):
            return None
        if self._is_given(identity, number, path.root):
            return None
        images = self._of(identity, number, path.root, level)
        return min(images, key=lambda image: (image.depth, image.where)) if images and all(i.depth and not i.around for i in images) else None

    def _part(self, identity: FunctionId, number: int, event: Event, root: Value, depth: int, level: int) -> Iterator[Image]:
        """What was put into something that was put together here: `best[1]`, `kept[-1]["rooms"]`."""
        images: list[Image] = list(self._of(identity, number, root, level))
        for step in spelled(event)[:-1] if depth else spelled(event):
            images = list(out_of([image for image in images if image.around], step))
        yield from deeper(images, depth, (identity, number)) if depth else images

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
                    own = image if image.depth else msgspec.structs.replace(image, apart=image.apart or apart or ())
                    yield from deeper([own], match.effect.depth, (identity, number))
                yield from self._in_fields(identity, number, event, None, level)
            return
        if self._picks(identity, number, event, path):
            yield from out_of(self._of(identity, number, path.root if path.steps else event.arguments[0].value, level))
            return
        if any(call.functions for call in self._view.calls(identity, number)):
            yield from self._through(identity, number, level)
            return
        for whole in self.objects.of_value(identity, number, Result(number)):
            yield Image(whole, 0, (identity, number))
        if path.steps and path.steps[-1] == "copy" and not event.arguments:
            yield from deeper(self._of_argument(identity, number, event, AccessPath(path.root, path.steps[:-1]), level), 1, (identity, number))
        elif path.steps and path.steps[-1] in _VIEWS and not event.arguments:
            yield from self._of_argument(identity, number, event, AccessPath(path.root, path.steps[:-1]), level)
        elif self.is_construction(identity, number, path):
            built = next((t.name for t in in_order(self._view.inference.of_path(identity, number, path)) if isinstance(t, ClassObject)), "")
            yield from self._in_fields(identity, number, event, self._view.program.declared_fields(built), level)
        else:
            taken = bool(path.steps) and path.steps[-1] in _REMOVES
            for holder in self._holders.of(identity, number, Result(number)):
                if path.steps and path.steps[-1] in ("get", "setdefault", *_REMOVES):
                    yield Image(holder, 0, (identity, number), taken)

    def _in_fields(self, identity: FunctionId, number: int, event: Event, names: Sequence[str] | None, level: int) -> Iterator[Image]:
        """What the fields of an object get that an event makes; those that are not named have the names given, if that is known."""
        for index, argument in enumerate(event.arguments):
            if argument.keyword or names is not None:
                name = argument.keyword or (names[index] if names and index < len(names) else "")
                yield from inside(self._of(identity, number, argument.value, level), (f"{FIELD}{name.strip('*')}",))

    def _picks(self, identity: FunctionId, number: int, event: Event, path: AccessPath) -> bool:
        """Whether a call gives one of the entries of what was put together here: `max(found, key=...)`, `tried.pop()`."""
        if not path.steps:
            called = path.root.name if isinstance(path.root, Name) and path.root.scope == "global" else ""
            return called in _PICKS and len([a for a in event.arguments if not a.keyword]) == 1
        return len(path.steps) == 1 and path.steps[0] in _REMOVES and not self._holders.of_receiver(identity, number)

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
        holders = self.objects.of_path(identity, number, target) or self._holders.of_path(identity, number, target, event.keys)
        return frozenset(Image(holder, 0, (identity, number)) for holder in holders)

    def is_construction(self, identity: FunctionId, number: int, path: AccessPath) -> bool:
        """Whether a path names a class of the program, so that calling it makes an object."""
        return any(
            isinstance(t, ClassObject) and self._view.program.class_(t.name) is not None
            for t in self._view.inference.of_path(identity, number, path)
        )

    # Through calls.

    def _is_named(self, target: FunctionId, name: str) -> bool:
        return not name or self._view.program.symbol(target).rpartition(".")[2] == name

    def _through(self, identity: FunctionId, number: int, level: int, name: str = "") -> Iterator[Image]:
        """What a call gives; of a path, whose steps can be calls too, what the step of a name does."""
        for call in self._view.calls(identity, number):
            for target in call.functions[:6]:
                if not self._is_named(target, name):
                    continue
                passing = self.passing(identity, number, call, target, level)
                if is_constructor(self._view, target):
                    for at, event in enumerate(self._view.function(target).events):
                        for image in self._of(target, at, event.value, 1) if event.kind == "write" and event.value is not None else ():
                            field = f"{FIELD}{event.path.steps[0]}" if event.path is not None and len(event.path.steps) == 1 else FIELD
                            yield from inside(passing.translated(image), (field,))
                elif target != identity:
                    for image in self.given(target):
                        yield from passing.translated(image)

    def given(self, identity: FunctionId) -> frozenset[Image]:
        """What a function's result shares with cells and its formals; that of a generator has what it yields as elements."""
        return self._recall.ask(identity, lambda: frozenset(self._find_given(identity)))

    def _find_given(self, identity: FunctionId) -> Iterator[Image]:
        function = self._view.function(identity)
        yields = function.kind in ("generator", "async-generator")
        for at, event in enumerate(function.events):
            if event.value is None or self.decided.never(identity, at):
                continue
            if not yields and event.kind == "return":
                yield from self.of(identity, at, event.value)
            elif yields and event.note == "yield":         # what passes through, and what is told in objects made for it, are messages
                made = [i for i in self.of(identity, at, event.value) if i.depth or i.where[0] == identity]
                yield from inside([image for image in made if all(step[0] == "[" for step in image.within)])

    def passing(self, identity: FunctionId, number: int, call: Call, target: FunctionId, level: int = 0) -> Passing:
        """What a call passes to one of its functions, for as many images of that as there are."""
        formals = frozenset(formal.name for formal in self._view.function(target).formals)
        return Passing(self, identity, number, f"{target.module}:", formals, lambda: self._view.bound(call, target), level + 1)

    def passed(self, identity: FunctionId, number: int, value: Value, rest: str, level: int) -> frozenset[Image]:
        """What lies some steps below what a call passes."""
        images = self._of(identity, number, value, level)
        for step in steps_in(rest):
            images = self._taken_out(images, step)
        return images

    def _taken_out(self, images: frozenset[Image], step: str) -> frozenset[Image]:
        """An element of what the images are of: a record of hundreds of parts is asked for each of them by every callee."""
        found = self._parts.get((images, step))
        if found is None:
            found = self._parts[images, step] = frozenset(out_of(images, step))
        return found
