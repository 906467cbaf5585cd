"""Is there a way from here to there that avoids those? The answer is the witness to show, or None: no way.

One breadth-first search answers a question; paths that contradict themselves are dropped by refinement: the search
first ignores conditions, and only the conditions on which its answer contradicts itself are tracked in the next one
(counterexample-guided abstraction refinement, Clarke et al., CAV 2000).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Union

from ctxlint.flow.assumptions import NOTHING, Assumed, contradiction, follow, known
from ctxlint.flow.graph import EventGraph, GraphEdge
from ctxlint.flow.questions import condition_key as condition_key
from ctxlint.ir.function import Condition

Nodes = Union[int, Iterable[int]]
Start = Literal["any", "completed", "failed"]

_STATES = 20_000
_REFINEMENTS = 24
_REMEMBERED = 500_000
"""Nodes of answers about one graph that are kept."""


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
    between that can change the answer, nor otherwise than every path to its source has answered it; if that cannot be decided
    within bounds, the witness says so.
    """
    search = _Search(graph, _as_set(sources), _as_set(targets), avoiding, through, exceptional, start)
    edges = search.run(None)
    if edges is None or not consistent or not _asks(edges):
        return None if edges is None else _witness(edges, True)
    before = graph.derived(known)
    tracked = 0
    for _ in range(_REFINEMENTS):
        assumed = before[edges[0][0]]
        contradicted = 0 if assumed is None else contradiction(graph, edges, assumed)
        if assumed is not None and not contradicted:
            return _witness(edges, True)
        tracked |= contradicted
        refined = search.run(tracked)
        if refined is None:
            return _witness(edges, False) if search.exhausted else None
        edges = refined
    return _witness(edges, False)


def dominates(graph: EventGraph, a: int, b: int) -> bool:
    """Whether every path from the entry to b passes a."""
    known = graph.derived(_ways_in)
    answer = known.answers.get((a, b))
    if answer is None:
        answer = known.answers[a, b] = _is_on_every_way(graph, a, b, known.ways.setdefault(b, []))
    return answer


class _WaysIn(NamedTuple):
    """What `dominates` has found out about a graph: its answers, and for each node the nodes of some ways to it.

    Checks ask about every record and every change of a function, so most questions are about a node that some known way
    does not pass.
    """

    answers: dict[tuple[int, int], bool]
    ways: dict[int, list[frozenset[int]]]


def _ways_in(graph: EventGraph) -> _WaysIn:
    return _WaysIn({}, {})


def _is_on_every_way(graph: EventGraph, a: int, b: int, ways: list[frozenset[int]]) -> bool:
    if any([a not in way for way in ways]):
        return False
    found = path(graph, graph.entry, b, frozenset((a,)))
    if found is not None and found.consistent:
        ways.append(frozenset(found.nodes[1:]))
    return found is None


def reachable(graph: EventGraph, sources: Nodes, avoiding: Collection[int] = frozenset()) -> frozenset[int]:
    """The nodes that can follow a source without entering a node of `avoiding`; a source only if it lies on a cycle."""
    if avoiding or not isinstance(sources, int):
        return _reachable(graph, _as_set(sources), avoiding)
    known = graph.derived(_known_followers)
    found = known.get(sources)
    if found is None:
        if len(known) * len(graph.nodes) > _REMEMBERED:
            known.clear()
        found = known[sources] = _reachable(graph, (sources,), ())
    return found


def _known_followers(graph: EventGraph) -> dict[int, frozenset[int]]:
    """What can follow a node, as far as somebody has asked: checks ask whether one of many events follows one of many others."""
    return {}


