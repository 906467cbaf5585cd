"""What the fields of a change are used for: as keys of what it reads, or of what it writes.

A field is *read by* when its content selects what is looked up in a container, and *written by* when it selects what is stored,
removed or spliced there.
A collection that a function fills with the keys by which it looks up, or stores, is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal as OneOf

import msgspec

from ctxlint.calls.effects import WRITES, EffectKind
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance
from ctxlint.calls.view import argument_of
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields, Leaf
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.literals import literals_before

Mode = OneOf["read", "write"]
Places = frozenset[Holder]

HELPERS = 2
"""How many calls deep a key is followed."""
FILES: Places = frozenset(["file"])
"""The container of everything that a path selects."""

_LOOKS = frozenset(["get", "__getitem__"])
_STORES = frozenset(["__setitem__", "__delitem__", "setdefault", "insert", "pop"])
_FILLS = frozenset(["add", "append", "update", "setdefault", "extend"])
_STORE_VERBS = ("loads", "reads", "saves", "appends", "deletes", "opens", "replaces", "creates", "truncates")
_NOT_DURABLE = frozenset(["", "memory", "lock", "handle", "process", "socket"])


class Keyed(msgspec.Struct, frozen=True, gc=False):
    """A key selects what is read or written at an event: the fields and values it is made of, the container it selects from."""

    event: int
    mode: Mode
    leaves: frozenset[Leaf]
    values: tuple[Value, ...]
    places: Places


class Use(msgspec.Struct, frozen=True, gc=False):
    """A field selects what is read or written at an event of a function, in the containers `places`."""

    field: str
    mode: Mode
    function: FunctionId
    event: int
    places: Places = frozenset()


class Accesses:
    """The uses of every field of a program as keys."""

    def __init__(self, summaries: Summaries, fields: Fields, holders: Holders) -> None:
        self._summaries = summaries
        self._holders = holders
        self._view = summaries.view
        self._fields = fields
        self._uses: dict[str, list[Use]] = {}
        self._keyed: dict[FunctionId, tuple[Keyed, ...]] = {}
        self._objects: dict[str, set[tuple[FunctionId, str]]] = {}
        for identity in self._view.program.functions():
            for use in self._of(identity):
                self._uses.setdefault(use.field, []).append(use)
        self._add_derived()
        self._by_mode: dict[tuple[str, Mode], tuple[Use, ...]] = {}
        by_owner: dict[str, set[str]] = {}
        for field, uses in self._uses.items():
            by_owner.setdefault(field.rpartition(".")[0], set()).add(field)
            for mode in {use.mode for use in uses}:
                self._by_mode[field, mode] = tuple(use for use in uses if use.mode == mode)
        self._by_owner = {owner: frozenset(fields) for owner, fields in by_owner.items()}
        self._by_object: dict[tuple[FunctionId, str], set[str]] = {}
        for field, objects in self._objects.items():
            for each in objects:
                self._by_object.setdefault(each, set()).add(field)

    def uses(self, field: str, mode: Mode) -> tuple[Use, ...]:
        """Where the field selects what is read, or written."""
        return self._by_mode.get((field, mode), ())

    def opposed(self, read: str, written: str) -> tuple[Use, Use] | None:
        """A use of one field to read from a container that the other one writes to, and that use."""
        for use in self.uses(read, "read"):
            for store in self.uses(written, "write"):
                if use.places & store.places - FILES or (FILES <= use.places & store.places and use.function == store.function):
                    return use, store
        return None

    def tests_at(self, use: Use) -> frozenset[tuple[str, str, bool]]:
        """The tests of fields that hold where a field is used."""
        found = literals_before(self._view, self._fields, use.function, use.event)
        return frozenset(literal.test for literal in found)

    def fields_of(self, owner: str) -> frozenset[str]:
        """The fields of a class that are used as keys at all."""
        return self._by_owner.get(owner, frozenset())

    def together(self, fields: frozenset[str]) -> frozenset[str]:
        """The fields that some function uses of the same object as one of `fields`."""
        objects = {place for field in fields for place in self._objects.get(field, ())}
        return frozenset().union(*(self._by_object[each] for each in objects))

    def of_formal(self, identity: FunctionId, formal: str, depth: int = HELPERS) -> frozenset[tuple[Mode, Places]]:
        """What callers use the value for that they pass for a formal: as a key of what they read, or write, and where."""
        found: set[tuple[Mode, Places]] = set()
        for caller, number in self._view.call_graph.callers(identity):
            for call in self._view.calls(caller, number):
                value = self._view.bound(call, identity).get(formal) if identity in call.functions else None
                passed = self._fields.of(caller, number, value) if value is not None else frozenset()
                for leaf in passed:
                    if leaf.field:
                        found.update((use.mode, use.places) for use in self._uses.get(leaf.key, ()))
                for keyed in self.keyed(caller):
                    if any(not leaf.field and leaf in passed for leaf in keyed.leaves):
                        found.add((keyed.mode, keyed.places))
                if depth and isinstance(value, Name):
                    found |= self._of_variable(caller, value, depth - 1)
        return frozenset(found)

    def _of_variable(self, identity: FunctionId, name: Name, depth: int) -> frozenset[tuple[Mode, Places]]:
        """What a formal of a function, or of one around it, is used for there and by its callers."""
        current = identity
        while name.scope == "captured" and self._view.function(current).enclosing >= 0:
            current = FunctionId(current.module, self._view.function(current).enclosing)
            if any(formal.name == name.name for formal in self._view.function(current).formals):
                break
        if not any(formal.name == name.name for formal in self._view.function(current).formals):
            return frozenset()
        here = {
            (keyed.mode, keyed.places) for keyed in self.keyed(current)
            if any(not leaf.field and leaf.instance == name.name for leaf in keyed.leaves)
        }
        return frozenset(here) | self.of_formal(current, name.name, depth)

    # Fields that are taken apart for keys.

    def _add_derived(self) -> None:
        """What is stored under a key names other keys, when some function of the program gets a set out of a stored value."""
        stored: dict[Holder, list[str]] = {}
        for identity in self._view.program.functions():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.value is not None:
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    fields = [leaf.key for leaf in self._fields.of(identity, number, event.value) if leaf.field and leaf.owner]
                    for holder in self._holders.of_path(identity, number, container, event.keys[:-1]) if fields else ():
                        stored.setdefault(holder, []).extend(fields)
        for identity in self._view.program.functions() if stored else ():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "call" and event.arguments and self._gives_set(identity, number):
                    for argument in event.arguments:
                        for holder in self._holders.of(identity, number, argument.value):
                            container_of = holder.partition("[")[0]
                            for field in stored.get(container_of, ()) if "[" in holder else ():
                                use = Use(field, "read", identity, number, frozenset([container_of]))
                                self._uses.setdefault(field, []).append(use)

    def _gives_set(self, identity: FunctionId, number: int) -> bool:
        """Whether a call reaches a function of the program that gives a set."""
        if not any(call.functions for call in self._view.calls(identity, number)):
            return False
        given = self._view.inference.of_event(identity, number)
        return any(isinstance(t, Instance) and t.name in ("builtins.set", "builtins.frozenset") for t in given)

    # One function.

    def _of(self, identity: FunctionId) -> Iterator[Use]:
        for keyed in self.keyed(identity):
            for leaf in keyed.leaves:
                if leaf.field and leaf.owner and leaf.key not in keyed.places:
                    self._objects.setdefault(leaf.key, set()).add((identity, leaf.instance))
                    yield Use(leaf.key, keyed.mode, identity, keyed.event, keyed.places)
        yield from self._filled(identity)

    def keyed(self, identity: FunctionId, depth: int = HELPERS) -> tuple[Keyed, ...]:
        """Every event of a function at which a key selects what is read or written."""
        found = self._keyed.get(identity)
        if found is None:
            self._keyed[identity] = ()
            found = self._keyed[identity] = tuple(self._find_keyed(identity, depth))
        return found

    def _find_keyed(self, identity: FunctionId, depth: int) -> Iterator[Keyed]:
        for number, event in enumerate(self._view.function(identity).events):
            for mode, values, places in self._selecting(identity, number, event):
                selecting = tuple(v for v in _flat(values) if not isinstance(v, Constant))
                if selecting:
                    yield Keyed(number, mode, self._fields.of_all(identity, number, selecting), selecting, places)
            if event.kind in ("local", "write", "return") and event.value is not None:
                yield from self._merged_results(identity, number, event.value)
            if event.kind == "call":
                yield from self._on_receiver(identity, number, event)
                if depth:
                    yield from self._through_calls(identity, number, depth)

    def _selecting(self, identity: FunctionId, number: int, event: Event) -> Iterator[tuple[Mode, Iterable[Value], Places]]:
        if event.kind in ("read", "write", "delete") and event.keys and event.path is not None:
            container = AccessPath(event.path.root, event.path.steps[:event.path.steps.index("[*]")])
            yield "read" if event.kind == "read" else "write", event.keys, self._container(identity, number, container, event.keys)
        elif event.kind == "call" and event.path is not None and event.path.steps and event.arguments:
            name, first = event.path.steps[-1], event.arguments[0].value
            places = self._container(identity, number, AccessPath(event.path.root, event.path.steps[:-1]), event.keys)
            if name in _LOOKS:
                yield "read", (first,), places
            elif name in _STORES and not isinstance(event.path.root, Constant):
                yield "write", (first,), places
            elif name == "update" and len(event.arguments) == 1:
                yield "write", tuple(_keys_of(first)), places
        if event.kind in ("local", "write", "return") and event.value is not None:
            yield from self._spliced(identity, number, event.value)
        if event.kind == "call":
            yield from self._of_store(identity, number)

    def _container(self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...]) -> Places:
        """What a key selects from: an attribute, a variable of a module, a formal, or else a local of this function."""
        found = self._holders.of_path(identity, at, path, keys)
        if not found and isinstance(path.root, Name):
            words = ".".join((path.root.name, *path.steps))
            return frozenset([f"{identity.module}:{self._view.function(identity).qualname}.{words}"])
        return frozenset(holder.partition("[")[0] for holder in found)

    def _spliced(self, identity: FunctionId, at: int, value: Value) -> Iterator[tuple[Mode, Iterable[Value], Places]]:
        """What is put between two slices is written at their bounds, what is spread over a mapping by its keys."""
        pieces = list(_pieces(value))
        for piece in pieces if len(pieces) > 1 else ():
            event = self._view.event(identity, piece.event) if isinstance(piece, Result) else None
            key = event.keys[-1] if event is not None and event.kind == "read" and event.keys else None
            if isinstance(piece, Result) and event is not None and event.path is not None and isinstance(key, Compound):
                if key.operator == "slice" and any(_is_open(bound) for bound in key.parts[:2]):
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    yield "write", key.parts[:2], self._container(identity, piece.event, container, event.keys)
        merged = list(_spread(value))
        if len(merged) > 1:
            places = frozenset().union(*(self._holders.of(identity, at, part) for part in merged[:1]))
            for part in merged[1:]:
                yield "write", tuple(self._merged_keys(identity, part)), places

    def _merged_keys(self, identity: FunctionId, value: Value) -> Iterator[Value]:
        """The mapping that is merged, unless a call makes it: then its keys are not known here."""
        if not isinstance(value, Result) or self._view.event(identity, value.event).kind == "read":
            yield from _keys_of(value)

    def _merged_results(self, identity: FunctionId, at: int, value: Value) -> Iterator[Keyed]:
        """The keys of a mapping that a call makes and that is spread over another one."""
        merged = list(_spread(value))
        places = frozenset().union(*(self._holders.of(identity, at, part) for part in merged[:1])) if len(merged) > 1 else frozenset()
        for part in merged[1:]:
            if isinstance(part, Result) and self._view.event(identity, part.event).kind == "call":
                leaves = self._fields.passed_through(identity, part.event, lambda given: tuple(
                    key for key in _keys_of(given)) if isinstance(given, Compound) else ())
                if leaves:
                    yield Keyed(at, "write", leaves, (part,), places)

    def _of_store(self, identity: FunctionId, number: int) -> Iterator[tuple[Mode, Iterable[Value], Places]]:
        """Files and records of a store that are chosen by an argument, or by the path whose method is called."""
        match = self._view.does(identity, number, *_STORE_VERBS)
        if match is None or match.effect.store in _NOT_DURABLE:
            return
        places = FILES if match.effect.store == "file" else self._holders.of_receiver(identity, number)
        for effect in self._summaries.effects_at(identity, number):
            if effect.distance == 0 and effect.kind != "commit":
                chosen = [argument_of(match.call, which) for which in (match.effect.target, match.effect.key) if which]
                yield _mode(effect.kind), [v for v in chosen if v is not None and not isinstance(v, AccessPath)], places
                yield _mode(effect.kind), [v.root for v in chosen if isinstance(v, AccessPath) and not v.steps], places

    def _on_receiver(self, identity: FunctionId, number: int, event: Event) -> Iterator[Keyed]:
        """How a path that is a field of something is read or written: `edit.target.write_text(…)`."""
        match = self._view.does(identity, number, *_STORE_VERBS)
        if match is None or match.effect.store != "file" or not isinstance(match.target, AccessPath) or not match.target.steps:
            return
        leaves = self._fields.of_path(identity, number, match.target, event.keys)
        for effect in self._summaries.effects_at(identity, number):
            if effect.distance == 0:
                yield Keyed(number, _mode(effect.kind), leaves, (), FILES)

    def _through_calls(self, identity: FunctionId, number: int, depth: int) -> Iterator[Keyed]:
        """Keys that are passed to a helper which reads or writes by them."""
        for call in self._view.calls(identity, number):
            for target in call.functions[:4]:
                if target == identity:
                    continue
                actuals = self._view.bound(call, target)
                inner = [
                    (leaf.instance, keyed) for keyed in self.keyed(target, depth - 1) for leaf in keyed.leaves
                    if not leaf.field and leaf.instance in actuals
                ]
                stores = {formal for formal, keyed in inner if keyed.mode == "write"}
                for formal, keyed in inner:
                    if keyed.mode == "write" or formal not in stores:
                        value = actuals[formal]
                        places = frozenset().union(*(self._passed_place(identity, number, p, target, actuals) for p in keyed.places))
                        yield Keyed(number, keyed.mode, self._fields.of(identity, number, value), (value,), places)

    def _passed_place(
        self, identity: FunctionId, number: int, place: Holder, target: FunctionId, actuals: dict[str, Value]
    ) -> Places:
        """A callee's container: the one that was passed, when it is a formal."""
        formal = place.partition(":")[2]
        if place.startswith(f"{target.module}:") and formal in actuals:
            value = actuals[formal]
            if isinstance(value, Name):
                return self._container(identity, number, AccessPath(value), ())
            return self._holders.of(identity, number, value)
        return frozenset([place])

    # Collections of keys.

    def _filled(self, identity: FunctionId) -> Iterator[Use]:
        """A field that gets the keys by which the same function reads or writes."""
        fills = list(self._fills(identity))
        for number, field, values in fills:
            names = {v for value in values for v in self._stems(identity, number, value)}
            found = [
                keyed for keyed in self.keyed(identity)
                if keyed.event != number and names & {s for v in keyed.values for s in self._stems(identity, keyed.event, v)}
            ]
            for keyed in found:
                if keyed.mode == "write" or all(each.mode != "write" for each in found):
                    yield Use(field, keyed.mode, identity, number, keyed.places)

    def _fills(self, identity: FunctionId) -> Iterator[tuple[int, str, tuple[Value, ...]]]:
        events = self._view.function(identity).events
        locals_: dict[str, list[tuple[int, tuple[Value, ...]]]] = {}
        for number, event in enumerate(events):
            target, values = _fill(event)
            if target is None:
                continue
            if isinstance(target.root, Name) and not target.steps:
                locals_.setdefault(target.root.name, []).append((number, values))
            else:
                for leaf in self._fields.of_path(identity, number, target, event.keys):
                    if leaf.field and leaf.owner:
                        yield number, leaf.key, values
        for number, field, value in self._constructed(identity):
            yield number, field, (value,)
            copied = [a.value for a in events[value.event].arguments] if isinstance(value, Result) else [value]
            for each in copied:
                for at, values in locals_.get(each.name, ()) if isinstance(each, Name) else ():
                    yield at, field, values

    def _constructed(self, identity: FunctionId) -> Iterator[tuple[int, str, Value]]:
        """The fields that a constructor's arguments, or the entries of a dictionary display, become."""
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "call" and event.arguments:
                for field, value in self._fields.constructed(identity, number):
                    yield number, field, value
            values = [event.value] if event.value is not None else []
            for value in (*values, *(a.value for a in event.arguments)):
                if isinstance(value, Compound) and value.operator == "dict":
                    for key, part in zip(value.parts[::2], value.parts[1::2]):
                        if isinstance(key, Constant) and key.kind == "str":
                            yield number, f"{identity.module}{{}}.{key.text}", part

    def _stems(self, identity: FunctionId, at: int, value: Value) -> frozenset[Value]:
        """The names and results that a key is made of, through displays, copies and iteration."""
        found: set[Value] = set()
        pending = [(value, at)]
        while pending:
            part, where = pending.pop()
            if isinstance(part, Compound):
                pending += [(each, where) for each in part.parts]
            elif isinstance(part, Name) and part not in found:
                found.add(part)
                for number in self._view.definitions(identity).definitions(where, part.name):
                    bound = self._view.event(identity, number) if number >= 0 else None
                    if bound is None or bound.kind != "local" or bound.value is None:
                        continue
                    taken = self._view.event(identity, bound.value.event) if isinstance(bound.value, Result) else None
                    if isinstance(bound.value, Name):
                        pending.append((bound.value, number))
                    elif taken is not None and taken.kind == "iterate" and taken.value is not None:
                        pending.append((taken.value, number))
            elif isinstance(part, Result) and part not in found:
                found.add(part)
                event = self._view.event(identity, part.event)
                if event.kind == "call" and event.path is not None and not event.path.steps:
                    pending += [(a.value, part.event) for a in event.arguments]
        return frozenset(found)


