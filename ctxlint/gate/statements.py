"""Which physical lines belong to one statement, so that a comment on any of them speaks for all of it."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable

_LINE_END = re.compile(r"\r\n|\r|\n")


def physical_lines(source: str) -> list[str]:
    """Return the lines of a text as Python counts them, without their ends.

    `str.splitlines` also breaks at characters, as a form feed, that end no line.
    """
    return _LINE_END.split(source)


def statement_lines(source: str) -> Callable[[int], range]:
    """Return the physical lines of the statement that a line belongs to: its logical line.

    Of a compound statement that is its header.
    A line of no statement, and every line of a text that cannot be split into tokens, stands for itself.
    """
    spans: dict[int, range] = {}
    first: int | None = None
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            if first is None and token.type not in (*skipped, tokenize.NEWLINE):
                first = token.start[0]
            if token.type == tokenize.NEWLINE and first is not None:
                lines = range(first, token.end[0] + 1)
                spans.update(dict.fromkeys(lines, lines))
                first = None
    except (tokenize.TokenError, SyntaxError):
        pass    # what was split so far is right; the rest stands line by line

    def lines_of(line: int) -> range:
        return spans.get(line, range(line, line + 1))

    return lines_of