def _reachable(graph: EventGraph, sources: Iterable[int], avoiding: Collection[int]) -> frozenset[int]:
    seen: set[int] = set()
    pending = list(sources)
    successors = graph.successors
    while pending:
        for edge in successors(pending.pop()):
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
_State = tuple[int, bool, Assumed]


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

    def run(self, tracked: int | None) -> _Edges | None:
        """The edges of a shortest path, each with the node it leaves; None if none was found.

        With `tracked` None, conditions are ignored. Otherwise answers to the tracked questions must agree with each other and
        with what is known at the source.
        """
        if tracked is None and self._through is None and self._exceptional:
            return self._run_plainly()
        graph, targets, avoiding, through = self._graph, self._targets, self._avoiding, self._through
        states = self._beginnings(tracked)
        origins: list[tuple[int, GraphEdge] | None] = [None] * len(states)
        seen: set[_State] = set()
        first, position = len(states), 0
        while position < len(states) and not (tracked and len(states) > _STATES):
            node, passed, assumed = states[position]
            for edge in graph.successors(node):
                target = edge[0]
                if target in avoiding or not self._allows(edge[2], position < first):
                    continue
                then = assumed if tracked is None else self._agreed(node, edge, assumed, tracked)
                if then is None:
                    continue
                if passed and target in targets:
                    return _walked_back([each[0] for each in states], origins, position, edge)
                state = (target, passed or (through is not None and target in through), then)
                if state not in seen:
                    seen.add(state)
                    states.append(state)
                    origins.append((position, edge))
            position += 1
        self.exhausted = position < len(states)
        return None

    def _run_plainly(self) -> _Edges | None:
        """What `run` gives when a state is a node and every edge may be taken but out of a source: the same order, without the
        states.
        """
        successors, targets, avoiding = self._graph.successors, self._targets, self._avoiding
        nodes = sorted(self._sources)
        origins: list[tuple[int, GraphEdge] | None] = [None] * len(nodes)
        seen = bytearray(len(self._graph.nodes))
        first, position = 0 if self._start == "any" else len(nodes), 0
        while position < len(nodes):
            for edge in successors(nodes[position]):
                target = edge[0]
                if target in avoiding or (position < first and not self._allows(edge[2], True)):
                    continue
                if target in targets:
                    return _walked_back(nodes, origins, position, edge)
                if not seen[target]:
                    seen[target] = 1
                    nodes.append(target)
                    origins.append((position, edge))
            position += 1
        return None

    def _beginnings(self, tracked: int | None) -> list[_State]:
        complete = self._through is None
        if tracked is None:
            return [(source, complete, NOTHING) for source in sorted(self._sources)]
        before = self._graph.derived(known)
        assumptions = [(source, before[source]) for source in sorted(self._sources)]
        return [(source, complete, (assumed[0] & tracked, assumed[1] & tracked))
                for source, assumed in assumptions if assumed is not None]

    def _agreed(self, node: int, edge: GraphEdge, assumed: Assumed, tracked: int) -> Assumed | None:
        """What is assumed behind the edge of the tracked questions; None if it would contradict what was assumed before."""
        clash, (yes, no) = follow(self._graph, self._graph.conditions, node, edge, assumed)
        return None if clash & tracked else (yes & tracked, no & tracked)

    def _allows(self, kind: str, leaving_source: bool) -> bool:
        if leaving_source and self._start != "any":
            return (kind == "exception") == (self._start == "failed") and (self._exceptional or kind != "raised")
        return self._exceptional or kind == "next"


def _walked_back(nodes: list[int], origins: list[tuple[int, GraphEdge] | None], position: int,
                 last: GraphEdge) -> _Edges:
    edges = [(nodes[position], last)]
    origin = origins[position]
    while origin is not None:
        position, edge = origin
        edges.append((nodes[position], edge))
        origin = origins[position]
    edges.reverse()
    return edges


def _asks(edges: _Edges) -> bool:
    return any(edge.condition is not None for _, edge in edges)


def _witness(edges: _Edges, consistent: bool) -> Witness:
    nodes = [node for node, _ in edges]
    return Witness((*nodes, edges[-1][1].target), tuple([edge for _, edge in edges]), consistent)


def _as_set(nodes: Nodes) -> frozenset[int]:
    return frozenset((nodes,)) if isinstance(nodes, int) else frozenset(nodes)
