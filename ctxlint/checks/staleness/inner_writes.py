"""Writes that a function defined inside another one makes of what its definer has read: it takes the reading along unseen."""

from __future__ import annotations

from collections.abc import Collection

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.suspensions import comes_before, suspensions
from ctxlint.ir.value import Name, Value


def is_by_inner(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether a function defined here makes the write, and its contents are variables that it takes from here."""
    return bool(write.contents) and bool(_inner(analysis, identity, write.event)) and _passed(analysis, identity, write).isdisjoint(write.contents)


def changes_it(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether the function that makes the write itself works on what it writes and waits before it does: on variables that it takes
    from here, or on what it is handed.
    """
    taken = {Name(value.name, "captured") for value in write.contents if isinstance(value, Name)}
    for call in analysis.view.effective_calls(identity, write.event):
        for target in call.functions:
            handed = {Name(n, "local") for n, value in analysis.view.bound(call, target).items() if value in write.contents}
            for effect in analysis.summaries.of(target).effects:
                if effect.origin == write.origin and effect.kind == write.kind and _works_on(analysis, target, effect, taken | handed):
                    return True
    return False


def _works_on(analysis: Analysis, identity: FunctionId, write: StoreEffect, names: Collection[Value]) -> bool:
    if not any(comes_before(analysis, identity, point, write.event) for point in suspensions(analysis, identity)):
        return False
    return any(
        event.kind in ("write", "delete", "call") and event.path is not None and event.path.steps and number != write.event
        and any(path.root in names for path in analysis.view.paths(identity, number))
        and comes_before(analysis, identity, number, write.event)
        for number, event in enumerate(analysis.view.function(identity).events)
    )


def stands_at(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> tuple[FunctionId, int]:
    """Where the write stands: in the inner function that makes it, else where this one calls it."""
    for inner in _inner(analysis, identity, write.event) if is_by_inner(analysis, identity, write) else ():
        for effect in analysis.summaries.of(inner).effects:
            if effect.origin == write.origin and effect.kind == write.kind and effect.distance == write.distance - 1:
                return inner, effect.event
    return identity, write.event


def _inner(analysis: Analysis, identity: FunctionId, event: int) -> list[FunctionId]:
    """The functions defined in this one that the event calls, or hands to something that runs them."""
    called = (target for call in analysis.view.effective_calls(identity, event) for target in call.functions)
    return [target for target in called if target.module == identity.module and analysis.view.function(target).enclosing == identity.index]


def _passed(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> set[object]:
    return {argument.value for call in analysis.view.effective_calls(identity, write.event) for argument in call.arguments}
