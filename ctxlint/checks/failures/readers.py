"""Whether anybody uses what a function reads back from a store."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import FunctionRef
from ctxlint.calls.wrappers import inner_functions
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import NONE, Closure, Value


def is_used(analysis: Analysis, reader: FunctionId) -> bool:
    """Whether what the function gives goes to somebody: to a caller, to who has a thread run it and waits, or to whoever looks
    it up where its decorator keeps it.
    """
    view = analysis.view
    if any(not view.event(caller, call).ignored and caller != reader for caller, call in view.call_graph.callers(reader)):
        return True
    if any(over.awaited and not view.event(over.caller, over.event).ignored for over in analysis.concurrency.hand_overs(reader)):
        return True
    decorators = analysis.program.decorated_by(reader)
    return bool(decorators) and _answers(analysis, reader) and any(_registers(analysis, each) for each in decorators)


def _answers(analysis: Analysis, reader: FunctionId) -> bool:
    return any(e.kind == "return" and e.value not in (None, NONE) for e in analysis.view.function(reader).events)


def _registers(analysis: Analysis, decorator: FunctionId) -> bool:
    """Whether a decorator, or the one that it makes, puts a function into a container that outlives the call."""
    return any(
        mutation.cells and mutation.distance == 0 and mutation.how in ("item", "add")
        and any(_is_function(analysis, each, mutation.event, value) for value in mutation.values)
        for each in (decorator, *inner_functions(analysis.view, decorator))
        for mutation in analysis.summaries.of(each).mutations
    )


def _is_function(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether a value is a function that was defined here or handed in."""
    return (
        isinstance(value, Closure)
        or any(kind == "param" for kind, _ in analysis.view.origins(identity).identity(value, at))
        or any(isinstance(t, FunctionRef) for t in analysis.view.inference.of_value(identity, at, value))
    )
