"""The code of a finding with its steps drawn on it: excerpts of the files, a number beside each line of the flow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctxlint.diagnostic import Step
from ctxlint.report.html_text import escaped, with_code
from ctxlint.report.places import posix_path
from ctxlint.report.python_colours import Part, coloured_parts
from ctxlint.report.sarif_text import one_line
from ctxlint.report.surroundings import Lines, Surroundings

AROUND = 2
"""Lines that are shown before and after a line of the flow."""

BRIDGED = 3
"""So many lines between two excerpts of a file are shown rather than left out."""

LONGEST_LINE = 400
"""Longer lines are cut; nobody reads them in a report."""

DEEPEST_NOTE = 40
"""What a step says stands beneath its place in the line, but not further right than this."""

_HEADER = re.compile(r"(\s*)(async\s+def|def|class)\b")


class Numbered(NamedTuple):
    """A step and its number in the flow."""

    number: int
    step: Step


def figure(caption: str, rows: str) -> str:
    """Return rows of code under a caption."""
    return f'<figure class="code"><figcaption>{escaped(caption)}</figcaption><div class="rows">{rows}</div></figure>'


class Excerpts:
    """Draws flows on the code; each file is read and coloured once."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._root = surroundings.root
        self._lines = Lines(surroundings.text_of)
        self._colours: dict[str, dict[int, list[Part]]] = {}

    def drawn(self, flow: Sequence[Step]) -> str:
        """Return a figure for each file of the flow, in the order in which the flow comes to them."""
        numbered = [Numbered(number, step) for number, step in enumerate(flow, 1)]
        files = dict.fromkeys(step.path for step in flow)
        return "".join(self._figure(path, [one for one in numbered if one.step.path == path]) for path in files)

    def line(self, step: Step) -> str:
        """Return the line of code that a step stands on, without its indentation and coloured."""
        number = step.span.line
        text = self._lines.line(step.path, number)
        if text is None:
            return escaped(step.source)
        return self._coloured(step.path, number, text, []).removeprefix(escaped(text[: _indent(text)]))

    def _figure(self, path: str, steps: Sequence[Numbered]) -> str:
        rows = "".join(self._rows(path, steps))
        return figure(posix_path(path, self._root), rows)

    def _rows(self, path: str, steps: Sequence[Numbered]) -> Iterator[str]:
        lines = self._lines.of(path)
        at = {one.step.span.line for one in steps}
        if not lines:
            yield from (_row(one.step.span.line, escaped(one.step.source), [one], False) for one in steps)
            return
        shown = _shown_lines(lines, at)
        for before, number in pairwise((shown[0] - 1, *shown)):
            on_rail = min(at) <= number <= max(at)
            if number > before + 1:
                yield f'<div class="gap{" rail" if min(at) < number <= max(at) else ""}"></div>'
            here = [one for one in steps if one.step.span.line == number]
            yield _row(number, self._coloured(path, number, lines[number - 1], here), here, on_rail, min(at), max(at))

    def _coloured(self, path: str, number: int, text: str, here: Sequence[Numbered]) -> str:
        if path not in self._colours:
            self._colours[path] = coloured_parts(self._lines.of(path))
        marked = [
            one_line(span.column, span.end_column, span.line == span.end_line, text) for span in (one.step.span for one in here)
        ]
        cut = text[:LONGEST_LINE]
        code = _pieces(cut, self._colours[path].get(number, []), [(start - 1, end - 1) for start, end in marked])
        return code + ("…" if len(text) > LONGEST_LINE else "")


def _row(number: int, code: str, here: Sequence[Numbered], rail: bool, first: int = 0, last: int = 0) -> str:
    """Return a line of code, and beneath it what its steps say."""
    kinds = ["line", *(["hit"] if here else []), *(["rail"] if rail else [])]
    kinds += ["first"] if here and number == first else []
    kinds += ["last"] if here and number == last else []
    marks = "".join(f'<b class="step{" other" if one.step.by else ""}">{one.number}</b>' for one in here)
    row = f'<span class="marks">{marks}</span><span class="number">{number}</span><code>{code}\n</code>'
    return f'<div class="{" ".join(kinds)}">{row}</div>' + "".join(_note(one, rail and number != last) for one in here)


def _note(one: Numbered, rail: bool) -> str:
    """Return what a step says, beneath its place in the line."""
    kinds = "note" + (" rail" if rail else "") + (" other" if one.step.by else "")
    who = f"<em>{escaped(one.step.by)}</em> " if one.step.by and one.step.by not in one.step.text else ""
    indent = " " * min(one.step.span.column - 1, DEEPEST_NOTE)
    says = f"<code>{indent}</code><p><b>{one.number}</b>{who}{with_code(one.step.text)}</p>"
    return f'<div class="{kinds}"><span class="marks"></span><span class="number"></span><div>{says}</div></div>'


def _shown_lines(lines: Sequence[str], at: set[int]) -> list[int]:
    """Return the numbers of the lines to show: those of the flow, some around them, and the headers they stand under."""
    near = {number for line in at for number in range(line - AROUND, line + AROUND + 1)}
    shown = sorted(number for number in near | _headers(lines, at) | at if 0 < number <= len(lines))
    shown += [
        number for one, other in pairwise(shown) if 1 < other - one <= BRIDGED + 1 for number in range(one + 1, other)
    ]
    while shown and not lines[max(shown) - 1].strip() and max(shown) not in at:
        shown.remove(max(shown))
    first = min(shown, default=0)
    while shown and not lines[first - 1].strip() and first not in at:
        shown.remove(first)
        first = min(shown, default=0)
    return sorted(shown)


def _headers(lines: Sequence[str], at: set[int]) -> set[int]:
    """Return the lines that begin the function of each line of the flow."""
    found = set()
    for line in at:
        indent = _indent(lines[line - 1]) if line <= len(lines) else 0
        for number in range(min(line, len(lines)), 0, -1):
            header = _HEADER.match(lines[number - 1])
            if header and (len(header[1]) < indent or number == line):
                found.add(number)
                break
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _pieces(text: str, parts: Sequence[Part], marked: Sequence[tuple[int, int]]) -> str:
    """Return a line cut at every border of a coloured or a marked part."""
    borders = {0, len(text), *(place for part in parts for place in part[:2]), *(place for mark in marked for place in mark)}
    cuts = sorted(place for place in borders if 0 <= place <= len(text))
    written = ""
    for start, end in pairwise(cuts):
        kinds = [part.kind for part in parts if part.start <= start and end <= part.end][:1]
        kinds += ["at"] if any(first <= start and end <= last for first, last in marked) else []
        piece = escaped(text[start:end])
        written += f'<span class="{" ".join(kinds)}">{piece}</span>' if kinds else piece
    return written
