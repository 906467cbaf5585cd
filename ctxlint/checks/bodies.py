"""What a finding is known by when its function is moved or renamed, its package with it, or the variables in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.function import Formal, Function
from ctxlint.ir.span import Span
from ctxlint.ir.value import Closure, Name

DIGITS = 16
"""Hexadecimal digits of each digest: 64 bits, by which the findings of one project are told apart."""

_LITERAL_OR_NAME = re.compile(r"""\"[^"]*\"|'[^']*'|(?<![\w.:/*~-])[^\W\d]\w*(?:\.[^\W\d]\w*|~\d+)*""")
"""A text in quotes or a dotted name; what follows a `:` or `/` is a file's name. Of modules with one name, later ones have a `~2`."""


class Bodies:
    """Digests of bodies, each function looked through once however many findings it has."""

    def __init__(self) -> None:
        self._known: dict[FunctionId, tuple[str, dict[str, str]]] = {}

    def digest(self, identity: FunctionId, function: Function, operations: Iterable[str]) -> str:
        """The same as `body_digest`."""
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = _numbered(function)
        return _both(*known, operations)


def body_digest(function: Function, operations: Iterable[str]) -> str:
    """Two digests: of what a function does, and of the operations in it that a finding is about.

    Neither the function's name, owner and place nor the names of its parameters and variables are in them.
    """
    return _both(*_numbered(function), operations)


def _both(does: str, variables: Mapping[str, str], operations: Iterable[str]) -> str:
    return does + _digest(repr([_with_numbers(operation, variables) for operation in operations]))


def _numbered(function: Function) -> tuple[str, dict[str, str]]:
    """The digest of what a function does, and the numbers that stand for its variables in it."""
    variables: dict[str, str] = {}
    for name in (*(formal.name for formal in function.formals), *function.locals):
        variables.setdefault(name, "")
    said = (function.kind, function.formals, function.returns, function.decorators, function.events, function.blocks)
    return _digest(repr(_without_names(said, variables))), variables


def module_relative(operation: str, modules: Container[str]) -> str:
    """The text of an operation without the names of the program's own modules before what they define."""
    return _LITERAL_OR_NAME.sub(lambda match: _shortened(match[0], operation[match.end() :], modules), operation)


def _shortened(name: str, following: str, modules: Container[str]) -> str:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if ".".join(parts[:count]) in modules:
            return ".".join(parts[count:]) if count < len(parts) else "" if following.startswith(":") else parts[-1]
    return name


def _with_numbers(operation: str, variables: Mapping[str, str]) -> str:
    def numbered(match: re.Match[str]) -> str:
        first, dot, rest = match[0].partition(".")
        return (variables.get(first) or first) + dot + rest

    return _LITERAL_OR_NAME.sub(numbered, operation)


def _without_names(value: object, variables: dict[str, str]) -> object:
    """The value with variables numbered as they come, and without spans and the numbers that functions have in their module."""
    if isinstance(value, (Span, Closure)):
        return type(value).__name__
    if isinstance(value, Name) and value.scope == "local" and value.name in variables:
        return _number(value.name, variables)
    if isinstance(value, Formal):
        return (_number(value.name, variables), value.kind, value.annotation, _without_names(value.default, variables))
    if isinstance(value, msgspec.Struct):
        fields = [_without_names(getattr(value, name), variables) for name in value.__struct_fields__]
        return (type(value).__name__, *fields)
    if isinstance(value, tuple):
        return tuple([_without_names(each, variables) for each in value])
    return value


def _number(name: str, variables: dict[str, str]) -> str:
    if not variables[name]:
        variables[name] = f"${sum(1 for number in variables.values() if number)}"
    return variables[name]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
