"""Fixing a program in memory: the fixes of one pass, the analysis of what came out, and the next pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.earlier import EarlierRuns
from ctxlint.engine import Analyzer, Files, Request, analyse, asked_of, files_of, judged, plan, with_unseen
from ctxlint.fix.choice import applicable
from ctxlint.fix.passes import Applied, Seen, fixed
from ctxlint.gate.fingerprints import fingerprinted
from ctxlint.result import Report


class Repair(msgspec.Struct, frozen=True):
    """What fixing came to: the texts of the changed files before and after, the fixes that were applied, the files that were
    given their text back with the reason, and the report on the fixed program.
    """

    before: dict[str, bytes]
    after: dict[str, bytes]
    applied: tuple[Applied, ...]
    taken_back: dict[str, str]
    report: Report


def repair(request: Request, analyzer: Analyzer | None = None) -> Repair:
    """Fix what the settings allow, in memory, and return the new texts with what is left to report.

    While fixes are tried, all rules are asked: a fix that brings a finding of any of them is taken back.
    With a baseline or an earlier revision only what counts against it is fixed, and reported.
    """
    compares = request.since or request.baseline and request.configuration.settings.baseline
    compared = analyse(request, analyzer) if compares else None
    files = files_of(request)
    folder = EarlierRuns(request.configuration, files, request.tree).folder if request.cache and analyzer is None else None
    planned = plan(request, files)
    everything = tuple(rule for rule in planned.rules.values() if rule.check)
    given = {file.path: file.source for file in files if file.source is not None}
    last: list[Report] = []

    def source_of(path: str) -> bytes:
        return given[path] if path in given else Path(path).read_bytes()

    def look(texts: Mapping[str, bytes]) -> Seen:
        now: Files = tuple(
            msgspec.structs.replace(file, source=texts[file.path]) if file.path in texts else file for file in files
        )
        here = msgspec.structs.replace(planned, files=now)
        (analysis,), problems = asked_of(request, [now], everything, analyzer, folder)
        report = judged(here, analysis, request.configuration, problems, fixes=True)
        last[:] = [report if compared is None else _counting(report, compared)]
        report = last[0]
        found = Counter(map(_identity, fingerprinted(analysis.diagnostics)))
        found.update(_identity(one) for one in report.diagnostics if not planned.rules[one.code].check)
        return Seen(report.diagnostics, found, frozenset(failure.path for failure in analysis.coverage.not_analysed))

    outcome = fixed(look({}), look, source_of, lambda one: applicable(one, request.configuration.settings))
    before = {path: source_of(path) for path in outcome.texts}
    return Repair(before, outcome.texts, outcome.applied, outcome.taken_back, with_unseen(last[0], request, files))


def _counting(report: Report, compared: Report) -> Report:
    """The report on what was fixed, with the verdict that the comparison gave on each finding before."""
    new = frozenset(map(_identity, compared.diagnostics))
    known = {_identity(one): one for one in compared.known}
    still = [(one, known[_identity(one)]) for one in report.diagnostics if _identity(one) in known and _identity(one) not in new]
    return msgspec.structs.replace(
        report,
        diagnostics=tuple(one for one in report.diagnostics if _identity(one) in new),
        known=tuple(msgspec.structs.replace(one, state=before.state, accepted=before.accepted) for one, before in still),
        fixed=compared.fixed,
        compared=compared.compared,
    )


def _identity(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.path, diagnostic.fingerprint
