"""Objects that a function makes itself: nobody else knows them yet, so that a failure drops what was done to them."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.names import resolve_name
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

DEEP = 2
"""How many functions that only give what another one makes are looked into."""


def is_new_here(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    """Whether the changed object was made by this function: nobody knows it yet, and a failure drops it."""
    roots = [path.root for path in analysis.view.resolve_path(identity, mutation.event, mutation.path)]
    return bool(roots) and all(_is_made_here(analysis, identity, root) for root in roots)


def _is_made_here(analysis: Analysis, identity: FunctionId, root: Value, depth: int = DEEP) -> bool:
    if isinstance(root, (Compound, Constant)):
        return True
    if not isinstance(root, Result):
        return isinstance(root, Name) and root.scope == "local" and root.name not in {
            formal.name for formal in analysis.view.function(identity).formals
        }
    event = analysis.view.event(identity, root.event)
    if event.kind == "suspend":
        awaited = analysis.view.awaited_call(identity, event.value)
        return awaited is not None and depth > 0 and _is_made_here(analysis, identity, Result(awaited), depth)
    if event.kind != "call" or event.path is None or not isinstance(event.path.root, Name):
        return False
    dotted = ".".join((event.path.root.name, *event.path.steps))
    made = resolve_name(analysis.program, identity.module, identity.index, dotted)
    if made is not None and analysis.program.class_(made) is not None:
        return True
    calls = analysis.view.calls(identity, root.event)
    targets = {target for call in calls for target in call.functions}
    return bool(targets) and depth > 0 and not any(call.unknown or call.externals or call.abstract for call in calls) and all(
        _only_makes(analysis, target, depth - 1) for target in targets
    )


def _only_makes(analysis: Analysis, target: FunctionId, depth: int) -> bool:
    """Whether a function gives what it has made itself, and keeps it nowhere."""
    function = analysis.view.function(target)
    if function.kind not in ("function", "coroutine"):
        return False
    given = [(n, event.value) for n, event in enumerate(function.events) if event.kind == "return" and event.value is not None]
    paths = [path for number, value in given for path in analysis.view.resolve_path(target, number, AccessPath(value))]
    made = [path.root for path in paths if not path.steps]
    return bool(made) and len(made) == len(paths) and all(
        isinstance(root, Result) and _is_made_here(analysis, target, root, depth) and not _is_kept(analysis, target, root) for root in made
    )


def _is_kept(analysis: Analysis, identity: FunctionId, made: Result) -> bool:
    """Whether what was made is put into something that the function has not made."""
    origins = analysis.view.origins(identity)
    return any(
        ("result", made.event) in origins.identity(value, mutation.event)
        for mutation in analysis.summaries.of(identity).mutations if not isinstance(mutation.path.root, Result)
        for value in mutation.values
    )
