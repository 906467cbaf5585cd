"""How new code is laid out: as the lines around it are."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence

from ctxlint.fix.text import Text

NARROW, WIDE = 79, 120
"""Between these, the longest line of a file says how long a new one may be."""


def width_of(text: Text) -> int:
    """How long a new line may be."""
    return min(max(NARROW, max(map(len, text.text.splitlines()), default=0)), WIDE)


def call_lines(head: str, arguments: Sequence[str], indent: str, width: int) -> str:
    """A call as one line, or with an argument a line when that would be too long: `head` ends before the parenthesis."""
    flat = f"{indent}{head}({', '.join(arguments)})"
    if "\n" in flat or len(flat) <= width:
        return flat
    step = "\t" if indent.startswith("\t") else "    "
    inner = "".join(f"{indent}{step}{argument},\n" for argument in arguments)
    return f"{indent}{head}(\n{inner}{indent})"


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
