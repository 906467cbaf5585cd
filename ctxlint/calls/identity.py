"""How functions and classes are named across modules."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

ClassId: TypeAlias = str
"""The dotted qualified name of a class of the program: `package.module.Outer.Inner`."""


class FunctionId(NamedTuple):
    """A function of the program: its module's dotted name and its index in `Module.functions`."""

    module: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of an identity
