"""Whether a position that a function was given is known to lie inside the cell before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis
from ctxlint.flow.paths import path
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.function import Condition
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

Side = Literal["lower", "upper"]

MAX_CALLERS = 3

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_TAKES_APART = frozenset(["split", "rsplit", "partition", "rpartition", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix"])
_SUMS = frozenset(["+", "-", "+=", "-=", "-x", "item"])


def raw_names(
    analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int = 0, side: Side | None = None
) -> frozenset[str]:
    """The formals from which a position is taken as they were passed: by name, sum, attribute or item, or out of a text.

    The larger of two is bounded below only, the smaller above only.
    """
    if depth > 8:
        return frozenset()
    view = analysis.view
    formals = {f.name for f in view.function(identity).formals if not _is_receiver(analysis, identity, f.name)}
    if isinstance(value, Name) and value.scope == "local":
        found: set[str] = set()
        for number in view.definitions(identity).definitions(at, value.name):
            if number == ENTRY_VALUE:
                found |= {value.name} & formals
                continue
            event = view.event(identity, number)
            if event.kind == "local" and event.value is not None:
                found |= raw_names(analysis, identity, number, event.value, depth + 1, side)
        return frozenset(found)
    if isinstance(value, Compound) and value.operator in (*_SUMS, "if", "or"):
        parts = value.parts[:1] if value.operator == "item" else value.parts[1:] if value.operator == "if" else value.parts
        return frozenset().union(*(raw_names(analysis, identity, at, part, depth + 1, side) for part in parts))
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name):
            if event.path.root.name in formals:
                return frozenset([event.path.root.name])
        if event.kind == "call" and event.path is not None:
            passed = list(_passed_through(event, event.path, side))
            return frozenset().union(*(raw_names(analysis, identity, value.event, each, depth + 1, side) for each in passed))
        if event.kind == "read" and event.path is not None and event.path.steps == ("[*]",) and isinstance(event.path.root, Result):
            return raw_names(analysis, identity, value.event, event.path.root, depth + 1, side)
    return frozenset()


def _passed_through(event: Event, path: AccessPath, side: Side | None) -> list[Value]:
    """What a call gives back as unbounded as it was passed."""
    name = "" if path.steps else getattr(path.root, "name", "")
    arguments = [argument.value for argument in event.arguments]
    if name == "int" and len(arguments) == 1:
        return arguments
    if (name, side) in (("max", "upper"), ("min", "lower")) and len(arguments) > 1:
        return arguments
    return [path.root] if len(path.steps) == 1 and path.steps[0] in _TAKES_APART else []


def _is_receiver(analysis: Analysis, identity: FunctionId, name: str) -> bool:
    function = analysis.view.function(identity)
    return bool(function.owner) and function.formals[0].name == name


def is_bounded(analysis: Analysis, identity: FunctionId, event: int, position: Value, side: Side) -> bool:
    """Whether every way to the event passes a test that bounds the position, or binds it anew."""
    names = _names(analysis, identity, event, position)
    if not names:
        return False
    barriers = {*_rebindings(analysis, identity, names, side), *_checking_helpers(analysis, identity, names, side)} - {event}
    return not _comes_unbounded(analysis, identity, event, names, side, barriers)


def _comes_unbounded(
    analysis: Analysis, identity: FunctionId, event: int, names: frozenset[str], side: Side, barriers: set[int]
) -> bool:
    """Whether some way leads to the event past all barriers and along no edge whose test bounds the position."""
    graph = analysis.view.graph(identity)
    pending, seen = [graph.entry], {graph.entry}
    while pending:
        for edge in graph.successors(pending.pop()):
            if edge.condition is not None and _bounds(analysis, identity, edge.condition, names, side):
                continue
            if edge.target == event:
                return True
            if edge.target not in seen and edge.target not in barriers:
                seen.add(edge.target)
                pending.append(edge.target)
    return False


def _names(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int = 0) -> frozenset[str]:
    """The local names that stand for a position: the variable and those it is a plain copy or sum of."""
    if depth > 6:
        return frozenset()
    if isinstance(value, Name) and value.scope == "local":
        found = {value.name}
        for number in analysis.view.definitions(identity).definitions(at, value.name):
            event = analysis.view.event(identity, number) if number >= 0 else None
            if event is not None and event.kind == "local" and event.value is not None:
                found |= _names(analysis, identity, number, event.value, depth + 1)
        return frozenset(found)
    if isinstance(value, Compound) and value.operator in _SUMS:
        return frozenset().union(*(_names(analysis, identity, at, part, depth + 1) for part in value.parts[:1]))
    if isinstance(value, Result):
        event = analysis.view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and event.path.root.scope == "local":
            return frozenset([".".join((event.path.root.name, *event.path.steps))])
        if event.kind == "call" and event.path is not None and getattr(event.path.root, "name", "") in ("int", "max", "min"):
            return frozenset().union(*(_names(analysis, identity, value.event, a.value, depth + 1) for a in event.arguments))
    return frozenset()


def _rebindings(analysis: Analysis, identity: FunctionId, names: frozenset[str], side: Side) -> Iterator[int]:
    """Where one of the names gets a value that is no plain copy of what was passed."""
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
            if event.path.root.name in names and not raw_names(analysis, identity, number, event.value, 0, side):
                yield number
            elif event.path.root.name in names and event.note == "aug":
                yield number
            elif event.path.root.name in names and isinstance(event.value, Compound) and event.value.operator in ("+", "+="):
                yield number


def _bounds(analysis: Analysis, identity: FunctionId, condition: Condition, names: frozenset[str], side: Side) -> bool:
    return _holds(analysis, identity, condition.value, condition.holds, names, side)


def _holds(analysis: Analysis, identity: FunctionId, value: Value, holds: bool, names: frozenset[str], side: Side) -> bool:
    if not isinstance(value, Compound):
        return False
    if value.operator == "not":
        return _holds(analysis, identity, value.parts[0], not holds, names, side)
    if (value.operator == "and" and holds) or (value.operator == "or" and not holds):
        return any(_holds(analysis, identity, part, holds, names, side) for part in value.parts)
    if value.operator in ("and", "or"):
        return all(_holds(analysis, identity, part, holds, names, side) for part in value.parts)
    if value.operator not in _DENIED or len(value.parts) != 2:
        return False
    operator = value.operator if holds else _DENIED[value.operator]
    left, right = value.parts
    if operator in ("in", "=="):
        return _stands_for(analysis, identity, left, names) or (operator == "==" and _stands_for(analysis, identity, right, names))
    if _stands_for(analysis, identity, right, names) and not _stands_for(analysis, identity, left, names):
        left, right, operator = right, left, _TURNED.get(operator, operator)
    if not _stands_for(analysis, identity, left, names):
        return False
    if side == "lower":
        return operator in (">", ">=") and not _is_negative(right)
    return operator in ("<", "<=") and not isinstance(right, Constant)


def _stands_for(analysis: Analysis, identity: FunctionId, value: Value, names: frozenset[str]) -> bool:
    if isinstance(value, Name):
        return value.name in names
    if isinstance(value, Compound) and value.operator in ("+", "-") and value.parts:
        return _stands_for(analysis, identity, value.parts[0], names)
    if isinstance(value, Result):
        event = analysis.view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name):
            return ".".join((event.path.root.name, *event.path.steps)) in names
    return False


def _is_negative(value: Value) -> bool:
    return (isinstance(value, Compound) and value.operator == "-x") or (isinstance(value, Constant) and value.text.startswith("-"))


def _checking_helpers(analysis: Analysis, identity: FunctionId, names: frozenset[str], side: Side) -> Iterator[int]:
    """Calls of helpers that return only when the formal that a position fills is bounded."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or not any(_stands_for(analysis, identity, a.value, names) for a in event.arguments):
            continue
        for call in view.calls(identity, number):
            for target in call.functions[:3]:
                exit_node = view.graph(target).exit
                for formal, value in view.bound(call, target).items():
                    if _stands_for(analysis, identity, value, names) and target != identity:
                        if is_bounded_at(analysis, target, exit_node, formal, side):
                            yield number


