"""Values that need no event: literals, operators, positions in what is unpacked."""

from __future__ import annotations

import ast
from collections.abc import Set
from types import EllipsisType

from ctxlint.ir.value import NONE, Compound, Constant, Name, Value

TRUE, FALSE = Constant("bool", "True"), Constant("bool", "False")
ELLIPSIS = Constant("ellipsis", "Ellipsis")

BINARY_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^",
}
UNARY_OPERATORS: dict[type[ast.AST], str] = {ast.Not: "not", ast.USub: "-x", ast.UAdd: "+x", ast.Invert: "~x"}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}

_LONGEST_NUMBER = 10_000
"""Bits from which an integer is spelled in hexadecimal: newer interpreters refuse the decimal form, older ones take
quadratic time for it."""


def constant_of(value: object) -> Constant:
    """The literal for a constant of the tree."""
    if isinstance(value, str):
        return Constant("str", printable(value))
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if isinstance(value, int):
        return Constant("int", repr(value) if value.bit_length() < _LONGEST_NUMBER else hex(value))
    if isinstance(value, bytes):
        return Constant("bytes", repr(value))
    if isinstance(value, float):
        return Constant("float", repr(value))
    if isinstance(value, complex):
        return Constant("complex", repr(value))
    if isinstance(value, EllipsisType):
        return ELLIPSIS
    raise TypeError(f"no literal of Python has the type {type(value).__name__}")


def printable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot hold, written as escapes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def integer(number: int) -> Constant:
    """The literal integer."""
    return Constant("int", repr(number))


def mentions(value: Value, names: Set[str]) -> bool:
    """Whether the value is made from a variable with one of these names."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Name):
            if part.name in names:
                return True
        elif isinstance(part, Compound):
            pending.extend(part.parts)
    return False


def item(value: Value, position: int) -> Value:
    """What an unpacking takes from `value` at `position` (negative ones count from the end, after a starred target)."""
    return Compound("item", (value, integer(position)))


def unpacked(value: Value, count: int, star: int | None) -> list[Value]:
    """The values that `count` targets get from `value`; `star` is the position of the starred one.

    A display of as many parts is paired with the targets directly: `a, b = x, y` takes nothing out of a tuple.
    """
    if star is None and isinstance(value, Compound) and value.operator in ("tuple", "list"):
        starred = any(isinstance(part, Compound) and part.operator == "*" for part in value.parts)
        if len(value.parts) == count and not starred:
            return list(value.parts)
    values: list[Value] = []
    for position in range(count):
        if star is None or position < star:
            values.append(item(value, position))
        elif position == star:
            values.append(Compound("rest", (value, integer(position))))
        else:
            values.append(item(value, position - count))
    return values
