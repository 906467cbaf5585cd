"""How new code is laid out: as the lines around it are."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from ctxlint.diagnostic import Edit
from ctxlint.fix.text import Text
from ctxlint.ir.span import Span

WIDTHS = (79, 88, 100, 120)
"""How long lines usually may be."""

_EXCEPTIONS = 50
"""One line of so many may be longer than the file's lines are: a text, an address."""


def width_of(text: Text) -> int:
    """How long a new line may be: the usual width that the lines of the file keep to, as good as all of them."""
    lengths = [len(line) for line in text.text.splitlines() if line.strip()]
    fitting = (width for width in WIDTHS if sum(length > width for length in lengths) * _EXCEPTIONS <= len(lengths))
    return next(fitting, WIDTHS[-1])


def call_lines(head: str, arguments: Sequence[str], indent: str, width: int) -> str:
    """A call as one line, with its arguments on a second one, or with an argument a line: `head` ends before the parenthesis.

    Arguments over several lines begin, behind their first line, at the indentation.
    """
    flat = f"{indent}{head}({', '.join(arguments)})"
    hanging = all(_hangs(argument, indent) for argument in arguments)
    if "\n" in flat and not hanging or "\n" not in flat and len(flat) <= width:
        return flat
    step = "\t" if indent.startswith("\t") else "    "
    together = f"{indent}{step}{', '.join(arguments)}"
    if "\n" not in flat and len(together) <= width:
        return f"{indent}{head}(\n{together}\n{indent})"
    inner = "".join(f"{indent}{step}{argument},\n".replace(f"\n{indent}", f"\n{indent}{step}") for argument in arguments)
    return f"{indent}{head}(\n{inner}{indent})"


def _hangs(code: str, indent: str) -> bool:
    """Whether the lines of an expression can be moved: the last one closes what the first one opens, at the indentation."""
    lines = code.split("\n")
    if len(lines) == 1:
        return True
    return not has_text_over_lines(code) and lines[0][-1:] in "([{" and lines[-1].startswith(indent) and lines[-1][len(indent) :][:1] in ")]}"


def moved(code: str, by: str, to: str) -> str:
    """Code of several lines whose first line stood at indentation `by`, for a place at `to`; None-safe for one line.

    Lines inside of a text keep their beginnings.
    """
    lines = code.splitlines(keepends=True)
    if len(lines) == 1 or by == to or has_text_over_lines(code):
        return code
    return lines[0] + "".join(to + line[len(by) :] if line.startswith(by) else line for line in lines[1:])


def has_text_over_lines(code: str) -> bool:
    """Whether lines that are moved would change a text in them."""
    return re.search(r'"""|\'\'\'|\\\r?\n', code) is not None


def comments_in(code: str) -> list[str]:
    """The comments of a piece of code, in order."""
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass                        # a piece may end in the middle of a block
    return found


def aligned(text: Text, lines: Sequence[int], column: int, by: int, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that move lines which are aligned with a column, or with something behind it, as that column is moved."""
    width = width_of(text)
    found: list[Edit] = []
    for number in lines:
        line = text.line(number).rstrip("\r\n")
        indent = len(line) - len(line.lstrip(" "))
        if any(edit.span.line < number <= edit.span.end_line for edit in edits) or indent + 1 < column or not line.strip():
            continue
        inside = sum(len(edit.new) - len(edit.old) for edit in edits if edit.span.line == number == edit.span.end_line)
        if len(line) + by + inside > width:
            return []
        found.append(text.edit(Span(number, 1, number, 1 + max(-by, 0)), " " * by))
    return found
