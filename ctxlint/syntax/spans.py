"""Positions of the standard parser (UTF-8 byte offsets from 0) as spans (code points from 1)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from ctxlint.ir.span import Span

SpanOf = Callable[[ast.AST], Span]

_LINE_END = re.compile(r"\r\n|\r|\n")


def spans_of(source: str) -> SpanOf:
    """The function that gives the span of a node of `source`'s tree.

    Only lines that hold other characters than ASCII need their columns counted.
    """
    return _ascii_span if source.isascii() else _Lines(source).span


def lines_of(source: str) -> list[str]:
    """The lines as the tokenizer ends them; str.splitlines knows more line ends than Python does."""
    return _LINE_END.split(source) if "\r" in source else source.split("\n")


def position_span(line: int, column: int, end_line: int, end_column: int) -> ast.expr:
    """A node that stands where no node of the tree stands, to take a span of."""
    return ast.expr(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)


def _ascii_span(node: ast.AST) -> Span:
    return Span(node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)  # type: ignore[attr-defined]


class _Lines:
    """The lines of a source text; those with characters beyond ASCII are kept as UTF-8."""

    __slots__ = ("_encoded",)

    def __init__(self, source: str) -> None:
        lines = enumerate(lines_of(source), 1)
        self._encoded = {number: line.encode("utf-8", "surrogatepass") for number, line in lines if not line.isascii()}

    def span(self, node: ast.AST) -> Span:
        line, end_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        column, end_column = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        encoded = self._encoded
        if line in encoded:
            column = len(encoded[line][:column].decode("utf-8", "replace"))
        if end_line in encoded:
            end_column = len(encoded[end_line][:end_column].decode("utf-8", "replace"))
        return Span(line, column + 1, end_line, end_column + 1)
