"""The attributes by which running code answers: properties, item methods and iterations of a program's classes."""

from __future__ import annotations

import msgspec

from ctxlint.calls.program import Program, is_property
from ctxlint.calls.scopes import is_accessor


class Accessors(msgspec.Struct, frozen=True):
    """The attributes that some class of the program answers by running code: when they are read, and when they are changed.
    `[*]` stands for items. A class that answers for attributes it does not declare (`__getattr__`) adds none: nobody says
    which code that runs. `iterated` tells whether some class says itself what iterating over its instances gives.
    """

    read: frozenset[str]
    changed: frozenset[str]
    iterated: bool = False


def accessors(program: Program) -> Accessors:
    """The accessors of a program's classes."""
    read: set[str] = set()
    changed: set[str] = set()
    iterated = False
    for identity in program.functions():
        function = program.function(identity)
        if function.owner:
            name = function.qualname.rpartition(".")[2]
            if name == "__getitem__":
                read.add("[*]")
            elif name in ("__setitem__", "__delitem__"):
                changed.add("[*]")
            iterated = iterated or name in ("__iter__", "__aiter__")
            if is_accessor(function):
                changed.add(name)
            if is_property(function):
                read.add(name)
    return Accessors(frozenset(read), frozenset(changed), iterated)
