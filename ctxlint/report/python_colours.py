"""Which parts of a line of Python are keywords, texts, numbers and comments, for reports that are shown in colour."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Iterator
from typing import NamedTuple


class Part(NamedTuple):
    """The columns of a part of a line, from 0 on and with an exclusive end, and what it is."""

    start: int
    end: int
    kind: str


def coloured_parts(lines: tuple[str, ...]) -> dict[int, list[Part]]:
    """Return the parts of each line that has some, by the line's number from 1 on.

    A text that cannot be read to its end is coloured as far as it can: colours are a help and no statement.
    """
    parts: dict[int, list[Part]] = {}
    reader = io.StringIO("\n".join(lines) + "\n").readline
    try:
        before = ""
        for one in tokenize.generate_tokens(reader):
            kind = _kind(one, before)
            before = one.string
            if kind:
                for line, part in _by_line(one, kind, lines):
                    parts.setdefault(line, []).append(part)
    except (tokenize.TokenError, SyntaxError):
        pass    # what has been read so far is coloured
    return parts


def _kind(one: tokenize.TokenInfo, before: str) -> str:
    name = token.tok_name[one.type]
    if one.type == token.NAME:
        if keyword.iskeyword(one.string):
            return "keyword"
        return "defined" if before in ("def", "class") else ""
    if name == "STRING" or name.startswith(("FSTRING_", "TSTRING_")):
        return "string"
    return {"NUMBER": "numeral", "COMMENT": "comment"}.get(name, "decorator" if one.string == "@" and _first(one) else "")


def _first(one: tokenize.TokenInfo) -> bool:
    return not one.line[: one.start[1]].strip()


def _by_line(one: tokenize.TokenInfo, kind: str, lines: tuple[str, ...]) -> Iterator[tuple[int, Part]]:
    (first, start), (last, end) = one.start, one.end
    for number in range(first, min(last, len(lines)) + 1):
        yield number, Part(start if number == first else 0, end if number == last else len(lines[number - 1]), kind)