def is_bounded_at(analysis: Analysis, identity: FunctionId, node: int, formal: str, side: Side) -> bool:
    """Whether a formal is bounded whenever control comes to a node of the graph."""
    view = analysis.view
    graph = view.graph(identity)
    barriers = {
        graph.size + edge.target
        for block in view.function(identity).blocks for edge in block.edges
        if edge.condition is not None and len(graph.predecessors(graph.size + edge.target)) == 1
        and _bounds(analysis, identity, edge.condition, frozenset([formal]), side)
    }
    for block in view.function(identity).blocks:
        for edge in block.edges:
            if edge.condition is not None and graph.size + edge.target == node:
                if _bounds(analysis, identity, edge.condition, frozenset([formal]), side):
                    continue
    return bool(barriers) and path(graph, graph.entry, node, barriers, consistent=False, exceptional=False) is None


def is_raw(analysis: Analysis, identity: FunctionId, event: int, position: Value, side: Side, depth: int = 0) -> bool:
    """Whether a position can reach the event just as somebody outside passed it, unbounded on that side."""
    names = raw_names(analysis, identity, event, position, 0, side)
    if not names or is_bounded(analysis, identity, event, position, side):
        return False
    callers = analysis.view.call_graph.callers(identity)
    simple = analysis.view.function(identity).qualname.rpartition(".")[2]
    if not callers or depth >= MAX_CALLERS:
        return not simple.startswith("_") or not callers
    if not simple.startswith("_") and depth == 0:
        return True
    return any(
        is_raw(analysis, caller, number, value, side, depth + 1) or (side == "lower" and _is_negative(value))
        for caller, number in callers
        for call in analysis.view.calls(caller, number) if identity in call.functions
        for name, value in analysis.view.bound(call, identity).items() if name in names
    )


