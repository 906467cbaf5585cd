"""What callers pass: the types of parameters and fields about which their own code says nothing.

Inference looks at callees only; here the calls that it resolved are read backwards, once.
Where some callers pass something known and others do not, the known is taken, as everywhere in inference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import ClassId, FunctionId
from ctxlint.calls.types import NONE, UNKNOWN, ClassObject, Types, union
from ctxlint.ir.event import Argument
from ctxlint.ir.function import Formal
from ctxlint.ir.value import Value

CALLERS = 24
"""Callers beyond this many are not looked at."""

Site = tuple[FunctionId, int]


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
        """What is passed to the parameter."""
        return _without_none([self._inference.of_value(*site, value) for site, value in self.values(function, name)])

    def values(self, function: FunctionId, name: str) -> list[tuple[Site, Value]]:
        """The arguments for the parameter, each with its call."""
        formals = self._inference.program.function(function).formals
        found = []
        for site in self._sites.get(function, ())[:CALLERS]:
            value = _passed(self._arguments(site), formals[1 if self._receives(site, function) else 0 :], name)
            if value is not None:
                found.append((site, value))
        return found

    def field(self, class_id: ClassId, name: str) -> Types:
        """What constructions of the class put into the field, by its name or by its position among the annotated fields."""
        info = self._inference.program.class_(class_id)
        if info is None or all(field.name != name for field in info.ir.fields):
            return UNKNOWN
        formals = [Formal(field.name, "positional") for field in info.ir.fields if field.annotation]
        values = (
            (site, _passed(self._arguments(site), formals, name))
            for site in self._constructions.get(class_id, ())[:CALLERS]
        )
        return _without_none([self._inference.of_value(*site, value) for site, value in values if value is not None])

    def _arguments(self, site: Site) -> tuple[Argument, ...]:
        return self._inference.program.function(site[0]).events[site[1]].arguments


def constructed_classes(receiver: Types) -> Iterator[ClassId]:
    """The classes that a call with this receiver makes instances of."""
    for t in receiver:
        if isinstance(t, ClassObject):
            yield t.name


def _passed(arguments: tuple[Argument, ...], formals: list[Formal] | tuple[Formal, ...], name: str) -> Value | None:
    """The argument for the parameter of that name, as far as unpacked arguments do not hide it."""
    for argument in arguments:
        if argument.keyword == name:
            return argument.value
    for argument, formal in zip(arguments, formals):
        if argument.keyword or formal.kind not in ("positional", "positional-only"):
            return None
        if formal.name == name:
            return argument.value
    return None


def _without_none(found: list[Types]) -> Types:
    types = union(found)
    return UNKNOWN if types == NONE else types
