"""The report for people: each finding as an argument, with the path that leads to the failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxlint.diagnostic import Diagnostic, Fix, Severity, Step
from ctxlint.report.places import shown_path, shown_places
from ctxlint.report.visible import visible

SOURCE_WIDTH = 60
"""Longer source lines are cut."""

Paint = Callable[[str, str], str]
"""Puts a terminal colour around a text, or does not."""

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_SEVERITY_COLOURS: dict[Severity, str] = {"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[36m"}


def render_text(
    diagnostics: Sequence[Diagnostic],
    suppressed: Sequence[Diagnostic] = (),
    colour: bool = False,
    folder: Path | None = None,
    width: int | None = None,
) -> str:
    """Return the findings as arguments, one paragraph each; `suppressed` ones follow and say so.

    Paths are relative to `folder` (the working directory); `colour` adds terminal colours. Steps that do not fit into `width`
    columns stand above their source line instead of beside it.
    """
    one = partial(_argument, page=_Page(_painted if colour else _plain, folder or Path.cwd(), width))
    paragraphs = [one(diagnostic, tag="") for diagnostic in diagnostics]
    paragraphs += [one(diagnostic, tag=f" [{why_hidden(diagnostic)}]") for diagnostic in suppressed]
    return "\n".join(paragraphs)


def why_hidden(diagnostic: Diagnostic) -> str:
    """Return in a few words why a finding that is shown all the same does not count."""
    if diagnostic.accepted:
        return "accepted" if diagnostic.accepted == "baseline" else f"accepted: {diagnostic.accepted}"
    comment = f"suppressed: {diagnostic.excused}" if diagnostic.excused else "suppressed"
    return {"unchanged": "pre-existing", "absent": "fixed"}.get(diagnostic.state, comment)


def where_it_stands(stands: Step, folder: Path) -> str:
    """Return a sentence for a finding that is shown at another step than the one it stands at."""
    place = f"{shown_path(stands.path, folder)}:{stands.span.line}"
    return f"shown at the step that the change touched; it stands at {place}, where a comment hides it"


class _Page(NamedTuple):
    """What the findings are written on."""

    paint: Paint
    folder: Path
    width: int | None


def _argument(diagnostic: Diagnostic, tag: str, page: _Page) -> str:
    paint, folder = page.paint, page.folder
    place = visible(f"{shown_path(diagnostic.path, folder)}:{diagnostic.span.line}:{diagnostic.span.column}:")
    code = paint(diagnostic.code, _SEVERITY_COLOURS[diagnostic.severity])
    certainty = paint(visible(f"[{diagnostic.confidence}]{tag}"), _DIM)
    lines = [f"{paint(place, _BOLD)} {code} {visible(diagnostic.message)} {certainty}"]
    lines += _steps(diagnostic.flow, page)
    lines += [f"  {visible(line)}" for line in diagnostic.scenario.splitlines()]
    lines += [paint(f"  {visible(shown_places(line, folder))}", _DIM) for line in diagnostic.evidence]
    if diagnostic.stands is not None:
        lines.append(paint(f"  {visible(where_it_stands(diagnostic.stands, folder))}", _DIM))
    lines += [f"  {_offer(fix)}: {visible(fix.message)}" for fix in diagnostic.fixes]
    return "".join(f"{line}\n" for line in lines)


def _offer(fix: Fix) -> str:
    return "advice" if fix.applicability == "display" else f"fix ({fix.applicability})"


def _steps(flow: Sequence[Step], page: _Page) -> list[str]:
    """Return the numbered steps in three aligned columns: where, the source line, what it does there."""
    paint = page.paint
    places = [visible(f"{shown_path(step.path, page.folder)}:{step.span.line}") for step in flow]
    sources = [_cut(visible(" ".join(step.source.split()))) for step in flow]
    texts = [visible(step.text) for step in flow]
    number_width = len(str(len(flow)))
    place_width = max(map(len, places), default=0)
    source_width = max(map(len, sources), default=0)
    whole = number_width + place_width + source_width + max(map(len, texts), default=0) + 8
    rows = enumerate(zip(places, sources, texts), 1)
    if page.width is not None and whole > page.width:
        return [line for number, row in rows for line in _narrow(f"{number:>{number_width}}", row, page)]
    return [
        f"  {number:>{number_width}}  {place:<{place_width}}  "
        + (f"{source:<{source_width}}  " if source_width else "")
        + paint(text, _BOLD)
        for number, (place, source, text) in rows
    ]


def _narrow(number: str, row: tuple[str, str, str], page: _Page) -> list[str]:
    """Return a step in two lines: where and what it does there, and the source line beneath."""
    place, source, text = row
    indent = " " * (len(number) + 4)
    return [f"  {number}  {place}  {page.paint(text, _BOLD)}", *([indent + page.paint(source, _DIM)] if source else [])]


def _cut(line: str) -> str:
    return line if len(line) <= SOURCE_WIDTH else line[: SOURCE_WIDTH - 1] + "…"


def _painted(text: str, code: str) -> str:
    return f"{code}{text}{_RESET}"


def _plain(text: str, code: str) -> str:
    return text
