"""What a diff may refer to, and how each is resolved in the live content.

``region=None`` means: anywhere in the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .digests import digest
from .snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of text that must stand there verbatim."""

    text: str
    region: str | None = None

    def resolves(self, live: Snapshot) -> bool:
        return any(self.text in content for content in _contents(live, self.region))


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name that must occur as a whole word."""

    name: str
    region: str | None = None

    def resolves(self, live: Snapshot) -> bool:
        word = re.compile(rf"(?<!\w){re.escape(self.name)}(?!\w)")
        return any(word.search(content) for content in _contents(live, self.region))


@dataclass(frozen=True, slots=True)
class LineAnchor:
    """Line `line` (counted from 1) of a region, which must read `text`."""

    region: str
    line: int
    text: str

    def resolves(self, live: Snapshot) -> bool:
        lines = live.regions.get(self.region, "").splitlines()
        return 0 < self.line <= len(lines) and lines[self.line - 1] == self.text


@dataclass(frozen=True, slots=True)
class ContentHash:
    """The `ctxlint.runtime.digest` of a region's whole content, as a diff may embed it."""

    digest: str
    region: str | None = None

    def resolves(self, live: Snapshot) -> bool:
        return any(digest(content) == self.digest for content in _contents(live, self.region))


Reference = Quote | Identifier | LineAnchor | ContentHash


def _contents(live: Snapshot, region: str | None) -> Iterable[str]:
    if region is None:
        return live.regions.values()
    return [live.regions[region]] if region in live.regions else []
