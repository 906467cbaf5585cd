"""Objects that know one edit: one method makes it, another takes it back, and a field says where.

Such an object is its own undo record: what is put away for later is the object, and its fields are the parts.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.view import View
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.edit import Edit
from ctxlint.roles.edits import Edits
from ctxlint.roles.holders import ITEM, Holder, Holders, is_within
from ctxlint.roles.parts import Part, Parts
from ctxlint.roles.sums import leaves, single


class Command(msgspec.Struct, frozen=True, gc=False):
    """A class's method that makes an edit (`forward`), the one that takes it back (`inverse`), and the fields that say where."""

    owner: ClassId
    forward: FunctionId
    inverse: FunctionId
    edit: Edit
    undone: Edit
    parts: dict[Holder, Part]


class Commands:
    """The commands of a program, by the method that makes the edit."""

    def __init__(self, view: View, holders: Holders, edits: Edits, parts: Parts) -> None:
        self._view = view
        self._holders = holders
        self._edits = edits
        self._parts = parts
        self._methods: dict[ClassId, list[FunctionId]] = {}
        for identity in view.program.functions():
            owner = view.program.owner(identity)
            if owner is not None and view.function(identity).kind in ("function", "coroutine"):
                self._methods.setdefault(owner, []).append(identity)
        self._families: dict[ClassId, frozenset[ClassId]] = {}

    def of(self, identity: FunctionId) -> Iterator[Command]:
        """The commands whose edit this method makes."""
        owner = self._view.program.owner(identity)
        methods = self._methods.get(owner or "", [])
        if owner is None or identity not in methods or is_constructor(self._view, identity) or len(methods) > MAX_METHODS:
            return
        if self._edits.at_places.isdisjoint(methods):
            return                                         # what one adds, another one removes, or both replace
        for edit in self._edits.of(identity):
            if edit.operation == "whole" or self._is_on_what_was_made(identity, edit) or any(self._is_own(h, owner, methods) for h in edit.holders):
                continue
            for inverse in methods:
                if inverse != identity and not is_constructor(self._view, inverse):
                    for undone in self._edits.of(inverse):
                        if undone.holders & edit.holders and self._is_inverse(identity, edit, inverse, undone):
                            parts = self._fields(identity, edit, inverse, undone, owner)
                            if parts and not self._is_moved(parts, methods, (identity, inverse)):
                                self._name_family(owner, identity, inverse)
                                yield Command(owner, identity, inverse, edit, undone, parts)

    def belongs(self, identity: FunctionId, container: Holder) -> bool:
        """Whether a function is a command's, makes one, or has one make its edit; `container` is the command's class."""
        family = self._families.get(container, frozenset())
        if self._view.program.owner(identity) in family:
            return True
        return bool(family) and any(
            self._view.program.owner(target) in family
            for number, event in enumerate(self._view.function(identity).events) if event.kind == "call"
            for call in self._view.calls(identity, number) for target in (*call.functions, *call.abstract)
        )

    def _is_on_what_was_made(self, identity: FunctionId, edit: Edit) -> bool:
        """Whether the edit is of an object that a call has just given, as when a method fills a copy: nobody takes that back."""
        event = self._view.event(identity, edit.event)
        paths = self._view.resolve_path(identity, edit.event, event.path) if event.path is not None else ()
        return bool(paths) and all(
            isinstance(path.root, Result) and self._view.event(identity, path.root.event).kind == "call" for path in paths
        )

    def _is_own(self, cell: Holder, owner: ClassId, methods: list[FunctionId]) -> bool:
        """Whether the cell is the object's own, or its base's: made by it, and not what it was given."""
        info = self._view.program.class_(owner)
        lineage = info.mro if info is not None else (owner,)
        having = next((each for each in lineage if is_within(cell, each)), "")
        if not having or "." in cell[len(having) + 1:]:
            return False
        methods = [*methods, *(m for each in lineage if each != owner for m in self._methods.get(each, ()))]
        return not any(
            event.kind == "write" and isinstance(event.value, Name) and cell in self._holders.of_event(method, number)
            for method in methods if is_constructor(self._view, method)
            for number, event in enumerate(self._view.function(method).events)
        )

    def _is_moved(self, parts: dict[Holder, Part], methods: list[FunctionId], known: tuple[FunctionId, FunctionId]) -> bool:
        """Whether other methods set the fields that say where: those are a cursor, not the place of one edit."""
        return any(
            event.kind == "write" and event.path is not None and len(event.path.steps) == 1
            and any(is_within(part, holder) for part in parts for holder in self._holders.of_event(method, number))
            for method in methods if method not in known and not is_constructor(self._view, method)
            for number, event in enumerate(self._view.function(method).events)
        )

    def _is_inverse(self, identity: FunctionId, edit: Edit, inverse: FunctionId, undone: Edit) -> bool:
        """Whether one edit adds where the other removes, or both replace; the method that notes the more makes the edit."""
        if undone.operation == "whole" or _sign(edit) != -_sign(undone):
            return False
        noted, other = (len(self._notes(f)) for f in (identity, inverse))
        if noted != other:
            return noted > other
        return _sign(edit) > 0 if _sign(edit) else identity < inverse

    def _notes(self, identity: FunctionId) -> dict[Holder, tuple[int, Value]]:
        """The fields of its own object that a method sets to something it found, and where."""
        owner = self._view.program.owner(identity)
        found: dict[Holder, tuple[int, Value]] = {}
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.note != "aug":
                if event.value is not None and isinstance(event.path.root, Name):
                    for holder in self._holders.of_event(identity, number):
                        if owner is not None and is_within(holder, attribute_owner(self._view, owner, event.path.steps[0])):
                            found[holder] = (number, event.value)
        return found

    def _fields(self, identity: FunctionId, edit: Edit, inverse: FunctionId, undone: Edit, owner: ClassId) -> dict[Holder, Part]:
        places = {str(a[1]) for s in (undone.start, undone.removed) if s is not None for a in leaves(s) if a[0] == "place"}
        for value in undone.positions:
            places |= self._holders.of(inverse, undone.event, value)
        notes = self._notes(identity)
        parts: dict[Holder, Part] = {}
        for place in sorted(places):
            field = place.partition("[")[0]
            if ITEM in place or not is_within(field, attribute_owner(self._view, owner, field.rpartition(".")[2])):
                continue
            if field in notes and self._is_noted_for(identity, notes[field][0], edit.event):
                number, value = notes[field]
                part = self._parts.part(identity, number, value)
                if field != place or isinstance(value, Compound) and value.operator in ("tuple", "dict"):
                    self._parts.take_apart(identity, number, value, field, parts, 0)
                else:
                    parts[place] = part
            else:
                parts[place] = Part(single(("param", place)), single(("len", "param", place)), Name("self", "local"), inverse, undone.event)
        return parts

    def _is_noted_for(self, identity: FunctionId, noted: int, edit: int) -> bool:
        graph = self._view.graph(identity)
        return edit in reachable(graph, noted) or noted in reachable(graph, edit)

    def _name_family(self, owner: ClassId, forward: FunctionId, inverse: FunctionId) -> None:
        if owner not in self._families:
            names = {self._view.program.symbol(f).rpartition(".")[2] for f in (forward, inverse)}
            self._families[owner] = frozenset(
                each for each, methods in self._methods.items()
                if names <= {self._view.program.symbol(m).rpartition(".")[2] for m in methods}
            )


MAX_METHODS = 12
"""A class with more methods than this is no single edit."""


def _sign(edit: Edit) -> int:
    if edit.removed is None or edit.inserted is None:
        return 0
    change = edit.inserted - edit.removed
    coefficients = [change.constant, *(count for _, count in change.terms)]
    return 1 if any(c > 0 for c in coefficients) else -1 if any(c < 0 for c in coefficients) else 0
