"""Which objects a program changes in place, by where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxlint.calls.elements import MAPPINGS, SEQUENCES
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.images import Images
from ctxlint.roles.in_the_making import InTheMaking
from ctxlint.roles.measures import slice_of
from ctxlint.roles.whole_objects import ATTRIBUTES

_MUTATORS = frozenset([
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove", "discard", "add", "clear", "update",
    "setdefault", "sort", "reverse", "rotate", "__setitem__", "__delitem__",
])
_NEW = frozenset([
    "list", "dict", "set", "tuple", "sorted", "reversed", "frozenset", "deque", "copy", "deepcopy", "filter", "map", "bytearray",
])


class Change(msgspec.Struct, frozen=True, gc=False):
    """An event that changes the object at `place` itself."""

    place: Holder
    function: FunctionId
    event: int
    origin: FunctionId | None = None
    """The function whose own operation changes it, if that is another one."""


class Mutated:
    """The in-place changes of a program, outside of constructors."""

    def __init__(self, summaries: Summaries, holders: Holders, images: Images) -> None:
        self._images = images
        self._summaries = summaries
        self._through: dict[Holder, list[Change]] | None = None
        self._view: View = summaries.view
        self._holders = holders
        self._making = InTheMaking(summaries.view)
        self.changes: list[Change] = []
        self.of_class: dict[str, list[Change]] = {}
        for identity in self._view.program.functions():
            if not is_constructor(self._view, identity):
                for change in self._of(identity):
                    self.changes.append(change)

    def through(self, place: Holder) -> Sequence[Change]:
        """The changes of what objects hold that are reached through a place: `self.plan.steps.append(x)`, through `plan`.

        Such a change has the name of its object's own attribute, too, which says nothing about which object it is.
        Found when first asked for, which is seldom.
        """
        if self._through is None:
            self._through = {}
            for identity in self._view.program.functions():
                if not is_constructor(self._view, identity):
                    for cell, change in self._reached(identity):
                        self._through.setdefault(cell.partition("[")[0], []).append(change)
        return self._through.get(place.partition("[")[0], ())

    def made_by(self, identity: FunctionId) -> Iterator[tuple[int, AccessPath]]:
        """The events of a function that change something in place, each with the path of what it changes."""
        for number, event in enumerate(self._view.function(identity).events):
            path = self._changed(identity, number, event)
            if path is not None:
                yield number, path

    def _reached(self, identity: FunctionId) -> Iterator[tuple[Holder, Change]]:
        for number, event in enumerate(self._view.function(identity).events):
            path = self._changed(identity, number, event)
            if path is not None and path.steps and not self._is_being_made(identity, number, path):
                yield from self._on_the_way(identity, number, path, event.keys, (identity, number))
        for mutation in self._summaries.of(identity).mutations:
            if not mutation.distance:
                continue
            is_item = mutation.path.steps[-1:] != () and mutation.path.steps[-1].startswith("[")
            inside = mutation.how in ("add", "remove", "clear", "mutate") or (mutation.how == "item" and not is_item)
            if not inside and mutation.path.steps and not is_item:
                changed = AccessPath(mutation.path.root, mutation.path.steps[:-1])
                if self._is_data(identity, mutation.event, changed) and not self._is_memo(*mutation.origin):
                    for cell in sorted(self._holders.of_path(identity, mutation.event, changed)):
                        yield cell, Change(cell, identity, mutation.event, mutation.origin[0])
            if len(mutation.path.steps) > (0 if inside else 1):
                steps = mutation.path.steps if inside else mutation.path.steps[:-1]
                yield from self._on_the_way(identity, mutation.event, AccessPath(mutation.path.root, steps), (), mutation.origin)

    def _is_data(self, identity: FunctionId, number: int, path: AccessPath) -> bool:
        """Whether a path holds a record: an object of a class that declares its fields."""
        return any(
            isinstance(type, Instance) and self._view.program.class_(type.name) is not None
            and bool(self._view.program.declared_fields(type.name))
            for type in self._view.inference.of_path(identity, number, path)
        )

    def _is_memo(self, identity: FunctionId, number: int) -> bool:
        """Whether a write keeps what the function gives: the attribute is looked at before, and is what is returned."""
        events = self._view.function(identity).events
        reads = {n for n, e in enumerate(events) if e.kind == "read" and e.path == events[number].path}
        returned = {e.value.event for e in events if e.kind == "return" and isinstance(e.value, Result)}
        return events[number].note != "aug" and min(reads, default=number) < number and bool(reads & returned)

    def _on_the_way(
        self, identity: FunctionId, number: int, path: AccessPath, keys: tuple[Value, ...], origin: tuple[FunctionId, int]
    ) -> Iterator[tuple[Holder, Change]]:
        """Each place on a path below which an attribute of an object is changed, with the change as seen from there."""
        for length, step in enumerate(path.steps):
            if step.startswith("["):
                continue
            whole = AccessPath(path.root, path.steps[:length])
            if self._holders.is_instance(identity, number, whole):
                below = "".join(s if s.startswith("[") else f".{s}" for s in path.steps[length:])
                for cell in sorted(self._holders.of_path(identity, number, whole, keys)):
                    yield cell, Change(f"{cell}{below}", identity, number, origin[0])

    def _of(self, identity: FunctionId) -> Iterator[Change]:
        for number, event in enumerate(self._view.function(identity).events):
            path = self._changed(identity, number, event)
            if path is None or path.steps[-1:] == (ATTRIBUTES,) or self._is_new(identity, number, path):
                continue
            places = self._images.through(identity, number, path)
            if self._is_being_made(identity, number, path):
                yield from [Change(holder, identity, number) for holder in sorted(places)]
                continue
            for holder in sorted(places | self._holders.of_path(identity, number, path, event.keys)):
                yield Change(holder, identity, number)
            for type in in_order(self._view.inference.of_path(identity, number, path)):
                if isinstance(type, Instance) and self._view.program.class_(type.name) is not None and event.kind == "write":
                    if not _is_self(path):
                        self.of_class.setdefault(type.name, []).append(Change(type.name, identity, number))

    def _changed(self, identity: FunctionId, number: int, event: Event) -> AccessPath | None:
        """The path of the object that an event changes in place."""
        if event.path is None or not event.path.steps:
            return None
        if event.kind == "call" and event.path.steps[-1] in _MUTATORS:
            receiver = AccessPath(event.path.root, event.path.steps[:-1])
            return None if self._holders.is_instance(identity, number, receiver) else receiver
        if event.kind == "write" and event.note == "aug" and event.path.steps[-1] != "[*]":
            types = self._view.inference.of_path(identity, number, event.path)
            if any(isinstance(t, Instance) and (t.name in SEQUENCES or t.name in MAPPINGS or t.name == "builtins.set") for t in types):
                return event.path
        if event.kind in ("write", "delete"):
            return AccessPath(event.path.root, event.path.steps[:-1])
        return None

    def _is_being_made(self, identity: FunctionId, at: int, path: AccessPath) -> bool:
        """Whether a path begins at an object that was made here and that nobody else has yet."""
        return isinstance(path.root, Name) and path.root.scope == "local" and self._making.holds(identity, at, path.root.name)

    def _is_new(self, identity: FunctionId, at: int, path: AccessPath) -> bool:
        """Whether the object was made here: a local copy, or the receiver of the function itself."""
        return _is_self(path) and self._is_own(identity, path) or (not path.steps and self._is_copy(identity, at, path.root, 0))

    def _is_own(self, identity: FunctionId, path: AccessPath) -> bool:
        function = self._view.function(identity)
        return bool(function.owner) and bool(function.formals) and path.root == Name(function.formals[0].name, "local")

    def _is_copy(self, identity: FunctionId, at: int, value: Value, depth: int) -> bool:
        if depth > 5:
            return False
        if isinstance(value, Name) and value.scope == "local":
            bound = [self._view.event(identity, n) for n in self._view.definitions(identity).definitions(at, value.name) if n >= 0]
            return any(e.kind == "local" and e.value is not None and self._is_copy(identity, at, e.value, depth + 1) for e in bound)
        if isinstance(value, Compound):
            return value.operator not in ("or", "and", "if", "item", "element")
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "read":
                return slice_of(event) is not None
            if event.kind == "call" and event.path is not None:
                name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
                return name in _NEW or self._view.does(identity, value.event, "copies", "snapshot", "fresh") is not None
        return False


def _is_self(path: AccessPath) -> bool:
    return not path.steps and isinstance(path.root, Name)
