"""Where a run took place, and the texts that it has read: what a report quotes and how it names files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec


class Surroundings(msgspec.Struct, frozen=True):
    """Where a run took place: the root of the repository, the working directory, and the texts of the analysed files.

    `text_of` returns None for a file whose text cannot be read. `category` tells several reports on one commit apart.
    """

    root: Path
    folder: Path
    text_of: Callable[[str], str | None]
    category: str = "ctxlint"


class Lines:
    """The lines of the analysed files, each file read once."""

    def __init__(self, text_of: Callable[[str], str | None]) -> None:
        self._text_of = text_of
        self._lines: dict[str, tuple[str, ...]] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """Return the lines of a file without their ends; none for a file that cannot be read."""
        if path not in self._lines:
            text = self._text_of(path)
            self._lines[path] = () if text is None else split_lines(text)
        return self._lines[path]

    def line(self, path: str, number: int) -> str | None:
        """Return a line, counted from 1, or None when the file has none of that number."""
        lines = self.of(path)
        return lines[number - 1] if 0 < number <= len(lines) else None


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines as Python counts them; `str.splitlines` also breaks at characters that end no line."""
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
