"""What a rewrite of a stale write wants to know: the lock that guards the write, and what the container is."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import PLACE, At, Word
from ctxlint.ir.value import AccessPath

DEEP = 6
"""How many calls down a lock is looked for."""


def lock_facts(analysis: Analysis, identity: FunctionId, read: int, write: int) -> dict[str, Word]:
    """The lock that is held at the write and not from the reading on, and whether what comes before takes locks itself."""
    guarding = sorted(analysis.guards.held(identity, write) - analysis.guards.held(identity, read))
    if not guarding:
        return {}
    facts: dict[str, Word] = {"lock": At(identity, guarding[-1], PLACE)}
    called = {
        target
        for number in range(read, guarding[-1])
        for call in analysis.view.calls(identity, number)
        for target in (*call.functions, *call.abstract)
    }
    if any(_takes_locks(analysis, target, DEEP, set()) for target in called):
        facts["locks-inside"] = "yes"
    return facts


def _takes_locks(analysis: Analysis, identity: FunctionId, depth: int, seen: set[FunctionId]) -> bool:
    if identity in seen:
        return False
    seen.add(identity)
    if depth == 0 or analysis.guards.acquires(identity):
        return True                                     # too far down to tell counts as one that does
    return any(
        _takes_locks(analysis, target, depth - 1, seen)
        for number in analysis.view.call_graph.calls(identity)
        for call in analysis.view.calls(identity, number)
        for target in call.functions
    )


def container_of(analysis: Analysis, identity: FunctionId, event: int) -> str:
    """The class of the container into which an event puts an entry; empty when that is not known for sure."""
    path = analysis.view.event(identity, event).path
    if path is None or not path.steps:
        return ""
    types = analysis.view.types(identity, event, AccessPath(path.root, path.steps[:-1]))
    return types[0] if len(types) == 1 else ""
