"""Facts that hold at every step: a worklist solver over an event graph (Kildall, POPL 1973).

Two ways in: `solve` for any lattice, `solve_bits` for sets as bitmasks with gen and kill, which is what most facts are.
In both, an event that fails may have taken effect or not: what follows its exception sees the join of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from ctxlint.flow.graph import EventGraph

T = TypeVar("T")


class Lattice(Protocol[T]):
    """A join semilattice of facts.

    Laws, for all a, b, c: join(a, a) = a; join(a, b) = join(b, a); join(a, join(b, c)) = join(join(a, b), c);
    join(bottom, a) = a; `equal` is an equivalence that join respects. Chains are finite: joining new facts into one
    changes it only finitely often. `bottom` is the fact of a node that was not reached.
    For a fact that must hold on every path, join is intersection and bottom is everything.
    """

    @property
    def bottom(self) -> T: ...

    def join(self, a: T, b: T, /) -> T: ...

    def equal(self, a: T, b: T, /) -> bool: ...


def solve(
    graph: EventGraph,
    lattice: Lattice[T],
    transfer: Callable[[int, T], T],
    start: T,
    *,
    backward: bool = False,
) -> list[T]:
    """The least facts, one a node: in front of the node, seen in the direction asked for.

    `transfer(node, fact)` is the fact behind the node and must be monotone; it must map facts in front of nodes that are not
    events to themselves or to something that depends on them alone. `start` holds at the entry, or with `backward` at both
    exits.
    """
    facts = [lattice.bottom] * len(graph.nodes)
    for node in (graph.exit, graph.raised) if backward else (graph.entry,):
        facts[node] = start
    order = graph.order[::-1] if backward else graph.order
    reached = _reached_backward if backward else _reached_forward
    dirty = bytearray([1]) * len(facts)
    changing = True
    while changing:
        changing = False
        for node in order:
            if not dirty[node]:
                continue
            dirty[node] = 0
            ahead = facts[node]
            behind = transfer(node, ahead)
            for target, failed in reached(graph, node):
                arriving = lattice.join(ahead, behind) if failed and not backward else behind
                joined = lattice.join(facts[target], arriving)
                if not lattice.equal(joined, facts[target]):
                    facts[target] = joined
                    dirty[target] = 1
                    changing = True
    return facts


def solve_bits(
    graph: EventGraph,
    gen: Mapping[int, int],
    kill: Mapping[int, int],
    start: int = 0,
    *,
    every_path: bool = False,
) -> list[int]:
    """Forward facts as bitmasks: in front of each node, the bits generated and not killed on some path to it.

    With `every_path`, on all paths to it; nodes that cannot be reached then have no bits either.
    A node in `gen` or `kill` maps to its mask; killing comes before generating.
    """
    everything = -1 if every_path else 0
    facts = [everything] * len(graph.nodes)
    facts[graph.entry] = start
    order = graph.order
    successors = graph.successors
    dirty = bytearray([1]) * len(facts)
    changing = True
    while changing:
        changing = False
        for node in order:
            if not dirty[node]:
                continue
            dirty[node] = 0
            ahead = facts[node]
            behind = ahead
            if node in kill:
                behind &= ~kill[node]
            if node in gen:
                behind |= gen[node]
            for target, _, kind in successors(node):
                old = facts[target]
                if every_path:
                    new = old & (behind & ahead if kind == "exception" else behind)
                else:
                    new = old | (behind | ahead if kind == "exception" else behind)
                if new != old:
                    facts[target] = new
                    dirty[target] = 1
                    changing = True
    if every_path:
        reached = set(order)
        return [fact if node in reached else 0 for node, fact in enumerate(facts)]
    return facts


def _reached_forward(graph: EventGraph, node: int) -> list[tuple[int, bool]]:
    return [(edge.target, edge.kind == "exception") for edge in graph.successors(node)]


def _reached_backward(graph: EventGraph, node: int) -> list[tuple[int, bool]]:
    """The nodes in front of this one; past an event that can fail towards it, also those in front of that event."""
    reached = []
    for source in graph.predecessors(node):
        reached.append((source, False))
        if any([edge.target == node and edge.kind == "exception" for edge in graph.successors(source)]):
            reached.extend([(earlier, True) for earlier in graph.predecessors(source)])
    return reached
