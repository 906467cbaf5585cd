"""What a container or a function is for, said where it is declared. Costs nothing when the program runs.

::

    class Agent:
        messages: Annotated[list[Message], CELL]
        undo: Annotated[list[Edit], JOURNAL]

        @replays
        def rollback(self) -> None: ...

The decorators return the function itself; the markers are plain values for `typing.Annotated`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Role:
    """A marker for `typing.Annotated`."""

    name: str


CELL = Role("cell")
"""Mutable context whose loss matters: history, scratchpad, plan, cursor."""

JOURNAL = Role("journal")
"""What recovery or undo reads back."""

SHARED = Role("shared")
"""Reachable by a second writer."""

PRIVATE = Role("private")
"""Belongs to one run; no second writer exists."""

TELEMETRY = Role("telemetry")
"""Nobody replays it; losing an entry loses no state."""

CACHE = Role("cache")
"""Can be computed again."""


def mutates(function: Function) -> Function:
    """Say that calling `function` changes a cell."""
    return function


def records(function: Function) -> Function:
    """Say that `function` appends to a journal and returns only when the record is committed."""
    return function


def replays(function: Function) -> Function:
    """Say that `function` reads a journal to undo or to rebuild."""
    return function


def suspends(function: Function) -> Function:
    """Say that other writers can run while `function` does."""
    return function
