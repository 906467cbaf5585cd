"""What callers pass: the types of parameters and fields about which their own code says nothing.

Inference looks at callees only; here the calls that it resolved are read backwards, once.
Where some callers pass something known and others do not, the known is taken, as everywhere in inference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ctxlint.calls.elements import STR
from ctxlint.calls.entries import entry, holds_callables
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import ClassId, FunctionId
from ctxlint.calls.types import (
    NONE,
    UNKNOWN,
    ClassObject,
    Instance,
    Types,
    in_order,
    instance,
    one,
    union,
    with_items,
)
from ctxlint.ir.event import Argument
from ctxlint.ir.function import Formal
from ctxlint.ir.value import Value

CALLERS = 24
"""Callers beyond this many are not looked at."""

Site = tuple[FunctionId, int]

_POSITIONAL = ("positional", "positional-only")


class PassedTypes:
    """What call sites pass to the parameters of functions and the fields of classes without a constructor of their own.

    `sites` and `constructions` say who calls a function and who makes an instance of a class; `receives` whether a call
    fills the function's first parameter with its receiver.
    """

    def __init__(
        self,
        inference: TypeInference,
        sites: dict[FunctionId, list[Site]],
        constructions: dict[ClassId, list[Site]],
        receives: Callable[[Site, FunctionId], bool],
    ) -> None:
        self._inference = inference
        self._sites = sites
        self._constructions = constructions
        self._receives = receives

    def parameter(self, function: FunctionId, name: str) -> Types:
        """What is passed to the parameter; to one for all remaining arguments, the tuple or dict of them."""
        formal = next((f for f in self._inference.program.function(function).formals if f.name == name), None)
        if formal is None:
            return UNKNOWN
        sites = self._sites.get(function, ())[:CALLERS]
        if formal.kind == "variadic":
            return union(self._rest(site, function) for site in sites)
        if formal.kind == "keywords":
            return union(self._named_rest(site, function) for site in sites)
        return _without_none([self._passed(site, self._open_formals(site, function), name) for site in sites])

    def values(self, function: FunctionId, name: str) -> list[tuple[Site, Value]]:
        """The arguments for the parameter, each with its call."""
        given = (
            (site, _argument(self._arguments(site), self._open_formals(site, function), name))
            for site in self._sites.get(function, ())[:CALLERS]
        )
        return [(site, value) for site, value in given if value is not None]

    def field(self, class_id: ClassId, name: str) -> Types:
        """What constructions of the class put into the field, by its name or by its position among the annotated fields."""
        info = self._inference.program.class_(class_id)
        if info is None or all(field.name != name for field in info.ir.fields):
            return UNKNOWN
        formals = [Formal(field.name, "positional") for field in info.ir.fields if field.annotation]
        return _without_none([
            self._passed(site, formals, name) for site in self._constructions.get(class_id, ())[:CALLERS]
        ])

    def field_values(self, class_id: ClassId, name: str) -> list[tuple[Site, Value]]:
        """The arguments that constructions of the class give for the field, each with its call."""
        info = self._inference.program.class_(class_id)
        formals = [Formal(field.name, "positional") for field in info.ir.fields if field.annotation] if info is not None else []
        given = ((site, _argument(self._arguments(site), formals, name)) for site in self._constructions.get(class_id, ())[:CALLERS])
        return [(site, value) for site, value in given if value is not None]

    def _passed(self, site: Site, formals: Sequence[Formal], name: str) -> Types:
        """What the call passes to the parameter, taken from unpacked arguments where it has some."""
        value = _argument(self._arguments(site), formals, name)
        if value is not None:
            return self._inference.of_value(*site, value)
        place = next((i for i, formal in enumerate(formals) if formal.name == name and formal.kind != "keyword-only"), None)
        for position, argument in enumerate(self._arguments(site)):
            if argument.keyword == "*" and place is not None and place >= position:
                found = self._unpacked(site, argument.value, place - position)
            elif argument.keyword == "**":
                given = self._inference.of_value(*site, argument.value)
                found = union(entry(t, (f"str:{name}",)) for t in in_order(given) if isinstance(t, Instance) and t.items)
            else:
                continue
            if found:
                return found
        return UNKNOWN

    def _unpacked(self, site: Site, value: Value, position: int) -> Types:
        """What an unpacked argument holds at a position, if it has a length."""
        given = in_order(self._inference.of_value(*site, value))
        fixed = [t for t in given if isinstance(t, Instance) and t.name == "builtins.tuple" and position < len(t.arguments)]
        return union(t.arguments[position] for t in fixed)

    def _rest(self, site: Site, function: FunctionId) -> Types:
        taken = sum(formal.kind in _POSITIONAL for formal in self._open_formals(site, function))
        positional = [a for a in self._arguments(site) if a.keyword in ("", "*")]
        if any(a.keyword == "*" for a in positional):
            handed_on = [self._inference.of_value(*site, a.value) for a in positional[taken:] if a.keyword == "*"]
            return handed_on[0] if len(handed_on) == len(positional[taken:]) == 1 else UNKNOWN
        return instance("builtins.tuple", *(self._inference.of_value(*site, a.value) for a in positional[taken:]))

    def _named_rest(self, site: Site, function: FunctionId) -> Types:
        named = {formal.name for formal in self._open_formals(site, function)}
        rest = [a for a in self._arguments(site) if a.keyword not in ("", "*") and a.keyword not in named]
        if any(a.keyword == "**" for a in rest):
            return self._inference.of_value(*site, rest[0].value) if len(rest) == 1 else UNKNOWN
        items = [(f"str:{a.keyword}", self._inference.of_value(*site, a.value)) for a in rest]
        (made,) = instance("builtins.dict", STR, union(types for _, types in items))
        return with_items(made, items) if isinstance(made, Instance) and any(holds_callables(t) for _, t in items) else one(made)

    def _open_formals(self, site: Site, function: FunctionId) -> tuple[Formal, ...]:
        """The formals that the call's arguments fill."""
        return self._inference.program.function(function).formals[1 if self._receives(site, function) else 0 :]

    def _arguments(self, site: Site) -> tuple[Argument, ...]:
        return self._inference.program.function(site[0]).events[site[1]].arguments


def constructed_classes(receiver: Types) -> Iterator[ClassId]:
    """The classes that a call with this receiver makes instances of."""
    for t in receiver:
        if isinstance(t, ClassObject):
            yield t.name


def _argument(arguments: tuple[Argument, ...], formals: Sequence[Formal], name: str) -> Value | None:
    """The argument for the parameter of that name, as far as unpacked arguments do not hide it."""
    for argument in arguments:
        if argument.keyword == name:
            return argument.value
    for argument, formal in zip(arguments, formals):
        if argument.keyword or formal.kind not in _POSITIONAL:
            return None
        if formal.name == name:
            return argument.value
    return None


def _without_none(found: list[Types]) -> Types:
    types = union(found)
    return UNKNOWN if types == NONE else types
