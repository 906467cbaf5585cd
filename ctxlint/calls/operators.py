"""What operators and displays make of their operands."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.elements import BOOL, STR, unpacked
from ctxlint.calls.entries import ENTRIES, constants, entry, holds_callables
from ctxlint.calls.generics import close
from ctxlint.calls.inference import Inference
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import UNKNOWN, Instance, Type, Types, in_order, instance, one, union, with_items
from ctxlint.ir.value import Compound, Value

_TESTS = frozenset(["not", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "match"])
_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "|": "or", "&": "and", "^": "xor", "<<": "lshift", ">>": "rshift",
}
_DISPLAYS = frozenset(["list", "set", "comprehension-list", "comprehension-set", "comprehension-generator"])
_OPERATOR_METHODS: dict[str, tuple[str, ...]] = {
    **{sign: (f"__{name}__", f"__r{name}__") for sign, name in _METHODS.items()},
    **{f"{sign}=": (f"__i{name}__",) for sign, name in _METHODS.items()},
    "-x": ("__neg__",), "+x": ("__pos__",), "~x": ("__invert__",), "==": ("__eq__",), "!=": ("__ne__",), "<": ("__lt__",),
    "<=": ("__le__",), ">": ("__gt__",), ">=": ("__ge__",), "in": ("", "__contains__"), "not in": ("", "__contains__"),
}
"""The special methods that an operator calls, by operand."""
LOOKED_AT = 16
"""Entries of a display beyond this many add nothing to what its elements are."""
_SIMPLE = frozenset(["str", "bytes", "int", "float", "bool", "complex", "list", "tuple", "set", "frozenset", "dict"])


def compound(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    """The types of a value computed from others."""
    operator, parts = value.operator, value.parts
    if operator in ("or", "and"):
        return union(inference.of_value(function, at, part) for part in (parts if operator == "or" else parts[-1:]))
    if operator == "if":
        return union(inference.assuming(function, at, p, parts[0], h) for p, h in zip(parts[1:], (True, False)))
    if operator in ("f-string", "format"):
        return STR
    if operator in _TESTS:
        return BOOL
    if operator in _DISPLAYS:
        return _display(inference, function, at, value)
    if operator == "tuple":
        if _is_starred(parts):
            return instance("builtins.tuple", union(_part(inference, function, at, part) for part in parts))
        return instance("builtins.tuple", *(inference.of_value(function, at, part) for part in parts))
    if operator in ("dict", "comprehension-dict"):
        return _mapping(inference, function, at, value)
    if operator in ("element", "item", "rest"):
        return _taken(inference, function, at, value)
    if operator.rstrip("=") in _METHODS and parts:
        return _binary(inference, function, at, operator.rstrip("="), parts)
    if operator in ("-x", "+x", "~x") and parts:
        return inference.of_value(function, at, parts[0])
    return UNKNOWN


def operator_methods(inference: Inference, function: FunctionId, event: int) -> Iterator[FunctionId]:
    """The special methods of classes of the program that operators in the event's values call."""
    happening = inference.program.function(function).events[event]
    pending: list[Value | None] = [happening.value, *happening.keys, *(argument.value for argument in happening.arguments)]
    while pending:
        value = pending.pop()
        if isinstance(value, Compound):
            pending.extend(value.parts)
            names = _OPERATOR_METHODS.get(value.operator, ())
            for name, part in zip(names, (value.parts if len(names) > 1 else value.parts[:1])):
                for t in in_order(inference.of_value(function, event, part)) if name else ():
                    method = inference.program.method(t.name, name) if isinstance(t, Instance) else None
                    if method is not None:
                        yield method


