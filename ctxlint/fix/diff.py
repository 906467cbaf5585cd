"""What fixing changes, as a unified diff that `patch` and `git apply -p0` take."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ctxlint.syntax.read import decode


def unified_diff(name: str, before: bytes, after: bytes) -> str:
    """The difference of two texts of one file; line ends are part of the lines."""
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name)
    return "".join(_ended(lines))


def _lines(data: bytes) -> list[str]:
    text = decode(data)
    assert isinstance(text, str)            # both were parsed
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
