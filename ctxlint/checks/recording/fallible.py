"""What can fail, in the sense of the rules: I/O, suspensions, stored callables, functions that raise; not every call that could."""

from __future__ import annotations

from typing import Literal

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.view import Call
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.handlers import handlers_of
from ctxlint.flow.paths import path
from ctxlint.ir.value import Name

DEEP = 2
"""How many calls down a `raise` is looked for."""


def may_fail(analysis: Analysis, identity: FunctionId, event: int, depth: int = 0) -> bool:
    """Whether the event is one that fails in practice, or from which the function may never be resumed."""
    it = analysis.view.event(identity, event)
    if it.kind == "suspend":
        return it.note in ("yield", "yield-from") or analysis.summaries.suspends(identity, event)
    if it.kind != "call":
        return False
    if any(e.kind != "commit" for e in analysis.summaries.effects_at(identity, event)):
        return True
    return any(_call_fails(analysis, identity, event, call, depth) for call in analysis.view.calls(identity, event))


def _call_fails(analysis: Analysis, identity: FunctionId, event: int, call: Call, depth: int) -> bool:
    if call.deferred:
        return False
    if call.unknown and not call.functions and not call.externals:
        return is_stored_callable(analysis, identity, event)
    return depth < DEEP and any(_raises(analysis, function, depth + 1) for function in call.functions)


def is_stored_callable(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether the event calls what somebody else has put there: an attribute of the object itself, or a parameter."""
    at = analysis.view.event(identity, event).path
    if at is None or not isinstance(at.root, Name):
        return False
    formals = [formal.name for formal in analysis.view.function(identity).formals]
    if not at.steps:
        return at.root.name in formals
    return at.root.name == formals[:1][0] if len(at.steps) == 1 and formals else False


def _raises(analysis: Analysis, function: FunctionId, depth: int) -> bool:
    """Whether an exception of the function's own making can leave it."""
    graph = analysis.view.graph(function)
    for number, event in enumerate(analysis.view.function(function).events):
        if event.kind == "raise" and event.value is not None and graph.is_reachable(number):
            if path(graph, number, graph.raised, consistent=False) is not None:
                return True
    return False


def may_skip(analysis: Analysis, identity: FunctionId, record: Mutation) -> Literal["refused", "skipped"] | None:
    """Whether the callee that adds the record can raise before it does, or return without having done it."""
    for call in analysis.view.effective_calls(identity, record.event):
        for target in call.functions:
            for inner in analysis.summaries.of(target).mutations:
                if inner.origin == record.origin and inner.distance == record.distance - 1:
                    found = _skips(analysis, target, inner)
                    if found is not None:
                        return found
    return None


def _skips(analysis: Analysis, target: FunctionId, inner: Mutation) -> Literal["refused", "skipped"] | None:
    graph = analysis.view.graph(target)
    raising = [n for n, e in enumerate(analysis.view.function(target).events)
               if (e.kind == "raise" and e.value is not None) or may_fail(analysis, target, n, DEEP)]
    avoiding = {inner.event}
    for number in raising:
        if number != inner.event and path(graph, graph.entry, number, avoiding, consistent=False) is not None and path(
            graph, number, graph.raised, avoiding, start="failed" if analysis.view.event(target, number).kind != "raise" else "any",
            consistent=False,
        ) is not None:
            return "refused"
    if path(graph, graph.entry, graph.exit, avoiding, exceptional=False) is not None:
        return "skipped"
    return may_skip(analysis, target, inner) if inner.distance > 0 else None


def failure_escapes(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> bool:
    """Whether the failure of an effect further down reaches the event that has it here, rather than being swallowed below."""
    inner = [
        (target, each)
        for call in analysis.view.effective_calls(identity, effect.event) for target in call.functions
        for each in analysis.summaries.of(target).effects
        if each.origin == effect.origin and each.distance == effect.distance - 1
    ]
    return not inner or any(
        not _is_swallowed(analysis, target, each.event) and failure_escapes(analysis, target, each) for target, each in inner
    )


def _is_swallowed(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    return any(h.swallows and h.broad and h.catches_failure_of(event) for h in handlers_of(analysis, identity))
