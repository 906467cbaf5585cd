"""When a method of a base class works on nobody's store, because each class that has one overrides the method."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.staleness.second_writers import last_name


def is_overridden_for(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether no object whose class brings the called write ever runs this method: all such classes have one of their own."""
    owner = analysis.program.owner(identity)
    own = analysis.program.class_(owner) if owner is not None and write.distance else None
    if own is None or not own.subclasses:
        return False
    bringing = {
        analysis.program.owner(target) or "" for call in analysis.view.calls(identity, write.event) for target in call.functions
        if any(e.origin == write.origin for e in analysis.summaries.of(target).effects)
    }
    return bool(bringing) and all(
        name in own.subclasses and not any(_runs_it(analysis, identity, each) for each in (name, *_below(analysis, name)))
        for name in bringing
    )


def _runs_it(analysis: Analysis, identity: FunctionId, name: ClassId) -> bool:
    """Whether an object of the class runs the method: it inherits it, or its own one calls it."""
    body = analysis.program.method(name, last_name(analysis, identity))
    return body == identity or any(caller == body for caller, _ in analysis.view.call_graph.callers(identity))


def _below(analysis: Analysis, name: ClassId) -> tuple[ClassId, ...]:
    info = analysis.program.class_(name)
    return info.subclasses if info is not None else ()
