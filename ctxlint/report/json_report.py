"""Findings as JSON: the shape that ruff prints, and what only an argument has besides."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ctxlint.diagnostic import Diagnostic, Fix, Step
from ctxlint.ir.span import Span

Object = dict[str, object]


def render_json(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic] = ()) -> str:
    """Return a list of findings; those of `suppressed` follow, and those that a comment hides have `"suppressed": true`."""
    return json.dumps(_objects(diagnostics, suppressed), indent=2) + "\n"


def render_json_lines(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic] = ()) -> str:
    """Return one finding a line."""
    return "".join(json.dumps(one) + "\n" for one in _objects(diagnostics, suppressed))


def _objects(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic]) -> list[Object]:
    hidden: list[Object] = [
        {**as_object(one), **({} if one.state else {"suppressed": True})} for one in suppressed
    ]
    return [*map(as_object, diagnostics), *hidden]


def as_object(diagnostic: Diagnostic) -> Object:
    """Return one finding; `filename` is absolute, rows and columns count from 1, `location` is never null."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "filename": diagnostic.path,
        **_places(diagnostic.span),
        "severity": diagnostic.severity,
        "confidence": diagnostic.confidence,
        "kind": diagnostic.kind,
        "symbol": diagnostic.symbol,
        "fingerprint": diagnostic.fingerprint,
        "flow": [_step(step) for step in diagnostic.flow],
        "scenario": diagnostic.scenario,
        "evidence": list(diagnostic.evidence),
        "fix": _fix(diagnostic.fixes[0]) if diagnostic.fixes else None,
        "url": None,
        "noqa_row": (diagnostic.stands or diagnostic).span.line,
        **_compared(diagnostic),
    }


def _compared(diagnostic: Diagnostic) -> Object:
    """What only a comparison says: the state, why the baseline accepts it, and where a finding shown at a step stands itself."""
    found: Object = {}
    if diagnostic.state:
        found["baselineState"] = diagnostic.state
    if diagnostic.accepted:
        found["accepted"] = diagnostic.accepted
    if diagnostic.stands is not None:
        found["stands"] = {"filename": diagnostic.stands.path, **_places(diagnostic.stands.span)}
    return found


def _step(step: Step) -> Object:
    return {"filename": step.path, **_places(step.span), "text": step.text, "source": step.source, "by": step.by}


def _fix(fix: Fix) -> Object:
    edits = [{"filename": edit.path, "content": edit.new, **_places(edit.span)} for edit in fix.edits]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}


def _places(span: Span) -> Object:
    return {
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }
