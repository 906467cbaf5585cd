"""Statements of one block in their order: what each binds and uses, and what can be moved past what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import subtree
from ctxlint.fix.rewriting import Place
from ctxlint.ir.span import Span

_CODE = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement)


class Between(NamedTuple):
    """Two nodes of one block: the statements that hold them are `body[first]` and `body[last]`."""

    body: Sequence[cst.CSTNode]
    first: int
    last: int

    @property
    def middle(self) -> Sequence[cst.CSTNode]:
        """The statements strictly between."""
        return self.body[self.first + 1 : self.last]


def between(place: Place, one: cst.CSTNode, other: cst.CSTNode) -> Between | None:
    """The smallest block that holds both nodes in different statements, `one` first."""
    around = [other, *place.unit.above(other)]
    for above in place.unit.above(one):
        if isinstance(above, (cst.IndentedBlock, cst.Module)) and above in around:
            first = next(i for i, each in enumerate(above.body) if each is one or each in set(place.unit.above(one)))
            last = next(i for i, each in enumerate(above.body) if each is other or each in around)
            return Between(above.body, first, last) if first < last else None
    return None


def node_at(place: Place, line: int, column: int) -> cst.CSTNode | None:
    """The innermost expression or statement that begins at a place."""
    return place.unit.at(line, column, _CODE)


def node_spanning(place: Place, span: Span) -> cst.CSTNode | None:
    """The innermost expression or statement that a span is about."""
    return place.unit.spanning(span, _CODE)


def leaves(node: cst.CSTNode) -> bool:
    """Whether control can leave the block through a node, other than by an exception."""
    return any(isinstance(each, (cst.Return, cst.Break, cst.Continue, cst.Yield, cst.Raise)) for each in subtree(node))


def waits(node: cst.CSTNode) -> bool:
    """Whether another task can run in a node."""
    return any(
        isinstance(each, (cst.Await, cst.Yield)) or (getattr(each, "asynchronous", None) is not None) for each in subtree(node)
    )


def lines_of(place: Place, first: cst.CSTNode, last: cst.CSTNode) -> Span:
    """The whole lines from one statement to another, comments right above the first included, without the last line end."""
    unit = place.unit
    begin, end = unit.span(first).line, unit.span(last).end_line
    while begin > 1 and unit.text.line(begin - 1).lstrip().startswith("#") and unit.indent(begin - 1) == unit.indent(begin):
        begin -= 1
    return Span(begin, 1, end, len(unit.text.line(end).rstrip("\r\n")) + 1)


def indented(code: str, step: str) -> str | None:
    """Lines moved one level in; None when a text over several lines would change."""
    if re.search(r'"""|\'\'\'|\\\n', code):
        return None
    return "".join(step + line if line.strip() else line for line in code.splitlines(keepends=True))


def step_of(place: Place, block_line: int, inner_line: int) -> str:
    """What an inner line is indented by more than its header."""
    outer, inner = place.unit.indent(block_line), place.unit.indent(inner_line)
    return inner[len(outer) :] if inner.startswith(outer) and len(inner) > len(outer) else "    "
