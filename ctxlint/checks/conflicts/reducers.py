"""Keys that several changes may write at once, since a function kept for each of them combines what they write."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.decisions import Decision
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields

_VIEWS = frozenset(["keys", "copy"])
_COPIES = frozenset(["set", "frozenset", "list", "tuple", "dict"])


def combines(analysis: Analysis, fields: Fields, decision: Decision) -> bool:
    """Whether what both changes write is looked for among functions that are kept under such keys, and called elsewhere."""
    view = analysis.view
    callers = {caller for caller, _ in view.call_graph.callers(decision.function)}
    asked = frozenset(
        name for identity in (decision.function, *sorted(callers)) for name in _asked(analysis, fields, decision, identity)
    )
    modules = {identity.module for identity in (decision.function, *callers)} if asked else ()
    return any(
        not asked.isdisjoint(filter(None, _called(function)))
        for module in modules for function in analysis.program.modules[module].ir.functions
    )


def _asked(analysis: Analysis, fields: Fields, decision: Decision, identity: FunctionId) -> Iterator[str]:
    """The names of containers that a function asks for keys which the decision compares, or takes from them."""
    function = analysis.view.function(identity)

    def is_compared(at: int, value: Value) -> bool:
        return any(leaf.key in decision.compared for leaf in fields.of(identity, at, value))

    for number, value in _values(function):
        if value.operator in ("in", "not in", "-") and len(value.parts) == 2 and is_compared(number, value.parts[0]):
            yield _name(function, value.parts[1])
    for number, event in enumerate(function.events):
        if event.kind == "read" and event.keys and event.path is not None and is_compared(number, event.keys[-1]):
            yield _entry(event.path)
        elif event.kind == "call" and event.arguments and event.path is not None and event.path.steps[-1:] == ("get",):
            if is_compared(number, event.arguments[0].value):
                yield _last(AccessPath(event.path.root, event.path.steps[:-1]))
        elif event.kind == "call" and event.arguments and event.path is not None and event.path.steps[-1:] == ("difference",):
            yield _name(function, event.arguments[0].value)
        elif event.kind == "call":
            for call in analysis.view.calls(identity, number):
                for target in call.functions[:2]:
                    told = [n for n, v in analysis.view.bound(call, target).items() if is_compared(number, v)]
                    yield from _asked_for(analysis.view.function(target), told) if len(told) == 1 else ()


def _asked_for(function: Function, formals: list[str]) -> Iterator[str]:
    """The names of containers that a helper asks for what it is told."""
    told = {Name(formal, "local") for formal in formals}
    for _, value in _values(function):
        if value.operator in ("in", "not in") and value.parts[0] in told:
            yield _name(function, value.parts[1])
    for event in function.events:
        if event.kind == "read" and event.path is not None and event.keys and event.keys[-1] in told:
            yield _entry(event.path)


def _values(function: Function) -> Iterator[tuple[int, Compound]]:
    """The expressions of a function, their parts included, each with an event at which it is evaluated."""
    pending: list[tuple[int, Value | None]] = [
        (number, value) for number, event in enumerate(function.events) for value in (event.value, *(a.value for a in event.arguments))
    ]
    for block in function.blocks:
        pending += [(max(block.last - 1, 0), edge.condition.value) for edge in block.edges if edge.condition is not None]
    while pending:
        number, value = pending.pop()
        if isinstance(value, Compound):
            yield number, value
            pending += [(number, part) for part in value.parts]


def _called(function: Function) -> Iterator[str]:
    """The names of containers whose entries a function calls: `merge = kept[key]`, `merge(old, new)`."""
    taken: dict[Value, str] = {}
    for number, event in enumerate(function.events):
        if event.path is None:
            continue
        if event.kind == "local" and not event.path.steps and event.value is not None:
            name = _entry_of(function, event.value, taken)
            if name:
                taken[event.path.root] = name
        elif event.kind == "call" and "[*]" in event.path.steps[-2:] and not isinstance(event.keys[-1], Constant):
            yield _entry(event.path)
        elif event.kind == "call" and not event.path.steps and event.path.root in taken:
            yield taken[event.path.root]
        elif event.kind == "call" and not event.path.steps and isinstance(event.path.root, Result):
            yield _entry_of(function, event.path.root, taken)


def _entry_of(function: Function, value: Value, taken: dict[Value, str]) -> str:
    """The name of the container that a value is taken from by a key."""
    if isinstance(value, Name):
        return taken.get(value, "")
    event = function.events[value.event] if isinstance(value, Result) else None
    if event is None or event.path is None:
        return ""
    if event.kind == "read" and "[*]" in event.path.steps[-2:] and not isinstance(event.keys[-1], Constant):
        return _entry(event.path)
    is_got = event.kind == "call" and event.path.steps[-1:] == ("get",) and event.arguments
    return _last(AccessPath(event.path.root, event.path.steps[:-1])) if is_got and not isinstance(event.arguments[0].value, Constant) else ""


def _name(function: Function, value: Value) -> str:
    """The last name of a container, or of what is a view or copy of its keys."""
    if isinstance(value, Name):
        return value.name
    event = function.events[value.event] if isinstance(value, Result) else None
    if event is None or event.path is None:
        return ""
    if event.kind == "call" and event.path.steps[-1:] and event.path.steps[-1] in _VIEWS:
        return _last(AccessPath(event.path.root, event.path.steps[:-1]))
    if event.kind == "call" and not event.path.steps and getattr(event.path.root, "name", "") in _COPIES and event.arguments:
        return _name(function, event.arguments[0].value)
    return _last(event.path) if event.kind == "read" else ""


def _entry(path: AccessPath) -> str:
    """The name of the container that an entry, or an attribute of one, is taken from; and that of the attribute."""
    if path.steps[-2:-1] == ("[*]",) and path.steps[-1] != "[*]":
        return f"{_last(AccessPath(path.root, path.steps[:-2]))}.{path.steps[-1]}"
    return _last(path)


def _last(path: AccessPath) -> str:
    """The name of what a path leads to, entries left out."""
    named = [step for step in path.steps if not step.startswith("[")]
    return named[-1] if named else path.root.name if isinstance(path.root, Name) else ""
