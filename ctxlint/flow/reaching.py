"""Reaching definitions: which assignments a name can still hold at an event (Kildall, POPL 1973)."""

from __future__ import annotations

from collections.abc import Callable

from ctxlint.flow.bindings import bound_name, changed_name, unbound_name
from ctxlint.flow.routes import Route, Routes
from ctxlint.ir.event import Event
from ctxlint.ir.function import ENTRY, Function

ENTRY_VALUE = -1
"""Stands among the definitions of a name for what it holds when the function begins: the argument, the enclosing function's
or the module's variable; for a plain local it means that the name can be unbound."""


class Definitions:
    """The definitions of every name at every event; computed when first asked for.

    A name's definitions are the events that bind it; `del name` ends them without being one.
    Its additions are the events that can have changed the object in it since it was bound there: stores into its items and
    attributes, and calls of its methods.
    """

    __slots__ = ("_routes", "_bound", "_added")

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._bound: Reaching | None = None
        self._added: Reaching | None = None

    @property
    def bound(self) -> Reaching:
        """What `definitions` selects from."""
        if self._bound is None:
            self._bound = _bound(self._routes)
        return self._bound

    @property
    def added(self) -> Reaching:
        """What `additions` selects from."""
        if self._added is None:
            self._added = _added(self._routes)
        return self._added

    def definitions(self, at_event: int, name: str) -> tuple[int, ...]:
        """The events that bind the name and reach this node, in order; `ENTRY_VALUE` first if the initial value does.

        An event's own binding is not among them. At a node that cannot be reached there are none.
        """
        if name not in self.bound.masks:
            return (ENTRY_VALUE,) if self._routes.is_reachable(at_event) else ()
        return self.bound.listed(self.bound.bits(at_event, name))

    def additions(self, at_event: int, name: str) -> tuple[int, ...]:
        """The events that can have changed the object in the name since the name was bound, in order."""
        return self.added.listed(self.added.bits(at_event, name))


class Reaching:
    """Which events reach which node, as bits: those of a name (`masks`), the event of each bit, the bits in front of a node.

    Whoever walks through many names subtracts the bits already seen, instead of listing the same events again.
    """

    __slots__ = ("masks", "_events", "_routes", "_gen", "_kill", "_start", "_facts")

    def __init__(
        self, routes: Routes, masks: dict[str, int], events: list[int], gen: dict[int, int], kill: dict[int, int], start: int
    ) -> None:
        self.masks = masks
        self._events = events
        self._routes = routes
        self._gen = gen
        self._kill = kill
        self._start = start
        self._facts: list[int] = []

    def bits(self, node: int, name: str) -> int:
        """The name's events that reach the node."""
        mask = self.masks.get(name)
        if mask is None:
            return 0
        if not self._facts:
            self._facts = _solved(self._routes, self._gen, self._kill, self._start)
        return self._facts[node] & mask

    def listed(self, bits: int) -> tuple[int, ...]:
        """The events that the bits stand for."""
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self._events[lowest.bit_length() - 1])
            bits ^= lowest
        return tuple(found)


def _bound(routes: Routes) -> Reaching:
    bindings = _by_event(routes.function, bound_name)
    endings = _by_event(routes.function, unbound_name)
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
    return Reaching(routes, masks, events, gen, kill, start)


def _added(routes: Routes) -> Reaching:
    additions = _by_event(routes.function, changed_name)
    masks: dict[str, int] = {}
    events: list[int] = []
    gen: dict[int, int] = {}
    for event, name in additions.items():
        gen[event] = 1 << len(events)
        masks[name] = masks.get(name, 0) | gen[event]
        events.append(event)
    rebound = (*_by_event(routes.function, bound_name).items(), *_by_event(routes.function, unbound_name).items())
    kill = {event: masks[name] for event, name in rebound if name in masks}
    return Reaching(routes, masks, events, gen, kill, 0)


def _solved(routes: Routes, gen: dict[int, int], kill: dict[int, int], start: int) -> list[int]:
    """In front of each node, the bits generated and not killed on some path to it; killing comes before generating.

    What a block does to bits is the same whenever it is passed, so that blocks are solved, and then their events read off.
    An event that fails may have taken effect or not: its exception carries the bits in front of it and those behind it.
    """
    blocks, size = routes.function.blocks, len(routes.function.events)
    passed = {number: _transfers(blocks[number].first, route, gen, kill) for number, route in routes.leaving.items()}
    facts = [0] * (size + len(blocks))
    facts[size + ENTRY] = start
    order = sorted(passed)
    dirty = set(order)
    while dirty:
        for number in order:
            if number not in dirty:
                continue
            dirty.discard(number)
            ahead = facts[size + number]
            (kept, added), (kept_by_failure, added_by_failure) = passed[number]
            route = routes.leaving[number]
            leaving = ahead & kept | added
            arriving = [(target, leaving) for target in (*route.raised, *[way.target for way in route.ways])]
            if route.failing:
                arriving.append((blocks[number].pad, ahead & kept_by_failure | added_by_failure))
            for target, bits in arriving:
                if bits | facts[size + target] != facts[size + target]:
                    facts[size + target] |= bits
                    dirty.add(target)
    for number, route in routes.leaving.items():
        bits = facts[size + number]
        for event in range(blocks[number].first, route.end):
            facts[event] = bits
            if event in kill:
                bits &= ~kill[event]
            if event in gen:
                bits |= gen[event]
    return facts


_Transfer = tuple[int, int]
"""The bits that are kept, and those that are added."""


def _transfers(first: int, route: Route, gen: dict[int, int], kill: dict[int, int]) -> tuple[_Transfer, _Transfer]:
    """What happens to bits on the way through a block, and on the way to its pad."""
    kept, added, kept_by_failure, added_by_failure = -1, 0, 0, 0
    for event in range(first, route.end):
        fails = event in route.failing
        if fails:
            kept_by_failure |= kept
            added_by_failure |= added
        if event in kill:
            kept &= ~kill[event]
            added &= ~kill[event]
        if event in gen:
            added |= gen[event]
        if fails:
            kept_by_failure |= kept
            added_by_failure |= added
    return (kept, added), (kept_by_failure, added_by_failure)


def _by_event(function: Function, named: Callable[[Event], str | None]) -> dict[int, str]:
    found = {}
    for number, event in enumerate(function.events):
        name = named(event)
        if name is not None:
            found[number] = name
    return found
