"""What operators and displays make of their operands."""

from __future__ import annotations

from ctxlint.calls.elements import BOOL, STR, unpacked
from ctxlint.calls.generics import close
from ctxlint.calls.inference import Inference
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import UNKNOWN, Instance, Type, Types, in_order, instance, one, union
from ctxlint.ir.value import Compound, Value

_TESTS = frozenset(["not", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "match"])
_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "|": "or", "&": "and", "^": "xor", "<<": "lshift", ">>": "rshift",
}
_DISPLAYS = frozenset(["list", "set", "comprehension-list", "comprehension-set", "comprehension-generator"])
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
        if any(isinstance(part, Compound) and part.operator == "*" for part in parts):
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


def _display(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    operator = value.operator
    if operator.startswith("comprehension"):
        element = inference.of_value(function, at, value.parts[0])
        kind = operator.partition("-")[2]
        return instance("collections.abc.Generator" if kind == "generator" else f"builtins.{kind}", element)
    return instance(f"builtins.{operator}", union(_part(inference, function, at, part) for part in value.parts[:16]))


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
    for key, content in list(zip(parts[::2], parts[1::2]))[:16]:
        types = inference.of_value(function, at, content)
        if isinstance(key, Compound) and key.operator == "**":
            merged = [t for t in in_order(types) if isinstance(t, Instance) and len(t.arguments) == 2]
            keys += [t.arguments[0] for t in merged]
            values += [t.arguments[1] for t in merged]
        else:
            keys.append(inference.of_value(function, at, key))
            values.append(types)
    return instance("builtins.dict", union(keys), union(values))


def _taken(inference: Inference, function: FunctionId, at: int, value: Compound) -> Types:
    whole = inference.of_value(function, at, value.parts[0])
    if value.operator == "element":
        return inference.element(whole)
    if value.operator == "rest":
        return instance("builtins.list", inference.element(whole))
    taken = [
        unpacked(t, value.parts[1]) if isinstance(t, Instance) and inference.program.class_(t.name) is None
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
    return inference.external_types(text) if text and text != "$0" else UNKNOWN


def _builtin(type: Type) -> Types:
    if isinstance(type, Instance) and type.name.startswith("builtins.") and type.name.rpartition(".")[2] in _SIMPLE:
        return one(type)
    return UNKNOWN
