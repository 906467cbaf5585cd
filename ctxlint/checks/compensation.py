"""What makes up for a change whose record failed: a handler that changes the cell back, a restore before each use."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.elements import MAPPINGS
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.terms import UNKNOWN, subterms
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.retries import gates, is_nothing, tests
from ctxlint.flow.paths import path
from ctxlint.ir.value import Value
from ctxlint.roles.cells import Restore
from ctxlint.roles.entering import REMOVALS

CALLERS = 6
"""A function with more callers than this is not asked whether every one of them compensates."""


def changes_back(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: int) -> bool:
    """Whether the failure of the record leads to a step that changes the cell again, here or in every caller."""
    if changes_after_failure(analysis, identity, mutation, record):
        return True
    callers = analysis.view.call_graph.callers(identity)
    return 0 < len(callers) <= CALLERS and all(
        changes_after_failure(analysis, caller, mutation, event) for caller, event in callers
    )


def changes_after_failure(analysis: Analysis, identity: FunctionId, mutation: Mutation, failing: int) -> bool:
    """Whether the failure of an event leads to a step that changes the cell again."""
    undoing = {m.event for m in analysis.summaries.of(identity).mutations
               if set(m.cells) & set(mutation.cells) or (not m.cells and _fields(m)[-1:] == _fields(mutation)[-1:] != [])}
    undoing -= {mutation.event, failing}
    graph = analysis.view.graph(identity)
    return bool(undoing) and path(graph, failing, undoing, {failing}, start="failed", consistent=False) is not None


def is_dropped_after_failure(analysis: Analysis, identity: FunctionId, failing: int, restores: Iterable[Restore]) -> bool:
    """Whether the failure of an event leads to a step that drops the object from where a restore puts it: it is loaded again."""
    kept = {
        cell for restore in restores for m in analysis.summaries.of(restore.function).mutations
        if m.how in ("item", "rebind", "add") and m.event > restore.read for cell in m.cells[-1:]
    }
    drops = {
        m.event for m in analysis.summaries.of(identity).mutations
        if kept.intersection(m.cells[-1:]) and (m.how in REMOVALS or (m.how == "rebind" and all(map(is_nothing, m.values))))
    } - {failing}
    graph = analysis.view.graph(identity)
    return bool(drops) and path(graph, failing, drops, {failing}, start="failed", consistent=False) is not None


def writes_after_failure(analysis: Analysis, identity: FunctionId, change: StoreEffect, failing: int) -> bool:
    """Whether the failure of an event leads to a step that writes the changed store again."""
    undoing = {e.event for e in analysis.summaries.of(identity).effects
               if e.kind in WRITES and (is_same_place(e, change) or (change.kind == "move" and e.kind == "move" and e.source == change.place))}
    undoing -= {change.event, failing}
    graph = analysis.view.graph(identity)
    return bool(undoing) and path(graph, failing, undoing, {failing}, start="failed", consistent=False) is not None


def is_same_place(one: StoreEffect, other: StoreEffect) -> bool:
    """Whether two effects of one function are on the same store: a common key, or one known place."""
    return bool(one.keys & other.keys) or (
        one.place == other.place and one.medium == other.medium == "file" and not any(part == UNKNOWN for part in subterms(one.place))
    )


def _fields(mutation: Mutation) -> list[str]:
    return [step for step in mutation.path.steps if not step.startswith("[")]


def is_read_back_before(analysis: Analysis, identity: FunctionId, mutation: Mutation, restores: Iterable[Restore]) -> bool:
    """Whether the function rebuilds the cell from the store each time before it changes it."""
    by_function = {r.function: r for r in restores}
    graph = analysis.view.graph(identity)
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.path is None or number == mutation.event:
            continue
        called = {f for call in analysis.view.effective_calls(identity, number) for f in call.functions}
        if comes_before(graph, number, mutation.event) and any(
            _always(analysis, by_function[function]) for function in called & by_function.keys()
        ):
            return True
    return False


def _always(analysis: Analysis, restore: Restore) -> bool:
    """Whether every call of the restore reads the store again: what it may find missing is the store, not a flag in memory."""
    if analysis.cells.is_on_demand(restore):
        return False
    return not any(
        _is_remembered(analysis, restore.function, test.subject, gate.behind)
        for gate in gates(analysis, restore.function, restore.read)
        for test in tests(gate.condition.value, gate.condition.holds)
    )


def _is_remembered(analysis: Analysis, identity: FunctionId, subject: Value, at: int) -> bool:
    results = [what for kind, what in analysis.view.origins(identity).identity(subject, at) if kind == "result"]
    return any(isinstance(what, int) and (
        analysis.view.event(identity, what).kind == "read" or _is_looked_up(analysis, identity, what)) for what in results)


def _is_looked_up(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether the call asks a mapping in memory for an entry."""
    names = [name for call in analysis.view.calls(identity, event) for name in call.externals]
    return bool(names) and all(name.rpartition(".")[0] in MAPPINGS for name in names)
