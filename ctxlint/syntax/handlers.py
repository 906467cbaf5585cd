"""Which handler of a `try` gets an exception: they are asked one after another."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ctxlint.ir.value import Value
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.expressions import value_of


class Chosen(NamedTuple):
    """Where a handler begins, what it catches, and the block in which that is found out."""

    block: int
    caught: Value | None
    choice: int


def write_choices(body: Draft, handlers: list[ast.ExceptHandler], outer_pad: int, is_group: bool) -> list[Chosen]:
    """Ask the handlers in order. What a handler catches is evaluated when no earlier one took the exception."""
    chosen: list[Chosen] = []
    for handler in handlers:
        if chosen and (is_group or _is_evaluated(handler.type)):
            body.go(body.block())
        caught = None if handler.type is None else value_of(body, handler.type)
        block = body.block()
        chosen.append(Chosen(block, caught, body.current))
        body.edge(block)
        if not is_group and _catches_all(handler.type):
            body.cut()
    body.edge(outer_pad, raised=True)
    return chosen


def _catches_all(caught: ast.expr | None) -> bool:
    return caught is None or any(isinstance(each, ast.Name) and each.id == "BaseException" for each in _types(caught))


def _is_evaluated(caught: ast.expr | None) -> bool:
    """Whether finding out what a handler catches takes more than names."""
    return caught is not None and not all(isinstance(each, ast.Name) for each in _types(caught))


def _types(caught: ast.expr) -> list[ast.expr]:
    return caught.elts if isinstance(caught, ast.Tuple) else [caught]