def is_raw_field(analysis: Analysis, identity: FunctionId, event: int, position: Value, side: Side) -> bool:
    """Whether a position is a field of the method's own object that was given when the object was made, unbounded on that side."""
    view = analysis.view
    if isinstance(position, Name) and position.scope == "local":
        bound = [n for n in view.definitions(identity).definitions(event, position.name) if n >= 0]
        value = view.event(identity, bound[0]).value if len(bound) == 1 else None
        return value is not None and not is_bounded(analysis, identity, event, position, side) and (
            is_raw_field(analysis, identity, bound[0], value, side))
    read = view.event(identity, position.event) if isinstance(position, Result) else None
    if read is None or read.kind != "read" or read.path is None or len(read.path.steps) != 1:
        return False
    owner = view.program.owner(identity)
    root = read.path.root
    if owner is None or not isinstance(root, Name) or not _is_receiver(analysis, identity, root.name):
        return False
    if is_bounded(analysis, identity, event, position, side):
        return False
    field = read.path.steps[0]
    writes = [
        (method, number, e.value) for method in view.program.functions()
        if method.module == identity.module and view.program.owner(method) == owner
        for number, e in enumerate(view.function(method).events)
        if e.kind == "write" and e.path is not None and e.path.steps == (field,)
    ]
    info = view.program.class_(owner)
    if not writes:
        return info is not None and any(f.name == field and f.annotation and f.default is None for f in info.ir.fields) and (
            not any(view.program.owner(m) == owner and view.program.symbol(m).endswith("__post_init__")
                    for m in view.program.functions() if m.module == identity.module))
    return len(writes) == 1 and any(
        isinstance(value, Name) and value.scope == "local" and any(f.name == value.name for f in view.function(method).formals)
        and not is_bounded_at(analysis, method, view.graph(method).exit, value.name, side)
        for method, number, value in writes if view.program.symbol(method).endswith("__init__")
    )
