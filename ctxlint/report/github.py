"""Findings as workflow commands, which a job at GitHub Actions turns into annotations of lines.

A step may give ten annotations of each level, so the most believed come first and the rest is listed in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxlint.diagnostic import CONFIDENCES, SEVERITIES, Diagnostic, Severity
from ctxlint.report.places import shown_path, shown_places
from ctxlint.report.text import where_it_stands, why_hidden

PER_LEVEL = 10
"""Annotations of one level that a step may give; further ones are dropped without a word."""

LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


class Annotation(msgspec.Struct, frozen=True):
    """A text at a line of a file; `path` is relative to the root of the repository, columns count from 1."""

    severity: Severity
    path: str
    line: int
    column: int
    end_column: int
    title: str
    text: str


def render_github(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic], root: Path) -> str:
    """Return workflow commands for the findings; what does not count (`suppressed`) is a notice that says why.

    Findings at lines that a compared change touched come first, since only there a reviewer sees them beside the code.
    """
    shown = sorted(diagnostics, key=lambda one: (not one.touched, CONFIDENCES.index(one.confidence)))
    hidden = [
        msgspec.structs.replace(_annotation(one, root, f" [{why_hidden(one)}]"), severity="note") for one in suppressed
    ]
    return workflow_commands([*(_annotation(one, root) for one in shown), *hidden])


def workflow_commands(annotations: Iterable[Annotation]) -> str:
    """Return one command a line, at most ten of each level; what is left out follows as plain lines."""
    listed = list(annotations)
    lines: list[str] = []
    for severity in SEVERITIES:
        level = LEVELS[severity]
        group = [one for one in listed if one.severity == severity]
        lines += map(_command, group[:PER_LEVEL])
        if len(group) > PER_LEVEL:
            lines.append(f"ctxlint: {len(group) - PER_LEVEL} more of level {level} are not annotated:")
            lines += map(_plain_line, group[PER_LEVEL:])
    return "".join(f"{line}\n" for line in lines)


def escape_text(text: str) -> str:
    """Return `text` so that it stays on the line of its command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(value: str) -> str:
    """Return `value` so that it stays the value of its property."""
    return escape_text(value).replace(":", "%3A").replace(",", "%2C")


def _command(one: Annotation) -> str:
    places = {"file": one.path, "line": str(one.line), "endLine": str(one.line), "col": str(one.column)}
    if one.end_column > one.column:
        places["endColumn"] = str(one.end_column)
    properties = {**places, "title": one.title}
    listed = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
    return f"::{LEVELS[one.severity]} {listed}::{escape_text(one.text)}"


def _plain_line(one: Annotation) -> str:
    """Return a line of the log that is no command; the older form of one, `##[…]`, is obeyed anywhere in a line."""
    return "  " + escape_text(f"{one.path}:{one.line}:{one.column}: {one.title}").replace("##[", "## [")


def _annotation(diagnostic: Diagnostic, root: Path, tag: str = "") -> Annotation:
    span = diagnostic.span
    return Annotation(
        severity=diagnostic.severity,
        path=Path(shown_path(diagnostic.path, root)).as_posix(),
        line=span.line,
        column=span.column,
        end_column=span.end_column if span.end_line == span.line else span.column,
        title=f"{diagnostic.code} {diagnostic.name}{tag}",
        text="\n".join(_argument(diagnostic, root)),
    )


def _argument(diagnostic: Diagnostic, root: Path) -> Iterator[str]:
    yield f"{diagnostic.message} [{diagnostic.confidence}]"
    for number, step in enumerate(diagnostic.flow, 1):
        yield f"{number}. {step.text} ({shown_path(step.path, root)}:{step.span.line})"
    if diagnostic.scenario:
        yield diagnostic.scenario
    for line in diagnostic.evidence:
        yield shown_places(line, root)
    if diagnostic.stands is not None:
        yield where_it_stands(diagnostic.stands, root)
