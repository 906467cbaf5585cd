"""Texts in a page: every sign of the code under analysis is shown as itself and is markup nowhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ctxlint.report.visible import visible

_CODE = re.compile(r"`([^`]+)`")


def escaped(text: str) -> str:
    """Return `text` as it stands in an element or between quotation marks.

    Signs that cannot be seen, and those that show a line in another order than it has, are written out.
    """
    return html.escape(visible(text, kept="\t\n"))


def with_code(text: str) -> str:
    """Return a sentence in which what stands between backticks is code."""
    pieces = _CODE.split(text)
    return "".join(f"<code>{escaped(piece)}</code>" if number % 2 else escaped(piece) for number, piece in enumerate(pieces))


def prose(text: str) -> str:
    """Return paragraphs, lists and code of a rule's text."""
    pieces = re.split(r"^```\w*\n(.*?)^```$", text.strip(), flags=re.MULTILINE | re.DOTALL)
    return "".join(
        f"<pre><code>{escaped(piece)}</code></pre>" if number % 2 else _blocks(piece) for number, piece in enumerate(pieces)
    )


def _blocks(text: str) -> str:
    return "".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block)


def _block(block: str) -> str:
    lines = block.split("\n")
    if not lines[0].startswith("- "):
        return f"<p>{with_code(' '.join(line.strip() for line in lines))}</p>"
    return "<ul>" + "".join(f"<li>{with_code(item)}</li>" for item in _items(lines)) + "</ul>"


def _items(lines: list[str]) -> Iterator[str]:
    item = ""
    for line in lines:
        if line.startswith("- ") and item:
            yield item
            item = ""
        item = f"{item} {line.removeprefix('- ').strip()}".strip()
    yield item
