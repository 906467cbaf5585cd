"""The suppression comments of files, with what they need to know of the lines around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ctxlint.gate.statements import physical_lines, statement_lines
from ctxlint.gate.suppressions import Comments
from ctxlint.knowledge.rules import Rule
from ctxlint.syntax.comments import suppressions
from ctxlint.syntax.read import decode


def comments_of(files: Mapping[str, bytes | None], rules: Mapping[str, Rule]) -> Iterator[Comments]:
    """Yield the comments of the files that have some; a file whose text is not given is read."""
    prefixes = tuple(sorted({code.rstrip("0123456789") for code in rules}))
    names = frozenset(rule.name for rule in rules.values())
    for path, source in files.items():
        try:
            data = Path(path).read_bytes() if source is None else source
        except OSError:
            continue        # it is gone since it was analysed; its findings are shown, and nothing hides them
        if b"noqa" in data or b"ctxlint:" in data:
            text = decode(data)
            if isinstance(text, str) and (found := suppressions(text, prefixes, names)):
                yield Comments(path, found, tuple(physical_lines(text)), statement_lines(text))
