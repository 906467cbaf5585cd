"""What a container was copied from: `[dict(r) for r in records]` holds the state of `records`, under a new name."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

MAX_DEPTH = 6
_COPIES = frozenset(["dict", "list", "set", "sorted", "tuple", "reversed", "deepcopy", "copy", "enumerate"])
_PAIRS = frozenset(["zip", "product", "zip_longest"])


def copied_from(view: View, identity: FunctionId, at: int, value: Value, depth: int = 0) -> Iterator[tuple[int, Value]]:
    """The values, each with its event, that hold what `value` is a copy, an element, or a copy of the elements of."""
    if depth > MAX_DEPTH:
        return
    if depth:
        yield at, value
    for where, source in _sources(view, identity, at, value):
        yield from copied_from(view, identity, where, source, depth + 1)


def _sources(view: View, identity: FunctionId, at: int, value: Value) -> Iterator[tuple[int, Value]]:
    if isinstance(value, Name) and value.scope == "local":
        for number in view.definitions(identity).definitions(at, value.name):
            bound = view.event(identity, number) if number >= 0 else None
            if bound is not None and bound.kind == "local" and bound.value is not None:
                yield number, bound.value
    elif isinstance(value, Compound) and value.operator == "item":
        yield from paired_in(view, identity, value.parts[0], value.parts[1])
    elif isinstance(value, Compound) and value.operator == "comprehension-list":
        yield at, value.parts[0]
    elif isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "iterate" and event.value is not None:
            yield value.event, event.value
        elif event.kind == "call" and event.path is not None:
            name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
            if name in _COPIES and len(event.arguments) == 1:
                yield value.event, event.arguments[0].value
            elif name == "copy" and len(event.path.steps) == 1:
                yield value.event, event.path.root


def paired_in(view: View, identity: FunctionId, whole: Value, position: Value) -> Iterator[tuple[int, Value]]:
    """What is gone through at a position of pairs: of `zip`, or of all combinations of elements (`product`)."""
    gone = view.event(identity, whole.event).value if isinstance(whole, Result) else None
    event = view.event(identity, gone.event) if isinstance(gone, Result) else None
    if event is None or event.kind != "call" or event.path is None or not isinstance(gone, Result) or not isinstance(event.path.root, Name):
        return
    name = event.path.steps[-1] if event.path.steps else event.path.root.name
    if name in _PAIRS and event.path.root.scope == "global" and isinstance(position, Constant) and position.text.isdigit():
        yield from ((gone.event, argument.value) for argument in event.arguments[int(position.text):][:1] if not argument.keyword)
