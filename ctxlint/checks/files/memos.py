"""Files that keep what was computed before: a table whose every entry is computed again where it is missing."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import Instance
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.retries import asks, gates, tests
from ctxlint.checks.rewrites import Rewrite, sources_of_content
from ctxlint.checks.torn_loads import taken_for_nothing
from ctxlint.ir.value import Constant, Value
from ctxlint.roles.cells import Change
from ctxlint.roles.entering import REMOVALS
from ctxlint.roles.stores import Access


def is_memo(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether all that is written is computed again where it is missing, and a file that cannot be read counts as an empty one."""
    effect = rewrite.effect
    cells = effect.cells | {
        source.name for source in sources_of_content(analysis, rewrite.function, effect) if source.kind == "cell"
    }
    nearest = min(reader.effect.distance for reader in rewrite.readers)
    loaders = [reader for reader in rewrite.readers if reader.effect.distance == nearest]
    return (
        bool(cells) and all(taken_for_nothing(analysis, loader) for loader in loaders)
        and all(_is_filled_on_misses(analysis, cell, loaders) for cell in cells)
    )


def _is_filled_on_misses(analysis: Analysis, cell: str, loaders: list[Access]) -> bool:
    """Whether everything but the loaders puts into the cell only what it computed because there was nothing under the key."""
    filled = [
        change for change in analysis.cells.changes(cell)
        if change.mutation.how not in REMOVALS and not is_constructor(analysis.view, change.function)
        and all(change.function != loader.function for loader in loaders)
    ]
    return bool(filled) and all(_fills_a_miss(analysis, change, cell) for change in filled)


def _fills_a_miss(analysis: Analysis, change: Change, cell: str) -> bool:
    identity, mutation = change.function, change.mutation
    if mutation.how != "item" or mutation.cells[-1] != cell or len(mutation.values) != 1:
        return False
    return _is_computed(analysis, identity, mutation.event, mutation.values[0]) and any(
        test.relation == "absent" and asks(analysis, identity, mutation, gate.behind, test)
        for gate in gates(analysis, identity, mutation.event) for test in tests(gate.condition.value, gate.condition.holds)
    )


def _is_computed(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether the value is what a call makes of something: not an object of the program's own, which has a life of its own."""
    calls = [what for kind, what in analysis.view.origins(identity).identity(value, at) if kind == "result" and isinstance(what, int)]
    own = [
        t for t in analysis.view.inference.of_value(identity, at, value)
        if isinstance(t, Instance) and analysis.program.class_(t.name) is not None
    ]
    return bool(calls) and not own and all(
        any(not isinstance(a.value, Constant) for a in analysis.view.event(identity, call).arguments) for call in calls
    )
