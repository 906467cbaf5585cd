"""What the fields of a change are used for: as keys of what it reads, or of what it writes.

A field is *read by* when its content selects what is looked up in a container, and *written by* when it selects what is stored,
removed or spliced there.
A collection that a function fills with the keys by which it looks up, or stores, is the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.keyed import FILES, HELPERS, Keyed, Keys, Mode, Places
from ctxlint.roles.likeness import field_names, may_be_one, share
from ctxlint.roles.literals import literals_before

_KEEPS = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait"])
_FILLS = frozenset(["add", "append", "update", "setdefault", "extend"])


class Use(msgspec.Struct, frozen=True, gc=False):
    """A field selects what is read or written at an event of a function, in the containers `places`."""

    field: str
    mode: Mode
    function: FunctionId
    event: int
    places: Places = frozenset()
    each: bool = False
    """Whether it is each of many that the field holds which selects, one after the other."""


class Accesses:
    """The uses as keys of the fields that have one of some names, or that are used in some modules."""

    def __init__(
        self, summaries: Summaries, fields: Fields, holders: Holders, names: frozenset[str], modules: frozenset[str]
    ) -> None:
        self._summaries = summaries
        self._holders = holders
        self._view = summaries.view
        self._fields = fields
        self._uses: dict[str, list[Use]] = {}
        self._keys = Keys(summaries, fields, holders)
        self._objects: dict[str, set[tuple[FunctionId, str]]] = {}
        self._made: dict[FunctionId, tuple[tuple[int, str, Value], ...]] = {}
        self._records: dict[tuple[str, str], tuple[str, ...]] = {}
        self._looked_up: set[Holder] = set()
        asked = [identity for identity in self._view.program.functions() if self._concerns(identity, names, modules)]
        for identity in asked:
            for use in self._of(identity):
                self._uses.setdefault(use.field, []).append(use)
        near = {identity.module for identity in asked}
        self._add_derived([identity for identity in self._view.program.functions() if identity.module in near])
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

    def _concerns(self, identity: FunctionId, names: frozenset[str], modules: frozenset[str]) -> bool:
        """Whether a function selects something by a key, or fills something, and uses one of the names."""
        selects = named = False
        named = identity.module in modules
        for event in self._view.function(identity).events:
            if event.path is not None:
                steps = event.path.steps
                named = named or any(step in names for step in steps) or (
                    not steps and isinstance(event.path.root, Name) and event.path.root.name in names
                ) or any(isinstance(key, Constant) and key.text in names for key in event.keys)
                selects = selects or bool(event.keys) or event.kind == "call"
                if selects and named:
                    return True
        return False

    def uses(self, field: str, mode: Mode) -> tuple[Use, ...]:
        """Where the field selects what is read, or written."""
        return self._by_mode.get((field, mode), ())

    def is_looked_up(self, field: str) -> bool:
        """Whether keys select from what the field holds: it is a part of the state then, and no set of keys."""
        return field in self._looked_up

    def applied_to(self, field: str, identity: FunctionId, at: int, container: Value) -> bool:
        """Whether the field selects what is written in a container that a function names."""
        places = self._keys.container(identity, at, container)
        return any(places & use.places for use in self.uses(field, "write"))

    def opposed(self, read: str, written: str, by_any_name: bool = True) -> tuple[Use, Use] | None:
        """A use of one field to read from a container that the other one writes to, and that use.

        `by_any_name`: for fields of a declared class, containers that are passed under two names may be one.
        """
        for use in self.uses(read, "read"):
            for store in self.uses(written, "write"):
                if use.places & store.places - FILES or (FILES <= use.places & store.places and use.function == store.function):
                    return use, store
        if not by_any_name or written.rpartition(".")[0].endswith(("{}", "()")):
            return None
        return next((
            (use, store) for use in self.uses(read, "read") for store in self.uses(written, "write")
            if use.function != store.function and may_be_one(use.places, store.places)
        ), None)

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
        found: set[tuple[Mode, Places]] = {
            (use.mode, use.places) for _, field, value in self._constructed(identity)
            if isinstance(value, Name) and value.name == formal and not field.startswith(f"{identity.module}(")
            for use in self._uses.get(field, ())
        }
        for caller, number in self._view.call_graph.callers(identity):
            for call in self._view.calls(caller, number):
                value = self._view.bound(call, identity).get(formal) if identity in call.functions else None
                passed = self._fields.of(caller, number, value) if value is not None else frozenset()
                for leaf in passed:
                    if leaf.field:
                        found.update((use.mode, use.places) for use in self._uses.get(leaf.key, ()))
                for keyed in self._keys.of(caller):
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
            (keyed.mode, keyed.places) for keyed in self._keys.of(current)
            if any(not leaf.field and leaf.instance == name.name for leaf in keyed.leaves)
        }
        return frozenset(here) | self.of_formal(current, name.name, depth)

    # Fields that are taken apart for keys.

    def _add_derived(self, functions: list[FunctionId]) -> None:
        """What is stored under a key names other keys, when some function of the program gets a set out of a stored value."""
        stored: dict[Holder, list[str]] = {}
        for identity in functions:
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.value is not None:
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    fields = [leaf.key for leaf in self._fields.of(identity, number, event.value) if leaf.field and leaf.owner]
                    for holder in self._holders.of_path(identity, number, container, event.keys[:-1]) if fields else ():
                        stored.setdefault(holder, []).extend(fields)
        for identity in functions if stored else ():
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
        for keyed in self._keys.of(identity):
            if keyed.mode == "read":
                self._looked_up |= keyed.places
            filed = self._filed(identity, keyed)
            for leaf in keyed.leaves:
                if leaf.field and leaf.owner and leaf.key not in keyed.places and leaf.instance not in filed:
                    self._objects.setdefault(leaf.key, set()).add((identity, leaf.instance))
                    yield Use(leaf.key, keyed.mode, identity, keyed.event, keyed.places, self._is_one_of_many(identity, keyed))
        yield from self._filled(identity)
        for number, field, _ in self._constructed(identity):
            if field.rpartition(".")[0].endswith(("{}", "()")):
                self._objects.setdefault(field, set()).add((identity, f"display {number}"))

    def _filed(self, identity: FunctionId, keyed: Keyed) -> frozenset[str]:
        """The objects that are themselves stored: filing an object under its own key applies no change."""
        event = self._view.event(identity, keyed.event)
        values = [event.value] if event.kind == "write" and event.value is not None else []
        values += [a.value for a in event.arguments[1:]] if event.kind == "call" and keyed.mode == "write" else []
        named = frozenset(value.name for value in values if isinstance(value, Name))
        return named.union(leaf.instance for leaf in self._fields.of_all(identity, keyed.event, values) if not leaf.field)

    def _is_one_of_many(self, identity: FunctionId, keyed: Keyed) -> bool:
        """Whether a key is an element of what is gone through, or a part of one."""
        for value in keyed.values:
            part = value.parts[0] if isinstance(value, Compound) and value.operator == "item" else value
            if isinstance(part, Name) and part.scope == "local":
                for number in self._view.definitions(identity).definitions(keyed.event, part.name):
                    bound = self._view.event(identity, number).value if number >= 0 else None
                    bound = bound.parts[0] if isinstance(bound, Compound) and bound.operator == "item" else bound
                    if isinstance(bound, Result) and self._view.event(identity, bound.event).kind == "iterate":
                        return True
        return False

    # Collections of keys.

    def _filled(self, identity: FunctionId) -> Iterator[Use]:
        """A field that gets the keys by which the same function reads or writes."""
        fills = list(self._fills(identity))
        for number, field, values in fills:
            names = frozenset(v for value in values for v in self._stems(identity, number, value))
            found = [
                keyed for keyed in self._keys.of(identity)
                if keyed.event != number and any(share(names, self._stems(identity, keyed.event, v)) for v in keyed.values)
            ]
            for keyed in found:
                if keyed.mode == "write" or all(each.mode != "write" for each in found):
                    added = self._view.event(identity, number).kind == "call" and _fill(self._view.event(identity, number))[0] is not None
                    yield Use(field, keyed.mode, identity, number, keyed.places, added or self._is_one_of_many(identity, keyed))

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
            if isinstance(target.root, Name) and target.root.scope == "captured" and not target.steps:
                for field in self._parts_made_around(identity, target.root.name):
                    yield number, field, values
        for number, field, value in self._constructed(identity):
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
        for _, field, value in self._constructed(around):
            copied = [a.value for a in self._view.event(around, value.event).arguments] if isinstance(value, Result) else [value]
            if any(isinstance(each, Name) and each.name == name for each in copied):
                yield field

    def _constructed(self, identity: FunctionId) -> Iterator[tuple[int, str, Value]]:
        """The fields that a constructor's arguments, or the entries of a display, become."""
        found = self._made.get(identity)
        if found is None:
            found = self._made[identity] = tuple(self._construct(identity))
        yield from found

    def _construct(self, identity: FunctionId) -> Iterator[tuple[int, str, Value]]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "call" and event.arguments:
                for field, value in self._fields.constructed(identity, number):
                    yield number, field, value
                yield from self._named_parts(identity, number, event)
            values = [event.value] if event.value is not None else []
            for value in (*values, *(a.value for a in event.arguments)):
                if isinstance(value, Compound) and value.operator == "dict":
                    for key, part in zip(value.parts[::2], value.parts[1::2]):
                        if isinstance(key, Constant) and key.kind == "str":
                            yield number, f"{identity.module}{{}}.{key.text}", part
                if isinstance(value, Compound) and value.operator == "tuple" and event.kind in ("return", "write", "call", "local"):
                    for owner in (f"{identity.module}()", *self._kept(identity, number)):
                        for position, part in enumerate(value.parts):
                            yield number, f"{owner}.[{position}]", part

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

    def _stems(self, identity: FunctionId, at: int, value: Value) -> frozenset[Value]:
        """The names and results that a key is made of, through displays, copies and iteration.

        What a key was taken out of a part of, as of pairs, is there as a whole: two parts of one pair are different keys.
        """
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
                    if isinstance(bound.value, Name) or (isinstance(bound.value, Compound) and bound.value.operator == "item"):
                        pending.append((bound.value, number, taken))
                    elif source is not None and source.kind == "iterate" and source.value is not None:
                        pending.append((source.value, number, taken))
            elif isinstance(part, Result):
                event = self._view.event(identity, part.event)
                if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and "[*]" not in event.path.steps:
                    pending.append((event.path.root, part.event, True))
                if event.kind == "iterate" and event.value is not None and taken:
                    pending.append((event.value, part.event, True))
                if event.kind == "call" and event.path is not None and not event.path.steps:
                    pending += [(a.value, part.event, taken) for a in event.arguments]
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
