"""Loops: which events repeat, and what drives them (natural loops; Aho, Lam, Sethi, Ullman, section 9.6)."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlint.flow.graph import EventGraph
from ctxlint.ir.function import Function


@dataclass(frozen=True, slots=True)
class Loop:
    """`head` is where every round begins, `body` the nodes of the loop, head included.

    `driver` is the `iterate` event that takes the next element, or None for a `while`.
    """

    head: int
    body: frozenset[int]
    driver: int | None


class Loops:
    """The loops of one function."""

    __slots__ = ("all", "_innermost")

    def __init__(self, graph: EventGraph) -> None:
        self.all = loops(graph)
        self._innermost: dict[int, tuple[Loop, ...]] = {}
        for loop in self.all:
            for node in loop.body:
                self._innermost[node] = (*self._innermost.get(node, ()), loop)

    def around(self, node: int) -> tuple[Loop, ...]:
        """The loops that the node is part of, the innermost first."""
        return self._innermost.get(node, ())

    def loop_of(self, node: int) -> Loop | None:
        """The innermost loop that the node is part of."""
        return next(iter(self.around(node)), None)


def may_repeat(function: Function) -> bool:
    """Whether the function has a loop at all, by its blocks: in an event graph without one nothing has to be looked for.

    Every way from event to event is one along the edges of their blocks, and along the pads of those that have events.
    Blocks to which no way leads are taken away one after the other (Kahn, 1962); what remains lies on a cycle, or behind one.
    """
    ways = [
        (*(edge.target for edge in block.edges), *([block.pad] if block.first < block.last else [])) for block in function.blocks
    ]
    coming = [0] * len(ways)
    for targets in ways:
        for target in targets:
            coming[target] += 1
    free = [number for number, count in enumerate(coming) if not count]
    for number in free:
        for target in ways[number]:
            coming[target] -= 1
            if not coming[target]:
                free.append(target)
    return len(free) < len(ways)


def loops(graph: EventGraph) -> tuple[Loop, ...]:
    """The natural loops, inner ones before the ones around them; loops with the same head are one."""
    bodies: dict[int, set[int]] = {}
    for tail in graph.order:
        for edge in graph.successors(tail):
            if graph.turns_back(tail, edge.target):
                body = bodies.setdefault(edge.target, {edge.target})
                pending = [tail]
                while pending:
                    node = pending.pop()
                    if node not in body and graph.turns_back(node, edge.target):
                        body.add(node)
                        pending.extend(graph.predecessors(node))
    found = [Loop(head, frozenset(body), _driver(graph, head, body)) for head, body in bodies.items()]
    return tuple(sorted(found, key=lambda loop: (len(loop.body), loop.head)))


def _driver(graph: EventGraph, head: int, body: set[int]) -> int | None:
    """The `iterate` that the head comes to before it branches."""
    node = head
    passed: set[int] = set()
    while node not in passed:
        passed.add(node)
        if node < graph.size and graph.function.events[node].kind == "iterate":
            return node
        inside = [edge.target for edge in graph.successors(node) if edge.kind == "next" and edge.target in body]
        if len(inside) != 1:
            return None
        node = inside[0]
    return None
