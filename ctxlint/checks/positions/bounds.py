"""Whether a position that a function was given is known to lie inside the cell before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.positions.bounding import asks_of_elements, bounds, is_bounded_at, is_negative, stands_for
from ctxlint.checks.positions.raw import SUMS, Side, gone_through, is_receiver, raw_names
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Name, Result, Value

MAX_CALLERS = 3
MAX_DEPTH = 6


def is_bounded(
    analysis: Analysis, identity: FunctionId, event: int, position: Value, side: Side, *, is_field: bool = False
) -> bool:
    """Whether every value that the position can have was tested on every way to the event, or bound anew."""
    return all(
        _is_choice_bounded(analysis, identity, event, choice, side) for choice in _choices(analysis, identity, event, position, frozenset(), (), 0)
        if is_field or raw_names(analysis, identity, choice.at, choice.value, 0, side)
    )


class _Choice(NamedTuple):
    """One of the values that a position can have: the names that stand for it, what it is made of, and what was asked for it."""

    names: frozenset[str]
    at: int
    value: Value
    asked: tuple[Condition, ...]


def _choices(
    analysis: Analysis, identity: FunctionId, at: int, value: Value, names: frozenset[str], asked: tuple[Condition, ...], depth: int
) -> Iterator[_Choice]:
    """What `a if c else b`, and a variable that was bound to it, can be."""
    if isinstance(value, Name) and value.scope == "local" and depth < MAX_DEPTH:
        bound = analysis.view.definitions(identity).definitions(at, value.name)
        made = analysis.view.event(identity, bound[0]) if len(bound) == 1 and bound[0] != ENTRY_VALUE else None
        if made is not None and made.kind == "local" and made.value is not None:
            yield from _choices(analysis, identity, bound[0], made.value, names | {value.name}, asked, depth + 1)
            return
    if isinstance(value, Compound) and value.operator == "if" and depth < MAX_DEPTH:
        test, then, other = value.parts
        yield from _choices(analysis, identity, at, then, names, (*asked, Condition(test, True)), depth + 1)
        yield from _choices(analysis, identity, at, other, names, (*asked, Condition(test, False)), depth + 1)
        return
    yield _Choice(names, at, value, asked)


def _is_choice_bounded(analysis: Analysis, identity: FunctionId, event: int, choice: _Choice, side: Side) -> bool:
    names = choice.names | _names(analysis, identity, choice.at, choice.value)
    if not names:
        return False
    if any(bounds(analysis, identity, choice.at, condition, names, side) for condition in choice.asked):
        return True
    through = _elements_of(analysis, identity, choice.at, choice.value)
    if through and asks_of_elements(analysis, identity, through):
        return True
    names = names | {through} if through else names
    helpers = set(_checking_helpers(analysis, identity, names, side))
    if event in helpers:
        return True                                        # whoever makes the edit asks first
    barriers = {*_rebindings(analysis, identity, names, side), *helpers} - {event}
    return not _comes_unbounded(analysis, identity, event, names, side, barriers)


def _elements_of(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> str:
    """What a loop goes through to find the position, or the entry whose part it is."""
    event = analysis.view.event(identity, value.event) if isinstance(value, Result) else None
    if event is not None and event.kind == "read" and event.path is not None:
        return gone_through(analysis, identity, at, event.path.root)
    return gone_through(analysis, identity, at, value)


def _comes_unbounded(
    analysis: Analysis, identity: FunctionId, event: int, names: frozenset[str], side: Side, barriers: set[int]
) -> bool:
    """Whether some way leads to the event past all barriers and along no edge whose test bounds the position."""
    graph = analysis.view.graph(identity)
    pending, seen = [graph.entry], {graph.entry}
    while pending:
        for edge in graph.successors(pending.pop()):
            if edge.condition is not None and bounds(analysis, identity, edge.target, edge.condition, names, side):
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
    if isinstance(value, Compound) and value.operator in SUMS:
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
            if event.path.root.name in names and not raw_names(analysis, identity, number, event.value, 0, side) or event.path.root.name in names and event.note == "aug" or event.path.root.name in names and isinstance(event.value, Compound) and event.value.operator in ("+", "+="):
                yield number


def _checking_helpers(analysis: Analysis, identity: FunctionId, names: frozenset[str], side: Side) -> Iterator[int]:
    """Calls of helpers that return only when the formal that a position fills is bounded."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or not any(stands_for(analysis, identity, a.value, names) for a in event.arguments):
            continue
        for call in view.calls(identity, number):
            for target in call.functions[:3]:
                exit_node = view.graph(target).exit
                for formal, value in view.bound(call, target).items():
                    if stands_for(analysis, identity, value, names) and target != identity:
                        if is_bounded_at(analysis, target, exit_node, formal, side):
                            yield number


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
        is_raw(analysis, caller, number, value, side, depth + 1) or (side == "lower" and is_negative(value))
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
        return value is not None and not is_bounded(analysis, identity, event, position, side, is_field=True) and (
            is_raw_field(analysis, identity, bound[0], value, side))
    read = view.event(identity, position.event) if isinstance(position, Result) else None
    if read is None or read.kind != "read" or read.path is None or len(read.path.steps) != 1:
        return False
    owner = view.program.owner(identity)
    root = read.path.root
    if owner is None or not isinstance(root, Name) or not is_receiver(analysis, identity, root.name):
        return False
    if is_bounded(analysis, identity, event, position, side, is_field=True):
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
