"""Whether two readings of a file differ in nothing but where things stand in it."""

from __future__ import annotations

import msgspec

from ctxlint.ir.function import Function
from ctxlint.ir.module import Module
from ctxlint.ir.span import NOWHERE, Span


def only_moved(before: Module, after: Module) -> bool:
    """Whether the second module is the first with other spans.

    What stood at one place has to stand at one place still, and what stood at two at two: answers at the same place are one.
    """
    if len(before.functions) != len(after.functions) or before.imports != after.imports:
        return False
    moved = _Moved()
    return (
        [msgspec.structs.replace(each, span=NOWHERE) for each in before.classes]
        == [msgspec.structs.replace(each, span=NOWHERE) for each in after.classes]
        and all(_same(one, other, moved) for one, other in zip(before.functions, after.functions))
    )


class _Moved:
    """Which span became which."""

    def __init__(self) -> None:
        self._after: dict[Span, Span] = {}
        self._before: dict[Span, Span] = {}

    def to(self, before: Span, after: Span) -> bool:
        """Note that something stands at `after` that stood at `before`; false when something else beside it did not go along."""
        return self._after.setdefault(before, after) == after and self._before.setdefault(after, before) == before


def _same(one: Function, other: Function, moved: _Moved) -> bool:
    if len(one.events) != len(other.events):
        return False
    bare = msgspec.structs.replace(one, events=(), span=NOWHERE) == msgspec.structs.replace(other, events=(), span=NOWHERE)
    return bare and all(
        moved.to(before.span, after.span)
        and msgspec.structs.replace(before, span=NOWHERE) == msgspec.structs.replace(after, span=NOWHERE)
        for before, after in zip(one.events, other.events)
    )
