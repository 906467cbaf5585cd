"""The report for people: each finding as an argument, with the path that leads to the failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ctxlint.diagnostic import Diagnostic, Severity, Step
from ctxlint.report.places import shown_path, shown_places

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
) -> str:
    """Return the findings as arguments, one paragraph each; `suppressed` ones follow and say so.

    Paths are relative to `folder` (the working directory); `colour` adds terminal colours.
    """
    paint = _painted if colour else _plain
    one = partial(_argument, paint=paint, folder=folder or Path.cwd())
    paragraphs = [one(diagnostic, tag="") for diagnostic in diagnostics]
    paragraphs += [one(diagnostic, tag=f" [{why_hidden(diagnostic)}]") for diagnostic in suppressed]
    return "\n".join(paragraphs)


def why_hidden(diagnostic: Diagnostic) -> str:
    """Return in a few words why a finding that is shown all the same does not count."""
    if diagnostic.accepted:
        return "accepted" if diagnostic.accepted == "baseline" else f"accepted: {diagnostic.accepted}"
    return {"unchanged": "pre-existing", "absent": "fixed"}.get(diagnostic.state, "suppressed")


def _argument(diagnostic: Diagnostic, tag: str, paint: Paint, folder: Path) -> str:
    place = f"{shown_path(diagnostic.path, folder)}:{diagnostic.span.line}:{diagnostic.span.column}:"
    code = paint(diagnostic.code, _SEVERITY_COLOURS[diagnostic.severity])
    lines = [f"{paint(place, _BOLD)} {code} {diagnostic.message} [{diagnostic.confidence}]{tag}"]
    lines += _steps(diagnostic.flow, paint, folder)
    lines += [f"  {line}" for line in diagnostic.scenario.splitlines()]
    lines += [paint(f"  {shown_places(line, folder)}", _DIM) for line in diagnostic.evidence]
    if diagnostic.stands is not None:
        stands = diagnostic.stands
        place = f"{shown_path(stands.path, folder)}:{stands.span.line}"
        lines.append(paint(f"  shown at the step that the change touched; it stands at {place}, where a comment hides it", _DIM))
    lines += [f"  fix ({fix.applicability}): {fix.message}" for fix in diagnostic.fixes]
    return "".join(f"{line}\n" for line in lines)


def _steps(flow: Sequence[Step], paint: Paint, folder: Path) -> list[str]:
    """Return the numbered steps in three aligned columns: where, the source line, what it does there."""
    places = [f"{shown_path(step.path, folder)}:{step.span.line}" for step in flow]
    sources = [_cut(" ".join(step.source.split())) for step in flow]
    number_width = len(str(len(flow)))
    place_width = max(map(len, places), default=0)
    source_width = max(map(len, sources), default=0)
    return [
        f"  {number:>{number_width}}  {place:<{place_width}}  "
        + (f"{source:<{source_width}}  " if source_width else "")
        + paint(step.text, _BOLD)
        for number, (step, place, source) in enumerate(zip(flow, places, sources), 1)
    ]


def _cut(line: str) -> str:
    return line if len(line) <= SOURCE_WIDTH else line[: SOURCE_WIDTH - 1] + "…"


def _painted(text: str, code: str) -> str:
    return f"{code}{text}{_RESET}"


def _plain(text: str, code: str) -> str:
    return text
