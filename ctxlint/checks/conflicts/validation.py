"""What is compared where a decision is asked for: it counts when no other change is applied in between."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import Result
from ctxlint.roles.leaf import spelled
from ctxlint.roles.overlaps import Overlap


def is_of_two(overlap: Overlap) -> bool:
    """Whether changes are compared with one another, and not with a state that others may have changed since."""
    return not {leaf.owner for leaf in overlap.left if leaf.field}.isdisjoint({leaf.owner for leaf in overlap.right if leaf.field})


def holds_until_applied(analysis: Analysis, asker: FunctionId, overlap: Overlap, applying: Iterable[tuple[FunctionId, int]]) -> bool:
    """Whether a comparison with the state is made of each change anew: all that a loop lets pass is not applied behind it."""
    events = analysis.view.function(asker).events
    gone_through = {
        spelled(event.path.root) for event in events
        if event.kind == "local" and event.path is not None and isinstance(event.value, Result) and events[event.value.event].kind == "iterate"
    }
    if not any(leaf.instance in gone_through for leaf in overlap.fields):
        return True
    graph = analysis.view.graph(asker)
    functions = {function for function, _ in applying}
    stores = [event for function, event in applying if function == asker]
    stores += [
        number for number, event in enumerate(events) if event.kind == "call"
        for call in analysis.view.calls(asker, number) for target in call.functions[:4] if _applies(analysis, target, functions)
    ]
    return any(overlap.event in reachable(graph, store) for store in stores)


def _applies(analysis: Analysis, identity: FunctionId, functions: set[FunctionId]) -> bool:
    """Whether a function, or one that it calls, applies changes."""
    return identity in functions or any(
        target in functions for number, event in enumerate(analysis.view.function(identity).events) if event.kind == "call"
        for call in analysis.view.calls(identity, number) for target in call.functions[:4]
    )
