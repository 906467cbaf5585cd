"""The text of a file with its line ends and its encoding, so that what is not edited stays as it is to the byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.diagnostic import Edit
from ctxlint.ir.span import Span
from ctxlint.syntax.read import Problem, decode
from ctxlint.syntax.read import encoding as encoding_of

_LINE_END = re.compile(r"\r\n|\r|\n")


class Refused(Exception):
    """An edit that cannot be made; the message says why."""


class Text(NamedTuple):
    """A decoded file: `starts` are the offsets of its lines, as the tokenizer ends them."""

    path: str
    text: str
    encoding: str
    starts: tuple[int, ...]

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; Refused when the text has no such place."""
        if not 0 < line <= len(self.starts):
            raise Refused(f"{self.path} has no line {line}")
        offset = self.starts[line - 1] + column - 1
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        if not self.starts[line - 1] <= offset <= end:
            raise Refused(f"line {line} of {self.path} has no column {column}")
        return offset

    def slice(self, span: Span) -> str:
        """The text of a span."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]

    def line(self, number: int) -> str:
        """A line with its end."""
        return self.text[self.starts[number - 1] : self.starts[number] if number < len(self.starts) else len(self.text)]

    def line_end(self, number: int) -> str:
        """How the lines around line `number` end; the last line of a file may have no end of its own."""
        for near in (number, number - 1, 1):
            if 0 < near <= len(self.starts):
                ends = _LINE_END.findall(self.line(near))
                if ends:
                    return str(ends[-1])
        return "\n"

    def edit(self, span: Span, new: str) -> Edit:
        """The edit that puts `new`, written with plain newlines, in place of what stands at `span`."""
        return Edit(self.path, span, self.slice(span), new.replace("\n", self.line_end(span.line)))


def text_of(path: str, data: bytes) -> Text | None:
    """The text of a file; None when decoding and encoding it again does not give the same bytes."""
    text = decode(data)
    if isinstance(text, Problem):
        return None
    encoding = encoding_of(data)
    try:
        same = text.encode(encoding) == data
    except UnicodeError:
        return None
    return Text(path, text, encoding, (0, *(end.end() for end in _LINE_END.finditer(text)))) if same else None


def edited(text: Text, edits: Sequence[Edit]) -> bytes:
    """The file after the edits, which must not overlap.

    Raises Refused when an edit does not find the text it replaces, when two overlap, or when the file's encoding has no
    bytes for what is new.
    """
    pieces: list[str] = []
    done = 0
    placed = [
        (text.offset(edit.span.line, edit.span.column), text.offset(edit.span.end_line, edit.span.end_column), edit)
        for edit in edits
    ]
    for start, end, edit in sorted(placed, key=lambda each: each[:2]):
        if start < done:
            raise Refused(f"two edits overlap at line {edit.span.line} of {text.path}")
        if text.text[start:end] != edit.old:
            raise Refused(f"line {edit.span.line} of {text.path} is no longer what the fix was made for")
        pieces += (text.text[done:start], edit.new)
        done = end
    try:
        return "".join((*pieces, text.text[done:])).encode(text.encoding)
    except UnicodeError as error:
        raise Refused(f"{text.path} is written in {text.encoding}, which has no bytes for the new text: {error}") from error
