"""Is there a way from here to there that avoids those? The answer is the witness to show, or None: no way.

One breadth-first search answers a question; paths that contradict themselves are dropped by refinement: the search
first ignores conditions, and only the conditions on which its answer contradicts itself are tracked in the next one
(counterexample-guided abstraction refinement, Clarke et al., CAV 2000).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, Union

from ctxlint.flow.graph import EventGraph, GraphEdge
from ctxlint.ir.function import Condition

Nodes = Union[int, Iterable[int]]
Start = Literal["any", "completed", "failed"]

_STATES = 20_000
_REFINEMENTS = 24


@dataclass(frozen=True, slots=True)
class Witness:
    """A path: its nodes from source to target and the edges between them (one fewer).

    `consistent` is false only if the search was given up before it found a path whose conditions agree with each other.
    """

    nodes: tuple[int, ...]
    edges: tuple[GraphEdge, ...]
    consistent: bool = True

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions passed, in order."""
        return tuple([edge.condition for edge in self.edges if edge.condition is not None])

    @property
    def failures(self) -> tuple[int, ...]:
        """The nodes that were left by an exception of their own."""
        return tuple([node for node, edge in zip(self.nodes, self.edges) if edge.kind == "exception"])

    def events(self, graph: EventGraph) -> tuple[int, ...]:
        """The events among the nodes."""
        return tuple([node for node in self.nodes if node < graph.size])


def path(
    graph: EventGraph,
    sources: Nodes,
    targets: Nodes,
    avoiding: Collection[int] = frozenset(),
    *,
    through: Collection[int] | None = None,
    exceptional: bool = True,
    consistent: bool = True,
    start: Start = "any",
) -> Witness | None:
    """The shortest path from a source to a target that enters no node of `avoiding`, or None if there is none.

    The path leaves its source, so a path from n to n is a cycle; a source may itself be among the avoided, a target then
    cannot be reached. With `through`, a node of that set must stand strictly between source and target.
    `exceptional=False` takes ordinary control flow only. `start` says how the source is left: "completed" not by its own
    exception, "failed" only by it. With `consistent`, a path does not answer one question both ways without an event in
    between that can change the answer; if that cannot be decided within bounds, the witness says so.
    """
    found = _Search(graph, _as_set(sources), _as_set(targets), avoiding, through, exceptional, start)
    edges = found.run(0)
    if edges is None or not consistent:
        return None if edges is None else _witness(edges, True)
    tracked = 0
    for _ in range(_REFINEMENTS):
        contradicted = _contradiction(graph, edges)
        if not contradicted:
            return _witness(edges, True)
        tracked |= contradicted
        refined = found.run(tracked)
        if refined is None:
            return _witness(edges, False) if found.exhausted else None
        edges = refined
    return _witness(edges, False)


def dominates(graph: EventGraph, a: int, b: int) -> bool:
    """Whether every path from the entry to b passes a."""
    return path(graph, graph.entry, b, frozenset((a,))) is None


def reachable(graph: EventGraph, sources: Nodes, avoiding: Collection[int] = frozenset()) -> frozenset[int]:
    """The nodes that can follow a source without entering a node of `avoiding`; a source only if it lies on a cycle."""
    seen: set[int] = set()
    pending = list(_as_set(sources))
    while pending:
        for edge in graph.successors(pending.pop()):
            target = edge[0]
            if target not in seen and target not in avoiding:
                seen.add(target)
                pending.append(target)
    return frozenset(seen)


def between(graph: EventGraph, a: int, b: int) -> frozenset[int]:
    """The events strictly inside some path from a to b that passes a and b only at its ends."""
    after = reachable(graph, a, (a, b))
    before: set[int] = set()
    pending = [b]
    while pending:
        for source in graph.predecessors(pending.pop()):
            if source not in before and source != a and source != b:
                before.add(source)
                pending.append(source)
    return frozenset([node for node in after & before if node < graph.size])


_Edges = list[tuple[int, GraphEdge]]


