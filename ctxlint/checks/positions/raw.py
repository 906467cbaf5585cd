"""Which positions a function uses just as they were passed to it."""

from __future__ import annotations

from typing import Literal

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

Side = Literal["lower", "upper"]

SUMS = frozenset(["+", "-", "+=", "-=", "-x", "item"])
_TAKES_APART = frozenset(["split", "rsplit", "partition", "rpartition", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix"])
_SAME_ITEMS = frozenset(["list", "tuple", "sorted", "reversed", "iter", "enumerate", "zip"])


def raw_names(
    analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int = 0, side: Side | None = None
) -> frozenset[str]:
    """The formals from which a position is taken as they were passed: by name, sum, attribute or item, or out of a text.

    The larger of two is bounded below only, the smaller above only.
    """
    if depth > 8:
        return frozenset()
    view = analysis.view
    formals = {f.name for f in view.function(identity).formals if not is_receiver(analysis, identity, f.name)}
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
    if isinstance(value, Compound) and value.operator in (*SUMS, "if", "or"):
        if value.operator == "item" and is_count(analysis, identity, value):
            return frozenset()
        parts = value.parts[:1] if value.operator == "item" else value.parts[1:] if value.operator == "if" else value.parts
        return frozenset().union(*(raw_names(analysis, identity, at, part, depth + 1, side) for part in parts))
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name):
            if event.path.root.name in formals:
                return frozenset([event.path.root.name])
            if event.path.root.scope == "local" and _is_parsed(analysis, identity, value.event, event.path.root):
                return raw_names(analysis, identity, value.event, event.path.root, depth + 1, side)
            through = gone_through(analysis, identity, value.event, event.path.root)
            return frozenset([through]) & formals
        if event.kind == "iterate":
            return frozenset([gone_through(analysis, identity, value.event, value)]) & formals
        if event.kind == "call" and event.path is not None:
            passed = list(_passed_through(event, event.path, side))
            if analysis.view.does(identity, value.event, "parses") is not None:
                passed = [argument.value for argument in event.arguments[:1]]
            passed += _handed_back(analysis, identity, value.event, depth, side)
            return frozenset().union(*(raw_names(analysis, identity, value.event, each, depth + 1, side) for each in passed))
        if event.kind == "read" and event.path is not None and event.path.steps == ("[*]",) and isinstance(event.path.root, Result):
            return raw_names(analysis, identity, value.event, event.path.root, depth + 1, side)
    return frozenset()


def _is_parsed(analysis: Analysis, identity: FunctionId, at: int, name: Name) -> bool:
    """Whether a local is what a text that was passed says."""
    bound = analysis.view.definitions(identity).definitions(at, name.name)
    made = analysis.view.event(identity, bound[0]).value if len(bound) == 1 and bound[0] >= 0 else None
    return isinstance(made, Result) and analysis.view.does(identity, made.event, "parses") is not None


def _handed_back(analysis: Analysis, identity: FunctionId, number: int, depth: int, side: Side | None) -> list[Value]:
    """The arguments that a function of the program, which asks nothing about them, hands back."""
    found: list[Value] = []
    view = analysis.view
    for call in view.calls(identity, number) if depth < 4 else ():
        for target in call.functions[:2]:
            function = view.function(target)
            if target == identity or any(edge.condition is not None for block in function.blocks for edge in block.edges):
                continue
            names = {
                name for at, event in enumerate(function.events) if event.kind == "return" and event.value is not None
                for name in raw_names(analysis, target, at, event.value, depth + 3, side)
            }
            found += [value for name, value in view.bound(call, target).items() if name in names]
    return found


def _passed_through(event: Event, path: AccessPath, side: Side | None) -> list[Value]:
    """What a call gives back as unbounded as it was passed."""
    name = "" if path.steps else getattr(path.root, "name", "")
    arguments = [argument.value for argument in event.arguments]
    if name == "int" and len(arguments) == 1:
        return arguments
    if (name, side) in (("max", "upper"), ("min", "lower")) and len(arguments) > 1:
        return [a for a in arguments if not (isinstance(a, Compound) and a.operator == "+")]     # counted from somewhere else
    return [path.root] if len(path.steps) == 1 and path.steps[0] in _TAKES_APART else []


def is_receiver(analysis: Analysis, identity: FunctionId, name: str) -> bool:
    function = analysis.view.function(identity)
    return bool(function.owner) and function.formals[0].name == name




def gone_through(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int = 0) -> str:
    """The local name whose elements a loop takes, of which a value is one, or a part of one."""
    view = analysis.view
    if depth > 6:
        return ""
    if isinstance(value, Name) and value.scope == "local":
        bound = view.definitions(identity).definitions(at, value.name)
        made = view.event(identity, bound[0]).value if len(bound) == 1 and bound[0] >= 0 else None
        return gone_through(analysis, identity, bound[0], made, depth + 1) if made is not None else ""
    if isinstance(value, Compound) and value.operator == "item" and not is_count(analysis, identity, value):
        return gone_through(analysis, identity, at, value.parts[0], depth + 1)
    event = view.event(identity, value.event) if isinstance(value, Result) else None
    if event is None or event.kind != "iterate":
        return ""
    over = event.value
    for _ in range(3):
        if isinstance(over, Name) and over.scope == "local":
            return over.name
        call = view.event(identity, over.event) if isinstance(over, Result) else None
        if call is None or call.kind != "call" or call.path is None or not call.arguments or _named(call.path) not in _SAME_ITEMS:
            return ""
        over = call.arguments[0].value
    return ""


def is_count(analysis: Analysis, identity: FunctionId, value: Compound) -> bool:
    """Whether a part of what a loop takes is the number of the round."""
    whole = value.parts[0]
    taken = analysis.view.event(identity, whole.event) if isinstance(whole, Result) else None
    over = taken.value if taken is not None and taken.kind == "iterate" else None
    call = analysis.view.event(identity, over.event) if isinstance(over, Result) else None
    return value.parts[1:] == (Constant("int", "0"),) and call is not None and call.kind == "call" and call.path is not None and (
        _named(call.path) == "enumerate"
    )


def _named(path: AccessPath) -> str:
    return "" if path.steps else getattr(path.root, "name", "")
