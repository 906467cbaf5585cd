"""The shapes of `match` patterns: LibCST node → node of the vocabulary. No semantics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from ctxlint.syntax import literals
from ctxlint.syntax import vocabulary as ast
from ctxlint.syntax.place import Place
from ctxlint.syntax.tree_expressions import expression


def pattern(node: cst.CSTNode, at: Place) -> ast.pattern:
    """The pattern `node`."""
    made = PATTERNS[node.__class__](node, at)
    at(made, node)
    return made


def _identifier(node: cst.Name | None) -> str | None:
    return None if node is None else literals.identifier(node.value)


def _value(node: cst.MatchValue, at: Place) -> ast.pattern:
    return ast.MatchValue(value=expression(node.value, at))


def _singleton(node: cst.MatchSingleton, at: Place) -> ast.pattern:
    return ast.MatchSingleton(value=_SINGLETONS[node.value.value])


def _sequence(node: cst.MatchList | cst.MatchTuple, at: Place) -> ast.pattern:
    return ast.MatchSequence(patterns=_elements(node.patterns, at))


def _elements(nodes: Iterable[cst.MatchSequenceElement | cst.MatchStar], at: Place) -> list[ast.pattern]:
    return [pattern(each.value if isinstance(each, cst.MatchSequenceElement) else each, at) for each in nodes]


def _star(node: cst.MatchStar, at: Place) -> ast.pattern:
    return ast.MatchStar(name=_identifier(node.name))


def _mapping(node: cst.MatchMapping, at: Place) -> ast.pattern:
    return ast.MatchMapping(
        keys=[expression(each.key, at) for each in node.elements],
        patterns=[pattern(each.pattern, at) for each in node.elements],
        rest=_identifier(node.rest),
    )


def _class(node: cst.MatchClass, at: Place) -> ast.pattern:
    return ast.MatchClass(
        cls=expression(node.cls, at),
        patterns=_elements(node.patterns, at),
        kwd_attrs=[literals.identifier(each.key.value) for each in node.kwds],
        kwd_patterns=[pattern(each.pattern, at) for each in node.kwds],
    )


def _as(node: cst.MatchAs, at: Place) -> ast.pattern:
    inner = None if node.pattern is None else pattern(node.pattern, at)
    return ast.MatchAs(pattern=inner, name=_identifier(node.name))


def _or(node: cst.MatchOr, at: Place) -> ast.pattern:
    return ast.MatchOr(patterns=[pattern(each.pattern, at) for each in node.patterns])


_SINGLETONS: dict[str, bool | None] = {"None": None, "True": True, "False": False}
PATTERNS: dict[type[cst.CSTNode], Callable[[Any, Place], ast.pattern]] = {
    cst.MatchValue: _value,
    cst.MatchSingleton: _singleton,
    cst.MatchList: _sequence,
    cst.MatchTuple: _sequence,
    cst.MatchStar: _star,
    cst.MatchMapping: _mapping,
    cst.MatchClass: _class,
    cst.MatchAs: _as,
    cst.MatchOr: _or,
}
"""One row per LibCST pattern."""
