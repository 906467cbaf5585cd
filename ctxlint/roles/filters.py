"""Elements that are taken only when they pass a test: `for k in state if k in edit.reads` takes what `edit.reads` holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.flow.paths import dominates
from ctxlint.ir.function import Block
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.conditions import asked_at
from ctxlint.roles.leaf import Leaf

_CHOOSES = frozenset(["in", "==", "&", ">>"])
"""Tests that only what was asked for passes: membership, equality, and the bit of a mask."""
_REFUSES = frozenset(["not in", "!="])
"""Tests that all but what was asked for pass."""


def tested_fields(
    view: View, content: Callable[[FunctionId, int, Value], frozenset[Leaf]], identity: FunctionId, at: int,
    whole: Compound | None, name: Name,
) -> frozenset[Leaf]:
    """The fields that a variable is tested by before it is used at an event, or before it becomes an element of a comprehension."""
    if name.scope != "local":
        return frozenset()
    function = view.function(identity)
    choices = [(index, block, *choice) for index, block in enumerate(function.blocks) for choice in _choices(block, name)]
    if not choices:
        return frozenset()
    graph, definitions = view.graph(identity), view.definitions(identity)
    bound = set(definitions.definitions(at, name.name))
    if whole is not None:
        bound = {number for number in bound if number >= 0 and goes_through(view, identity, whole, view.event(identity, number).value)}
    formals = {formal.name for formal in function.formals}
    found: set[Leaf] = set()
    for index, block, value, target in choices:
        where = asked_at(view, identity, index, block)
        node = graph.size + target
        if not bound.issuperset(definitions.definitions(where, name.name)):
            continue
        if whole is None and not (len(graph.predecessors(node)) == 1 and dominates(graph, node, at)):
            continue
        for part in _others(value, name):
            found |= {leaf for leaf in content(identity, where, part) if leaf.field or leaf.instance in formals}
    return frozenset(found)


def goes_through(view: View, identity: FunctionId, whole: Compound, value: Value | None) -> bool:
    """Whether a variable's value is an element of what a comprehension goes through."""
    while isinstance(value, Compound) and value.operator == "item":
        value = value.parts[0]
    event = view.event(identity, value.event) if isinstance(value, Result) else None
    return event is not None and event.kind == "iterate" and event.value in whole.parts


def _choices(block: Block, name: Name) -> Iterator[tuple[Compound, int]]:
    for edge in block.edges:
        if edge.condition is not None:
            for value in _passed(edge.condition.value, edge.condition.holds):
                if _mentions(value, name):
                    yield value, edge.target


def _passed(value: Value, holds: bool) -> Iterator[Compound]:
    """The tests that have chosen what was asked for, when a condition came out this way."""
    if isinstance(value, Compound):
        if value.operator == "not":
            yield from _passed(value.parts[0], not holds)
        elif value.operator == ("and" if holds else "or"):
            for part in value.parts:
                yield from _passed(part, holds)
        elif value.operator in (_CHOOSES if holds else _REFUSES):
            yield value


def _others(value: Compound, name: Name) -> Iterator[Value]:
    for part in value.parts:
        if isinstance(part, Compound):
            yield from _others(part, name)
        elif part != name:
            yield part


def _mentions(value: Value, name: Name) -> bool:
    return value == name or (isinstance(value, Compound) and any(_mentions(part, name) for part in value.parts))
