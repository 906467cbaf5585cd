"""What surely comes before what, asked very often: dominators of the event graph, computed once a function.

`flow.paths.dominates` also drops paths that contradict themselves, and costs a search for each question.
"""

from __future__ import annotations

from ctxlint.flow.graph import EventGraph


def comes_before(graph: EventGraph, first: int, second: int) -> bool:
    """Whether every path from the entry to `second` passes `first` (conditions ignored); true for an unreachable `second`."""
    dominators = graph.derived(immediate_dominators)
    if second not in dominators:
        return True
    node = second
    while node != graph.entry:
        node = dominators[node]
        if node == first:
            return True
    return False


def immediate_dominators(graph: EventGraph) -> dict[int, int]:
    """The nearest dominator of every reachable node (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001)."""
    order = graph.order
    position = {node: number for number, node in enumerate(order)}
    found = {graph.entry: graph.entry}
    changed = True
    while changed:
        changed = False
        for node in order:
            if node == graph.entry:
                continue
            known = [p for p in graph.predecessors(node) if p in found]
            if not known:
                continue
            nearest = known[0]
            for other in known[1:]:
                nearest = _meeting(found, position, nearest, other)
            if found.get(node) != nearest:
                found[node] = nearest
                changed = True
    return found


def _meeting(found: dict[int, int], position: dict[int, int], one: int, other: int) -> int:
    while one != other:
        while position[one] > position[other]:
            one = found[one]
        while position[other] > position[one]:
            other = found[other]
    return one
