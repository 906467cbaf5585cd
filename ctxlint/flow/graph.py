"""The event graph of one function: which step can follow which, exceptions included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from ctxlint.flow.conditions import ConditionTable, condition_table
from ctxlint.ir.function import ENTRY, EXIT, RAISED, Condition, Function

EdgeKind = Literal["next", "exception", "raised"]


class GraphEdge(NamedTuple):
    """A way to `target`, taken under `condition`.

    `kind` is "next" for ordinary control flow, "exception" when the event it leaves has just failed, and "raised" when an
    exception that was not caught travels on (out of a handler's dispatch, out of a `finally` or a `with`).
    """

    target: int
    condition: Condition | None
    kind: EdgeKind


class EventGraph:
    """Nodes 0 to `size` - 1 are the function's events; node `size` + b is the beginning of block b.

    Blocks have nodes so that empty ones, the entry and both exits can be asked about like events.
    Nodes of blocks that cannot be reached have no edges.
    The graph never changes; only what is derived from it is computed when first asked for.
    """

    __slots__ = ("function", "size", "entry", "exit", "raised", "_successors", "_predecessors", "_blocks", "_conditions",
                 "_order")

    def __init__(self, function: Function, successors: list[tuple[GraphEdge, ...]], blocks: list[int]) -> None:
        size = len(function.events)
        self.function = function
        self.size = size
        self.entry = size + ENTRY
        self.exit = size + EXIT
        self.raised = size + RAISED
        self._successors = successors
        self._blocks = blocks
        self._predecessors: list[list[int]] | None = None
        self._conditions: ConditionTable | None = None
        self._order: tuple[int, ...] | None = None

    @property
    def nodes(self) -> range:
        """All nodes: the events, then the blocks."""
        return range(len(self._successors))

    @property
    def conditions(self) -> ConditionTable:
        """What the function's branches test, and which events change the answer."""
        if self._conditions is None:
            self._conditions = condition_table(self.function)
        return self._conditions

    @property
    def order(self) -> tuple[int, ...]:
        """The reachable nodes in reverse postorder: every node after its predecessors, except along loops."""
        if self._order is None:
            self._order = _reverse_postorder(self)
        return self._order

    def successors(self, node: int) -> tuple[GraphEdge, ...]:
        """The edges that leave the node."""
        return self._successors[node]

    def predecessors(self, node: int) -> Sequence[int]:
        """The nodes with an edge to this one, each once."""
        if self._predecessors is None:
            self._predecessors = _turned_round(self._successors)
        return self._predecessors[node]

    def block_of(self, node: int) -> int:
        """The number of the block in which an event stands, or which a block's node begins."""
        return self._blocks[node] if node < self.size else node - self.size

    def pad_of(self, node: int) -> int:
        """The node at which an exception of this event lands."""
        return self.size + self.function.blocks[self.block_of(node)].pad

    def is_reachable(self, node: int) -> bool:
        """Whether some path from the entry leads to the node."""
        return node == self.entry or bool(self.predecessors(node))

    def is_event(self, node: int) -> bool:
        """Whether the node is an event rather than the beginning of a block."""
        return node < self.size


def event_graph(function: Function, can_raise: Callable[[int], bool]) -> EventGraph:
    """Lay out the function's events; those for which `can_raise` is true, and every `raise`, can reach their block's pad.

    A `raise` has no other way on.
    """
    events, blocks = function.events, function.blocks
    size = len(events)
    successors: list[tuple[GraphEdge, ...]] = [()] * (size + len(blocks))
    block_of = [0] * size
    for number, block in enumerate(blocks):
        for event in range(block.first, block.last):
            block_of[event] = number
    seen = {ENTRY}
    pending = [ENTRY]
    while pending:
        number = pending.pop()
        block = blocks[number]
        node = size + number
        pad = (GraphEdge(size + block.pad, None, "exception"),)
        failing: tuple[GraphEdge, ...] = ()
        reached = []
        for event in range(block.first, block.last):
            successors[node] = (GraphEdge(event, None, "next"), *failing)
            node = event
            if events[event].kind == "raise":
                successors[node] = pad
                reached.append(block.pad)
                break
            if can_raise(event):
                failing = pad
                reached.append(block.pad)
            else:
                failing = ()
        else:
            edges = [GraphEdge(size + edge.target, edge.condition, "raised" if edge.raised else "next")
                     for edge in block.edges]
            successors[node] = (*edges, *failing)
            reached.extend([edge.target for edge in block.edges])
        for target in reached:
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return EventGraph(function, successors, block_of)


def _turned_round(successors: list[tuple[GraphEdge, ...]]) -> list[list[int]]:
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, edges in enumerate(successors):
        for edge in edges:
            sources = predecessors[edge[0]]
            if not sources or sources[-1] != node:
                sources.append(node)
    return predecessors


def _reverse_postorder(graph: EventGraph) -> tuple[int, ...]:
    finished: list[int] = []
    seen = {graph.entry}
    stack = [(graph.entry, 0)]
    while stack:
        node, position = stack.pop()
        edges = graph.successors(node)
        while position < len(edges):
            target = edges[position][0]
            position += 1
            if target not in seen:
                seen.add(target)
                stack.append((node, position))
                stack.append((target, 0))
                break
        else:
            finished.append(node)
    finished.reverse()
    return tuple(finished)
