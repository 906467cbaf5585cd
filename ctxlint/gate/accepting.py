"""A report against a baseline: what it accepts does not count, and what it accepts in vain is told."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.gate.baseline import Baseline, Comparison, compared
from ctxlint.gate.fingerprints import fingerprint
from ctxlint.gate.functions import Functions
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import Rule
from ctxlint.result import Report


class Looked(msgspec.Struct, frozen=True):
    """What a run has looked at: the paths it was given, the files that it analysed, and the codes of the rules that ran."""

    given: tuple[str, ...]
    files: frozenset[str]
    codes: frozenset[str]


def against(report: Report, baseline: Baseline, present: Functions) -> tuple[Report, Comparison]:
    """Return the report without what the baseline accepts, and what it accepts.

    What an earlier revision has is accepted first, then what is shown, then what comments and settings hide: an entry for
    such a finding is not in vain.
    """
    groups = (report.known, report.diagnostics, report.suppressed, report.left_out)
    comparison = compared([one for group in groups for one in group], baseline.entries, baseline.folder, present)
    start = len(report.known)
    shown: list[Diagnostic] = []
    accepted: list[Diagnostic] = []
    for one, number in zip(report.diagnostics, comparison.accepting[start:]):
        if number is None:
            shown.append(msgspec.structs.replace(one, state="new"))
        else:
            reason = baseline.entries[number].reason or "baseline"
            accepted.append(msgspec.structs.replace(one, state="unchanged", accepted=reason))
    changed = msgspec.structs.replace(
        report, diagnostics=tuple(shown), known=(*report.known, *accepted), compared=report.compared or str(baseline.file))
    return changed, comparison


def judged(baseline: Baseline, looked: Looked) -> tuple[int, ...]:
    """Return the numbers of the entries of which the run can say whether their findings still exist.

    A run that was given single files, or not all files that the baseline names, sees too little of the program to say so.
    """
    if not all(os.path.isdir(path) for path in looked.given):
        return ()
    places = [os.path.normpath(baseline.folder / entry.path) for entry in baseline.entries]
    tops = [Path(os.path.abspath(path)) for path in looked.given]
    beneath = [any(Path(place).is_relative_to(top) for top in tops) for place in places]
    if not all(beneath):
        return ()
    return tuple(
        number for number, (entry, place) in enumerate(zip(baseline.entries, places))
        if entry.code in looked.codes and (place in looked.files or not os.path.lexists(place)))


def stale(baseline: Baseline, comparison: Comparison, judged: Collection[int], rule: Rule) -> Sequence[Diagnostic]:
    """Return a finding for each entry that accepts more than there is."""
    found = []
    for number in judged:
        entry, line = baseline.entries[number], baseline.lines[number]
        if comparison.used[number] < entry.count:
            notice = Diagnostic(
                code=rule.code, name=rule.name, severity=rule.severity, confidence="high", path=str(baseline.file),
                span=Span(line, 1, line, 1), symbol="<module>",
                message=rule.message.format(code=entry.code, symbol=entry.symbol, path=entry.path, fingerprint=entry.fingerprint),
                events=(entry.code, entry.fingerprint),
            )
            found.append(msgspec.structs.replace(notice, fingerprint=fingerprint(notice), state="new"))
    return found
