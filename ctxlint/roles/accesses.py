"""What the fields of a change are used for: as keys of what it reads, or of what it writes.

A field is *read by* when its content selects what is looked up, and *written by* when it selects what is stored, removed or
spliced.
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
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields, Leaf
from ctxlint.roles.holders import Holders
from ctxlint.roles.literals import literals_before

Mode = OneOf["read", "write"]

HELPERS = 2
"""How many calls deep a key is followed."""

_LOOKS = frozenset(["get", "__getitem__"])
_STORES = frozenset(["__setitem__", "__delitem__", "setdefault", "insert", "pop"])
_MERGES = frozenset(["update"])
_FILLS = frozenset(["add", "append", "update", "setdefault", "extend"])


class Use(msgspec.Struct, frozen=True, gc=False):
    """A field selects what is read or written at an event; `under` are the tests of fields that hold there."""

    field: str
    mode: Mode
    function: FunctionId
    event: int
    under: frozenset[tuple[str, str, bool]] = frozenset()


class Accesses:
    """The uses of every field of a program as keys."""

    def __init__(self, summaries: Summaries, fields: Fields) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._fields = fields
        self._uses: dict[str, list[Use]] = {}
        self._keyed: dict[FunctionId, tuple[tuple[int, Mode, frozenset[Leaf], tuple[Value, ...]], ...]] = {}
        self._objects: dict[str, set[tuple[FunctionId, str]]] = {}
        for identity in self._view.program.functions():
            for use in self._of(identity):
                self._uses.setdefault(use.field, []).append(use)

    def derived(self, holders: Holders) -> None:
        """Add the fields whose content is taken apart for keys: what is stored under a key names others, and some function of the
        program gets a set of them out of a stored value.
        """
        stored: dict[str, list[str]] = {}
        for identity in self._view.program.functions():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.value is not None:
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    fields = [leaf.key for leaf in self._fields.of(identity, number, event.value) if leaf.field and leaf.owner]
                    for holder in holders.of_path(identity, number, container, event.keys[:-1]) if fields else ():
                        stored.setdefault(holder, []).extend(fields)
        for identity in self._view.program.functions() if stored else ():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "call" and event.arguments and self._gives_set(identity, number):
                    for argument in event.arguments:
                        for holder in holders.of(identity, number, argument.value):
                            for field in stored.get(holder.partition("[")[0], ()) if "[" in holder else ():
                                self._uses.setdefault(field, []).append(Use(field, "read", identity, number))

    def _gives_set(self, identity: FunctionId, number: int) -> bool:
        """Whether a call reaches a function of the program that gives a set."""
        if not any(call.functions for call in self._view.calls(identity, number)):
            return False
        given = self._view.inference.of_event(identity, number)
        return any(isinstance(t, Instance) and t.name in ("builtins.set", "builtins.frozenset") for t in given)

    def uses(self, field: str, mode: Mode) -> tuple[Use, ...]:
        """Where the field selects what is read, or written."""
        return tuple(use for use in self._uses.get(field, ()) if use.mode == mode)

    def fields_of(self, owner: str) -> frozenset[str]:
        """The fields of a class that are used as keys at all."""
        return frozenset(field for field in self._uses if field.rpartition(".")[0] == owner)

    def together(self, fields: frozenset[str]) -> frozenset[str]:
        """The fields that some function uses of the same object as one of `fields`."""
        objects = {place for field in fields for place in self._objects.get(field, ())}
        return frozenset(field for field, places in self._objects.items() if not objects.isdisjoint(places))

    def of_formal(self, identity: FunctionId, formal: str, depth: int = HELPERS) -> frozenset[Mode]:
        """What callers use the value for that they pass for a formal: as a key of what they read, or write."""
        found: set[Mode] = set()
        for caller, number in self._view.call_graph.callers(identity):
            for call in self._view.calls(caller, number):
                value = self._view.bound(call, identity).get(formal) if identity in call.functions else None
                passed = self._fields.of(caller, number, value) if value is not None else frozenset()
                for leaf in passed:
                    if leaf.field:
                        found.update(use.mode for use in self._uses.get(leaf.key, ()))
                for _, mode, leaves, _ in self.keyed(caller):
                    if any(not leaf.field and leaf in passed for leaf in leaves):
                        found.add(mode)
                if depth and isinstance(value, Name):
                    found |= self._of_variable(caller, value, depth - 1)
        return frozenset(found)

    def _of_variable(self, identity: FunctionId, name: Name, depth: int) -> frozenset[Mode]:
        """What a formal of a function, or of one around it, is used for there and by its callers."""
        current = identity
        while name.scope == "captured" and self._view.function(current).enclosing >= 0:
            current = FunctionId(current.module, self._view.function(current).enclosing)
            if any(formal.name == name.name for formal in self._view.function(current).formals):
                break
        if not any(formal.name == name.name for formal in self._view.function(current).formals):
            return frozenset()
        here = {
            mode for _, mode, leaves, _ in self.keyed(current)
            if any(not leaf.field and leaf.instance == name.name for leaf in leaves)
        }
        return frozenset(here) | self.of_formal(current, name.name, depth)

    # One function.

    def _of(self, identity: FunctionId) -> Iterator[Use]:
        for event, mode, leaves, _ in self.keyed(identity):
            for leaf in leaves:
                if leaf.field and leaf.owner:
                    self._objects.setdefault(leaf.key, set()).add((identity, leaf.instance))
                    under = frozenset(literal.test for literal in literals_before(self._view, self._fields, identity, event))
                    yield Use(leaf.key, mode, identity, event, under)
        yield from self._filled(identity)

    def keyed(self, identity: FunctionId, depth: int = HELPERS) -> tuple[tuple[int, Mode, frozenset[Leaf], tuple[Value, ...]], ...]:
        """Every event at which a key selects what is read or written: the fields it is made of, and its values."""
        found = self._keyed.get(identity)
        if found is None:
            self._keyed[identity] = ()
            found = self._keyed[identity] = tuple(self._find_keyed(identity, depth))
        return found

    def _find_keyed(
        self, identity: FunctionId, depth: int
    ) -> Iterator[tuple[int, Mode, frozenset[Leaf], tuple[Value, ...]]]:
        for number, event in enumerate(self._view.function(identity).events):
            for mode, values in self._selecting(identity, number, event):
                selecting = tuple(v for v in _flat(values) if not isinstance(v, Constant))
                if selecting:
                    yield number, mode, self._fields.of_all(identity, number, selecting), selecting
            for mode in self._on_receiver(identity, number, event):
                assert event.path is not None
                receiver = AccessPath(event.path.root, event.path.steps[:-1])
                yield number, mode, self._fields.of_path(identity, number, receiver, event.keys), ()
            if event.kind == "call" and depth:
                yield from self._through_calls(identity, number, depth)

    def _selecting(self, identity: FunctionId, number: int, event: Event) -> Iterator[tuple[Mode, Iterable[Value]]]:
        if event.kind in ("read", "write", "delete") and event.keys:
            yield "read" if event.kind == "read" else "write", event.keys
        elif event.kind == "call" and event.path is not None and event.path.steps:
            name = event.path.steps[-1]
            first = [a.value for a in event.arguments[:1] if not a.keyword]
            if name in _LOOKS:
                yield "read", first
            elif name in _STORES and len(event.arguments) > 0 and not isinstance(event.path.root, Constant):
                yield "write", first
            elif name in _MERGES and len(event.arguments) == 1:
                yield "write", tuple(_keys_of(event.arguments[0].value))
        if event.kind in ("local", "write", "return") and event.value is not None:
            yield "write", tuple(v for v in _merged(event.value) if self._is_kept(identity, v))
            yield "write", tuple(self._spliced(identity, number, event.value))
        if event.kind == "call":
            yield from self._of_store(identity, number, event)

    def _is_kept(self, identity: FunctionId, value: Value) -> bool:
        """Whether a value is something that is kept, rather than made by a call."""
        return not isinstance(value, Result) or self._view.event(identity, value.event).kind == "read"

    def _spliced(self, identity: FunctionId, at: int, value: Value) -> Iterator[Value]:
        """The bounds of slices between which something new is put: `text[:a] + new + text[b:]` is written from a to b."""
        pieces = list(_pieces(value))
        bounds = []
        for piece in pieces:
            event = self._view.event(identity, piece.event) if isinstance(piece, Result) else None
            key = event.keys[-1] if event is not None and event.kind == "read" and event.keys else None
            if isinstance(key, Compound) and key.operator == "slice" and any(_is_open(part) for part in key.parts[:2]):
                bounds += [part for part in key.parts[:2] if not isinstance(part, Constant)]
        if len(pieces) > 1:
            yield from bounds

    def _of_store(self, identity: FunctionId, number: int, event: Event) -> Iterator[tuple[Mode, Iterable[Value]]]:
        """Files and records of a store that are chosen by an argument."""
        for effect in self._summaries.effects_at(identity, number):
            if effect.distance == 0 and effect.kind != "commit":
                yield _mode(effect.kind), [a.value for a in event.arguments if a.value not in effect.contents]
                if effect.medium == "file" and event.path is not None and len(event.path.steps) == 1:
                    yield _mode(effect.kind), [event.path.root]

    def _on_receiver(self, identity: FunctionId, number: int, event: Event) -> Iterator[Mode]:
        """How a path that is a field of something is read or written: `edit.target.write_text(…)`."""
        if event.kind == "call" and event.path is not None and len(event.path.steps) > 1:
            for effect in self._summaries.effects_at(identity, number):
                if effect.distance == 0 and effect.medium == "file":
                    yield _mode(effect.kind)

    def _through_calls(
        self, identity: FunctionId, number: int, depth: int
    ) -> Iterator[tuple[int, Mode, frozenset[Leaf], tuple[Value, ...]]]:
        """Keys that are passed to a helper which reads or writes by them."""
        for call in self._view.calls(identity, number):
            for target in call.functions[:4]:
                if target == identity:
                    continue
                actuals = self._view.bound(call, target)
                modes: dict[str, set[Mode]] = {}
                for _, mode, leaves, _ in self.keyed(target, depth - 1):
                    for leaf in leaves:
                        if not leaf.field and leaf.instance in actuals:
                            modes.setdefault(leaf.instance, set()).add(mode)
                for formal, used in modes.items():
                    mode = "write" if "write" in used else "read"
                    yield number, mode, self._fields.of(identity, number, actuals[formal]), (actuals[formal],)

    # Collections of keys.

    def _filled(self, identity: FunctionId) -> Iterator[Use]:
        """A field that gets the keys by which the same function reads or writes."""
        fills = list(self._fills(identity))
        if not fills:
            return
        keyed = self.keyed(identity)
        for number, field, values in fills:
            names = {v for value in values for v in self._stems(identity, number, value)}
            modes = {
                mode for event, mode, _, selecting in keyed
                if event != number and names & {s for v in selecting for s in self._stems(identity, event, v)}
            }
            if modes:
                yield Use(field, "write" if "write" in modes else "read", identity, number)

    def _fills(self, identity: FunctionId) -> Iterator[tuple[int, str, tuple[Value, ...]]]:
        events = self._view.function(identity).events
        locals_: dict[str, list[tuple[int, tuple[Value, ...]]]] = {}
        for number, event in enumerate(events):
            target, values = self._fill(event)
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
            if isinstance(value, Name):
                for at, values in locals_.get(value.name, ()):
                    yield at, field, values
            elif isinstance(value, Result):
                for argument in events[value.event].arguments:
                    if isinstance(argument.value, Name):
                        for at, values in locals_.get(argument.value.name, ()):
                            yield at, field, values

    def _fill(self, event: Event) -> tuple[AccessPath | None, tuple[Value, ...]]:
        if event.kind == "call" and event.path is not None and event.path.steps and event.path.steps[-1] in _FILLS:
            return AccessPath(event.path.root, event.path.steps[:-1]), tuple(a.value for a in event.arguments[:1])
        if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.keys:
            return AccessPath(event.path.root, event.path.steps[:-1]), event.keys[-1:]
        if event.kind == "write" and event.note == "aug" and event.path is not None and isinstance(event.value, Compound):
            return event.path, event.value.parts[1:]
        return None, ()

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
        """The names and results that a key is made of, through displays and copies."""
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


def _is_open(bound: Value) -> bool:
    return isinstance(bound, Constant) and bound.kind == "none"


def _pieces(value: Value) -> Iterator[Value]:
    """What a concatenation, a display with unpacked parts or a formatted string puts one after the other."""
    if isinstance(value, Compound) and value.operator in ("+", "f-string", "list", "tuple", "*", "format"):
        for part in value.parts:
            yield from _pieces(part)
    else:
        yield value


def _merged(value: Value) -> Iterator[Value]:
    """What a dictionary display spreads over another one: `{**old, **changes}`; and `old | changes`."""
    if isinstance(value, Compound) and value.operator == "dict":
        spread = [v for k, v in zip(value.parts[::2], value.parts[1::2]) if isinstance(k, Compound) and k.operator == "**"]
        yield from spread[1:]
