"""Objects that a function makes itself: nobody else knows them yet, so that a failure drops what was done to them."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.names import resolve_name
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import Compound, Constant, Name, Result, Value


def is_new_here(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    """Whether the changed object was made by this function: nobody knows it yet, and a failure drops it."""
    roots = [path.root for path in analysis.view.resolve_path(identity, mutation.event, mutation.path)]
    return bool(roots) and all(_is_made_here(analysis, identity, root) for root in roots)


def _is_made_here(analysis: Analysis, identity: FunctionId, root: Value) -> bool:
    if isinstance(root, (Compound, Constant)):
        return True
    if not isinstance(root, Result):
        return isinstance(root, Name) and root.scope == "local" and root.name not in {
            formal.name for formal in analysis.view.function(identity).formals
        }
    event = analysis.view.event(identity, root.event)
    if event.kind != "call" or event.path is None or not isinstance(event.path.root, Name):
        return False
    dotted = ".".join((event.path.root.name, *event.path.steps))
    made = resolve_name(analysis.program, identity.module, identity.index, dotted)
    return made is not None and analysis.program.class_(made) is not None
