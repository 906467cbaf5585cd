"""Parts of a change that hold the state as it was when the change began: `Edit(tuple(frames))`, `{"seen": dict(values)}`.

What a change reads from such a part it reads from the state: a later write there is what its content misses.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.copies import copied_from
from ctxlint.roles.displays import spread_in
from ctxlint.roles.fields import Fields
from ctxlint.roles.fills import Fills
from ctxlint.roles.keyed import Keys, Places

_VIEWS = frozenset(["MappingProxyType", "ChainMap", "memoryview", "bytes", "bytearray", "frozenset", "str", "deque"])

_Told = dict[str, set[str]]


class OwnViews:
    """The containers of which parts of objects are made when the objects are; found for each module once."""

    def __init__(self, view: View, fields: Fields, fills: Fills, keys: Keys) -> None:
        self._view = view
        self._fields = fields
        self._fills = fills
        self._keys = keys
        self._parts: dict[str, tuple[_Told, _Told]] = {}
        self._known: dict[frozenset[str], dict[str, frozenset[str]]] = {}

    def behind(self, identity: FunctionId, places: Places, modules: frozenset[str]) -> Places:
        """The containers that a function's reads from some places are reads of, by way of a part of an object that modules make."""
        made_of = self._made_of(modules)
        found: set[str] = set().union(*(made_of.get(place, ()) for place in places))
        for keyed in self._keys.of(identity, "read") if any(":" in place for place in places) else ():
            event = self._view.event(identity, keyed.event)
            if keyed.places & places and event.kind == "read" and event.path is not None and event.keys:
                part = AccessPath(event.path.root, event.path.steps[:-1])
                for leaf in self._fields.of_path(identity, keyed.event, part, event.keys[:-1]) if part.steps else ():
                    found |= made_of.get(leaf.key, frozenset())
        return frozenset(found) - places

    def _made_of(self, modules: frozenset[str]) -> dict[str, frozenset[str]]:
        """The containers that a part of objects is made of, by the part's name."""
        known = self._known.get(modules)
        if known is None:
            given: _Told = {}
            formals: _Told = {}
            for module in modules:
                for whole, part in zip((given, formals), self._of_module(module)):
                    for name, told in part.items():
                        whole.setdefault(name, set()).update(told)
            found = {field: set(places) for field, places in given.items()}
            for attribute, kept in formals.items():
                found.setdefault(attribute, set()).update(*(given.get(formal, ()) for formal in kept))
            known = self._known[modules] = {field: frozenset(places - {field}) for field, places in found.items() if places - {field}}
        return known

    def _of_module(self, module: str) -> tuple[_Told, _Told]:
        """What the functions of a module make parts of, and the formals that its constructors keep, by the names of the parts.

        Tuples are records of changes where they begin with something empty, which is filled later.
        """
        known = self._parts.get(module)
        if known is None:
            given: _Told = {}
            formals: _Told = {}
            for identity in self._view.program.functions_in(module):
                made = list(self._fills.constructed(identity))
                begun = {number for number, _, value in made if isinstance(value, Compound) and not value.parts}
                for number, field, value in made:
                    if not field.rpartition(".")[0].endswith("()") or number in begun:
                        given.setdefault(field, set()).update(self._containers(identity, number, value))
                for attribute, formal in self._kept(identity):
                    formals.setdefault(attribute, set()).add(formal)
            known = self._parts[module] = given, formals
        return known

    def _kept(self, identity: FunctionId) -> Iterator[tuple[str, str]]:
        """The attributes in which a constructor keeps what it is given, or a copy of it, each with the formal."""
        function = self._view.function(identity)
        owner = self._view.program.owner(identity) if function.qualname.endswith("__init__") else None
        own = receiver_name(function)
        formals = {formal.name for formal in function.formals}
        for number, event in enumerate(function.events if owner is not None else ()):
            if owner is not None and event.kind == "write" and event.path is not None and _is_attribute(event, own) and event.value is not None:
                for _, source in self._sources(identity, number, event.value):
                    if isinstance(source, Name) and source.name in formals:
                        field = event.path.steps[0]
                        yield f"{attribute_owner(self._view, owner, field)}.{field}", f"{attribute_owner(self._view, owner, source.name)}.{source.name}"

    def _containers(self, identity: FunctionId, at: int, value: Value) -> frozenset[str]:
        return frozenset().union(*(
            self._keys.container(identity, where, source) for where, source in self._sources(identity, at, value)
            if isinstance(source, (Name, Result))
        ))

    def _sources(self, identity: FunctionId, at: int, value: Value) -> Iterator[tuple[int, Value]]:
        """A value, and what it is a copy or a view of."""
        pending = [(at, value)]
        while pending:
            where, part = pending.pop()
            for number, source in ((where, part), *copied_from(self._view, identity, where, part)):
                yield number, source
                if isinstance(source, Compound):
                    pending += [(number, each) for each in spread_in(source)]
                elif isinstance(source, Result):
                    event = self._view.event(identity, source.event)
                    name = event.path.root.name if event.path is not None and isinstance(event.path.root, Name) and not event.path.steps else ""
                    if event.kind == "call" and name in _VIEWS and event.arguments:
                        pending.append((source.event, event.arguments[0].value))


def _is_attribute(event: Event, own: str) -> bool:
    return event.path is not None and len(event.path.steps) == 1 and isinstance(event.path.root, Name) and event.path.root.name == own
