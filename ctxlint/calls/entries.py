"""What a list or dict of callables holds under constant keys: `HANDLERS = {"read": read, "write": write}`.

A key is written `kind:text` as its constant is; what may lie under any key is written under `ANYWHERE`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.inference import Inference
from ctxlint.calls.names import module_meaning, split
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import BoundMethod, ClassObject, FunctionRef, Instance, Types, union
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.value import Compound, Constant, Name, Value

ANYWHERE = ""
ENTRIES = 64
"""Displays with more entries than this are not told apart by key."""
DEPTH = 4


def holds_callables(types: Types) -> bool:
    """Whether it is worth knowing under which key the values lie: some of them are functions, classes or hold such."""
    return any(
        isinstance(t, (FunctionRef, BoundMethod, ClassObject)) or (isinstance(t, Instance) and bool(t.items)) for t in types
    )


def key_text(constant: Constant) -> str:
    """How a constant is written as a key."""
    return f"{constant.kind}:{constant.text}"


def entry(container: Instance, keys: Iterable[str] | None) -> Types:
    """What lies under one of the keys; under any, when they are not known."""
    if keys is None:
        return union([*(held for _, held in container.items), *container.arguments[-1:]])
    wanted = {ANYWHERE, *(_counted(key, len(container.items)) for key in keys)}
    return union(held for key, held in container.items if key in wanted)


def is_slice(key: Value | None) -> bool:
    """Whether the key takes several items at once."""
    return isinstance(key, Compound) and key.operator == "slice"


def sliced(container: Instance, bounds: tuple[Value, ...]) -> tuple[tuple[str, Types], ...]:
    """What a slice with these bounds holds; nothing when they are no constants."""
    held = [types for key, types in container.items if key != ANYWHERE]
    given = [_whole(bound) for bound in bounds]
    if len(held) < len(container.items) or any(isinstance(bound, str) for bound in given) or given[2:] == [0]:
        return ()
    taken = held[slice(*(bound for bound in given if not isinstance(bound, str)))]
    return tuple((f"int:{position}", types) for position, types in enumerate(taken))


def constants(
    inference: Inference, function: FunctionId, at_event: int, value: Value | None, depth: int = 0
) -> tuple[str, ...] | None:
    """The keys that the value can be, when they are all constants; None when it can be something else."""
    if isinstance(value, Constant):
        return (key_text(value),)
    if isinstance(value, Compound) and value.operator == "-x" and isinstance(value.parts[0], Constant):
        return (f"{value.parts[0].kind}:-{value.parts[0].text}",)
    if not isinstance(value, Name) or depth > DEPTH:
        return None
    if value.scope == "global":
        return _global_constant(inference, function.module, value.name)
    return _local_constants(inference, function, at_event, value.name, depth) if value.scope == "local" else None


def _local_constants(
    inference: Inference, function: FunctionId, at_event: int, name: str, depth: int
) -> tuple[str, ...] | None:
    facts = inference.facts(function)
    events = inference.program.function(function).events
    found: list[tuple[str, ...] | None] = []
    bindings = facts.bindings.get(name, ())
    reaching = inference.reaching(function).definitions(at_event, name) if bindings and at_event < len(events) else (ENTRY_VALUE,)
    for binding in reaching:
        if binding != ENTRY_VALUE:
            bound = events[binding]
            given = constants(inference, function, binding, bound.value, depth + 1) if bound.kind == "local" else None
            found.append(given if bound.note != "aug" else None)
        elif name in facts.formals:
            default = facts.formals[name].default
            if isinstance(default, Constant):
                found.append((key_text(default),))
            passed = inference.passed_values(function, name)
            found += [constants(inference, *site, given, depth + 1) for site, given in passed] if passed is not None else [None]
    if not found or any(keys is None for keys in found):
        return None
    return tuple(dict.fromkeys(key for keys in found if keys is not None for key in keys))


def _global_constant(inference: Inference, module: str, name: str) -> tuple[str, ...] | None:
    """What a module's variable that is bound once is bound to."""
    home, variable = split(inference.program, module_meaning(inference.program, module, name))
    events = inference.program.scopes[home].values.get(variable, ()) if home else ()
    if len(events) != 1 or len(inference.global_writes(home).get(variable, ())) != 1:
        return None
    value = inference.program.function_at(home, 0).events[events[0]].value
    return (key_text(value),) if isinstance(value, Constant) else None


def _counted(key: str, length: int) -> str:
    """A position counted from the end as one from the beginning."""
    return f"int:{length + int(key[4:])}" if key.startswith("int:-") and key[5:].isdigit() else key


def _whole(bound: Value) -> int | str | None:
    """A bound of a slice: a whole number, None, or (as a text) that it is neither."""
    if isinstance(bound, Constant) and bound.kind in ("int", "none"):
        return None if bound.kind == "none" else int(bound.text, 0) if len(bound.text) < 10 else "large"
    if isinstance(bound, Compound) and bound.operator == "-x":
        inner = _whole(bound.parts[0])
        return -inner if isinstance(inner, int) else "unknown"
    return "unknown"
