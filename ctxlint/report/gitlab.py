"""Findings as a Code Quality report, which GitLab shows in a merge request and beside its lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxlint.diagnostic import Diagnostic, Severity
from ctxlint.report.places import posix_path
from ctxlint.report.sarif_text import numbered
from ctxlint.report.text import why_hidden

SEVERITIES: Mapping[Severity, str] = {"error": "major", "warning": "minor", "note": "info"}
"""In GitLab's words; `critical` and `blocker` are left to a reader who knows what is at stake."""


def render_gitlab(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic], root: Path) -> str:
    """Return one list; what does not count (`suppressed`) is `info` and says why.

    Of equal fingerprints GitLab keeps one, so they are numbered. Paths are relative to `root`, where GitLab looks them up.
    """
    every = [*diagnostics, *suppressed]
    tags = [*("" for _ in diagnostics), *(f" [{why_hidden(one)}]" for one in suppressed)]
    fingerprints = numbered([one.fingerprint for one in every])
    issues = [_issue(one, fingerprint, root, tag) for one, fingerprint, tag in zip(every, fingerprints, tags)]
    return json.dumps(issues, indent=2) + "\n"


def _issue(one: Diagnostic, fingerprint: str, root: Path, tag: str) -> dict[str, object]:
    return {
        "description": f"{one.message} [{one.confidence}]{tag}",
        "check_name": one.code,
        "fingerprint": fingerprint,
        "severity": "info" if tag else SEVERITIES[one.severity],
        "location": {"path": posix_path(one.path, root), "lines": {"begin": one.span.line, "end": one.span.end_line}},
        "categories": ["Bug Risk"],
        "content": {"body": "\n".join(_argument(one, root))},
    }


def _argument(one: Diagnostic, root: Path) -> list[str]:
    steps = [
        f"{number}. {step.text} ({posix_path(step.path, root)}:{step.span.line})" for number, step in enumerate(one.flow, 1)
    ]
    return [*steps, one.scenario] if one.scenario else steps
