"""Findings as JUnit's XML, which most systems that build software show as failed tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ctxlint.diagnostic import Diagnostic
from ctxlint.report.places import posix_path
from ctxlint.report.text import render_text, why_hidden

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_NOTHING_FOUND = """\
<testsuites name="ctxlint" tests="1" failures="0" errors="0" skipped="0">
  <testsuite name="ctxlint" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="no findings" classname="ctxlint"/>
  </testsuite>
</testsuites>
"""


class _Case(NamedTuple):
    path: str
    finding: Diagnostic
    suppressed: bool


def render_junit(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic], root: Path) -> str:
    """Return a suite for each file and a failed case for each finding; what does not count (`suppressed`) is a skipped case.

    Without findings there is one case that passes: some systems take a report without a case for a broken run.
    Paths are relative to `root`.
    """
    cases = [_Case(posix_path(one.path, root), one, False) for one in diagnostics]
    cases += [_Case(posix_path(one.path, root), one, True) for one in suppressed]
    cases.sort(key=lambda case: case.path)
    lines = [f'<testsuites name="ctxlint" {_counts(cases)}>']
    for path, group in groupby(cases, key=lambda case: case.path):
        suite = list(group)
        lines += [f"  <testsuite name={_quoted(path)} {_counts(suite)}>", *(_written(one, root) for one in suite), "  </testsuite>"]
    body = "\n".join([*lines, "</testsuites>\n"]) if cases else _NOTHING_FOUND
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'


def _counts(cases: Sequence[_Case]) -> str:
    skipped = sum(case.suppressed for case in cases)
    return f'tests="{len(cases)}" failures="{len(cases) - skipped}" errors="0" skipped="{skipped}"'


def _written(case: _Case, root: Path) -> str:
    one = case.finding
    name = f"{one.code} {one.name} ({one.symbol}:{one.span.line})"
    module = case.path.removesuffix(".py").replace("/", ".")
    if case.suppressed:
        outcome = f"<skipped message={_quoted(f'{why_hidden(one)}: {one.message}')}/>"
    else:
        text = escape(_legal(render_text([one], folder=root)))
        outcome = f"<failure type={_quoted(one.code)} message={_quoted(one.message)}>{text}</failure>"
    return (
        f"    <testcase name={_quoted(name)} classname={_quoted(module)} file={_quoted(case.path)} line=\"{one.span.line}\">\n"
        f"      {outcome}\n"
        "    </testcase>"
    )


def _quoted(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """Return `text` without the characters that XML cannot hold; they are shown as escapes."""
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
