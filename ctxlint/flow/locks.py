"""Which locks are held: the acquisitions that lie on every path to an event and were not released since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ctxlint.flow.graph import EventGraph
from ctxlint.flow.solver import solve_bits
from ctxlint.ir.value import Value


def held(graph: EventGraph, acquires: Mapping[int, str], releases: Mapping[int, str]) -> list[frozenset[int]]:
    """For every node, the acquisition sites that are certainly held in front of it.

    `acquires` and `releases` map events (an `enter` and its `exit`s, a call of `acquire` and of `release`) to the lock's key;
    a release ends every acquisition with its key.
    Two acquisitions of one lock are two sites: a value read under the first is stale under the second.
    An acquisition that fails holds nothing; a release that fails has released. Nodes that cannot be reached hold nothing.
    """
    sites = sorted(acquires)
    if not sites:
        return [frozenset()] * len(graph.nodes)
    bits = {site: 1 << position for position, site in enumerate(sites)}
    of_key: dict[str, int] = {}
    for site in sites:
        of_key[acquires[site]] = of_key.get(acquires[site], 0) | bits[site]
    kill = {event: of_key[key] for event, key in releases.items() if key in of_key}
    masks = solve_bits(graph, bits, kill, every_path=True)
    sets = {mask: frozenset([site for site in sites if bits[site] & mask]) for mask in set(masks)}
    return [sets[mask] for mask in masks]


def regions(graph: EventGraph) -> dict[int, tuple[int, ...]]:
    """For every reachable `enter`, the `exit` events that leave the context manager it entered (one for each way out).

    Context managers nest, so what is entered at a node is the same on every path to it: one visit of each node is enough.
    """
    events = graph.function.events
    exits: dict[int, list[int]] = {}
    entered: dict[int, _Entered | None] = {graph.entry: None}
    pending = [graph.entry]
    while pending:
        node = pending.pop()
        before = after = entered[node]
        if node < graph.size:
            event = events[node]
            if event.kind == "enter":
                after = _Entered(node, before)
                exits.setdefault(node, [])
            elif event.kind == "exit":
                left = _latest(before, graph, event.value)
                if left is not None:
                    exits[left.site].append(node)
                    before = after = left.around
        for edge in graph.successors(node):
            if edge.target not in entered:
                entered[edge.target] = before if edge.kind == "exception" else after
                pending.append(edge.target)
    return {site: tuple(sorted(found)) for site, found in exits.items()}


class _Entered(NamedTuple):
    """A context manager that is entered, and those that were entered before it."""

    site: int
    around: _Entered | None


def _latest(entered: _Entered | None, graph: EventGraph, value: Value | None) -> _Entered | None:
    while entered is not None and graph.function.events[entered.site].value != value:
        entered = entered.around
    return entered
