"""Reaching definitions: which assignments a name can still hold at an event (Kildall, POPL 1973)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ctxlint.flow.bindings import bound_name, changed_name, unbound_name
from ctxlint.flow.graph import EventGraph
from ctxlint.flow.solver import solve_bits
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function

ENTRY_VALUE = -1
"""Stands among the definitions of a name for what it holds when the function begins: the argument, the enclosing function's
or the module's variable; for a plain local it means that the name can be unbound."""


class Definitions:
    """The definitions of every name at every event; computed when first asked for.

    A name's definitions are the events that bind it; `del name` ends them without being one.
    Its additions are the events that can have changed the object in it since it was bound there: stores into its items and
    attributes, and calls of its methods.
    """

    __slots__ = ("_graph", "_bound", "_added")

    def __init__(self, graph: EventGraph) -> None:
        self._graph = graph
        self._bound: Reaching | None = None
        self._added: Reaching | None = None

    @property
    def graph(self) -> EventGraph:
        """The graph whose definitions these are."""
        return self._graph

    @property
    def bound(self) -> Reaching:
        """What `definitions` selects from."""
        if self._bound is None:
            self._bound = _bound(self._graph)
        return self._bound

    @property
    def added(self) -> Reaching:
        """What `additions` selects from."""
        if self._added is None:
            self._added = _added(self._graph)
        return self._added

    def definitions(self, at_event: int, name: str) -> tuple[int, ...]:
        """The events that bind the name and reach this node, in order; `ENTRY_VALUE` first if the initial value does.

        An event's own binding is not among them. At a node that cannot be reached there are none.
        """
        if name not in self.bound.masks:
            return (ENTRY_VALUE,) if self._graph.is_reachable(at_event) else ()
        return self.bound.listed(self.bound.bits(at_event, name))

    def additions(self, at_event: int, name: str) -> tuple[int, ...]:
        """The events that can have changed the object in the name since the name was bound, in order."""
        return self.added.listed(self.added.bits(at_event, name))


class Reaching(NamedTuple):
    """Which events reach which node, as bits: the bits in front of every node, those of a name, the event of each bit.

    Whoever walks through many names subtracts the bits already seen, instead of listing the same events again.
    """

    facts: list[int]
    masks: dict[str, int]
    events: list[int]

    def bits(self, node: int, name: str) -> int:
        """The name's events that reach the node."""
        return self.facts[node] & self.masks.get(name, 0)

    def listed(self, bits: int) -> tuple[int, ...]:
        """The events that the bits stand for."""
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self.events[lowest.bit_length() - 1])
            bits ^= lowest
        return tuple(found)


def _bound(graph: EventGraph) -> Reaching:
    bindings = _by_event(graph.function, bound_name)
    endings = _by_event(graph.function, unbound_name)
    masks: dict[str, int] = {}
    for name in (*bindings.values(), *endings.values()):
        if name not in masks:
            masks[name] = 1 << len(masks)
    start = (1 << len(masks)) - 1
    events = [ENTRY_VALUE] * len(masks)
    gen: dict[int, int] = {}
    for event, name in bindings.items():
        gen[event] = 1 << len(events)
        masks[name] |= gen[event]
        events.append(event)
    kill = {event: masks[name] for event, name in (*bindings.items(), *endings.items())}
    return Reaching(solve_bits(graph, gen, kill, start), masks, events)


def _added(graph: EventGraph) -> Reaching:
    additions = _by_event(graph.function, changed_name)
    masks: dict[str, int] = {}
    events: list[int] = []
    gen: dict[int, int] = {}
    for event, name in additions.items():
        gen[event] = 1 << len(events)
        masks[name] = masks.get(name, 0) | gen[event]
        events.append(event)
    rebound = (*_by_event(graph.function, bound_name).items(), *_by_event(graph.function, unbound_name).items())
    kill = {event: masks[name] for event, name in rebound if name in masks}
    return Reaching(solve_bits(graph, gen, kill), masks, events)


def _by_event(function: Function, named: Callable[[Event], str | None]) -> dict[int, str]:
    found = {}
    for number, event in enumerate(function.events):
        name = named(event)
        if name is not None:
            found[number] = name
    return found
