"""What has to hold for every reading of a file: where it stands, or on every known way to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.rewrites import Rewrite, is_test

Says = Callable[[FunctionId, StoreEffect], Optional[bool]]
"""Whether it holds of a reading in a function; None when only the function's callers can tell."""


def holds_for_every_reading(analysis: Analysis, rewrite: Rewrite, says: Says, far: int) -> bool:
    """Whether it holds of all that reads the rewritten file; the callers are asked up to `far` calls up, tests are not."""
    readings = [
        (identity, effect) for identity, event in {reader.effect.origin for reader in rewrite.readers}
        for effect in analysis.summaries.effects_at(identity, event) if effect.kind == "read" and effect.distance == 0
    ]
    return bool(readings) and all(_holds(analysis, says, identity, effect, far) for identity, effect in readings)


def _holds(analysis: Analysis, says: Says, identity: FunctionId, read: StoreEffect, depth: int) -> bool:
    said = says(identity, read)
    if said is not None:
        return said
    sites = [(caller, call) for caller, call in analysis.view.call_graph.callers(identity) if not is_test(caller)] if depth else []
    return bool(sites) and all(
        any(_holds(analysis, says, caller, effect, depth - 1) for effect in analysis.summaries.effects_at(caller, call)
            if effect.kind == "read" and effect.origin == read.origin)
        for caller, call in sites
    )
