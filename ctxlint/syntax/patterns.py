"""Patterns of `match`: what they compare with, and what they bind."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ctxlint.ir.value import AccessPath, Compound, Value
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.expressions import value_of
from ctxlint.syntax.values import constant_of, integer, item


class Binding(NamedTuple):
    """A name a pattern binds, what to, and the pattern that does it."""

    name: str
    value: Value
    place: ast.AST


def pattern_parts(body: Draft, pattern: ast.pattern, subject: Value, parts: list[Value], bindings: list[Binding]) -> bool:
    """Add the constants and classes that `pattern` asks for to `parts` and the names it binds to `bindings`.

    The answer is whether the pattern can fail to match.
    """
    if isinstance(pattern, ast.MatchValue):
        parts.append(value_of(body, pattern.value))
    elif isinstance(pattern, ast.MatchSingleton):
        parts.append(constant_of(pattern.value))
    elif isinstance(pattern, ast.MatchAs):
        refutable = pattern.pattern is not None and pattern_parts(body, pattern.pattern, subject, parts, bindings)
        if pattern.name is not None:
            bindings.append(Binding(pattern.name, subject, pattern))
        return refutable
    elif isinstance(pattern, ast.MatchStar):
        if pattern.name is not None:
            bindings.append(Binding(pattern.name, subject, pattern))
        return False
    elif isinstance(pattern, ast.MatchSequence):
        _sequence_parts(body, pattern.patterns, subject, parts, bindings)
    elif isinstance(pattern, ast.MatchMapping):
        for key, inner in zip(pattern.keys, pattern.patterns):
            asked = value_of(body, key)
            parts.append(asked)
            pattern_parts(body, inner, Compound("item", (subject, asked)), parts, bindings)
        if pattern.rest is not None:
            bindings.append(Binding(pattern.rest, Compound("rest", (subject, integer(0))), pattern))
    elif isinstance(pattern, ast.MatchClass):
        parts.append(value_of(body, pattern.cls))
        for position, inner in enumerate(pattern.patterns):
            pattern_parts(body, inner, item(subject, position), parts, bindings)
        for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns):
            read = body.emit("read", inner, AccessPath(subject, (attribute,)))
            pattern_parts(body, inner, read, parts, bindings)
    elif isinstance(pattern, ast.MatchOr):
        return _any_parts(body, pattern.patterns, subject, parts, bindings)
    return True


def _sequence_parts(body: Draft, patterns: list[ast.pattern], subject: Value, parts: list[Value],
                    bindings: list[Binding]) -> None:
    star = next((position for position, each in enumerate(patterns) if isinstance(each, ast.MatchStar)), len(patterns))
    for position, inner in enumerate(patterns):
        if position < star:
            taken = item(subject, position)
        elif position == star:
            taken = Compound("rest", (subject, integer(position)))
        else:
            taken = item(subject, position - len(patterns))
        pattern_parts(body, inner, taken, parts, bindings)


def _any_parts(body: Draft, patterns: list[ast.pattern], subject: Value, parts: list[Value],
               bindings: list[Binding]) -> bool:
    """Alternatives bind the same names; each name is one of what the alternatives give it."""
    refutable = True
    found: dict[str, list[Binding]] = {}
    for alternative in patterns:
        inner: list[Binding] = []
        refutable = pattern_parts(body, alternative, subject, parts, inner) and refutable
        for binding in inner:
            found.setdefault(binding.name, []).append(binding)
    for name, alternatives in found.items():
        values = tuple(dict.fromkeys([binding.value for binding in alternatives]))
        bindings.append(Binding(name, values[0] if len(values) == 1 else Compound("or", values), alternatives[0].place))
    return refutable
