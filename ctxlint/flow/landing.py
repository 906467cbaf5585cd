"""Where exceptions land: which handler of a `try` can catch what, and which events a handler is written for."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import NamedTuple

from ctxlint.ir.event import Event
from ctxlint.ir.function import RAISED, Function
from ctxlint.ir.value import Compound, Name, Result, Value

_FAILING_WITH = {
    "item": frozenset({"KeyError", "IndexError", "LookupError", "TypeError"}),
    "attribute": frozenset({"AttributeError"}),
    "name": frozenset({"NameError", "UnboundLocalError"}),
    "import": frozenset({"ImportError", "ModuleNotFoundError"}),
}
_FAILING_UNSEEN = frozenset({"read", "write", "delete", "local", "import", "return"})
"""Events of which nobody expects a failure, except where a handler has nothing else to catch."""

_CATCHING_ALL = "BaseException"
_ORDINARY = "Exception"
_NOT_ORDINARY = frozenset({"CancelledError"})
"""Classes of the standard library that a handler of `Exception` does not catch, besides the builtin ones."""


class Handler(NamedTuple):
    """The block in which a handler begins, and the last names of the types it catches; an empty name is not known."""

    block: int
    names: tuple[str, ...]

    def catches(self, raised: str) -> bool | None:
        """Whether it catches an exception of the class with this name; None if that cannot be told."""
        answers = [_is_kind_of(raised, name) for name in self.names]
        return True if True in answers else None if None in answers else False


class Landing(NamedTuple):
    """The handlers that are asked at a pad, in order, and the block where what none of them catches goes on, if any does."""

    handlers: tuple[Handler, ...]
    onward: int | None


def landing(function: Function, pad: int) -> Landing:
    """What exceptions that land at a block meet there; no handlers if the block begins a `finally` or leaves a `with`."""
    handlers: list[Handler] = []
    onward: int | None = None
    pending: int | None = pad
    seen: set[int] = set()
    while pending is not None and pending not in seen:
        seen.add(pending)
        block, pending = function.blocks[pending], None
        if _begins_handler(function, block.first, block.last):
            handlers.append(_handler(function, pad))
            break
        for edge in block.edges:
            target = function.blocks[edge.target]
            if edge.condition is not None:
                return Landing((), None)
            if edge.raised:
                onward = edge.target
            elif _begins_handler(function, target.first, target.last):
                handlers.append(_handler(function, edge.target))
            else:
                pending = edge.target
    return Landing(tuple(handlers), onward) if handlers else Landing((), None)


def pads(function: Function) -> list[int]:
    """For every event, the block at which its exceptions land."""
    return [block.pad for block in function.blocks for _ in range(block.first, block.last)]


def targets_of_raise(function: Function, number: int, pad: int) -> tuple[int, ...]:
    """The blocks that the exception of a `raise` can reach: the pad, or the handlers and the way on where they can be told."""
    raised = _name_of(function, function.events[number].value)
    found = landing(function, pad)
    if not raised or not found.handlers:
        return (pad,)
    answers = [handler.catches(raised) for handler in found.handlers]
    if all(answer is None for answer in answers):
        return (pad,)
    targets = []
    for handler, answer in zip(found.handlers, answers):
        if answer is not False:
            targets.append(handler.block)
        if answer:
            return tuple(targets)
    return (*targets, found.onward) if found.onward is not None else tuple(targets)


def expected_failures(function: Function, can_raise: Callable[[int], bool]) -> frozenset[int]:
    """The events that can fail because a handler is written for that: `cache[key]` in front of `except KeyError`.

    A handler in whose `try` nothing else can fail is written for whatever stands there.
    """
    if not any(event.kind == "catch" for event in function.events):
        return frozenset()
    landing_at: dict[int, list[int]] = {}
    for block in function.blocks:
        if block.pad != RAISED:
            landing_at.setdefault(block.pad, []).extend(range(block.first, block.last))
    expected: set[int] = set()
    for pad, numbers in landing_at.items():
        handlers = landing(function, pad).handlers
        names = {name for handler in handlers for name in handler.names}
        named = [number for number in numbers if names & _failures(function.events[number])]
        if handlers and not named and not any(map(can_raise, numbers)):
            named = [number for number in numbers if function.events[number].kind in _FAILING_UNSEEN]
        expected.update(named)
    return frozenset(expected)


def _failures(event: Event) -> frozenset[str]:
    if event.kind == "import":
        return _FAILING_WITH["import"]
    if event.kind not in ("read", "delete") or event.path is None:
        return frozenset()
    if not event.path.steps:
        return _FAILING_WITH["name"]
    kinds = ["item" if step == "[*]" else "attribute" for step in event.path.steps]
    return frozenset().union(*[_FAILING_WITH[kind] for kind in kinds])


def _begins_handler(function: Function, first: int, last: int) -> bool:
    return first < last and function.events[first].kind == "catch"


def _handler(function: Function, block: int) -> Handler:
    caught = function.events[function.blocks[block].first].value
    if caught is None:
        return Handler(block, (_CATCHING_ALL,))
    parts = caught.parts if isinstance(caught, Compound) and caught.operator == "tuple" else (caught,)
    return Handler(block, tuple([_name_of(function, part) for part in parts]))


def _name_of(function: Function, value: Value | None) -> str:
    """The last name of the class that the value is or is an instance of; empty if that is not written there."""
    if isinstance(value, Name):
        return value.name if value.scope == "global" else ""
    if not isinstance(value, Result):
        return ""
    event = function.events[value.event]
    if event.path is None or event.kind not in ("read", "call") or "[*]" in event.path.steps:
        return ""
    if event.path.steps:
        return event.path.steps[-1] if _is_class_like(event.path.steps[-1]) else ""
    return event.path.root.name if isinstance(event.path.root, Name) and _is_class_like(event.path.root.name) else ""


def _is_class_like(name: str) -> bool:
    """Whether a name is written as classes are: what is called could as well be a function that makes an exception."""
    return name[:1].isupper()


def _is_kind_of(raised: str, caught: str) -> bool | None:
    if not caught:
        return None
    if raised == caught or caught == _CATCHING_ALL:
        return True
    if raised in _NOT_ORDINARY and caught == _ORDINARY:
        return False
    one, other = getattr(builtins, raised, None), getattr(builtins, caught, None)
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    return None