def _display(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    operator = value.operator
    if operator.startswith("comprehension"):
        element = inference.of_value(function, at, value.parts[0])
        kind = operator.partition("-")[2]
        return instance("collections.abc.Generator" if kind == "generator" else f"builtins.{kind}", element)
    held = [_part(inference, function, at, part) for part in value.parts[:ENTRIES]]
    made = instance(f"builtins.{operator}", union(held[:LOOKED_AT]))
    if operator != "list" or not any([holds_callables(types) for types in held]) or _is_starred(value.parts):
        return made
    return _told_apart(made, [(f"int:{position}", types) for position, types in enumerate(held)])


def _is_starred(parts: tuple[Value, ...]) -> bool:
    return any(isinstance(part, Compound) and part.operator == "*" for part in parts)


def _told_apart(made: Types, items: list[tuple[str, Types]]) -> Types:
    (container,) = made
    assert isinstance(container, Instance)
    return with_items(container, items)


def _part(inference: Inference, function: FunctionId, at: int, part: Value) -> Types:
    """A part of a display; a starred one contributes its elements, that of a pattern nothing."""
    if isinstance(part, Compound) and part.operator == "*":
        if not part.parts:
            return UNKNOWN
        return inference.element(inference.of_value(function, at, part.parts[0]))
    return inference.of_value(function, at, part)


def _mapping(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    parts = value.parts
    if value.operator == "comprehension-dict":
        keys, values = [inference.of_value(function, at, p) for p in parts[:1]], [
            inference.of_value(function, at, p) for p in parts[1:2]
        ]
        return instance("builtins.dict", union(keys), union(values))
    keys, values = [], []
    items: dict[str, Types] | None = {}
    for number, (key, content) in enumerate(list(zip(parts[::2], parts[1::2]))[:ENTRIES]):
        types = inference.of_value(function, at, content)
        if isinstance(key, Compound) and key.operator == "**":
            merged = [t for t in in_order(types) if isinstance(t, Instance) and len(t.arguments) == 2]
            keys += [t.arguments[0] for t in merged]
            values += [t.arguments[1] for t in merged]
            items = {**items, **dict(merged[0].items)} if items is not None and merged and merged[0].items else None
            continue
        if number < LOOKED_AT:
            keys.append(inference.of_value(function, at, key))
            values.append(types)
        elif items is None:
            break
        places = constants(inference, function, at, key) if items is not None else None
        items = {**items, **dict.fromkeys(places, types)} if items is not None and places is not None else None
    made = instance("builtins.dict", union(keys), union(values))
    if not items or not any([holds_callables(types) for types in items.values()]):
        return made
    return _told_apart(made, list(items.items()))


def _taken(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    whole = inference.of_value(function, at, value.parts[0])
    if value.operator == "element":
        return inference.element(whole)
    if value.operator == "rest":
        return instance("builtins.list", inference.element(whole))
    taken = [
        entry(t, constants(inference, function, at, value.parts[1])) if isinstance(t, Instance) and t.items
        else unpacked(t, value.parts[1]) if isinstance(t, Instance) and inference.program.class_(t.name) is None
        else inference.element(one(t))
        for t in in_order(whole)
    ]
    return union(taken)


def _binary(inference: Inference, function: FunctionId, at: int, operator: str, parts: tuple[Value, ...]) -> Types:
    """The left operand's method decides; for builtin operands, and where a class defines none, a result like its operands."""
    left = inference.of_value(function, at, parts[0])
    found = union(_operated(inference, t, operator) for t in in_order(left))
    if found or len(parts) < 2:
        return found
    right = inference.of_value(function, at, parts[1])
    return union(_reflected(inference, t, operator) for t in in_order(right))


def _operated(inference: Inference, type: Type, operator: str) -> Types:
    return _by_method(inference, type, f"__{_METHODS[operator]}__") or _builtin(type)


def _reflected(inference: Inference, type: Type, operator: str) -> Types:
    return _by_method(inference, type, f"__r{_METHODS[operator]}__")


def _by_method(inference: Inference, type: Type, name: str) -> Types:
    if not isinstance(type, Instance):
        return UNKNOWN
    method = inference.program.method(type.name, name)
    if method is not None:
        return close(inference, inference.open_result(method), type)
    text = inference.external_result(f"{type.name}.{name}")
    return inference.external_types(text) if text and "$" not in text else UNKNOWN


def _builtin(type: Type) -> Types:
    if isinstance(type, Instance) and type.name.startswith("builtins.") and type.name.rpartition(".")[2] in _SIMPLE:
        return one(type)
    return UNKNOWN
