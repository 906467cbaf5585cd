"""What a finding is known by when its function is moved or renamed, and its package with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container

import msgspec

from ctxlint.ir.function import Function
from ctxlint.ir.span import Span
from ctxlint.ir.value import Closure

DIGITS = 16
"""Hexadecimal digits of a body's digest: 64 bits, of which the findings of one project are told apart."""

_LITERAL_OR_NAME = re.compile(r"""\"[^"]*\"|'[^']*'|(?<![\w.:/*-])[^\W\d]\w*(?:\.[^\W\d]\w*)*""")
"""A text in quotes or a dotted name; what follows a `:` or `/` is a file's name."""


def body_digest(function: Function) -> str:
    """A digest of what a function does: neither its name, its owner nor its place are in it."""
    said = (function.kind, function.formals, function.returns, function.decorators, function.events, function.blocks)
    return hashlib.sha256(repr(_without_places(said)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def module_relative(operation: str, modules: Container[str]) -> str:
    """The text of an operation without the names of the program's own modules before what they define."""
    return _LITERAL_OR_NAME.sub(lambda match: _shortened(match[0], operation[match.end() :], modules), operation)


def _shortened(name: str, following: str, modules: Container[str]) -> str:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if ".".join(parts[:count]) in modules:
            return ".".join(parts[count:]) if count < len(parts) else "" if following.startswith(":") else parts[-1]
    return name


def _without_places(value: object) -> object:
    """The value with spans, and the numbers that functions have in their module, taken out."""
    if isinstance(value, (Span, Closure)):
        return type(value).__name__
    if isinstance(value, msgspec.Struct):
        fields = [_without_places(getattr(value, name)) for name in value.__struct_fields__]
        return (type(value).__name__, *fields)
    if isinstance(value, tuple):
        return tuple(map(_without_places, value))
    return value
