"""Who else changes a cell while a function waits: sibling methods, the function itself in another task, and how sure that is."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import condition_sources
from ctxlint.checks.staleness.shared_variables import definer_of, is_defined_in
from ctxlint.flow.guards import guards
from ctxlint.ir.value import Compound, Constant, Name
from ctxlint.roles.cells import Change
from ctxlint.roles.tasks import Start


def other_writers(analysis: Analysis, identity: FunctionId, cell: str) -> tuple[Change, ...]:
    """The other functions that change the cell while the object lives, those of the same name (overrides) left out.

    A private one counts when it runs as a task of its own; else it may be a part of the function that asks.
    """
    name = last_name(analysis, identity)
    return tuple(
        c for c in analysis.cells.changes(cell)
        if c.function != identity and not is_constructor(analysis.view, c.function)
        and last_name(analysis, c.function) != name
        and (not is_private(analysis, c.function) or any(_is_free(analysis, s, identity) for s in analysis.tasks.starts(c.function)))
    )


def siblings_through(analysis: Analysis, identity: FunctionId, write: Mutation, cell: str) -> tuple[Change, ...]:
    """The public methods of the same object that change a cell of the object which one of its attributes holds."""
    owner = analysis.program.owner(identity)
    info = analysis.program.class_(owner) if owner is not None else None
    methods = [FunctionId(info.module, method.function) for method in info.ir.methods] if info is not None else []
    return tuple(
        Change(method, change)
        for method in methods
        if method != identity and not is_private(analysis, method) and not is_constructor(analysis.view, method)
        for change in analysis.summaries.mutations_of(method, cell)
        if change.distance <= 1 and change.cells[-1] == cell and change.path.steps[:1] == write.path.steps[:1]
        and isinstance(change.path.root, Name) and change.path.root.name == receiver_name(analysis.view.function(method))
    )


def last_name(analysis: Analysis, identity: FunctionId) -> str:
    """The function's own name."""
    return analysis.program.symbol(identity).rpartition(".")[2]


def is_private(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether its name says that only its own class or module calls the function."""
    return last_name(analysis, identity).startswith("_")


def same_function_beside(analysis: Analysis, identity: FunctionId, write: Mutation) -> Start | None:
    """A start by which the function runs several times at once, and writes the same entry of the same object."""
    picked_by = _formals_that_pick(analysis, identity, write)
    if picked_by is None:
        return None
    root = write.path.root
    own = receiver_name(analysis.view.function(identity))
    definer = definer_of(analysis, identity, root) if isinstance(root, Name) else None
    anywhere = isinstance(root, Name) and (root.scope == "global" or definer is not None)
    if not anywhere and not (isinstance(root, Name) and root.name == own):
        return None
    start = analysis.tasks.beside_itself(identity, picked_by, anywhere=anywhere)
    if start is not None and definer is not None and not is_defined_in(analysis, start.caller, definer):
        return None                                           # each of them may have a variable of its own
    return start if start is not None and not _is_single_flight(analysis, start) else None


def runs_as_task(analysis: Analysis, identity: FunctionId) -> Start | None:
    """A start of the function, or of one that calls it on the same object: its callers go on while it waits."""
    return analysis.tasks.started(identity)


def puts_something(change: Change) -> bool:
    """Whether the change puts something into the cell, or takes it out: resetting the whole is the end of a use, not a part of it."""
    mutation = change.mutation
    return mutation.how != "clear" and not (
        mutation.how == "rebind" and all(
            isinstance(v, Constant) or (isinstance(v, Compound) and not v.parts) for v in mutation.values
        )
    )


def is_begin_or_end(analysis: Analysis, cell: str, change: Change) -> bool:
    """Whether the change fills the cell from a store, as at the start, or resets it, as at the end: neither is a part of its use."""
    return not puts_something(change) or any(restore.function == change.function for restore in analysis.cells.restores((cell,)))


def _is_free(analysis: Analysis, start: Start, identity: FunctionId) -> bool:
    """Whether a start is none by the function itself, which knows whom it has started."""
    return start.caller != identity


def _formals_that_pick(analysis: Analysis, identity: FunctionId, write: Mutation) -> frozenset[str] | None:
    """The formals that decide which entry is written; None when something else decides."""
    found: set[str] = set()
    for key in analysis.view.event(identity, write.event).keys:
        for kind, what in analysis.view.origins(identity).roots(key, write.event):
            if kind == "param":
                found.add(str(what))
            elif kind not in ("constant", "global"):
                return None
    return frozenset(found)


def _is_single_flight(analysis: Analysis, start: Start) -> bool:
    """Whether the start happens only when a look at the task that was kept says that none is running."""
    caller = start.caller
    origins = analysis.view.origins(caller)
    kept = {
        cell for m in analysis.summaries.of(caller).mutations if m.how in ("rebind", "item") and not m.distance for cell in m.cells
        if any(("result", start.event) in origins.identity(value, m.event) for value in m.values)
    }
    if kept & {s.name for s in condition_sources(analysis, caller, start.event) if s.kind == "cell"}:
        return True
    return any(
        ("result", start.event) in origins.roots(guard.condition.value, guard.node)
        for guard in guards(analysis.view.graph(caller), start.event) if guard.node < len(analysis.view.function(caller).events)
    )
