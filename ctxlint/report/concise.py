"""One line a finding, as flake8 prints it: `path:line:column: CODE message`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ctxlint.diagnostic import Diagnostic
from ctxlint.report.places import shown_path
from ctxlint.report.text import why_hidden
from ctxlint.report.visible import visible


def render_concise(
    diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic] = (), folder: Path | None = None
) -> str:
    """Return one line a finding; `suppressed` ones follow and say so. Paths are relative to `folder`."""
    base = folder or Path.cwd()
    return "".join(
        visible(f"{shown_path(one.path, base)}:{one.span.line}:{one.span.column}: {one.code} {one.message}{tag}") + "\n"
        for one, tag in (*((one, "") for one in diagnostics), *((one, f" [{why_hidden(one)}]") for one in suppressed))
    )
