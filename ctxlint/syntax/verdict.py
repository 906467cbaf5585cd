"""LibCST's reading of the code a finding rests on.

Only the functions of a witness are parsed by LibCST, each with the whole statement around it that is no class; the rest of the module is lowered from
the standard tree beside them, so that names, indices and spans stay comparable.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ctxlint.ir.module import Module
from ctxlint.syntax.lower import lower
from ctxlint.syntax.place import are_one
from ctxlint.syntax.read import Problem, Reading, decode, read
from ctxlint.syntax.tree import TreeMismatch, parse


def confirmed(source: bytes, lines: Sequence[int]) -> Module | None:
    """Lower the file with the statements at `lines` read by LibCST.

    None when the standard parser's reading stands: LibCST's tree is the same one, and of one tree there is one IR; LibCST
    refuses what the standard parser reads; or the file cannot be read any more.
    """
    reading = read(source)
    if isinstance(reading, Problem):
        return None
    text = reading.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    try:
        replaced = _read_again(reading.tree.body, lines, text)
        if replaced is None:
            return lower(parse(reading.source.encode()), reading.source)
    except (SyntaxError, TreeMismatch, RecursionError, MemoryError):
        return None
    return lower(reading.tree, reading.source) if replaced else None


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


def _read_again(body: list[ast.stmt], lines: Sequence[int], text: Sequence[str], indented: bool = False) -> bool | None:
    """Replace the statements at `lines` by what LibCST reads there, of a class only its members.

    Whether any of them is another one; None when the whole file must be read.
    """
    replaced = False
    for index, statement in enumerate(body):
        first, last = _first_line(statement), statement.end_lineno or statement.lineno
        within = [line for line in lines if first <= line <= last]
        if not within:
            continue
        if isinstance(statement, ast.ClassDef) and all(line >= _first_line(statement.body[0]) > statement.lineno for line in within):
            members = _read_again(statement.body, within, text, indented=True)
            if members is None:
                return None
            replaced = replaced or members
        else:
            again = _statement(text[first - 1 : last], indented)
            if again is None or again.__class__ is not statement.__class__:
                return None
            # An indented statement was read below a condition.
            lines_above = first - 2 if indented else first - 1
            if not are_one(again, statement, lines_above):
                body[index] = ast.increment_lineno(again, lines_above)
                replaced = True
    return replaced


def _statement(text: Sequence[str], indented: bool) -> ast.stmt | None:
    """The one statement of these lines; None when several share them.

    An indented one is read under a condition, a line further down, which leaves its columns and the texts of its strings as they
    are.
    """
    if not indented:
        statements = parse(("\n".join(text) + "\n").encode()).body
        return statements[0] if len(statements) == 1 else None
    (condition,) = parse(("if 1:\n" + "\n".join(text) + "\n").encode()).body
    statements = condition.body if isinstance(condition, ast.If) else []
    return statements[0] if len(statements) == 1 else None
