"""Files that heal by themselves: whoever reads one compares it with what would be written, and writes it anew where it differs.

An install marker, a stamped version, a copy of something that the program carries in itself: cut off, it equals nothing, and the
same run makes it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.calls.effects import StoreEffect, written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.every_reading import holds_for_every_reading
from ctxlint.checks.pairs import is_made_of
from ctxlint.checks.rewrites import Rewrite
from ctxlint.flow.graph import EventGraph, GraphEdge
from ctxlint.flow.paths import path
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Value

_NEAR = 2
"""How many calls the reading may be away from the comparison."""


def is_written_where_it_differs(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether every reader only asks whether the file is what would be written, and has it written when it is not."""
    def heals(identity: FunctionId, read: StoreEffect) -> bool | None:
        writes = [
            effect for effect in analysis.summaries.of(identity).effects
            if effect.origin == rewrite.effect.origin and effect.kind == "write" and effect.event != read.event
        ]
        return _compares_before(analysis, identity, read, writes) if writes else None

    return holds_for_every_reading(analysis, rewrite, heals, _NEAR)


def _compares_before(analysis: Analysis, identity: FunctionId, read: StoreEffect, writes: Sequence[StoreEffect]) -> bool:
    """Whether a branch compares what was read with all that is written, and leads to the writes where the two differ alone."""
    graph = analysis.view.graph(identity)
    values = [(written_at(analysis.view, identity, write), value) for write in writes for value in write.contents]
    written = frozenset().union(*(analysis.summaries.sources.of(identity, at, value, additions=False) for at, value in values))
    if not written or any(is_made_of(analysis, identity, at, value, read.event) for at, value in values):
        return False
    targets = [write.event for write in writes]
    for node in graph.order:
        edges = [edge for edge in graph.successors(node) if edge.condition is not None]
        asked = edges[0].condition if len(edges) == 2 else None
        if asked is None or not _compares(analysis, identity, edges[0].target, asked, read.event, written):
            continue
        first, second = edges
        leads = _leads(graph, node, first, second, targets), _leads(graph, node, second, first, targets)
        differs = _is_difference(asked.value, asked.holds)
        if leads[0] != leads[1] and (differs is None or differs == leads[0]):
            return True
    return False


def _leads(graph: EventGraph, node: int, edge: GraphEdge, other: GraphEdge, targets: Sequence[int]) -> bool:
    """Whether some ordinary way leads from the branch at `node` by this edge, and not by the other, to one of the targets."""
    if len(graph.predecessors(edge.target)) == 1:
        return path(graph, node, targets, through=(edge.target,), exceptional=False) is not None
    return path(graph, node, targets, (other.target,), exceptional=False) is not None


def _compares(
    analysis: Analysis, identity: FunctionId, at: int, asked: Condition, read: int, written: frozenset[Source]
) -> bool:
    """Whether the condition looks at what was read and at everything that is written."""
    if not is_made_of(analysis, identity, at, asked.value, read):
        return False
    seen = {_asked_of(analysis, identity, source) for source in analysis.summaries.sources.of(identity, at, asked.value)}
    return all(_asked_of(analysis, identity, source) in seen for source in written)


def _asked_of(analysis: Analysis, identity: FunctionId, source: Source) -> tuple[str, str, object]:
    """A source without the moment at which it was asked: the same call made twice asks for the same."""
    event = analysis.view.event(identity, source.event) if source.kind in ("call", "read") and source.event >= 0 else None
    return source.kind, source.name, None if event is None or event.path is None else (event.path, event.arguments)


def _is_difference(value: Value, holds: bool) -> bool | None:
    """Whether the answer says that two values differ; None when the question does not say how it compares them."""
    if isinstance(value, Compound) and value.operator == "not":
        return _is_difference(value.parts[0], not holds)
    if isinstance(value, Compound) and value.operator in ("==", "!="):
        return holds == (value.operator == "!=")
    return None
