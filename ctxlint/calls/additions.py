"""What an unannotated container holds: what is put into it.

`self._undo = []` says nothing about its elements, `self._undo.append(Record(…))` does.
"""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.elements import MAPPINGS, SEQUENCES
from ctxlint.calls.entries import ANYWHERE, constants, holds_callables
from ctxlint.calls.inference import Inference
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import NONE, UNKNOWN, Instance, Types, in_order, instance, union, with_items
from ctxlint.ir.value import Value

MOST = 12
"""Additions beyond this many are not looked at."""

_SETS = frozenset(["builtins.set"])


def is_bare(types: Types) -> bool:
    """Whether the types are one container of the language about whose elements too little is known: nothing, that they
    are None, or only what it held under constant keys at first.
    """
    if len(types) != 1:
        return False
    (only,) = types
    if not isinstance(only, Instance) or not (only.name in MAPPINGS or only.name in SEQUENCES or only.name in _SETS):
        return False
    return bool(only.items) or not only.arguments or only.arguments[-1] in (UNKNOWN, NONE)


def leaves_open(annotated: Types) -> bool:
    """Whether an annotation does not say what a container holds: `dict[str, Callable[..., str]]` names no function."""
    return is_bare(annotated) or any(isinstance(t, Instance) and UNKNOWN in t.arguments for t in annotated)


def shows_callables(types: Types) -> bool:
    """Whether it is a container whose functions are known."""
    return any(isinstance(t, Instance) and (bool(t.items) or any(map(holds_callables, t.arguments))) for t in types)


def as_shown(annotated: Types, shown: Types) -> Types:
    """What an annotated name holds: what its annotation says, or where that leaves open which functions, what is put there."""
    return shown if not annotated or (leaves_open(annotated) and shows_callables(shown)) else annotated


def filled(inference: Inference, types: Types, additions: Iterable[tuple[FunctionId, int]]) -> Types:
    """The container with the types of what the given events put into it, besides what it held."""
    (container,) = types
    if not isinstance(container, Instance):
        return types
    mapping = container.name in MAPPINGS
    keys = [container.arguments[0]] if mapping and container.arguments else []
    values = [container.arguments[-1]] if container.arguments else []
    items = {key: [held] for key, held in container.items}
    for function, event in list(additions)[:MOST]:
        key, value = _added(inference, function, event, mapping)
        keys.append(key)
        values.append(value)
        for place, held in _placed(inference, function, event, value):
            items.setdefault(place, []).append(held)
    content = union(values)
    if not content and not items:
        return types
    made = instance(container.name, *((union(keys), content) if mapping else (content,)))
    if not any(holds_callables(held) for parts in items.values() for held in parts):
        return made
    (only,) = made
    assert isinstance(only, Instance)
    return with_items(only, ((place, union(parts)) for place, parts in items.items()))


def _placed(inference: Inference, function: FunctionId, event: int, value: Types) -> list[tuple[str, Types]]:
    """What the event puts where: under constant keys, or anywhere."""
    happening = inference.program.function(function).events[event]
    name = happening.path.steps[-1] if happening.path is not None and happening.kind == "call" else ""
    positional = [argument.value for argument in happening.arguments if not argument.keyword]
    if name == "update":
        given = in_order(inference.of_value(function, event, positional[0])) if positional else ()
        held = [entry for t in given if isinstance(t, Instance) for entry in t.items]
        held += [
            (f"str:{argument.keyword}", inference.of_value(function, event, argument.value))
            for argument in happening.arguments if argument.keyword not in ("", "**")
        ]
        return held or [(ANYWHERE, value)]
    key = happening.keys[-1] if happening.kind == "write" and happening.keys else None
    if name == "setdefault" and positional:
        key = positional[0]
    places = constants(inference, function, event, key) if key is not None else None
    return [(place, value) for place in places or (ANYWHERE,)]


def _added(inference: Inference, function: FunctionId, event: int, mapping: bool) -> tuple[Types, Types]:
    happening = inference.program.function(function).events[event]

    def of(value: Value) -> Types:
        return inference.of_value(function, event, value)

    if happening.kind == "write":
        return (of(happening.keys[-1]) if happening.keys else UNKNOWN), (of(happening.value) if happening.value else UNKNOWN)
    positional = [argument.value for argument in happening.arguments if not argument.keyword]
    name = happening.path.steps[-1] if happening.path is not None else ""
    if not positional:
        return UNKNOWN, UNKNOWN
    if name == "setdefault":
        return of(positional[0]), of(positional[1]) if len(positional) > 1 else UNKNOWN
    if name in ("extend", "update"):
        given = of(positional[0])
        if mapping:
            rows = [t.arguments for t in in_order(given) if isinstance(t, Instance) and len(t.arguments) == 2]
            return union(row[0] for row in rows), union(row[1] for row in rows)
        return UNKNOWN, inference.element(given)
    return UNKNOWN, of(positional[-1])
