"""The images of a callee as those of what its caller passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.value import Value
from ctxlint.roles.holders import Holder
from ctxlint.roles.image import Image, levels_left


class Asked(Protocol):
    """Whom the values that are passed are asked of."""

    def passed(self, identity: FunctionId, number: int, value: Value, rest: str, level: int) -> frozenset[Image]:
        """What lies some steps below a value that is passed."""


class Passing:
    """One call of one function; a callee with hundreds of images has few formals, so each of them is followed once."""

    def __init__(
        self, images: Asked, identity: FunctionId, number: int, head: str, formals: frozenset[str],
        bound: Callable[[], Mapping[str, Value]], level: int,
    ) -> None:
        self._images = images
        self._identity = identity
        self._number = number
        self._head = head
        self._formals = formals
        self._bind = bound
        self._level = level
        self._actuals: Mapping[str, Value] | None = None
        self._passed: dict[Holder, frozenset[Image] | None] = {}

    def translated(self, image: Image) -> Iterator[Image]:
        """A callee's image with its formals replaced by what the call passes."""
        holder = image.holder
        head = len(self._head)
        name = holder[head:].partition("[")[0].partition(".")[0] if holder.startswith(self._head) else ""
        if not name or name not in self._formals:
            yield image
            return
        if holder not in self._passed:
            self._passed[holder] = self._find(name, holder[head + len(name):])
        below = len(holder) > head + len(name)
        for passed in self._passed[holder] or ():
            depth = max(passed.depth, levels_left(image.depth, passed.around))
            where = passed.where if below and passed.above else image.where
            yield Image(passed.holder, depth, where, passed.taken, (*image.within, *passed.within), above=passed.above)

    def _find(self, name: str, rest: str) -> frozenset[Image] | None:
        if self._actuals is None:
            self._actuals = self._bind()
        if name not in self._actuals:
            return None
        return self._images.passed(self._identity, self._number, self._actuals[name], rest, self._level)
