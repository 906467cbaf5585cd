"""LibCST's reading of the code a finding rests on.

Only the top-level statements that hold the functions of a witness are parsed by LibCST; the rest of the module is lowered from
the standard tree beside them, so that names, indices and spans stay comparable.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ctxlint.ir.module import Module
from ctxlint.syntax.lower import lower
from ctxlint.syntax.read import Problem, Reading, decode, read
from ctxlint.syntax.tree import parse


def confirmed(source: bytes, lines: Sequence[int]) -> Module | None:
    """Lower the file with the top-level statements at `lines` read by LibCST; None when the file cannot be read any more."""
    reading = read(source)
    if isinstance(reading, Problem):
        return None
    body = list(reading.tree.body)
    for index, statement in enumerate(body):
        first, last = _first_line(statement), statement.end_lineno or statement.lineno
        if any(first <= line <= last for line in lines):
            segment = _segment(reading.source, first, last)
            replaced = parse(segment.encode()).body
            if len(replaced) != 1:                        # several statements share the line: read the whole file
                return lower(parse(reading.source.encode()), reading.source)
            body[index] = ast.increment_lineno(replaced[0], first - 1)
    return lower(ast.Module(body=body, type_ignores=[]), reading.source)


def read_with_libcst(source: bytes) -> Reading | Problem:
    """Read a whole file with LibCST: the reference reading of `--tree libcst`."""
    text = decode(source)
    if isinstance(text, Problem):
        return text
    checked = read(source)
    if isinstance(checked, Problem):
        return checked
    try:
        return Reading(parse(source), text)
    except SyntaxError as error:
        return Problem("syntax", error.msg, error.lineno or 1)


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", None)
    return min((statement.lineno, *(int(decorator.lineno) for decorator in decorators or ())))


def _segment(text: str, first: int, last: int) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(lines[first - 1 : last]) + "\n"
