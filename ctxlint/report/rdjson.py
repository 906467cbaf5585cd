"""Findings in reviewdog's diagnostic format (rdjson), which it turns into comments of a review anywhere.

Columns of this format count the bytes of UTF-8 from 1 on, and the end of a range is exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ctxlint.diagnostic import Diagnostic, Edit, Fix, Severity, Step
from ctxlint.ir.span import Span
from ctxlint.report.places import posix_path, shown_places
from ctxlint.report.surroundings import Lines, Surroundings
from ctxlint.report.text import why_hidden

SEVERITIES: Mapping[Severity, str] = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}

Object = dict[str, object]


def render_rdjson(
    diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic], surroundings: Surroundings
) -> str:
    """Return one object with all findings; what does not count (`suppressed`) is `INFO` and says why.

    Paths are relative to the working directory.
    """
    writer = _Writer(surroundings)
    listed = [writer.diagnostic(one, "") for one in diagnostics]
    listed += [writer.diagnostic(one, f" [{why_hidden(one)}]") for one in suppressed]
    return json.dumps({"source": {"name": "ctxlint"}, "diagnostics": listed}, indent=2) + "\n"


class _Writer:
    """Builds the objects; it keeps the lines that columns are counted in."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._folder = surroundings.folder
        self._lines = Lines(surroundings.text_of)

    def diagnostic(self, one: Diagnostic, tag: str) -> Object:
        evidence = [shown_places(line, self._folder) for line in one.evidence]
        parts = [f"{one.message} [{one.confidence}]{tag}", one.scenario, *evidence]
        written: Object = {
            "message": "\n".join(part for part in parts if part),
            "location": self._location(one.path, one.span),
            "severity": "INFO" if tag else SEVERITIES[one.severity],
            "code": {"value": one.code},
        }
        if one.flow:
            written["relatedLocations"] = [self._step(number, step) for number, step in enumerate(one.flow, 1)]
        suggestions = [found for fix in one.fixes if (found := self._suggestion(fix, one.path)) is not None]
        if suggestions:
            written["suggestions"] = suggestions
        return written

    def _step(self, number: int, step: Step) -> Object:
        return {"message": f"{number}. {step.text}", "location": self._location(step.path, step.span)}

    def _location(self, path: str, span: Span) -> Object:
        return {"path": posix_path(path, self._folder), "range": self._range(path, span)}

    def _range(self, path: str, span: Span) -> Object:
        return {
            "start": {"line": span.line, "column": self._bytes_before(path, span.line, span.column) + 1},
            "end": {"line": span.end_line, "column": self._bytes_before(path, span.end_line, span.end_column) + 1},
        }

    def _bytes_before(self, path: str, line: int, column: int) -> int:
        text = self._lines.line(path, line) or ""
        known = text[: column - 1]
        return len(known.encode("utf-8", "surrogatepass")) + (column - 1 - len(known))

    def _suggestion(self, fix: Fix, path: str) -> Object | None:
        """Return a fix as one replacement, which can be taken over by a click and so has to be safe and in this file."""
        edits = sorted(fix.edits, key=lambda edit: edit.span)
        if fix.applicability != "safe" or not edits or any(edit.path != path for edit in edits):
            return None
        whole = Span(edits[0].span.line, edits[0].span.column, edits[-1].span.end_line, edits[-1].span.end_column)
        text = self._replaced(path, edits)
        return None if text is None else {"range": self._range(path, whole), "text": text}

    def _replaced(self, path: str, edits: Sequence[Edit]) -> str | None:
        """Return what stands from the first edit to the last one after all of them; None when the text is not known."""
        parts = [edits[0].new]
        for before, after in pairwise(edits):
            kept = self._between(path, before.span, after.span)
            if kept is None:
                return None
            parts += [kept, after.new]
        return "".join(parts)

    def _between(self, path: str, before: Span, after: Span) -> str | None:
        lines = self._lines.of(path)[before.end_line - 1: after.line]
        if len(lines) != after.line - before.end_line + 1:
            return None
        if len(lines) == 1:
            return lines[0][before.end_column - 1: after.column - 1]
        return "\n".join((lines[0][before.end_column - 1:], *lines[1:-1], lines[-1][: after.column - 1]))
