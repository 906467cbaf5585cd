"""The event graph of one function: which step can follow which, exceptions included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from ctxlint.flow.conditions import ConditionTable, condition_table
from ctxlint.flow.routes import Routes, routes, swallows_nothing
from ctxlint.flow.sharing import NOT_SHARED, Sharing
from ctxlint.ir.function import ENTRY, EXIT, RAISED, Condition, Function

T = TypeVar("T")

EdgeKind = Literal["next", "exception", "raised"]


class GraphEdge(NamedTuple):
    """A way to `target`, taken under `condition`.

    `kind` is "next" for ordinary control flow, "exception" when the event it leaves has just failed, and "raised" when an
    exception that was not caught travels on (out of a handler's dispatch, out of a `finally` or a `with`).
    """

    target: int
    condition: Condition | None
    kind: EdgeKind


_SHARED = 512
_ONWARD = tuple([(GraphEdge(event, None, "next"),) for event in range(_SHARED)])
"""The edges to the next event of a block; graphs share them, since nearly all edges of a function are of this kind."""
_FAILING = tuple([(GraphEdge(node, None, "exception"),) for node in range(_SHARED)])
"""The edges to a pad."""


class EventGraph:
    """Nodes 0 to `size` - 1 are the function's events; node `size` + b is the beginning of block b.

    Blocks have nodes so that empty ones, the entry and both exits can be asked about like events.
    Nodes of blocks that cannot be reached have no edges.
    The graph never changes; only what is derived from it is computed when first asked for.
    """

    __slots__ = ("function", "routes", "shared", "size", "entry", "exit", "raised", "_successors", "_predecessors",
                 "_derived")

    def __init__(self, routes: Routes, successors: list[tuple[GraphEdge, ...]], shared: Sharing = NOT_SHARED) -> None:
        size = len(routes.function.events)
        self.shared = shared
        self.routes = routes
        self.function = routes.function
        self.size = size
        self.entry = size + ENTRY
        self.exit = size + EXIT
        self.raised = size + RAISED
        self._successors = successors
        self._predecessors: list[list[int]] | None = None
        self._derived: dict[Callable[[EventGraph], object], Any] = {}

    @property
    def nodes(self) -> range:
        """All nodes: the events, then the blocks."""
        return range(len(self._successors))

    @property
    def conditions(self) -> ConditionTable:
        """What the function's branches test, and which events change the answer."""
        return self.derived(_conditions)

    @property
    def order(self) -> tuple[int, ...]:
        """The reachable nodes in reverse postorder: every node after its predecessors, except along loops."""
        return self.derived(_reverse_postorder)

    def turns_back(self, node: int, target: int) -> bool:
        """Whether the edge from the node to the target begins the next round of a loop."""
        positions = self.derived(_positions)
        return positions[target] <= positions[node]

    def derived(self, compute: Callable[[EventGraph], T]) -> T:
        """`compute(self)`, computed once: for facts that depend on the graph alone."""
        if compute not in self._derived:
            self._derived[compute] = compute(self)
        found: T = self._derived[compute]
        return found

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
        return node - self.size if node >= self.size else self.derived(_blocks_of_events)[node]

    def pad_of(self, node: int) -> int:
        """The node at which an exception of this event lands."""
        return self.size + self.function.blocks[self.block_of(node)].pad

    def is_reachable(self, node: int) -> bool:
        """Whether some path from the entry leads to the node."""
        return node == self.entry or bool(self.predecessors(node))


def event_graph(
    function: Function,
    can_raise: Callable[[int], bool],
    swallows: Callable[[int], bool] = swallows_nothing,
    shared: Sharing = NOT_SHARED,
) -> EventGraph:
    """Lay out the function's events along its routes; see `ctxlint.flow.routes` for what `can_raise` and `swallows` say.

    `shared` says which names inner functions use (`ctxlint.flow.sharing`), so that they can change when anything is called.
    """
    blocks, size = function.blocks, len(function.events)
    successors: list[tuple[GraphEdge, ...]] = [()] * (size + len(blocks))
    found = routes(function, can_raise, swallows)
    for number, route in found.leaving.items():
        node = size + number
        landing = size + blocks[number].pad
        pad = _FAILING[landing] if landing < _SHARED else (GraphEdge(landing, None, "exception"),)
        failing: tuple[GraphEdge, ...] = ()
        for event in range(blocks[number].first, route.end):
            onward = _ONWARD[event] if event < _SHARED else (GraphEdge(event, None, "next"),)
            successors[node] = onward + failing if failing else onward
            node = event
            failing = pad if event in route.failing else ()
        if route.raised:
            successors[node] = tuple([GraphEdge(size + target, None, "exception") for target in route.raised])
            continue
        ways = tuple([
            _ONWARD[size + way.target][0] if way.condition is None and not way.raised and size + way.target < _SHARED
            else GraphEdge(size + way.target, way.condition, "raised" if way.raised else "next") for way in route.ways
        ])
        successors[node] = ways + failing if failing else ways
    return EventGraph(found, successors, shared)


def _positions(graph: EventGraph) -> dict[int, int]:
    return {node: position for position, node in enumerate(graph.order)}


def _conditions(graph: EventGraph) -> ConditionTable:
    return condition_table(graph.function, graph.shared)


def _blocks_of_events(graph: EventGraph) -> list[int]:
    numbers = [0] * graph.size
    for number, block in enumerate(graph.function.blocks):
        numbers[block.first : block.last] = [number] * (block.last - block.first)
    return numbers


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
