"""LibCST's reading of the code a finding rests on.

Only the functions of a witness are parsed by LibCST, each with the whole statement around it that is no class; the rest of the module is lowered from
the standard tree beside them, so that names, indices and spans stay comparable.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ctxlint.ir.module import Module
from ctxlint.syntax.lower import lower
from ctxlint.syntax.read import Problem, Reading, decode, read
from ctxlint.syntax.tree import TreeMismatch, parse


def confirmed(source: bytes, lines: Sequence[int]) -> Module | None:
    """Lower the file with the statements at `lines` read by LibCST.

    None when the file cannot be read any more, or when LibCST refuses what the standard parser reads: then that one's reading
    stands.
    """
    reading = read(source)
    if isinstance(reading, Problem):
        return None
    text = reading.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    try:
        body = _confirmed_body(reading.tree.body, lines, text)
        if body is None:
            return lower(parse(reading.source.encode()), reading.source)
    except (SyntaxError, TreeMismatch, RecursionError, MemoryError):
        return None
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


def _confirmed_body(
    statements: Sequence[ast.stmt], lines: Sequence[int], text: Sequence[str], indented: bool = False
) -> list[ast.stmt] | None:
    """The statements, those at `lines` from LibCST: of a class only its members; None when the whole file must be read."""
    body = list(statements)
    for index, statement in enumerate(body):
        first, last = _first_line(statement), statement.end_lineno or statement.lineno
        within = [line for line in lines if first <= line <= last]
        if not within:
            continue
        if isinstance(statement, ast.ClassDef) and all(line >= _first_line(statement.body[0]) > statement.lineno for line in within):
            members = _confirmed_body(statement.body, within, text, indented=True)
            if members is None:
                return None
            statement.body = members
        else:
            read_again = _statement(text[first - 1 : last], indented)
            if read_again is None or read_again.__class__ is not statement.__class__:
                return None
            body[index] = ast.increment_lineno(read_again, first - 1)
    return body


def _statement(text: Sequence[str], indented: bool) -> ast.stmt | None:
    """The one statement of these lines; None when several share them.

    An indented one is read under a condition, which leaves its columns and the texts of its strings as they are.
    """
    if not indented:
        statements = parse(("\n".join(text) + "\n").encode()).body
        return statements[0] if len(statements) == 1 else None
    (condition,) = parse(("if 1:\n" + "\n".join(text) + "\n").encode()).body
    statements = condition.body if isinstance(condition, ast.If) else []
    return ast.increment_lineno(statements[0], -1) if len(statements) == 1 else None
