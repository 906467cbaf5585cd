"""The displays and record objects that a serialised value is made of."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Compound, Name, Result, Value

MAX_DEPTH = 5


def structures(view: View, identity: FunctionId, at: int, value: Value, depth: int = 0) -> Iterator[tuple[int, Value]]:
    """Every display that a value is made of, through locals and the arguments of calls, and where it is put together."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Compound):
        if value.operator in ("dict", "tuple"):
            yield at, value
            return
        for part in value.parts:
            yield from structures(view, identity, at, part, depth + 1)
    elif isinstance(value, Name) and value.scope == "local":
        for number in view.definitions(identity).definitions(at, value.name):
            bound = view.event(identity, number).value if number >= 0 else None
            if bound is not None and view.event(identity, number).kind == "local":
                yield from structures(view, identity, number, bound, depth + 1)
    elif isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "call":
            for argument in event.arguments:
                yield from structures(view, identity, value.event, argument.value, depth + 1)
