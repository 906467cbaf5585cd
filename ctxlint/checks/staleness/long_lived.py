"""Cells that outlive a call: whether a write is one of such a cell, which readings it goes by, and who else changes the cell."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.names import split
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import conditions
from ctxlint.checks.staleness.held_objects import writers_of_held
from ctxlint.checks.staleness.second_writers import other_writers, siblings_through
from ctxlint.checks.staleness.shared_variables import captured_name, other_closures, readings
from ctxlint.checks.suspensions import wait_between
from ctxlint.ir.value import Name
from ctxlint.roles.cells import Change


def is_long_lived(analysis: Analysis, identity: FunctionId, write: Mutation) -> bool:
    """Whether an attribute of the object whose method this is is written (or an entry of it), or a variable of the module, or an
    attribute or entry of the object that such an attribute or variable holds.
    """
    root, steps = write.path.root, write.path.steps
    if not isinstance(root, Name) or len([step for step in steps if not step.startswith("[")]) > 2 or len(steps) > 3:
        return False
    if root.scope == "global":
        return split(analysis.program, write.cells[0])[0] != ""
    return bool(root.name) and root.name == receiver_name(analysis.view.function(identity))


def readings_for(analysis: Analysis, identity: FunctionId, write: Mutation, cell: str, is_variable: bool) -> set[int]:
    """The events at which what is written was read; a variable as such is evaluated without an event of its own."""
    if is_variable:
        return set(readings(analysis, identity, write.event, write.values, write.path))
    sources = analysis.summaries.sources.of_all(identity, write.event, write.values)
    found = {s.event for s in sources if s.kind == "cell" and s.name == cell and s.event >= 0}
    root = write.path.root
    if all(step.startswith("[") for step in write.path.steps) and isinstance(root, Name) and any(s.kind == "global" and s.name == root.name for s in sources):
        found |= readings(analysis, identity, write.event, write.values, write.path)
    return found


def writers_beside(analysis: Analysis, identity: FunctionId, write: Mutation, cell: str) -> tuple[Change, ...]:
    """Who else changes the cell; of an object that an attribute holds, those who reach it through the same attribute."""
    if captured_name(analysis, identity, write):
        return other_closures(analysis, identity, write)
    root, inner = write.path.root, [step for step in write.path.steps[1:] if not step.startswith("[")]
    own = isinstance(root, Name) and root.scope != "global"
    if not is_long_lived(analysis, identity, write) or (write.distance and (inner or not own)):
        return writers_of_held(analysis, identity, write, cell)
    if not (own and inner):
        return tuple(change for change in other_writers(analysis, identity, cell) if change.function != write.origin[0])
    return siblings_through(analysis, identity, write, cell) or writers_of_held(analysis, identity, write, cell)


def rechecks_variable(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether a condition of the write looks at the variable itself after the last wait."""
    if not captured_name(analysis, identity, write) and write.path.steps:
        return False
    return any(
        wait_between(analysis, identity, read, look) is not None and wait_between(analysis, identity, look, write.event) is None
        for at, value in conditions(analysis, identity, write.event)
        for look in readings(analysis, identity, at, [value], write.path)
    )
