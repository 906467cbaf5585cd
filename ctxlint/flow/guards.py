"""Guards: the conditions under which an event happens, because every path to it has taken their edge."""

from __future__ import annotations

from typing import NamedTuple

from ctxlint.flow.graph import EventGraph
from ctxlint.ir.function import Condition


class Guard(NamedTuple):
    """A condition, and the node whose branch asked it."""

    node: int
    condition: Condition


def guards(graph: EventGraph, node: int) -> tuple[Guard, ...]:
    """The guards of a node, the outermost first; none for a node that cannot be reached.

    What was tested may have changed since; `ctxlint.flow.paths` asks about that.
    """
    passed, edges = graph.derived(_passed)
    bits = passed[node]
    return tuple([edge for position, edge in enumerate(edges) if bits >> position & 1]) if bits > 0 else ()


def _passed(graph: EventGraph) -> tuple[list[int], list[Guard]]:
    """For every node the conditional edges that are on all paths to it, as bits; -1, all of them, where no path leads."""
    edges: list[Guard] = []
    ways: dict[int, list[tuple[int, int]]] = {}
    for node in graph.order:
        ways[node] = []
        for edge in graph.successors(node):
            bit = 0
            if edge.condition is not None:
                bit = 1 << len(edges)
                edges.append(Guard(node, edge.condition))
            ways[node].append((edge.target, bit))
    passed = [-1] * len(graph.nodes)
    passed[graph.entry] = 0
    changing = bool(edges)
    while changing:
        changing = False
        for node in graph.order:
            for target, bit in ways[node]:
                arriving = passed[target] & (passed[node] | bit)
                if arriving != passed[target]:
                    passed[target] = arriving
                    changing = True
    return passed, edges
