"""What the fields of a change are used for: as keys of what it reads, or of what it writes.

A field is *read by* when its content selects what is looked up in a container, and *written by* when it selects what is stored,
removed or spliced there.
A collection that a function fills with the keys by which it looks up, or stores, is the same.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.closures import told_by_closures
from ctxlint.roles.copies import copied_from
from ctxlint.roles.entry_uses import CHANGES
from ctxlint.roles.fills import constants_in, filling
from ctxlint.roles.holders import Holder
from ctxlint.roles.keyed import FILES, HELPERS, Keyed, Mode, Places
from ctxlint.roles.leaf import Leaf
from ctxlint.roles.likeness import is_formal, may_be_one, share
from ctxlint.roles.ranges import ranges_selecting
from ctxlint.roles.selecting import Selecting
from ctxlint.roles.starred import bindings, filled

MODES: tuple[Mode, ...] = ("read", "write")
CALLERS = 6
"""How many callers are asked what they pass."""


class Use(msgspec.Struct, frozen=True, gc=False):
    """A field selects what is read or written at an event of a function, in the containers `places`."""

    field: str
    mode: Mode
    function: FunctionId
    event: int
    places: Places = frozenset()
    each: bool = False
    """Whether it is each of many that the field holds which selects, one after the other."""
    filled: bool = False
    """Whether the field is filled with what selects there."""


class Accesses:
    """The uses as keys of the fields that have one of some names, or that are used in some modules.

    `owners` are the classes whose fields will be asked for; None when it can be those of any object.
    """

    def __init__(
        self, selecting: Selecting, names: frozenset[str], modules: frozenset[str], functions: frozenset[FunctionId],
        owners: frozenset[str] | None,
    ) -> None:
        self._selecting = selecting
        self._view = selecting.view
        self._fields = selecting.fields
        self._holders = selecting.holders
        self._keys = selecting.keys
        self._fills = selecting.fills
        self._owners = owners
        self._asked = selecting.concerned(names, modules, functions)
        self._modules = frozenset(identity.module for identity in self._asked)
        self._by_mode: dict[Mode, dict[str, tuple[Use, ...]]] = {}
        self._places: dict[tuple[FunctionId, Mode, Places], Places] = {}

    def uses(self, field: str, mode: Mode) -> tuple[Use, ...]:
        """Where the field selects what is read, or written."""
        return self._all(mode).get(field, ())

    def _all(self, mode: Mode) -> dict[str, tuple[Use, ...]]:
        """The uses of every field, by its name."""
        known = self._by_mode.get(mode)
        if known is None:
            found: dict[str, list[Use]] = {}
            for use in self._find(mode):
                found.setdefault(use.field, []).append(use)
            known = self._by_mode[mode] = {field: tuple(uses) for field, uses in found.items()}
        return known

    def is_looked_up(self, field: str) -> bool:
        """Whether keys select from what the field holds: it is a part of the state then, and no set of keys."""
        return field in self._looked_up

    @functools.cached_property
    def _looked_up(self) -> Places:
        return frozenset().union(*(keyed.places for identity in self._asked for keyed in self._keys.of(identity, "read") if not keyed.sought))

    def is_merged_into(self, places: Places) -> bool:
        """Whether something is merged into a container of which no field says what its keys are."""
        return not self._merged.isdisjoint(places - FILES)

    @functools.cached_property
    def _merged(self) -> Places:
        return frozenset().union(*(
            keyed.places for identity in self._asked for keyed in self._keys.of(identity, "write")
            if keyed.merges and not any(leaf.field for leaf in keyed.leaves)
        ))

    def selects_from_what_stays(self, field: str) -> bool:
        """Whether all that the field is seen to select from is changed by nobody in view: services, texts, settings."""
        reads = self.uses(field, "read")
        return bool(reads) and all(use.places and use.places.isdisjoint(self._changed) and not any(map(is_formal, use.places)) for use in reads)

    @functools.cached_property
    def _changed(self) -> Places:
        return frozenset().union(*(keyed.places for identity in self._asked for keyed in self._keys.of(identity, "write")))

    def holds_like(self, field: str, other: str) -> bool:
        """Whether two fields are written down to hold some of the same constants: they are sets of the same kind of thing."""
        return not self._constants.get(field, set()).isdisjoint(self._constants.get(other, set()))

    @functools.cached_property
    def _with_bodies(self) -> tuple[FunctionId, ...]:
        """The functions that are asked, and what their modules do themselves: tables stand there."""
        return tuple(dict.fromkeys((*self._asked, *(FunctionId(module, 0) for module in sorted(self._modules)))))

    @functools.cached_property
    def _constants(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for identity in self._with_bodies:
            for _, field, value in self._fills.constructed(identity):
                found.setdefault(field, set()).update(constants_in(self._view, identity, value))
        return found

    def container(self, identity: FunctionId, at: int, value: Value) -> Places:
        """The places that a value is, as something that keys select from."""
        return self._keys.container(identity, at, value)

    def writes_into(self, identity: FunctionId, places: Places) -> frozenset[int]:
        """The events at which the function writes into containers by keys."""
        return frozenset(keyed.event for keyed in self._keys.of(identity, "write") if keyed.places & places)

    def applied_to(self, field: str, identity: FunctionId, at: int, container: Value) -> bool:
        """Whether the field selects what is written in a container that a function names, and in no other one.

        What is marked beside the state itself, as a lock table is, is not what changes are applied to.
        """
        places = self._keys.container(identity, at, container)
        stores = self.uses(field, "write") if places else ()
        return any(places & use.places for use in stores) and not any(use.places and not places & use.places for use in stores)

    def opposed(self, read: str, written: str, by_any_name: bool = True) -> tuple[Use, Use] | None:
        """A use of one field to read from a container that the other one writes to, and that use.

        `by_any_name`: for fields of a declared class, containers that are passed under two names may be one.
        """
        met = [
            (use, store) for use in self.uses(read, "read") for store in self.uses(written, "write")
            if self._meet(use.places, store.places - FILES) or (FILES <= use.places & store.places and use.function == store.function)
        ]
        for use, store in met:
            if use.function == store.function:
                return use, store
        if met:
            return met[0]
        stores = [(store, self._passed(store) - FILES) for store in self.uses(written, "write")]
        for use in self.uses(read, "read") if any([places for _, places in stores]) else ():
            passed = self._passed(use)
            for store, places in stores:
                if not passed.isdisjoint(places):
                    return use, store
        if not by_any_name or written.rpartition(".")[0].endswith(("{}", "()")):
            return None
        return next((
            (use, store) for use in self.uses(read, "read") for store in self.uses(written, "write")
            if use.function != store.function and may_be_one(use.places, store.places)
        ), None)

    def _meet(self, one: Places, other: Places) -> bool:
        """Whether two functions name one container, be it through an object of which only the attributes are known."""
        return bool(one & other) or any(self._is_same(a, b) or self._is_same(b, a) for a in one for b in other)

    def _is_same(self, through: str, place: str) -> bool:
        """Whether `Unit.repository.rows` is `Repository.rows`: no class declares the first one, and the attribute has its name."""
        owner, _, field = place.rpartition(".")
        holder, _, name = through.rpartition(".")
        classes = self._view.program.class_
        return name == field and holder.count(".") > 1 and classes(owner) is not None and classes(holder) is None and (
            classes(holder.rpartition(".")[0]) is not None)

    def _passed(self, use: Use) -> Places:
        """The places of a use, and for formals what the function's callers pass."""
        known = self._places.get((use.function, use.mode, use.places))
        if known is None:
            known = self._places[use.function, use.mode, use.places] = self._find_passed(use)
        return known

    def _find_passed(self, use: Use) -> Places:
        found = set(use.places)
        if use.mode == "read":
            found |= self._selecting.own_views.behind(use.function, use.places, self._modules)
        formals = [f.name for f in self._view.function(use.function).formals if f"{use.function.module}:{f.name}" in use.places]
        sites = [*self._view.call_graph.callers(use.function), *self._untyped.get(use.function, ())] if formals else []
        for caller, number in sites[:CALLERS]:
            for bound in bindings(self._view, self._fields.shapes, caller, number, use.function):
                for value in (bound[name] for name in formals if name in bound):
                    found |= self._keys.container(caller, number, value)
        return frozenset(found)

    @functools.cached_property
    def _untyped(self) -> dict[FunctionId, list[tuple[FunctionId, int]]]:
        """Who calls methods of objects that are known by their fields alone."""
        found: dict[FunctionId, list[tuple[FunctionId, int]]] = {}
        for identity in self._asked:
            for number, event in enumerate(self._view.function(identity).events):
                for target in self._fields.shapes.called(identity, number) if event.kind == "call" else ():
                    found.setdefault(target, []).append((identity, number))
        return found

    def tests_at(self, use: Use) -> frozenset[tuple[str, str, bool]]:
        """The tests of fields that hold where a field is used."""
        return self._selecting.tests_at(use.function, use.event)

    def fields_of(self, owner: str) -> frozenset[str]:
        """The fields of a class that are used as keys at all."""
        return frozenset(field for mode in MODES for field in self._all(mode) if field.rpartition(".")[0] == owner)

    def together(self, fields: frozenset[str]) -> frozenset[str]:
        """The fields that some function, its callees included, uses of the same object as one of `fields`."""
        objects = {place for place, used in self._by_object.items() if used & fields}
        return frozenset().union(*(self._by_object[each] for each in objects))

    @functools.cached_property
    def _by_object(self) -> dict[tuple[FunctionId, str], set[str]]:
        found: dict[tuple[FunctionId, str], set[str]] = {}
        for identity in self._with_bodies:
            for mode in MODES:
                for leaf, keyed in self._selected(identity, mode):
                    for place in self._one_of(identity, keyed.event, leaf):
                        found.setdefault((identity, place), set()).add(leaf.key)
            for number, field, _ in self._fills.constructed(identity):
                if field.rpartition(".")[0].endswith(("{}", "()")):
                    found.setdefault((identity, f"display {number}"), set()).add(field)
        for identity in self._asked:
            for number, calls in self._view.calling_inside(identity):
                for call in calls if self._view.event(identity, number).arguments else ():
                    for target in call.functions[:4]:
                        for formal, value in filled(self._view, call, target).items():
                            used = found.get((target, formal))
                            if used and isinstance(value, Name):
                                found.setdefault((identity, value.name), set()).update(used)
        return found

    def _one_of(self, identity: FunctionId, at: int, leaf: Leaf) -> Iterator[str]:
        """The function's name for an object, and for the collections that it is one of."""
        yield leaf.instance
        if leaf.owner.endswith(("{}", "()")):
            for _, source in copied_from(self._view, identity, at, Name(leaf.instance, "local")):
                if isinstance(source, Name) and source.scope == "local":
                    yield f"each of {source.name}"

    def of_formal(self, identity: FunctionId, formal: str, depth: int = HELPERS) -> frozenset[tuple[Mode, Places]]:
        """What callers use the value for that they pass for a formal: as a key of what they read, or write, and where."""
        found: set[tuple[Mode, Places]] = {
            (use.mode, use.places) for _, field, value in self._fills.constructed(identity)
            if isinstance(value, Name) and value.name == formal and not field.startswith(f"{identity.module}(")
            for mode in MODES for use in self.uses(field, mode)
        }
        for caller, number in self._view.call_graph.callers(identity):
            for call in self._view.calls(caller, number):
                value = self._view.bound(call, identity).get(formal) if identity in call.functions else None
                passed = self._fields.of(caller, number, value) if value is not None else frozenset()
                for leaf in passed:
                    if leaf.field:
                        found.update((mode, use.places) for mode in MODES for use in self.uses(leaf.key, mode))
                for keyed in self._both(caller):
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
            (keyed.mode, keyed.places) for keyed in self._both(current)
            if any(not leaf.field and leaf.instance == name.name for leaf in keyed.leaves)
        }
        return frozenset(here) | self.of_formal(current, name.name, depth)

    # One function.

    def _find(self, mode: Mode) -> Iterator[Use]:
        for identity in self._asked:
            for leaf, keyed in self._selected(identity, mode):
                yield Use(leaf.key, mode, identity, keyed.event, keyed.places, self._is_one_of_many(identity, keyed))
            yield from self._filled(identity, mode)
            for field, function, keyed in told_by_closures(
                self._view, self._keys, self._fills, identity, self._selecting.inside(identity), mode
            ):
                if self._is_asked_for(field.rpartition(".")[0]):
                    yield Use(field, mode, function, keyed.event, keyed.places, self._is_one_of_many(function, keyed))
        if mode == "read":
            yield from self._derived()

    def _is_asked_for(self, owner: str) -> bool:
        return self._owners is None or owner in self._owners

    def _both(self, identity: FunctionId) -> Iterator[Keyed]:
        for mode in MODES:
            yield from self._keys.of(identity, mode)

    def _selected(self, identity: FunctionId, mode: Mode) -> Iterator[tuple[Leaf, Keyed]]:
        """The fields that are keys of a function, each with its use; what is filed under its own field is no change."""
        bounds: dict[int, dict[Value, None]] = {}
        for keyed in self._keys.of(identity, mode):
            bounds.setdefault(keyed.event, {}).update(dict.fromkeys(keyed.values))
        ranges = {event: ranges_selecting(self._view, identity, values) for event, values in bounds.items()}
        held = {event: self._fields.of_all(identity, event, names) for event, names in ranges.items() if names}
        for keyed in self._keys.of(identity, mode):
            made_of = keyed.leaves | held[keyed.event] if keyed.event in held else keyed.leaves
            leaves = [leaf for leaf in made_of if leaf.field and leaf.owner and self._is_asked_for(leaf.owner)]
            filed = self._filed(identity, keyed) if leaves else frozenset()
            for leaf in leaves:
                if leaf.instance not in filed and leaf.key not in keyed.places:
                    yield leaf, keyed

    def _filed(self, identity: FunctionId, keyed: Keyed) -> frozenset[str]:
        """The objects that are themselves stored: filing an object under its own key applies no change."""
        event = self._view.event(identity, keyed.event)
        values = [event.value] if event.kind == "write" and event.value is not None else []
        if event.kind == "call" and keyed.mode == "write" and event.path is not None:
            values += [a.value for a in event.arguments[0 if event.path.steps[-1:] and event.path.steps[-1] in CHANGES - {"setdefault"} else 1:]]
        named = frozenset(value.name for value in values if isinstance(value, Name))
        return named.union(leaf.instance for leaf in self._fields.of_all(identity, keyed.event, values) if not leaf.field)

    def _is_one_of_many(self, identity: FunctionId, keyed: Keyed) -> bool:
        """Whether a key is an element of what is gone through, or a part of one."""
        if keyed.each:
            return True
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

    def _filled(self, identity: FunctionId, mode: Mode) -> Iterator[Use]:
        """A field that gets the keys by which the same function reads or writes; what it writes by, it does not read by."""
        for number, field, values in self._fills.of(identity) if self._keys.of(identity, mode) else ():
            if self._is_asked_for(field.rpartition(".")[0]):
                names = frozenset(stem for value in values for stem in self._fills.stems(identity, number, value))
                if mode == "read" and any(True for _ in self._made_of(identity, number, names, "write")):
                    continue
                for keyed in self._made_of(identity, number, names, mode):
                    added = filling(self._view.event(identity, number))[0] is not None
                    yield Use(field, mode, identity, number, keyed.places, added or self._is_one_of_many(identity, keyed), filled=True)

    def _made_of(self, identity: FunctionId, number: int, names: frozenset[Value], mode: Mode) -> Iterator[Keyed]:
        """The keys that are made of what a field is filled with; that two tables are filled beside each other applies nothing."""
        filed = {at for at, _, _ in self._fills.of(identity)} if self._view.event(identity, number).kind == "write" else frozenset()
        for keyed in self._selecting.keys_about(identity, mode, names):
            if keyed.event == number or keyed.sought or (mode == "write" and keyed.event in filed):
                continue
            if any(share(names, self._fills.stems(identity, keyed.event, v)) for v in keyed.values):
                yield keyed

    # Fields that are taken apart for keys.

    def _derived(self) -> Iterator[Use]:
        """What is stored under a key names other keys, when some function of the program gets a set out of a stored value."""
        functions = [identity for identity in self._view.program.functions() if identity.module in self._modules]
        stored: dict[Holder, list[str]] = {}
        for identity in functions:
            for number, leaves in self._selecting.stored(identity):
                fields = [leaf.key for leaf in leaves if self._is_asked_for(leaf.owner)]
                event = self._view.event(identity, number)
                if fields and event.path is not None:
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    for holder in self._holders.of_path(identity, number, container, event.keys[:-1]):
                        stored.setdefault(holder, []).extend(fields)
        for identity in functions if stored else ():
            for number, container_of in self._selecting.taken_apart(identity):
                for field in stored.get(container_of, ()):
                    yield Use(field, "read", identity, number, frozenset([container_of]))
