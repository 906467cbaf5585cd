"""The coverage line and the counts of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ctxlint.diagnostic import Diagnostic
from ctxlint.report.places import shown_path
from ctxlint.result import Coverage, Report

SLOWEST_FILES = 10


def coverage_line(coverage: Coverage) -> str:
    """Return `N files, M functions, K not analysed (why)`."""
    parts = [_number(coverage.files, "file"), _number(coverage.functions, "function")]
    line = f"{parts[0]}, {parts[1]}, {len(coverage.not_analysed)} not analysed"
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
