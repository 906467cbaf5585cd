"""Patterns of `match`: what they ask for, and what they bind."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.ir.value import AccessPath, Compound, Constant, Value
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.expressions import value_of
from ctxlint.syntax.values import ELLIPSIS, constant_of, integer, item


class Binding(NamedTuple):
    """A name a pattern binds, what to, and the pattern that does it."""

    name: str
    value: Value
    place: ast.AST


def alternatives_of(body: Draft, pattern: ast.pattern, subject: Value, bindings: list[Binding]) -> list[Value]:
    """What a case asks for, any one of which is enough; empty when it always matches. What it binds goes to `bindings`.

    Constants and classes stand for themselves. Two patterns that ask for different things have different values.
    """
    asked = _asked(body, pattern, subject, bindings)
    alternatives = list(asked.parts) if isinstance(asked, Compound) and asked.operator == "or" else [asked]
    return [] if ELLIPSIS in alternatives else alternatives


def _asked(body: Draft, pattern: ast.pattern | None, subject: Value, bindings: list[Binding]) -> Value:
    """What a pattern asks of `subject`; the ellipsis when nothing."""
    if isinstance(pattern, ast.MatchValue):
        return value_of(body, pattern.value)
    if isinstance(pattern, ast.MatchSingleton):
        return constant_of(pattern.value)
    if isinstance(pattern, ast.MatchAs):
        asked = _asked(body, pattern.pattern, subject, bindings)
        if pattern.name is not None:
            bindings.append(Binding(pattern.name, subject, pattern))
        return asked
    if isinstance(pattern, ast.MatchStar):
        if pattern.name is not None:
            bindings.append(Binding(pattern.name, subject, pattern))
        return Compound("*", ())
    if isinstance(pattern, ast.MatchSequence):
        return Compound("list", _asked_of_elements(body, pattern.patterns, subject, bindings))
    if isinstance(pattern, ast.MatchMapping):
        return _asked_of_mapping(body, pattern, subject, bindings)
    if isinstance(pattern, ast.MatchClass):
        return _asked_of_instance(body, pattern, subject, bindings)
    if isinstance(pattern, ast.MatchOr):
        return _asked_of_any(body, pattern.patterns, subject, bindings)
    return ELLIPSIS


def _asked_of_elements(body: Draft, patterns: Sequence[ast.pattern], subject: Value,
                       bindings: list[Binding]) -> tuple[Value, ...]:
    star = next((position for position, each in enumerate(patterns) if isinstance(each, ast.MatchStar)), len(patterns))
    asked: list[Value] = []
    for position, inner in enumerate(patterns):
        if position < star:
            taken = item(subject, position)
        elif position == star:
            taken = Compound("rest", (subject, integer(position)))
        else:
            taken = item(subject, position - len(patterns))
        asked.append(_asked(body, inner, taken, bindings))
    return tuple(asked)


def _asked_of_mapping(body: Draft, pattern: ast.MatchMapping, subject: Value, bindings: list[Binding]) -> Value:
    asked: list[Value] = []
    for key, inner in zip(pattern.keys, pattern.patterns):
        wanted = value_of(body, key)
        asked.extend((wanted, _asked(body, inner, Compound("item", (subject, wanted)), bindings)))
    if pattern.rest is not None:
        bindings.append(Binding(pattern.rest, Compound("rest", (subject, integer(0))), pattern))
    return Compound("dict", tuple(asked))


def _asked_of_instance(body: Draft, pattern: ast.MatchClass, subject: Value, bindings: list[Binding]) -> Value:
    asked = [value_of(body, pattern.cls)]
    for position, inner in enumerate(pattern.patterns):
        asked.append(item(_asked(body, inner, item(subject, position), bindings), position))
    for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns):
        read = body.emit("read", inner, AccessPath(subject, (attribute,)))
        asked.append(Compound("item", (_asked(body, inner, read, bindings), Constant("str", attribute))))
    return Compound("and", tuple(asked)) if len(asked) > 1 else asked[0]


def _asked_of_any(body: Draft, patterns: Sequence[ast.pattern], subject: Value, bindings: list[Binding]) -> Value:
    """Alternatives bind the same names; each name is one of what the alternatives give it."""
    asked: list[Value] = []
    found: dict[str, list[Binding]] = {}
    for alternative in patterns:
        inner: list[Binding] = []
        asked.append(_asked(body, alternative, subject, inner))
        for binding in inner:
            found.setdefault(binding.name, []).append(binding)
    for name, given in found.items():
        values = tuple(dict.fromkeys([binding.value for binding in given]))
        bindings.append(Binding(name, values[0] if len(values) == 1 else Compound("or", values), given[0].place))
    return Compound("or", tuple(asked))
