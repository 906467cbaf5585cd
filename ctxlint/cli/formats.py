"""Which renderer makes a report of which format, and what each of them has to know of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlint.diagnostic import Diagnostic

# A report in one format needs none of the others, so each renderer is imported where it is asked.
if TYPE_CHECKING:
    from ctxlint.engine import Request
    from ctxlint.knowledge.rules import Rule
    from ctxlint.report.surroundings import Surroundings
    from ctxlint.result import Report


def rendered(report: Report, request: Request, suppressed: Sequence[Diagnostic]) -> str:
    """Return the report in the format for programs or browsers that the settings name; `suppressed` ones are shown, too."""
    form = request.configuration.settings.output_format
    shown = report.diagnostics
    if form == "concise":
        from ctxlint.report.concise import render_concise

        return render_concise(shown, suppressed)
    if form == "json" or form == "json-lines":
        from ctxlint.report.json_report import render_json, render_json_lines

        return (render_json if form == "json" else render_json_lines)(shown, suppressed)
    return _with_surroundings(form, report, request, suppressed)


def _with_surroundings(form: str, report: Report, request: Request, suppressed: Sequence[Diagnostic]) -> str:
    """Return a report that names files from the root of the repository or quotes them."""
    shown, around = report.diagnostics, _surroundings(request)
    if form == "github":
        from ctxlint.report.github import render_github

        return render_github(shown, suppressed, around.root)
    if form == "gitlab":
        from ctxlint.report.gitlab import render_gitlab

        return render_gitlab(shown, suppressed, around.root)
    if form == "junit":
        from ctxlint.report.junit import render_junit

        return render_junit(shown, suppressed, around.root)
    if form == "rdjson":
        from ctxlint.report.rdjson import render_rdjson

        return render_rdjson(shown, suppressed, around)
    from ctxlint.knowledge.version import version

    if form == "html":
        from ctxlint.report.html import render_html

        return render_html(report, _rules_that_ran(request), around, version(), suppressed)
    from ctxlint.report.sarif import render_sarif

    return render_sarif(report, _rules_that_ran(request), around, version(), suppressed)


def _rules_that_ran(request: Request) -> tuple[Rule, ...]:
    from ctxlint.knowledge.rules import load_rules
    from ctxlint.knowledge.selection import select

    configuration = request.configuration
    return tuple(select(load_rules(configuration.paths(configuration.settings.rule_paths)), configuration).rules)


def _surroundings(request: Request) -> Surroundings:
    from ctxlint.report.places import repository_root
    from ctxlint.report.surroundings import Surroundings

    folder = Path.cwd()
    category = request.configuration.settings.sarif_category
    return Surroundings(repository_root(folder), folder, _text_reader(request), category)


def _text_reader(request: Request) -> Callable[[str], str | None]:
    """Return what reads a file's text as it was analysed; it returns None for a file that cannot be read."""
    given = {os.path.abspath(request.stdin_filename): request.stdin} if request.stdin is not None else {}

    def text_of(path: str) -> str | None:
        try:
            data = given[path] if path in given else Path(path).read_bytes()
        except OSError:
            return None
        return data.decode("utf-8", "replace")

    return text_of
