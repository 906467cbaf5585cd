"""Tests that keep a position inside a cell: what holds of some names when a condition does."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.raw import Side, gone_through
from ctxlint.flow.paths import path
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

MAX_DEPTH = 6

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_ORDERED = frozenset(["<", "<=", ">", ">="])
_ALL = frozenset(["all", "any"])


def bounds(analysis: Analysis, identity: FunctionId, at: int, condition: Condition, names: frozenset[str], side: Side) -> bool:
    """Whether a condition, as evaluated at an event, says that a position of one of these names lies inside on that side."""
    return _holds(analysis, identity, at, condition.value, condition.holds, names, side, 0)


def _holds(
    analysis: Analysis, identity: FunctionId, at: int, value: Value, holds: bool, names: frozenset[str], side: Side, depth: int
) -> bool:
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, Name) and value.scope == "local":
        bound = analysis.view.definitions(identity).definitions(at, value.name)
        made = analysis.view.event(identity, bound[0]) if len(bound) == 1 and bound[0] >= 0 else None
        return made is not None and made.kind == "local" and made.value is not None and (
            _holds(analysis, identity, bound[0], made.value, holds, names, side, depth + 1))
    if isinstance(value, Result):
        return _answers(analysis, identity, value.event, holds, names, side, depth)
    if not isinstance(value, Compound):
        return False
    if value.operator == "not":
        return _holds(analysis, identity, at, value.parts[0], not holds, names, side, depth + 1)
    if (value.operator == "and" and holds) or (value.operator == "or" and not holds):
        return any(_holds(analysis, identity, at, part, holds, names, side, depth + 1) for part in value.parts)
    if value.operator in ("and", "or"):
        return all(_holds(analysis, identity, at, part, holds, names, side, depth + 1) for part in value.parts)
    if value.operator not in _DENIED or len(value.parts) != 2:
        return False
    operator = value.operator if holds else _DENIED[value.operator]
    left, right = value.parts
    if operator in ("in", "=="):
        return stands_for(analysis, identity, left, names) or (operator == "==" and stands_for(analysis, identity, right, names))
    if stands_for(analysis, identity, right, names) and not stands_for(analysis, identity, left, names):
        left, right, operator = right, left, _TURNED.get(operator, operator)
    if not stands_for(analysis, identity, left, names):
        return False
    if side == "lower":
        return operator in (">", ">=") and (not is_negative(right) or (operator == ">" and right in _MINUS_ONE))
    return operator in ("<", "<=") and not isinstance(right, Constant)


_MINUS_ONE = (Constant("int", "-1"), Compound("-x", (Constant("int", "1"),)))


def _answers(analysis: Analysis, identity: FunctionId, number: int, holds: bool, names: frozenset[str], side: Side, depth: int) -> bool:
    """Whether what a helper answers says so: every answer of that kind is one that it gives of a position inside."""
    view = analysis.view
    event = view.event(identity, number)
    if event.kind != "call" or event.path is None:
        return False
    if not event.path.steps and getattr(event.path.root, "name", "") in _ALL and event.arguments:
        return _asks_each(analysis, identity, number, event.arguments[0].value, names)
    for call in view.calls(identity, number):
        for target in call.functions[:3]:
            formals = frozenset(f for f, value in view.bound(call, target).items() if stands_for(analysis, identity, value, names))
            given = [(n, e.value) for n, e in enumerate(view.function(target).events) if e.kind == "return"]
            if formals and given and target != identity and all(
                _is_said(value, not holds) or (value is not None and _holds(analysis, target, n, value, holds, formals, side, depth + 2))
                or any(is_bounded_at(analysis, target, n, formal, side) for formal in formals) for n, value in given
            ):
                return True
    return False


def _is_said(value: Value | None, truth: bool) -> bool:
    """Whether an answer is a constant that counts as this truth."""
    if value is None:
        return not truth
    return isinstance(value, Constant) and (value.text not in ("False", "None", "0", "")) == truth


def _asks_each(analysis: Analysis, identity: FunctionId, at: int, value: Value, names: frozenset[str]) -> bool:
    """Whether `all(…)` or `any(…)` compares the elements of something with one of these names."""
    if not isinstance(value, Compound) or not value.operator.startswith("comprehension") or not _has_order(value.parts[0]):
        return False
    return any(stands_for(analysis, identity, over, names) for over in value.parts[1:])


def _has_order(value: Value) -> bool:
    return isinstance(value, Compound) and (value.operator in _ORDERED or any(map(_has_order, value.parts)))


def stands_for(analysis: Analysis, identity: FunctionId, value: Value, names: frozenset[str]) -> bool:
    """Whether a value is one of the names, or a sum in which one is."""
    if isinstance(value, Name):
        return value.name in names
    if isinstance(value, Compound) and value.operator in ("+", "-") and value.parts:
        return any(stands_for(analysis, identity, part, names) for part in value.parts[:None if value.operator == "+" else 1])
    if isinstance(value, Result):
        event = analysis.view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name):
            return ".".join((event.path.root.name, *event.path.steps)) in names
    return False


def is_negative(value: Value) -> bool:
    """Whether a number is written down as one below zero."""
    return (isinstance(value, Compound) and value.operator == "-x") or (isinstance(value, Constant) and value.text.startswith("-"))


def asks_of_elements(analysis: Analysis, identity: FunctionId, whole: str, depth: int = 0) -> bool:
    """Whether the function, or a helper that is given all of them, compares the order of elements of `whole` with something."""
    view = analysis.view
    size = view.graph(identity).size
    for block in view.function(identity).blocks:
        for edge in block.edges:
            at = size + edge.target
            if edge.condition is not None and any(
                gone_through(analysis, identity, at, part) == whole or _belongs_to(analysis, identity, at, part, whole)
                for part in _ordered(edge.condition.value)
            ):
                return True
    return depth < 2 and any(
        isinstance(value, Name) and value.name == whole and target != identity and asks_of_elements(analysis, target, formal, depth + 1)
        for number, event in enumerate(view.function(identity).events) if event.kind == "call"
        for call in view.calls(identity, number) for target in call.functions[:3]
        for formal, value in view.bound(call, target).items()
    )


def _belongs_to(analysis: Analysis, identity: FunctionId, at: int, value: Value, whole: str) -> bool:
    """Whether a value is a field of an element of `whole`."""
    event = analysis.view.event(identity, value.event) if isinstance(value, Result) else None
    return event is not None and event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and (
        gone_through(analysis, identity, at, event.path.root) == whole)


def _ordered(value: Value) -> list[Value]:
    """What a condition compares the order of."""
    if not isinstance(value, Compound):
        return []
    if value.operator in _ORDERED or value.operator in ("in", "not in"):
        return list(value.parts)
    return [found for part in value.parts for found in _ordered(part)]


def is_bounded_at(analysis: Analysis, identity: FunctionId, node: int, formal: str, side: Side) -> bool:
    """Whether a formal is bounded whenever control comes to a node of the graph."""
    view = analysis.view
    graph = view.graph(identity)
    barriers = {
        graph.size + edge.target
        for block in view.function(identity).blocks for edge in block.edges
        if edge.condition is not None and len(graph.predecessors(graph.size + edge.target)) == 1
        and bounds(analysis, identity, graph.size + edge.target, edge.condition, frozenset([formal]), side)
    }
    return bool(barriers) and path(graph, graph.entry, node, barriers, consistent=False, exceptional=False) is None
