"""The last save of a loop whose saves may all fail: an earlier failure is made up for by the next turn, the last one by nothing."""

from __future__ import annotations

from ctxlint.calls.effects import WRITES
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.terms import UNKNOWN, subterms
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import is_same_place
from ctxlint.checks.failures.appends import Append, Appends
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path
from ctxlint.ir.value import Result


def last_save(analysis: Analysis, appends: Appends, identity: FunctionId, event: int) -> tuple[Append, Mutation] | None:
    """The whole save of what the loop round the event changes, where no other save follows the loop; and that change."""
    graph = analysis.view.graph(identity)
    loop = graph.derived(Loops).loop_of(event)
    append = appends.at(identity, event) if loop is not None and loop.driver is not None else None
    if loop is None or loop.driver is None or append is None or not append.readers or append.effect.kind not in ("write", "move"):
        return None
    if append.effect.medium != "file" or any(part == UNKNOWN for part in subterms(append.effect.place)):
        return None                                      # every turn may have a file of its own
    if _drives(analysis, identity, loop.driver, append):
        return None
    later = {e.event for e in analysis.summaries.of(identity).effects
             if e.kind in WRITES and e.event not in loop.body and is_same_place(e, append.effect)}
    if path(graph, loop.driver, graph.exit, later | (loop.body - {loop.driver}), exceptional=False, consistent=False) is None:
        return None
    if _is_saved_by_callers(analysis, identity, append):
        return None
    changed = next((m for m in analysis.summaries.of(identity).mutations
                    if m.event in loop.body and m.event != event and _goes_in(analysis, identity, m, append)), None)
    return None if changed is None else (append, changed)


def _drives(analysis: Analysis, identity: FunctionId, driver: int, append: Append) -> bool:
    """Whether the place that is written to depends on the element of the turn."""
    origins = analysis.view.origins(identity)
    event = analysis.view.event(identity, append.event)
    given = [argument.value for argument in event.arguments if argument.value not in append.effect.contents]
    given += [event.path.root] if event.path is not None else []
    return any(("result", driver) in origins.roots(value, append.event) for value in given)


def _goes_in(analysis: Analysis, identity: FunctionId, mutation: Mutation, append: Append) -> bool:
    """Whether the mutation changes what is saved."""
    if append.effect.cells.intersection(mutation.cells):
        return True
    origins = analysis.view.origins(identity)
    saved = {atom for value in append.effect.contents for atom in origins.identity(value, append.event)}
    root = mutation.path.root
    return bool(mutation.path.steps) and (
        ("result", root.event) in saved if isinstance(root, Result) else bool(saved & origins.identity(root, mutation.event))
    )


def _is_saved_by_callers(analysis: Analysis, identity: FunctionId, append: Append) -> bool:
    """Whether every known caller saves the same store again behind the call."""
    sites = analysis.view.call_graph.callers(identity)
    return bool(sites) and all(
        any(e.kind in WRITES and e.keys & append.keys and e.event > call for e in analysis.summaries.of(caller).effects)
        for caller, call in sites
    )