def _fill(event: Event) -> tuple[AccessPath | None, tuple[Value, ...]]:
    """The collection that an event puts something into, and what it puts there."""
    if event.kind == "call" and event.path is not None and event.path.steps and event.path.steps[-1] in _FILLS:
        return AccessPath(event.path.root, event.path.steps[:-1]), tuple(a.value for a in event.arguments[:1])
    if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.keys:
        return AccessPath(event.path.root, event.path.steps[:-1]), event.keys[-1:]
    if event.kind == "write" and event.note == "aug" and event.path is not None and isinstance(event.value, Compound):
        return event.path, event.value.parts[1:]
    return None, ()


def _is_open(bound: Value) -> bool:
    return isinstance(bound, Constant) and bound.kind == "none"


def _pieces(value: Value) -> Iterator[Value]:
    """What a concatenation, a display with unpacked parts or a formatted string puts one after the other."""
    if isinstance(value, Compound) and value.operator in ("+", "f-string", "list", "tuple", "*", "format"):
        for part in value.parts:
            yield from _pieces(part)
    else:
        yield value


def _spread(value: Value) -> Iterator[Value]:
    """What a dictionary display spreads: `old`, then `changes`, of `{**old, **changes}`."""
    if isinstance(value, Compound) and value.operator == "dict":
        yield from [v for k, v in zip(value.parts[::2], value.parts[1::2]) if isinstance(k, Compound) and k.operator == "**"]


def _keys_of(value: Value) -> Iterator[Value]:
    """The keys of what is merged into a mapping; the thing itself when it is no display."""
    if isinstance(value, Compound) and value.operator == "comprehension-dict":
        yield from value.parts[2:] if isinstance(value.parts[0], Name) else value.parts[:1]
    elif isinstance(value, Compound) and value.operator == "dict":
        yield from value.parts[::2]
    else:
        yield value


def _mode(kind: EffectKind) -> Mode:
    return "write" if kind in WRITES or kind == "create" else "read"


def _flat(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, Compound) and value.operator == "slice":
            yield from value.parts
        else:
            yield value
