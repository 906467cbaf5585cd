"""Cells that are bound anew to something made of their own elements."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.flow.loops import Loops
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.holders import Holder, Holders

MAX_DEPTH = 6


def is_made_of(
    view: View, holders: Holders, identity: FunctionId, at: int, value: Value, cell: frozenset[Holder], depth: int = 0
) -> bool:
    """Whether a value is put together of the elements of a cell: a copy, a part of it, a comprehension over it."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, Compound):
        return any(is_made_of(view, holders, identity, at, part, cell, depth + 1) for part in value.parts)
    if holders.of(identity, at, value) & cell:
        return True
    if isinstance(value, Name) and value.scope == "local":
        bound = view.definitions(identity).definitions(at, value.name)
        made = view.event(identity, bound[0]).value if len(bound) == 1 and bound[0] >= 0 else None
        return made is not None and is_made_of(view, holders, identity, bound[0], made, cell, depth + 1)
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        return event.kind == "call" and any(
            is_made_of(view, holders, identity, value.event, argument.value, cell, depth + 1) for argument in event.arguments)
    return False


def is_mapped(view: View, holders: Holders, identity: FunctionId, at: int, value: Value, cell: frozenset[Holder]) -> bool:
    """Whether a value has one element for each of a cell, in the same order: a comprehension that leaves none out."""
    if not isinstance(value, Compound) or value.operator != "comprehension-list" or len(value.parts) != 2:
        return False
    if not holders.of(identity, at, value.parts[1]) & cell:
        return False
    events, graph = view.function(identity).events, view.graph(identity)
    driver = next((n for n in range(at - 1, -1, -1) if events[n].kind == "iterate" and events[n].value == value.parts[1]), None)
    loop = graph.derived(Loops).loop_of(driver) if driver is not None else None
    return loop is not None and not any(
        successor.condition is not None and successor.target in loop.body for node in loop.body for successor in graph.successors(node)
    )