class _Search:
    """One question, searched again with more and more conditions tracked.

    A state is a node, whether a node of `through` was passed, and what is assumed of the tracked questions.
    """

    __slots__ = ("_graph", "_sources", "_targets", "_avoiding", "_through", "_exceptional", "_start", "exhausted")

    def __init__(self, graph: EventGraph, sources: frozenset[int], targets: frozenset[int], avoiding: Collection[int],
                 through: Collection[int] | None, exceptional: bool, start: Start) -> None:
        self._graph = graph
        self._sources = sources
        self._targets = targets
        self._avoiding = avoiding
        self._through = through
        self._exceptional = exceptional
        self._start = start
        self.exhausted = False

    def run(self, tracked: int) -> _Edges | None:
        """The edges of a shortest path, each with the node it leaves; None if none was found."""
        graph, targets, avoiding, through = self._graph, self._targets, self._avoiding, self._through
        table = graph.conditions if tracked else None
        complete = through is None
        states = [(source, complete, 0, 0) for source in sorted(self._sources)]
        first = len(states)
        origins: list[tuple[int, GraphEdge] | None] = [None] * first
        seen: set[tuple[int, bool, int, int]] = set()
        position = 0
        while position < len(states):
            node, passed, yes, no = states[position]
            done_yes, done_no = yes, no
            if table is not None and node < graph.size:
                kept = ~table.changed(node)
                yes, no = yes & kept, no & kept
                settled = table.settled(node)
                done_yes, done_no = yes | settled[0] & tracked, no | settled[1] & tracked
            for edge in graph.successors(node):
                target, condition, kind = edge
                if target in avoiding or not self._taken(kind, position < first):
                    continue
                next_yes, next_no = (yes, no) if kind == "exception" else (done_yes, done_no)
                if table is not None and condition is not None:
                    said_yes, said_no = table.answers(condition)
                    said_yes, said_no = said_yes & tracked, said_no & tracked
                    if next_yes & said_no or next_no & said_yes:
                        continue
                    next_yes, next_no = next_yes | said_yes, next_no | said_no
                if passed and target in targets:
                    return _walked_back(states, origins, position, edge)
                state = (target, passed or (through is not None and target in through), next_yes, next_no)
                if state not in seen:
                    seen.add(state)
                    states.append(state)
                    origins.append((position, edge))
            position += 1
            if len(states) > _STATES and tracked:
                self.exhausted = True
                return None
        return None

    def _taken(self, kind: str, leaving_source: bool) -> bool:
        if leaving_source and self._start != "any":
            return (kind == "exception") == (self._start == "failed") and (self._exceptional or kind != "raised")
        return self._exceptional or kind == "next"


def _walked_back(states: list[tuple[int, bool, int, int]], origins: list[tuple[int, GraphEdge] | None], position: int,
                 last: GraphEdge) -> _Edges:
    edges = [(states[position][0], last)]
    origin = origins[position]
    while origin is not None:
        position, edge = origin
        edges.append((states[position][0], edge))
        origin = origins[position]
    edges.reverse()
    return edges


def _contradiction(graph: EventGraph, edges: _Edges) -> int:
    """The questions that the path answers both ways without a change in between; 0 if there is none."""
    if not any([edge.condition is not None for _, edge in edges]):
        return 0
    table = graph.conditions
    yes = no = 0
    for node, edge in edges:
        if node < graph.size:
            kept = ~table.changed(node)
            yes, no = yes & kept, no & kept
            if edge.kind != "exception":
                settled = table.settled(node)
                yes, no = yes | settled[0], no | settled[1]
        if edge.condition is not None:
            said_yes, said_no = table.answers(edge.condition)
            clash = yes & said_no | no & said_yes
            if clash:
                return clash
            yes, no = yes | said_yes, no | said_no
    return 0


def _witness(edges: _Edges, consistent: bool) -> Witness:
    nodes = [node for node, _ in edges]
    return Witness((*nodes, edges[-1][1].target), tuple([edge for _, edge in edges]), consistent)


def _as_set(nodes: Nodes) -> frozenset[int]:
    return frozenset((nodes,)) if isinstance(nodes, int) else frozenset(nodes)
