"""Collections of keys: which fields a function fills with what, and what it makes records of.

A collection that a function fills with the keys by which it looks up, or stores, says what the function reads, or writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.likeness import field_names

_KEEPS = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait"])
_FILLS = frozenset(["add", "append", "update", "setdefault", "extend"])


_MADE_OF = frozenset(["item", "comprehension-dict", "comprehension-set", "comprehension-list", "comprehension-generator"])


class Fills:
    """Which fields are filled where, one function at a time; memoised."""

    def __init__(self, view: View, fields: Fields) -> None:
        self._view = view
        self._fields = fields
        self._made: dict[FunctionId, tuple[tuple[int, str, Value], ...]] = {}
        self._filled: dict[FunctionId, tuple[tuple[int, str, tuple[Value, ...]], ...]] = {}
        self._records: dict[tuple[str, str], tuple[str, ...]] = {}
        self._stems: dict[tuple[FunctionId, int, Value], frozenset[Value]] = {}

    def of(self, identity: FunctionId) -> tuple[tuple[int, str, tuple[Value, ...]], ...]:
        """The events at which a field is filled, the field, and what it is filled with."""
        found = self._filled.get(identity)
        if found is None:
            found = self._filled[identity] = tuple(self._fills(identity))
        return found

    def constructed(self, identity: FunctionId) -> tuple[tuple[int, str, Value], ...]:
        """The fields that a constructor's arguments, or the entries of a display, become."""
        found = self._made.get(identity)
        if found is None:
            found = self._made[identity] = tuple(self._construct(identity))
        return found

    def stems(self, identity: FunctionId, at: int, value: Value) -> frozenset[Value]:
        """The names and results that a key is made of, through displays, copies and iteration.

        What a key was taken out of a part of, as of pairs, is there as a whole: two parts of one pair are different keys.
        """
        known = self._stems.get((identity, at, value))
        if known is None:
            known = self._stems[identity, at, value] = self._find_stems(identity, at, value)
        return known

    def sources(self, identity: FunctionId, at: int, value: Value) -> frozenset[str]:
        """The variables that a value is made of in the end, and not those that hold each of many in turn."""
        events = self._view.function(identity).events
        definitions = self._view.definitions(identity)
        names = {stem for stem in self.stems(identity, at, value) if isinstance(stem, Name) and stem.scope == "local"}
        return frozenset(name.name for name in names if not any(
            isinstance(bound := events[number].value, Result) and events[bound.event].kind == "iterate"
            for number in definitions.definitions(at, name.name) if number >= 0))

    def _find_stems(self, identity: FunctionId, at: int, value: Value) -> frozenset[Value]:
        found: set[Value] = set()
        pending = [(value, at, False)]
        while pending:
            part, where, taken = pending.pop()
            if isinstance(part, Compound):
                pending += [(each, where, taken or part.operator == "item") for each in part.parts[:1 if part.operator == "item" else None]]
                continue
            marked = Compound("item", (part,)) if taken else part
            if marked in found or isinstance(part, (Constant, Closure)):
                continue
            found.add(marked)
            if isinstance(part, Name):
                for number in self._view.definitions(identity).definitions(where, part.name):
                    bound = self._view.event(identity, number) if number >= 0 else None
                    if bound is None or bound.kind != "local" or bound.value is None:
                        continue
                    source = self._view.event(identity, bound.value.event) if isinstance(bound.value, Result) else None
                    if isinstance(bound.value, Name) or (isinstance(bound.value, Compound) and bound.value.operator in _MADE_OF):
                        pending.append((bound.value, number, taken))
                    elif source is not None and source.kind == "iterate" and source.value is not None:
                        pending.append((source.value, number, taken))
            elif isinstance(part, Result):
                event = self._view.event(identity, part.event)
                if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and "[*]" not in event.path.steps:
                    pending.append((event.path.root, part.event, True))
                if event.kind == "iterate" and event.value is not None and taken:
                    pending.append((event.value, part.event, True))
                if event.kind == "call" and event.path is not None and not event.path.steps and _is_of_program(event.path.root):
                    pending += [(a.value, part.event, taken) for a in event.arguments]
        return frozenset(found)

    def _fills(self, identity: FunctionId) -> Iterator[tuple[int, str, tuple[Value, ...]]]:
        events = self._view.function(identity).events
        locals_: dict[str, list[tuple[int, tuple[Value, ...]]]] = {}
        for number, event in enumerate(events):
            target, values = filling(event)
            if target is None:
                continue
            if isinstance(target.root, Name) and not target.steps:
                locals_.setdefault(target.root.name, []).append((number, values))
            else:
                for leaf in self._fields.of_path(identity, number, target, event.keys):
                    if leaf.field and leaf.owner:
                        yield number, leaf.key, values
            if isinstance(target.root, Name) and target.root.scope == "captured" and not target.steps:
                for field in self._parts_made_around(identity, target.root.name):
                    yield number, field, values
        for number, field, value in self.constructed(identity):
            yield number, field, (value,)
            copied = [a.value for a in events[value.event].arguments] if isinstance(value, Result) else [value]
            for each in copied:
                for at, values in locals_.get(each.name, ()) if isinstance(each, Name) else ():
                    yield at, field, values

    def _parts_made_around(self, identity: FunctionId, name: str) -> Iterator[str]:
        """The parts of records that an enclosing function makes of its variable."""
        outer = self._view.function(identity).enclosing
        if outer < 0:
            return
        around = FunctionId(identity.module, outer)
        for _, field, value in self.constructed(around):
            copied = [a.value for a in self._view.event(around, value.event).arguments] if isinstance(value, Result) else [value]
            if any(isinstance(each, Name) and each.name == name for each in copied):
                yield field

    def _construct(self, identity: FunctionId) -> Iterator[tuple[int, str, Value]]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "call" and event.arguments:
                for field, value in self._constructor_fields(identity, number):
                    yield number, field, value
                yield from self._named_parts(identity, number, event)
            values = [event.value] if event.value is not None else []
            for value in (part for each in (*values, *(a.value for a in event.arguments)) for part in _displays(each)):
                if value.operator == "dict":
                    for key, part in zip(value.parts[::2], value.parts[1::2]):
                        if isinstance(key, Constant) and key.kind == "str":
                            yield number, f"{identity.module}{{}}.{key.text}", part
                if value.operator == "tuple" and event.kind in ("return", "write", "call", "local"):
                    for owner in (f"{identity.module}()", *self._kept(identity, number)):
                        for position, part in enumerate(value.parts):
                            yield number, f"{owner}.[{position}]", part

    def _constructor_fields(self, identity: FunctionId, number: int) -> Iterator[tuple[str, Value]]:
        """The fields that the arguments of a constructor call become, by the class that declares them."""
        event = self._view.event(identity, number)
        assert event.path is not None
        for built in in_order(self._view.inference.of_path(identity, number, event.path)):
            info = self._view.program.class_(built.name) if isinstance(built, ClassObject) else None
            if info is None or not isinstance(built, ClassObject):
                continue
            names = self._formals(identity, number, built.name)
            for index, argument in enumerate(event.arguments):
                name = argument.keyword or (names[index] if index < len(names) else "")
                if name and name not in ("*", "**"):
                    yield f"{attribute_owner(self._view, built.name, name)}.{name}", argument.value

    def _formals(self, identity: FunctionId, number: int, class_id: ClassId) -> list[str]:
        """The constructor's formals, or the fields of a class whose constructor is made from them."""
        for call in self._view.calls(identity, number):
            for target in call.functions:
                return [formal.name for formal in self._view.function(target).formals[1:]]
        return self._view.program.declared_fields(class_id)

    def _named_parts(self, identity: FunctionId, number: int, event: Event) -> Iterator[tuple[int, str, Value]]:
        """The parts of a record whose class the module makes by a call: `Edit = namedtuple("Edit", "target basis")`."""
        if event.path is None or event.path.steps or not isinstance(event.path.root, Name) or event.path.root.scope != "global":
            return
        for position, argument in enumerate(event.arguments):
            names = self._record_names(identity.module, event.path.root.name)
            name = argument.keyword or (names[position] if position < len(names) else "")
            if name in names:
                yield number, f"{identity.module}{{}}.{name}", argument.value

    def _record_names(self, module: str, record: str) -> tuple[str, ...]:
        if (module, record) not in self._records:
            found: tuple[str, ...] = ()
            body = self._view.function(FunctionId(module, 0)).events
            for event in body:
                made = body[event.value.event] if isinstance(event.value, Result) else None
                if event.kind == "local" and event.path is not None and event.path.root in (Name(record, "local"), Name(record, "global")):
                    found = field_names(made) if made is not None else ()
            self._records[module, record] = found
        return self._records[module, record]

    def _kept(self, identity: FunctionId, number: int) -> Iterator[str]:
        """The owner of the parts of a record that an event puts into a field's container."""
        event = self._view.event(identity, number)
        if event.path is not None and len(event.path.steps) > 1 and (
            event.kind == "write" and event.path.steps[-1] == "[*]" or (event.kind == "call" and event.path.steps[-1] in _KEEPS)
        ):
            for leaf in self._fields.of_path(identity, number, AccessPath(event.path.root, event.path.steps[:-1]), event.keys[:-1]):
                if leaf.field and not leaf.owner.endswith("}"):
                    yield f"{leaf.key}()"


