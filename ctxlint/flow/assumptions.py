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


def follow(graph: EventGraph, table: ConditionTable, node: int, edge: GraphEdge, assumed: Assumed) -> tuple[int, Assumed]:
    """What is assumed behind the edge, if `assumed` is in front of the node it leaves; and the questions on which the edge's
    condition contradicts that.

    An event changes answers, and settles some unless it failed; the next round of a loop forgets what others can change.
    """
    yes, no = assumed
    if node < graph.size:
        kept = ~table.changed(node)
        yes, no = yes & kept, no & kept
        if edge.kind != "exception":
            settled = table.settled(node)
            yes, no = yes | settled[0], no | settled[1]
    clash = 0
    if edge.condition is not None:
        (needed_yes, needed_no), (said_yes, said_no) = table.answers(edge.condition)
        clash = yes & needed_no | no & needed_yes
        yes, no = yes | said_yes, no | said_no
    if table.by_rounds and graph.turns_back(node, edge.target):
        yes, no = yes & ~table.by_rounds, no & ~table.by_rounds
    return clash, (yes, no)


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
                clash, arriving = follow(graph, table, node, edge, before)
                if clash:
                    continue
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
        clash, assumed = follow(graph, table, node, edge, assumed)
        if clash:
            return clash
    return 0
