"""What SARIF wants of texts and of places: escaped messages, links into them, relative URIs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from ctxlint.diagnostic import Diagnostic
from ctxlint.report.places import shown_places

LINKED_STEPS = 100
"""How many related locations code scanning keeps; later steps of a flow are in the flow alone."""

PART_LIMIT, DESCRIPTION_LIMIT, NAME_LIMIT = 1_000, 1_024, 255
"""Characters of a sentence or step, of the description of a rule, of its name."""

_LINK = re.compile(r"(?<!\\)\[((?:\\.|[^\[\]\\])*)\]\((\d+)\)")
_ESCAPED = re.compile(r"\\(.)")


def message_text(diagnostic: Diagnostic, folder: Path) -> str:
    """Return the argument as the text of a result: what is wrong, when that fails, the steps as links, the evidence.

    The link of step `n` leads to the related location whose id is `n`.
    """
    lines = [" ".join(sentence(part) for part in (diagnostic.message, diagnostic.scenario) if part)]
    lines += [
        f"{number}. [{_link_text(step.text)}]({number})"
        for number, step in enumerate(diagnostic.flow[:LINKED_STEPS], 1)
    ]
    lines += [sentence(shown_places(line, folder)) for line in diagnostic.evidence]
    return "\n".join(lines)


def sentence(text: str) -> str:
    """Return `text` as a plain sentence of a message, with a full stop at its end."""
    text = cut(text, PART_LIMIT)
    stopped = text if text.endswith((".", "!", "?")) else text + "."
    return plain(stopped[:1].upper() + stopped[1:])


def plain(text: str) -> str:
    """Return `text` so that no reader takes a part of it for a placeholder or a link."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def shown_message(text: str, place_of: Callable[[int], str]) -> str:
    """Return the text of a message as a reader sees it: each link as its text and `place_of` the location it leads to."""

    def shown(link: re.Match[str]) -> str:
        text = _ESCAPED.sub(r"\1", link[1])
        return f"{text} ({place_of(int(link[2]))})"

    return _LINK.sub(shown, text).replace("{{", "{").replace("}}", "}")


def plain_within(text: str, limit: int) -> str:
    """Return `plain(text)` with at most `limit` characters, cut where no escaped sign is halved."""
    kept = cut(text, limit)
    while len(plain(kept)) > limit:
        kept = cut(text, len(kept) - 1)
    return plain(kept)


def cut(text: str, limit: int) -> str:
    """Return `text` with at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def pascal_case(name: str) -> str:
    """Return a rule's name as the format spells names: `mutate-then-log` → `MutateThenLog`."""
    return "".join(word.capitalize() for word in name.split("-"))


def relative_uri(path: str, root: Path) -> str | None:
    """Return the URI of a file relative to `root`, or None when it does not lie beneath, through no link either.

    A link is followed first, because a repository knows a file by the path under which it keeps its content.
    """
    for file, folder in ((Path(os.path.realpath(path)), Path(os.path.realpath(root))), (Path(path), root)):
        if file.is_relative_to(folder):
            # A lone surrogate of a name that is no UTF-8 is the byte that it stands for.
            return quote(os.fsencode(file.relative_to(folder).as_posix()))
    return None


def folder_uri(folder: Path) -> str:
    """Return the URI of a folder; it ends in a slash, or relative URIs would replace its last part."""
    return folder.as_uri().rstrip("/") + "/"


def one_line(column: int, end_column: int, same_line: bool, line: str | None) -> tuple[int, int]:
    """Return the columns of a region that is cut to one line, of which it takes at least what is left."""
    if same_line and end_column > column:
        return column, end_column
    return column, max(column, len(line) + 1 if line is not None else column)


def numbered(fingerprints: Sequence[str]) -> list[str]:
    """Return the fingerprints made unique: `:n` for the `n`th of equal ones."""
    seen: dict[str, int] = {}
    unique = []
    for one in fingerprints:
        seen[one] = seen.get(one, 0) + 1
        unique.append(f"{one}:{seen[one]}")
    return unique


def _link_text(text: str) -> str:
    text = cut(text, PART_LIMIT)
    for character in ("\\", "[", "]"):
        text = text.replace(character, "\\" + character)
    return text.replace("{", "{{").replace("}", "}}")
