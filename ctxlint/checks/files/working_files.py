"""Working files of one run: whoever reads one has it written anew before, so that nobody ever reads what an earlier run left."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import UNKNOWN
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.every_reading import holds_for_every_reading
from ctxlint.checks.rewrites import Rewrite
from ctxlint.flow.paths import dominates, path

_FAR = 5
"""How many calls may lie between the reading and the function that has the file written first."""


def is_written_anew_before_reading(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether on every known way to a reader this very write of the file has been made before."""
    def comes_after_the_write(identity: FunctionId, read: StoreEffect) -> bool | None:
        graph = analysis.view.graph(identity)
        written = read.place != UNKNOWN and any(
            effect.origin == rewrite.effect.origin and effect.kind == "write" and effect.event != read.event
            and effect.place == read.place and dominates(graph, effect.event, read.event) and _is_surely_made(analysis, identity, effect)
            for effect in analysis.summaries.of(identity).effects
        )
        return written or None                                # where it is not, whoever calls for the reading may have seen to it

    return holds_for_every_reading(analysis, rewrite, comes_after_the_write, _FAR)


def _is_surely_made(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether the event does not come to an end without the write: every function that it calls makes it on all of its ways."""
    targets = [target for call in analysis.view.effective_calls(identity, write.event) for target in call.functions]
    return write.distance == 0 or bool(targets) and all(
        any(
            effect.origin == write.origin and effect.kind == "write" and effect.distance < write.distance
            and path(graph, graph.entry, graph.exit, (effect.event,), exceptional=False) is None
            and _is_surely_made(analysis, target, effect)
            for graph in (analysis.view.graph(target),) for effect in analysis.summaries.of(target).effects
        )
        for target in targets
    )
