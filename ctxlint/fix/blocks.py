"""Blocks of lines: what a statement's body is when the statement around it goes."""

from __future__ import annotations

import re

import libcst as cst

from ctxlint.diagnostic import Edit
from ctxlint.fix.layout import comments_in
from ctxlint.fix.rewriting import Place
from ctxlint.ir.span import Span


def unwrapped(place: Place, statement: cst.Try | cst.With) -> Edit | None:
    """The edit that leaves only the body of a statement, moved to its indentation.

    None when a comment would be lost or a text over several lines would change.
    """
    unit, body = place.unit, statement.body
    if not isinstance(body, cst.IndentedBlock):
        return None
    span = unit.span(statement)
    first, last = unit.span(body.body[0]).line, unit.span(body.body[-1]).end_line
    while first > span.line + 1 and unit.text.line(first - 1).lstrip().startswith("#"):
        first -= 1
    inner = unit.lines(first, last)
    rest = unit.lines(span.line, first - 1) + (unit.lines(last + 1, span.end_line) if last < span.end_line else "")
    if comments_in(rest) or re.search(r"#", rest) or re.search(r'"""|\'\'\'|\\\r?\n', inner):
        return None
    to, by = unit.indent(span.line), unit.indent(unit.span(body.body[0]).line)
    moved = "".join(to + line[len(by) :] if line.startswith(by) else line for line in inner.splitlines(keepends=True))
    moved = moved.replace("\r\n", "\n").rstrip("\n")
    end = len(unit.text.line(span.end_line).rstrip("\r\n")) + 1
    return place.text.edit(Span(span.line, 1, span.end_line, end), moved)


def whole_lines(place: Place, node: cst.CSTNode) -> Span:
    """The lines of a statement, from the first column on, without the last line's end."""
    span = place.unit.span(node)
    return Span(span.line, 1, span.end_line, len(place.unit.text.line(span.end_line).rstrip("\r\n")) + 1)


def statement_of(place: Place, node: cst.CSTNode) -> cst.SimpleStatementLine | None:
    """The line of statements that holds a node, when it is one statement and has the line to itself."""
    line = place.unit.around(node, cst.SimpleStatementLine)
    return line if line is not None and len(line.body) == 1 else None
