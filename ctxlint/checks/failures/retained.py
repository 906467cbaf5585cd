"""Entries that stay where they are until they are written: what fails now is written by the next attempt."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import NEAR, Append
from ctxlint.checks.ordering import comes_before
from ctxlint.flow.paths import path
from ctxlint.roles.entering import REMOVALS


def is_retained(analysis: Analysis, identity: FunctionId, append: Append) -> bool:
    """Whether what is written comes out of a cell from which it is only taken off behind the write."""
    return all(_is_retained(analysis, identity, effect, NEAR) for effect in append.effects)


def _is_retained(analysis: Analysis, identity: FunctionId, effect: StoreEffect, depth: int) -> bool:
    """Whether the function, or the one that it calls there, takes the entry off behind the event that writes it."""
    view, summaries = analysis.view, analysis.summaries
    sources = summaries.sources.of_all(identity, effect.event, effect.contents)
    cells = effect.cells | {source.name for source in sources if source.kind == "cell"}
    graph = view.graph(identity)
    taken_off = [m.event for m in summaries.of(identity).mutations if m.how in REMOVALS and cells.intersection(m.cells)]
    if taken_off and all(
        event != effect.event and comes_before(graph, effect.event, event)
        and path(graph, effect.event, event, {effect.event}, start="failed", consistent=False) is None
        for event in taken_off
    ):
        return True
    targets = [target for call in view.effective_calls(identity, effect.event) for target in call.functions]
    return depth > 0 and bool(targets) and all(
        any(inner.origin == effect.origin and _is_retained(analysis, target, inner, depth - 1) for inner in summaries.of(target).effects)
        for target in targets
    )
