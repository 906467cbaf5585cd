"""The coverage line and the counts of findings."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from ctxlint.diagnostic import Diagnostic
from ctxlint.report.places import shown_path
from ctxlint.result import Coverage, Report

SLOWEST_FILES = 10


def findings_line(report: Report, fixable: int = 0, unsafely: int = 0) -> str:
    """Return how many findings there are, of which rules, in how many files, and how many `--fix` removes; with its end.

    `unsafely` are those that it removes besides with `--unsafe-fixes`. A comparison says itself that nothing was introduced, and where
    something was not analysed nobody can say that there is nothing.
    """
    found = report.diagnostics
    if not found:
        return "no findings\n" if report.coverage.files and not report.compared and not report.incomplete else ""
    counts = Counter(one.code for one in found)
    codes = ", ".join(f"{count} {code}" for code, count in sorted(counts.items(), key=lambda row: (-row[1], row[0])))
    line = f"{_number(len(found), 'finding')} in {_number(len({one.path for one in found}), 'file')}: {codes}"
    told = [f"{fixable} fixable with --fix"] * bool(fixable)
    told += [f"{unsafely} {'more' if fixable else 'fixable'} with --fix --unsafe-fixes"] * bool(unsafely)
    return "; ".join((line, *([", ".join(told)] if told else []))) + "\n"


def unseen_line(report: Report) -> str:
    """Return a line, with its end, on what of the project was not looked at; nothing when all was."""
    rest = report.unseen
    if rest is None:
        return ""
    more = f"{_number(rest.files, 'more file')} of the project {'was' if rest.files == 1 else 'were'} not looked at"
    example = f"{shown_path(rest.example)}{' (imported here)' if rest.is_imported else ''}"
    paths = " ".join("." if path == os.getcwd() else shown_path(path) for path in rest.paths)
    return f"{more}, as {example}; what they call, read and write is not known: `ctxlint check {paths}`\n"


def coverage_line(coverage: Coverage) -> str:
    """Return `N files, M functions, R rules, K not analysed (why)`; rules only where some were asked."""
    parts = [_number(coverage.files, "file"), _number(coverage.functions, "function")]
    parts += [_number(coverage.rules, "rule")] if coverage.rules else []
    line = ", ".join((*parts, f"{len(coverage.not_analysed)} not analysed"))
    reasons = Counter(failure.reason for failure in coverage.not_analysed)
    if reasons:
        line += " (" + ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) + ")"
    return line


def comparison_line(report: Report) -> str:
    """Return a line on what became of the findings of the earlier state, with its end; nothing without a comparison."""
    if not report.compared:
        return ""
    accepted = sum(1 for one in report.known if one.accepted)
    parts = [f"{len(report.diagnostics)} introduced"]
    if report.fixed or len(report.known) > accepted or not accepted:
        parts += [f"{len(report.fixed)} fixed", f"{len(report.known) - accepted} pre-existing"]
    if accepted:
        parts.append(f"{accepted} accepted by the baseline")
    return ", ".join(parts) + f" (compared with {shown_path(report.compared)})\n"


def statistics(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one line a rule that found something: how often, its code, its name; most frequent first."""
    counts = Counter((diagnostic.code, diagnostic.name) for diagnostic in diagnostics)
    width = max((len(str(count)) for count in counts.values()), default=0)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join(f"{count:>{width}}  {code}  {name}\n" for (code, name), count in rows)


def timing(report: Report) -> str:
    """Return where the CPU time of a run went: one line a step, a rule and a file, the longest first.

    What several rules need is found out by the first that asks.
    """
    if not report.spent:
        return "timing: an earlier run has made this report\n"
    lines = []
    for what, most in (("step", 100), ("rule", 100), ("file", SLOWEST_FILES)):
        totals: Counter[str] = Counter()
        for one in report.spent:
            if one.what == what:
                totals[one.name] += round(one.seconds * 1e6)
        rows = sorted(totals.items(), key=lambda row: (-row[1], row[0]))[:most]
        lines += [f"{spent / 1e6:>8.3f} s  {what}  {shown_path(name) if what == 'file' else name}\n" for name, spent in rows]
    return "".join(lines)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
