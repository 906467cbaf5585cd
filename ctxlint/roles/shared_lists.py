"""Cells that are one object: a list that was handed to an object when it was made is that object's and the giver's.

Only what somebody keeps is an alias: an attribute or a variable of a module, and a local that is handed on twice.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.view import View
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.holders import STORE, Holder, Holders


class Handing(msgspec.Struct, frozen=True, gc=False):
    """A constructor's call (`event` of `function`) that makes `whole` an alias of what an attribute (`kept`) holds."""

    function: FunctionId
    event: int
    kept: Holder
    whole: frozenset[Holder]


class SharedLists:
    """Which cells of a program are one object."""

    def __init__(self, view: View, holders: Holders) -> None:
        self._view = view
        self._holders = holders
        self._handings: tuple[Handing, ...] | None = None

    @property
    def handings(self) -> tuple[Handing, ...]:
        """Every handing of a list to an object that keeps it."""
        if self._handings is None:
            self._handings = tuple(self._find())
        return self._handings

    def aliases(self, cell: frozenset[Holder]) -> frozenset[Holder]:
        """The other cells that can be the same object as one of these."""
        found = set(cell)
        grown = True
        while grown:
            grown = False
            for handing in self.handings:
                group = handing.whole | {handing.kept}
                if group & found and not group <= found:
                    found |= group
                    grown = True
        return frozenset(found) - cell

    def handings_to(self, owner: ClassId) -> tuple[Handing, ...]:
        """The handings of objects to a class, those to a record class without a constructor of its own included."""
        info = self._view.program.class_(owner)
        own = tuple(h for h in self.handings if h.kept.rpartition(".")[0] == owner)
        if own or info is None:
            return own
        fields = [field.name for field in info.ir.fields if field.annotation]
        return tuple(self._to_fields(owner, fields)) if fields else ()

    def _to_fields(self, owner: ClassId, fields: list[str]) -> Iterator[Handing]:
        simple = owner.rpartition(".")[2]
        for identity in self._view.program.functions():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "call" and event.path is not None and (
                    event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
                ) == simple:
                    for index, argument in enumerate(event.arguments):
                        name = argument.keyword or (fields[index] if index < len(fields) else "")
                        whole = frozenset(self._whole(identity, number, argument.value))
                        if name in fields and whole:
                            yield Handing(identity, number, f"{owner}.{name}", whole)

    def _find(self) -> Iterator[Handing]:
        for identity in self._view.program.functions():
            if not is_constructor(self._view, identity):
                continue
            kept = list(self._kept(identity))
            for caller, number in self._view.call_graph.callers(identity) if kept else ():
                for call in self._view.calls(caller, number):
                    if identity in call.functions:
                        actuals = self._view.bound(call, identity)
                        for name, holder in kept:
                            if name in actuals:
                                whole = frozenset(self._whole(caller, number, actuals[name]))
                                if whole:
                                    yield Handing(caller, number, holder, whole)

    def _kept(self, identity: FunctionId) -> Iterator[tuple[str, Holder]]:
        """The formals that a constructor keeps as they are, and where."""
        formals = {formal.name for formal in self._view.function(identity).formals}
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "write" and event.path is not None and len(event.path.steps) == 1:
                for value in _alternatives(event.value):
                    if isinstance(value, Name) and value.name in formals and value.scope == "local":
                        yield from ((value.name, holder) for holder in self._holders.of_event(identity, number))

    def _whole(self, identity: FunctionId, at: int, value: Value) -> Iterator[Holder]:
        if isinstance(value, Name) and value.scope == "local":
            for number in self._view.definitions(identity).definitions(at, value.name):
                yield f"{identity.module}:{self._view.function(identity).qualname}.{value.name}@{number}"
        if isinstance(value, (Name, Result)) and not self._is_made(identity, value):
            yield from (h for h in self._holders.of(identity, at, value) if not h.startswith(STORE) and ":" not in h and "[" not in h)

    def _is_made(self, identity: FunctionId, value: Value) -> bool:
        """Whether a value is the result of a call: a copy, or an object that is made for it."""
        return isinstance(value, Result) and self._view.event(identity, value.event).kind == "call"


def _alternatives(value: Value | None) -> tuple[Value, ...]:
    if isinstance(value, Compound) and value.operator in ("or", "if"):
        return value.parts
    return () if value is None else (value,)
