"""Loads that hand out the live object: what they read is kept in memory, and every later load gives the same object."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis


def gives_live_object(analysis: Analysis, identity: FunctionId, read: int) -> bool:
    """Whether the call at `read` gives back what a cell holds, and fills that cell with what it loads.

    Other writers of this process then change that very object, and saving it saves their changes as well.
    """
    calls = analysis.view.calls(identity, read)
    targets = [target for call in calls for target in call.functions]
    if not targets or any(call.abstract or call.externals or call.unknown for call in calls):
        return False
    return all(_keeps_what_it_gives(analysis, target) for target in targets)


def _keeps_what_it_gives(analysis: Analysis, target: FunctionId) -> bool:
    summary = analysis.summaries.of(target)
    filled = {cell for m in summary.mutations if m.how in ("item", "rebind", "add") for cell in m.cells}
    return any(s.kind == "cell" and s.name in filled for s in summary.flow.returns)
