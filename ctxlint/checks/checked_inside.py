"""Writes whose callee compares, before it writes, what is stored with the version of what it was given, and refuses a stale one."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.guards import guards
from ctxlint.ir.value import AccessPath, Compound, Value
from ctxlint.knowledge.words import hints

_ORDERS = frozenset({"<", ">", "<=", ">="})
_EQUALS = frozenset({"==", "!="})


def checks_its_base(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether a function through which the write goes does so only after such a comparison."""
    for call in analysis.view.calls(identity, write.event) if write.distance else ():
        for target in call.functions:
            for inner in analysis.summaries.of(target).effects:
                same = inner.origin == write.origin and inner.kind == write.kind and inner.distance < write.distance
                if same and (_is_after_comparison(analysis, target, inner.event) or checks_its_base(analysis, target, inner)):
                    return True
    return False


def _is_after_comparison(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    graph = analysis.view.graph(identity)
    for guard in guards(graph, event):
        for edge in graph.successors(guard.node):
            if edge.condition == guard.condition:
                for one, other, ordered in _compared(guard.condition.value):
                    for stored, given in ((one, other), (other, one)):
                        if _is_version(analysis, identity, edge.target, stored, given, ordered):
                            return True
    return False


def _compared(value: Value) -> Iterator[tuple[Value, Value, bool]]:
    """The two sides of each comparison that a condition makes, and whether it orders them."""
    if isinstance(value, Compound) and value.operator in ("and", "or", "not"):
        for part in value.parts:
            yield from _compared(part)
    elif isinstance(value, Compound) and len(value.parts) == 2 and value.operator in _ORDERS | _EQUALS:
        yield value.parts[0], value.parts[1], value.operator in _ORDERS


def _is_version(analysis: Analysis, identity: FunctionId, at: int, stored: Value, given: Value, ordered: bool) -> bool:
    """Whether one side comes from a store and the other from a field of what the function got; equal ones are named as versions."""
    kinds = {source.kind for source in _sources(analysis, identity, at, given)}
    if "param" not in kinds or "read" in kinds or not any(s.kind == "read" for s in _sources(analysis, identity, at, stored)):
        return False
    steps = {path.steps[-1] for path in analysis.view.resolve_path(identity, at, AccessPath(given)) if path.steps}
    return bool(steps) and (ordered or any(hints(step, analysis.words.versions) for step in steps))


def _sources(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> frozenset[Source]:
    return analysis.summaries.sources.of(identity, at, value)
