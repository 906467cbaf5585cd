"""Ranges that are put in order and compared with the next one: `for one, other in zip(spans, spans[1:])`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Name, Result, Value

MAX_DEPTH = 6


def are_neighbours(view: View, identity: FunctionId, at: int, values: Sequence[Value]) -> bool:
    """Whether two values are parts of two neighbours in one sequence."""
    ways = [set(_pairs_of(view, identity, at, value, ())) for value in values]
    return any(one[0] == other[0] and one[1] != other[1] for one in ways[0] for other in ways[-1])


def _pairs_of(view: View, identity: FunctionId, at: int, value: Value, taken: tuple[str, ...], depth: int = 0) -> Iterator[tuple[int, str]]:
    """The loops that go through neighbours of which a value is a part, each with the position of the one that it is a part of."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Compound) and value.operator == "item":
        yield from _pairs_of(view, identity, at, value.parts[0], (getattr(value.parts[1], "text", ""), *taken), depth + 1)
    elif isinstance(value, Name) and value.scope == "local":
        for number in view.definitions(identity).definitions(at, value.name):
            bound = view.event(identity, number) if number >= 0 else None
            if bound is not None and bound.kind == "local" and bound.value is not None:
                yield from _pairs_of(view, identity, number, bound.value, taken, depth + 1)
    elif isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "iterate" and taken and isinstance(event.value, Result):
            if _goes_through_neighbours(view, identity, view.event(identity, event.value.event)):
                yield value.event, taken[0]
        elif event.kind == "read" and event.path is not None:
            key = getattr(event.keys[-1], "text", "") if event.path.steps == ("[*]",) else ""
            yield from _pairs_of(view, identity, value.event, event.path.root, (key, *taken) if key else taken, depth + 1)


def _goes_through_neighbours(view: View, identity: FunctionId, made: Event) -> bool:
    if made.kind != "call" or made.path is None:
        return False
    name = made.path.steps[-1] if made.path.steps else getattr(made.path.root, "name", "")
    if name == "pairwise":
        return True
    values = [argument.value for argument in made.arguments]
    rest = view.event(identity, values[1].event) if len(values) == 2 and isinstance(values[1], Result) else None
    return name == "zip" and rest is not None and rest.kind == "read" and rest.path is not None and (
        rest.path.steps == ("[*]",) and rest.path.root == values[0])