def _is_of_program(called: Value) -> bool:
    """Whether what is called has a name in the program or the language; what a function that was passed makes is new."""
    return isinstance(called, Name) and called.scope == "global"


def _displays(value: Value) -> Iterator[Compound]:
    """A display, and those that it is written down to hold: the entries of a table, the records of a list."""
    if isinstance(value, Compound):
        yield value
        held = value.parts[1::2] if value.operator == "dict" else value.parts if value.operator in ("list", "tuple") else ()
        for part in held:
            if isinstance(part, Compound) and part.operator in ("dict", "list", "tuple"):
                yield from _displays(part)


def constants_in(view: View, identity: FunctionId, value: Value) -> frozenset[str]:
    """The constants that a collection is written down to hold."""
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        given = [a.value for a in event.arguments] if event.kind == "call" and event.path is not None and not event.path.steps else []
        return frozenset().union(*(constants_in(view, identity, each) for each in given))
    parts = value.parts if isinstance(value, Compound) and value.operator in ("set", "list", "tuple") else ()
    return frozenset(part.text for part in parts if isinstance(part, Constant))


def filling(event: Event) -> tuple[AccessPath | None, tuple[Value, ...]]:
    """The collection that an event puts something into, and what it puts there."""
    if event.kind == "call" and event.path is not None and event.path.steps and event.path.steps[-1] in _FILLS:
        return AccessPath(event.path.root, event.path.steps[:-1]), tuple(a.value for a in event.arguments[:1])
    if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.keys:
        return AccessPath(event.path.root, event.path.steps[:-1]), event.keys[-1:]
    if event.kind == "write" and event.note == "aug" and event.path is not None and isinstance(event.value, Compound):
        return event.path, event.value.parts[1:]
    return None, ()
