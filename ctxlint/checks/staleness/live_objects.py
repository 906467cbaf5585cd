"""Loads that hand out the live object: what they read is kept in memory, and every later load gives the same object."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis

DEEPEST = 4
"""How many calls down a kept object is looked for."""


def gives_live_object(analysis: Analysis, identity: FunctionId, read: int, depth: int = 0) -> bool:
    """Whether the call at `read` gives back what a cell holds, and fills that cell with what it loads.

    Other writers of this process then change that very object, and saving it saves their changes as well.
    """
    calls = analysis.view.calls(identity, read)
    targets = [target for call in calls for target in call.functions]
    if depth > DEEPEST or not targets or any(call.abstract or call.externals or call.unknown for call in calls):
        return False
    return all(_keeps_what_it_gives(analysis, target, depth) for target in targets)


def _keeps_what_it_gives(analysis: Analysis, target: FunctionId, depth: int) -> bool:
    mutations = analysis.summaries.of(target).mutations
    filled = {cell for m in mutations if m.how in ("item", "rebind", "add") for cell in m.cells}
    if filled and any(s.kind == "cell" and s.name in filled for s in analysis.summaries.flow(target).returns):
        return True
    loads = {
        source.event
        for number, event in enumerate(analysis.view.function(target).events)
        if event.kind == "return" and event.value is not None
        for source in analysis.summaries.sources.of(target, number, event.value)
        if source.kind == "read"
    }
    return bool(loads) and all(gives_live_object(analysis, target, load, depth + 1) for load in loads)
