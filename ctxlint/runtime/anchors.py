"""Places named by what stands there, not by how far away it is.

A position shifts when something before it changes; quoted content with its surroundings does not.
Content is text or a tuple of tokens or lines; lengths and offsets count characters or elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Content = TypeVar("Content", str, tuple[Any, ...])
"""Text, or a tuple of immutable elements."""


@dataclass(frozen=True, slots=True)
class Anchor(Generic[Content]):
    """`text`, standing directly between `before` and `after`; only `text` is replaced by an edit there.

    With an empty `text` the anchor is the gap between `before` and `after`.
    """

    text: Content
    before: Content
    after: Content

    def find(self, content: Content) -> int | None:
        """Return the offset of `text` in `content`, or None unless there is exactly one such place."""
        found = list(_first_two(content, self.before + self.text + self.after))
        return found[0] + len(self.before) if len(found) == 1 else None

    def stands_at(self, content: Content, offset: int) -> bool:
        """Say whether the anchor, surroundings included, stands in `content` with its text at `offset`."""
        start = offset - len(self.before)
        whole = self.before + self.text + self.after
        return start >= 0 and content[start : start + len(whole)] == whole


def anchor(text: str, *, before: str = "", after: str = "") -> Anchor[str]:
    """Name a place in text by its content: ``anchor("old", before="the ")``."""
    return Anchor(text, before, after)


def surroundings(content: Content, start: int, end: int, width: int) -> tuple[Content, Content]:
    """Return up to `width` units before `start` and after `end`."""
    return content[max(0, start - width) : start], content[end : end + width]


def anchor_at(content: Content, start: int, end: int, width: int = 32) -> Anchor[Content]:
    """Name ``content[start:end]`` by as little context (doubling from `width` units) as makes it unique.

    The whole of `content` is always unique within itself, so this ends.
    """
    while True:
        before, after = surroundings(content, start, end, width)
        place = Anchor(content[start:end], before, after)
        if place.find(content) is not None or width > len(content):
            return place
        width *= 2


def replace_span(content: Content, start: int, end: int, insert: Content) -> Content:
    """Return `content` with ``content[start:end]`` replaced by `insert`."""
    return content[:start] + insert + content[end:]


def _first_two(content: Content, pattern: Content) -> Iterator[int]:
    start = -1
    for _ in range(2):
        start = _index(content, pattern, start + 1)
        if start < 0:
            return
        yield start


def _index(content: Content, pattern: Content, start: int) -> int:
    """Return the first offset from `start` at which `pattern` stands, or -1."""
    if isinstance(content, str):
        return content.find(pattern, start)
    last = len(content) - len(pattern)
    if not pattern:
        return start if start <= last else -1
    while start <= last:
        try:
            start = content.index(pattern[0], start, last + 1)
        except ValueError:
            return -1
        if content[start : start + len(pattern)] == pattern:
            return start
        start += 1
    return -1
