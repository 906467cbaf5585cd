"""What an unannotated container holds: what is put into it.

`self._undo = []` says nothing about its elements, `self._undo.append(Record(…))` does.
"""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.elements import MAPPINGS, SEQUENCES
from ctxlint.calls.inference import Inference
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import UNKNOWN, Instance, Types, in_order, instance, union
from ctxlint.ir.value import Value

MOST = 12
"""Additions beyond this many are not looked at."""

_SETS = frozenset(["builtins.set"])


def is_bare(types: Types) -> bool:
    """Whether the types are one container of the language about whose elements nothing is known."""
    if len(types) != 1:
        return False
    (only,) = types
    if not isinstance(only, Instance) or not (only.name in MAPPINGS or only.name in SEQUENCES or only.name in _SETS):
        return False
    return not (only.arguments[-1] if only.arguments else UNKNOWN)


def filled(inference: Inference, types: Types, additions: Iterable[tuple[FunctionId, int]]) -> Types:
    """The bare container with the types of what the given events put into it."""
    (container,) = types
    if not isinstance(container, Instance):
        return types
    keys: list[Types] = []
    values: list[Types] = []
    mapping = container.name in MAPPINGS
    for function, event in list(additions)[:MOST]:
        key, value = _added(inference, function, event, mapping)
        keys.append(key)
        values.append(value)
    content = union(values)
    if not content:
        return types
    return instance(container.name, *((union(keys), content) if mapping else (content,)))


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
