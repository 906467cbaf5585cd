"""Where control goes from each block of a function: what event graphs are laid out by, and block-wise facts solved along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxlint.flow.landing import expected_failures, targets_of_raise
from ctxlint.ir.function import ENTRY, RAISED, Edge, Function
from ctxlint.ir.value import Result


class Route(NamedTuple):
    """How control leaves a block: events before `end` happen; those of `failing` can also land at the block's pad.

    Then one of `ways` is taken, or, when the last event is a `raise`, its exception lands at one of the blocks `raised`.
    """

    end: int
    failing: frozenset[int]
    ways: tuple[Edge, ...]
    raised: tuple[int, ...]


class Routes:
    """The routes of the blocks that can be reached; of the others nothing is known."""

    __slots__ = ("function", "leaving", "_entered", "_reached")

    def __init__(self, function: Function, leaving: Mapping[int, Route], entered: frozenset[int]) -> None:
        self.function = function
        self.leaving = leaving
        self._entered = entered
        self._reached: bytearray | None = None

    def is_reachable(self, node: int) -> bool:
        """Whether some path from the entry leads to the node, which is numbered as in an event graph."""
        if self._reached is None:
            blocks, size = self.function.blocks, len(self.function.events)
            self._reached = bytearray(size + len(blocks))
            for number, route in self.leaving.items():
                first = blocks[number].first
                self._reached[first : route.end] = b"\1" * (route.end - first)
            for number in self._entered:
                self._reached[size + number] = 1
        return bool(self._reached[node])


def swallows_nothing(exit_event: int) -> bool:
    """What is assumed of context managers nobody knows: an exception that leaves the body leaves the `with` as well."""
    return False


def routes(
    function: Function, can_raise: Callable[[int], bool], swallows: Callable[[int], bool] = swallows_nothing
) -> Routes:
    """The routes of a function; those events can fail for which `can_raise` is true, or for whose failure a handler is written.

    A `raise` has no other way on; where classes tell which handler catches it, it leads there (`ctxlint.flow.landing`).
    An `exit` that is reached by an exception can end it only if `swallows` is true for it.
    """
    events, blocks = function.events, function.blocks
    expected = expected_failures(function, can_raise)
    leaving: dict[int, Route] = {}
    entered = {ENTRY}
    pending = [ENTRY]
    while pending:
        number = pending.pop()
        block = blocks[number]
        end, landing, ways = block.last, block.pad, block.edges
        raised: tuple[int, ...] = ()
        failing: list[int] = []
        for event in range(block.first, block.last):
            if events[event].kind == "raise":
                raised = targets_of_raise(function, event, landing) if landing != RAISED else (landing,)
                end, ways = event + 1, ()
                break
            if event in expected or can_raise(event):
                failing.append(event)
        last = end - 1
        if ways and last >= block.first and events[last].kind == "exit" and not swallows(last):
            ways = tuple([way for way in ways if not _is_swallowed(way, last)])
        leaving[number] = Route(end, frozenset(failing), ways, raised)
        for target in (*raised, *[way.target for way in ways], *((landing,) if failing else ())):
            if target not in entered:
                entered.add(target)
                pending.append(target)
    return Routes(function, leaving, frozenset(entered))


def _is_swallowed(edge: Edge, exit_event: int) -> bool:
    """Whether the edge is the one taken when the context manager's exit ends the exception."""
    return edge.condition is not None and edge.condition.holds and edge.condition.value == Result(exit_event)
