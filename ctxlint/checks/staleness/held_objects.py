"""Objects that another one holds: whether a method called on such an object replaces what it keeps, and who else changes that.

The second writer has to reach the same object: by the attribute of the same class, by a variable of the module, or because both
were given it where they were made.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import condition_sources
from ctxlint.checks.records import keys_of
from ctxlint.checks.staleness.given_out import names_of
from ctxlint.checks.staleness.second_writers import is_private, last_name
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.cells import Change

NEAR = 2
"""How many calls down from a second writer the object is changed at most."""

_REPLACES = frozenset({"rebind", "field", "item"})


def values_put_in(analysis: Analysis, identity: FunctionId, write: Mutation) -> tuple[Value, ...]:
    """What a call has the called method put in the place of all that the cell held; empty when it does anything else.

    A method that looks at what is there before it writes, or that puts something of it in again, answers for itself.
    """
    function, event = write.origin
    value = analysis.view.event(function, event).value
    if write.how not in _REPLACES or value is None or not _is_whole(analysis, function, event):
        return ()
    sources = analysis.summaries.sources.of(function, event, value)
    looked_at = {s.name for s in (*sources, *condition_sources(analysis, function, event)) if s.kind == "cell"}
    if any(not is_constructor(analysis.view, change.function) for cell in looked_at for change in analysis.cells.changes(cell)):
        return ()
    return analysis.cells.entering.values(identity, write)


def _is_whole(analysis: Analysis, function: FunctionId, event: int) -> bool:
    """Whether the event stores into an attribute or a variable itself, or into all of a sequence."""
    it = analysis.view.event(function, event)
    return it.kind == "write" and all(
        isinstance(key, Compound) and key.operator == "slice" and all(
            isinstance(part, Constant) and part.text in ("None", "0") for part in key.parts)
        for key in it.keys
    )


def holder_of(path: AccessPath, cell: str) -> AccessPath:
    """The object whose attribute the cell is, on a path that leads to the cell or below it."""
    attribute = cell.rpartition(".")[2]
    places = [index for index, step in enumerate(path.steps) if step == attribute]
    return AccessPath(path.root, path.steps[: places[-1]] if places else path.steps)


def is_of_same_object(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether the reading is one of the object that is written, as far as the function says which object each of them means."""
    view = analysis.view
    event = view.event(identity, read)
    if event.path is None:
        return True
    cell = write.cells[-1]
    looked = holder_of(event.path, cell) if event.kind == "read" else AccessPath(event.path.root, event.path.steps[:-1])
    written = holder_of(write.path, cell)
    if not written.steps and isinstance(written.root, Name):
        return True                                           # an attribute of the receiver's own, a variable as such
    ones, others = view.resolve_path(identity, read, looked), view.resolve_path(identity, write.event, written)
    if any(_leads_to(one, other) for one in ones for other in others):
        return True
    homes = analysis.homes.of(identity, read, looked) & analysis.homes.of(identity, write.event, written)
    keys = [{key for path in paths for key in _asked(analysis, identity, path)} for paths in (ones, others)]
    return bool(homes) and (bool(keys[0] & keys[1]) or not (keys[0] and keys[1])) and all(
        isinstance(path.root, Result) for path in (*ones, *others))


def _leads_to(one: AccessPath, other: AccessPath) -> bool:
    """Whether the first path is the second one, or the receiver from which a method of its own may go on."""
    return one.root == other.root and (one.steps == other.steps or not one.steps)


def _asked(analysis: Analysis, identity: FunctionId, path: AccessPath) -> Iterator[object]:
    if isinstance(path.root, Result):
        for argument in analysis.view.event(identity, path.root.event).arguments:
            yield from keys_of(analysis, identity, path.root.event, argument.value)


def writers_of_held(analysis: Analysis, identity: FunctionId, write: Mutation, cell: str) -> tuple[Change, ...]:
    """The functions that change the cell of the same object through another one that holds it, and that can run meanwhile."""
    sources = analysis.homes.all_sources(_homes(analysis, identity, write, cell))
    if not sources:
        return ()
    return tuple(
        Change(function, change)
        for name in names_of(analysis, cell) for function, change in analysis.cells.reaching(name)
        if function not in (identity, write.origin[0]) and change.distance <= NEAR
        and not is_constructor(analysis.view, function) and last_name(analysis, function) != last_name(analysis, identity)
        and (not is_private(analysis, function) or analysis.tasks.starts(function))
        and change.origin != write.origin
        and analysis.homes.all_sources(_homes(analysis, function, change, name)) & sources
        and analysis.ways_in.can_meet(identity, function)
    )


def _homes(analysis: Analysis, identity: FunctionId, mutation: Mutation, cell: str) -> frozenset[str]:
    return analysis.homes.of(identity, mutation.event, holder_of(mutation.path, cell))
