"""Loads that hand out the live object: what they read is kept in memory, and every later load gives the same object."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis


def gives_live_object(analysis: Analysis, identity: FunctionId, read: int) -> bool:
    """Whether the call at `read` gives back what a cell holds, and fills that cell with what it loads.

    Other writers of this process then change that very object, and saving it saves their changes as well.
    """
    filled = {cell for m in analysis.summaries.mutations_at(identity, read) for cell in m.cells}
    if not filled:
        return False
    for call in analysis.view.calls(identity, read):
        for target in call.functions:
            returned = {s.name for s in analysis.summaries.of(target).flow.returns if s.kind == "cell"}
            if returned & filled:
                return True
    return False
