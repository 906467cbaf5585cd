"""What a reading gives out: the object itself that lies in the cell, or a copy of it; and which attribute a property stands for."""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.suspensions import wait_between
from ctxlint.ir.value import Name, Value

DEEPEST = 3
"""Calls that hand an object on, one to the next."""


def gives_copy(analysis: Analysis, identity: FunctionId, read: int, depth: int = 0) -> bool:
    """Whether what is called at the reading (a property too) gives an object made for this call."""
    targets = [target for call in analysis.view.calls(identity, read) for target in call.functions]
    return bool(targets) and all(_is_made(analysis, target, depth) for target in targets)


def _is_made(analysis: Analysis, target: FunctionId, depth: int) -> bool:
    returned = [
        (number, event.value) for number, event in enumerate(analysis.view.function(target).events)
        if event.kind == "return" and event.value is not None
    ]
    return depth < DEEPEST and bool(returned) and all(
        kind == "result" and isinstance(what, int) and _is_made_by(analysis, target, what, depth)
        for number, value in returned for kind, what in analysis.view.origins(target).identity(value, number)
    )


def _is_made_by(analysis: Analysis, identity: FunctionId, event: int, depth: int) -> bool:
    it = analysis.view.event(identity, event)
    if it.kind != "call" or analysis.view.does(identity, event, "copies") is not None:
        return it.kind == "call"
    constructs = it.path is not None and not it.path.steps and not any(c.functions for c in analysis.view.calls(identity, event))
    return constructs or gives_copy(analysis, identity, event, depth + 1)


def names_of(analysis: Analysis, cell: str) -> tuple[str, ...]:
    """The cell, and the attribute that a property of this name gives as it is."""
    owner, _, attribute = cell.rpartition(".")
    getter = analysis.program.property_getter(owner, attribute) if analysis.program.class_(owner) is not None else None
    if getter is None:
        return (cell,)
    return (cell, *dict.fromkeys(
        behind
        for number, event in enumerate(analysis.view.function(getter).events) if event.kind == "return" and event.value is not None
        for behind in _attributes(analysis, getter, number, event.value)
    ))


def _attributes(analysis: Analysis, getter: FunctionId, at: int, value: Value) -> list[str]:
    """The attributes whose very content a value is."""
    found: list[str] = []
    for kind, what in analysis.view.origins(getter).identity(value, at):
        event = analysis.view.event(getter, what) if kind == "result" and isinstance(what, int) else None
        if event is not None and event.kind == "read" and event.path is not None and isinstance(what, int):
            found += cells_of(analysis.view, getter, what, event.path)[-1:]
    return found


def puts_back(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether the old value itself may be written: an override that is taken back, a default that is kept.

    A copy of it to which something was added is another value.
    """
    origins = analysis.view.origins(identity)
    taken = analysis.view.event(identity, read)
    copied = gives_copy(analysis, identity, read) or taken.kind == "call" and (
        analysis.view.does(identity, read, "copies") is not None or taken.path is None or not taken.path.steps)
    if copied and any(
        isinstance(value, Name) and analysis.view.definitions(identity).additions(write.event, value.name) for value in write.values
    ):
        return False
    return any(("result", read) in origins.identity(value, write.event) for value in write.values)


def looks_through_alias(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether the entry that the value is made of is taken out of the object itself, kept under a local name, after the last wait."""
    origins = analysis.view.origins(identity)
    leaves = {what for value in write.values for kind, what in origins.roots(value, write.event) if kind == "result"}
    return any(
        not gives_copy(analysis, identity, read)
        and isinstance(taken, int) and taken != read and (event := analysis.view.event(identity, taken)).path is not None
        and event.path.steps and ("result", read) in origins.identity(event.path.root, taken)
        and wait_between(analysis, identity, taken, write.event) is None
        for taken in leaves
    )
