"""How functions and classes are named across modules."""

from __future__ import annotations

from typing import NamedTuple

from typing import TypeAlias

ClassId: TypeAlias = str
"""The dotted qualified name of a class of the program: `package.module.Outer.Inner`."""


class FunctionId(NamedTuple):
    """A function of the program: its module's dotted name and its index in `Module.functions`."""

    module: str
    index: int
