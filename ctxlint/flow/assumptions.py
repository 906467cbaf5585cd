"""What a path has assumed: the answers its branches gave, those its events settled, those that were forgotten again.

An assumption is a pair of masks over the questions of `conditions`: answered yes, answered no.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from ctxlint.flow.conditions import ConditionTable
from ctxlint.flow.graph import EventGraph, GraphEdge

Assumed = tuple[int, int]

NOTHING: Assumed = (0, 0)


def left_by(graph: EventGraph, table: ConditionTable, node: int, assumed: Assumed, failed: bool) -> Assumed:
    """What is assumed behind the node: it changes answers, and settles some unless it failed."""
    if node >= graph.size:
        return assumed
    kept = ~table.changed(node)
    yes, no = assumed[0] & kept, assumed[1] & kept
    if failed:
        return yes, no
    settled = table.settled(node)
    return yes | settled[0], no | settled[1]


def clash(table: ConditionTable, edge: GraphEdge, assumed: Assumed) -> int:
    """The questions that the edge's condition answers in the other way."""
    if edge.condition is None:
        return 0
    said = table.answers(edge.condition)
    return assumed[0] & said[1] | assumed[1] & said[0]


def taken(table: ConditionTable, edge: GraphEdge, assumed: Assumed) -> Assumed:
    """What is assumed once the edge is taken."""
    if edge.condition is None:
        return assumed
    said = table.answers(edge.condition)
    return assumed[0] | said[0], assumed[1] | said[1]


def known(graph: EventGraph) -> list[Optional[Assumed]]:
    """In front of every node, the answers that every path to it has in common; None if no path that is consistent with
    what is known on its way leads there (conditional constant propagation, Wegman and Zadeck, TOPLAS 1991)."""
    table = graph.conditions
    facts: list[Optional[Assumed]] = [None] * len(graph.nodes)
    facts[graph.entry] = NOTHING
    dirty = bytearray(len(facts))
    dirty[graph.entry] = 1
    changing = True
    while changing:
        changing = False
        for node in graph.order:
            before = facts[node]
            if not dirty[node] or before is None:
                continue
            dirty[node] = 0
            for edge in graph.successors(node):
                behind = left_by(graph, table, node, before, edge.kind == "exception")
                if clash(table, edge, behind):
                    continue
                arriving = taken(table, edge, behind)
                old = facts[edge.target]
                new = arriving if old is None else (old[0] & arriving[0], old[1] & arriving[1])
                if new != old:
                    facts[edge.target] = new
                    dirty[edge.target] = 1
                    changing = True
    return facts


def contradiction(graph: EventGraph, edges: Iterable[tuple[int, GraphEdge]], assumed: Assumed) -> int:
    """The questions that a path, given as edges and the nodes they leave, answers both ways; 0 if there is none."""
    table = graph.conditions
    for node, edge in edges:
        behind = left_by(graph, table, node, assumed, edge.kind == "exception")
        clashing = clash(table, edge, behind)
        if clashing:
            return clashing
        assumed = taken(table, edge, behind)
    return 0
