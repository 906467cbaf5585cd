"""The pipeline in one function; the only place where all rooms meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from ctxlint.diagnostic import CONFIDENCES, Diagnostic
from ctxlint.discovery.asked import Asked
from ctxlint.discovery.files import SourceFile, discover, discover_stdin
from ctxlint.discovery.unseen import unseen
from ctxlint.earlier import EarlierRuns
from ctxlint.knowledge.configuration import Configuration, check_rule_tables
from ctxlint.knowledge.rules import Rule, load_rules
from ctxlint.knowledge.selection import Selection, select
from ctxlint.result import Analysis, NotAnalysed, Report
from ctxlint.store.folder import Folder

# A run in which nothing has changed reads one record; what only an analysis needs is imported by the functions that make one.
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ctxlint.gate.baseline import Baseline, Comparison
    from ctxlint.knowledge.models import Models
    from ctxlint.workers import Workers

NOT_ANALYSED, STALE = "CTX003", "CTX004"

Files = tuple[SourceFile, ...]

Progress = Callable[[int, int], None]
"""Told how many of how many files are done."""


class Analyzer(Protocol):
    """Lowers, links and questions `files`.

    It returns what the checks of `rules` found and how much was looked at; it does not suppress, filter or sort.
    Code under analysis never makes it raise: a file that cannot be analysed is in the coverage.
    `tree` is `fast` or `libcst`: which reader gives the verdict on all files. `cache` keeps lowered files from run to run, `workers` lower them.
    """

    def __call__(
        self,
        files: tuple[SourceFile, ...],
        rules: tuple[Rule, ...],
        configuration: Configuration,
        models: Models,
        *,
        tree: str,
        cache: Folder | None,
        workers: Workers,
        progress: Progress,
    ) -> Analysis: ...


class Request(msgspec.Struct, frozen=True):
    """What a run is asked for: `paths`, or the text `stdin` of a file that would lie at `stdin_filename`.

    Without `cache` nothing is read from or written to the folder of earlier runs. An `executor` lowers the files in place of
    the worker processes that the setting `jobs` asks for. `asked` is told what the report depends on besides the settings.
    With `since`, only what that revision does not have counts; without `baseline` the one of the configuration is not looked at.
    With `fixes` the findings carry what repairs them.
    """

    paths: tuple[str, ...]
    configuration: Configuration
    stdin: bytes | None = None
    stdin_filename: str = ""
    tree: str = "fast"
    cache: bool = True
    executor: Executor | None = None
    since: str | None = None
    baseline: bool = True
    fixes: bool = False
    progress: Progress = lambda done, total: None
    asked: Asked | None = None


class Outcome(msgspec.Struct, frozen=True):
    """A report, and the baseline that it was compared with: which entries accept what, and which of them could be judged."""

    report: Report
    baseline: Baseline | None = None
    comparison: Comparison | None = None
    judged: tuple[int, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """What a run will do: all rules, those that run, and the files."""

    rules: Mapping[str, Rule]
    selection: Selection
    files: tuple[SourceFile, ...]


def plan(request: Request, files: tuple[SourceFile, ...] | None = None) -> Plan:
    """Return what `request` means (for `files`, if they are known already); raise a CtxlintError when it cannot be done."""
    configuration = request.configuration
    rules = load_rules(configuration.paths(configuration.settings.rule_paths))
    check_rule_tables(configuration, rules)
    selection = select(rules, configuration)
    return Plan(rules, selection, files_of(request) if files is None else files)


def analyse(request: Request, analyzer: Analyzer | None = None) -> Report:
    """Return the findings of a run in order of output: path, line, column, code.

    `analyzer` is the analysis itself; without one it is `ctxlint.analyzer.analyse_files`, and when nothing has changed since
    an earlier run, what that one has reported.
    With `since` only what that revision does not have counts, and with a baseline only what that does not accept.
    """
    return run(request, analyzer).report


def run(request: Request, analyzer: Analyzer | None = None) -> Outcome:
    """Return the report of `analyse`, and what it was compared with."""
    if request.since is not None:
        files, report = _introduced(request, request.since, analyzer)
    else:
        files = files_of(request)
        (report,) = _reports(request, (files,), analyzer)
    report = with_unseen(report, request, files)
    baseline = request.configuration.settings.baseline
    return _not_accepted(report, files, request) if baseline and request.baseline else Outcome(report)


def _reports(request: Request, sides: Sequence[Files], analyzer: Analyzer | None) -> list[Report]:
    """Return the report on each of one or two states of the files, those of earlier runs where nothing has changed."""
    if not request.cache or analyzer is not None:
        return [report for report, _ in _analysed(request, sides, analyzer, None)]
    earlier = [
        EarlierRuns(request.configuration, sides[0], request.tree, request.asked, with_fixes=request.fixes),
        *(EarlierRuns(request.configuration, files, request.tree) for files in sides[1:]),
    ]
    reports = {run.key: report for run in earlier if (report := run.report()) is not None}
    missing = {run.key: (run, files) for run, files in zip(earlier, sides) if run.key not in reports}
    if missing:
        if earlier[0].key not in missing:       # what is gone needs no repair
            request = msgspec.structs.replace(request, fixes=False)
        made = _analysed(request, [files for _, files in missing.values()], None, [run for run, _ in missing.values()])
        for (run, _), (report, answers) in zip(missing.values(), made):
            problem = run.keep(report, answers)
            if problem:
                report = msgspec.structs.replace(report, problems=(*report.problems, problem))
            reports[run.key] = report
    return [reports[run.key] for run in earlier]


def with_unseen(report: Report, request: Request, files: Files) -> Report:
    """Return the report with what of the project lies outside the paths of the request."""
    given = request.paths if request.stdin is None else (request.stdin_filename,)
    rest = unseen(given, files, report.coverage.imports, request.configuration, request.asked or Asked())
    return msgspec.structs.replace(report, unseen=rest)


def files_of(request: Request) -> Files:
    """Return the files that a request names."""
    if request.stdin is not None:
        return discover_stdin(request.stdin_filename, request.stdin, request.configuration)
    return discover(request.paths, request.configuration, request.asked)


def _analysed(
    request: Request, sides: Sequence[Files], analyzer: Analyzer | None, runs: Sequence[EarlierRuns] | None
) -> list[tuple[Report, bytes]]:
    """Analyse one or two states of the files, of which the first is the one that may be repaired.

    `runs` are their places in the cache. With each report comes the record of what was answered.
    """
    planned = plan(request, sides[0])
    checked = tuple(rule for rule in planned.selection.rules if rule.check)
    analyses, problems = asked_of(request, sides, checked, analyzer, runs[0].folder if runs else None, runs[0] if runs else None)
    return [
        (judged(msgspec.structs.replace(planned, files=files), analysis, request.configuration, problems,
                fixes=request.fixes and files is sides[0]), analysis.record)
        for files, analysis in zip(sides, analyses)
    ]


def asked_of(
    request: Request, sides: Sequence[Files], rules: tuple[Rule, ...], analyzer: Analyzer | None, folder: Folder | None,
    run: EarlierRuns | None = None,
) -> tuple[Sequence[Analysis], tuple[str, ...]]:
    """Return what the checks of `rules` say about one or two states of the files, and what is wrong with the models.

    With the place of the `run` in the cache, the answers of the last one may do.
    """
    from ctxlint.knowledge.models import load_models
    from ctxlint.workers import Workers

    configuration = request.configuration
    models = load_models(configuration.paths(configuration.settings.model_paths), runtime=configuration.settings.runtime_module)
    workers = Workers(configuration.settings.jobs, request.executor)
    if analyzer is None and len(sides) == 2:
        from ctxlint.analyzer import analyse_both

        both = analyse_both(
            sides[0], sides[1], rules, configuration, models,
            tree=request.tree, cache=folder, workers=workers, progress=request.progress)
        return both, models.problems
    if analyzer is None and run is not None:
        return [_answered(sides[0], rules, configuration, models, request, workers, run)], models.problems
    one = analyzer or connected_analyzer()
    analyses = [
        one(files, rules, configuration, models,
            tree=request.tree, cache=folder, workers=workers, progress=request.progress)
        for files in sides
    ]
    return analyses, models.problems


def _answered(
    files: Files, rules: tuple[Rule, ...], configuration: Configuration, models: Models, request: Request, workers: Workers,
    run: EarlierRuns,
) -> Analysis:
    """Return what the checks say, from the answers of the last run if since then code has only moved."""
    from ctxlint.again import Earlier, answered_again

    earlier = Earlier(run.answers(), run.folder, tuple(run.sources))
    known = answered_again(files, rules, earlier, request.tree, workers, request.progress)
    if known is not None:
        return known
    from ctxlint.analyzer import analyse_files

    return analyse_files(
        files, rules, configuration, models,
        tree=request.tree, cache=run.folder, workers=workers, progress=request.progress, sources=earlier.sources)


def judged(
    planned: Plan, analysis: Analysis, configuration: Configuration, problems: Iterable[str], fixes: bool = False
) -> Report:
    """Suppress, filter and sort what an analysis has found, and with `fixes` say what repairs it."""
    from ctxlint.gate.fingerprints import fingerprinted
    from ctxlint.gate.comments import comments_of
    from ctxlint.gate.per_file import ignored_in
    from ctxlint.gate.suppressions import apply_suppressions

    failures = _failures(analysis.coverage.not_analysed, planned.rules[NOT_ANALYSED])
    failed = {failure.path for failure in failures}
    outcome = apply_suppressions(
        [diagnostic for diagnostic in analysis.diagnostics if diagnostic.code in planned.selection.codes],
        comments_of({file.path: file.source for file in planned.files if file.path not in failed}, planned.rules),
        planned.rules,
        planned.selection.codes,
        configuration.settings.require_reason,
    )

    ignored = ignored_in(configuration)
    lowest = CONFIDENCES.index(configuration.settings.min_confidence)

    def counts(diagnostic: Diagnostic) -> bool:
        return (
            diagnostic.code in planned.selection.codes
            and CONFIDENCES.index(diagnostic.confidence) <= lowest
            and not ignored(diagnostic.path, diagnostic.code)
        )

    def finished(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(sorted(fingerprinted(filter(counts, diagnostics)), key=_order))

    warnings = [*planned.selection.warnings, *problems, *analysis.problems]
    if not planned.files:
        warnings.append("no Python files to analyse")
    found = (*outcome.shown, *outcome.notices, *failures)
    shown = finished(found)
    if fixes:
        from ctxlint.fixing import with_fixes

        shown = with_fixes(shown, planned.files, planned.rules, configuration)
    return Report(
        diagnostics=shown,
        suppressed=finished(outcome.suppressed),
        coverage=msgspec.structs.replace(analysis.coverage, rules=sum(1 for rule in planned.selection.rules if rule.check)),
        problems=tuple(warnings),
        incomplete=any(not ignored(failure.path, NOT_ANALYSED) for failure in failures),
        left_out=tuple(map(_bare, fingerprinted(one for one in (*found, *map(_excused, outcome.suppressed)) if not counts(one)))),
        spent=analysis.spent,
    )


def _bare(diagnostic: Diagnostic) -> Diagnostic:
    """The finding without its argument."""
    return msgspec.structs.replace(diagnostic, message="", flow=(), scenario="", evidence=(), fixes=())


def _excused(diagnostic: Diagnostic) -> Diagnostic:
    """The finding with a mark that a comment hides it, whether or not that gives a reason."""
    return msgspec.structs.replace(diagnostic, excused=diagnostic.excused or "a comment")


def _introduced(request: Request, since: str, analyzer: Analyzer | None) -> tuple[Files, Report]:
    """Return the files of the present and the report on them, in which only that counts which `since` does not have."""
    from ctxlint.gate.functions import Functions, present_functions
    from ctxlint.gate.git import WHOLE
    from ctxlint.gate.revisions import Sides, difference
    from ctxlint.gate.since import overlooked, paths_now, paths_then, revision_of

    given = request.paths if request.stdin is None else (request.stdin_filename,)
    revision = revision_of(given, since)
    request = msgspec.structs.replace(request, paths=paths_now(request.paths, revision))
    files = files_of(request)
    present = {file.path for file in files}
    before = discover(paths_then(given, present, revision), request.configuration, tree=revision)
    sources = revision.sources(Path(file.path) for file in before)
    earlier = tuple(msgspec.structs.replace(file, source=sources[Path(file.path)]) for file in before)

    # What the present and the revision share is the same file, so a change of nothing needs no second analysis.
    reports = _reports(request, (files, earlier) if earlier != files else (files,), analyzer)
    now, then = reports[0], reports[-1]
    failures = [one for one in now.diagnostics if one.code == NOT_ANALYSED]
    compared = difference(
        [one for one in now.diagnostics if one.code != NOT_ANALYSED],
        [one for one in then.diagnostics if one.code != NOT_ANALYSED],
        revision.earlier_name,
        # What git knows is the file, not the text on standard input.
        revision.change if request.stdin is None else lambda file: WHOLE,
        Sides(
            tuple(sorted(present)), present_functions({file.path: file.source for file in files}), Functions(revision.content),
            (*now.suppressed, *now.left_out), (*then.suppressed, *then.left_out), _only_faint(request.configuration)),
    )
    return files, msgspec.structs.replace(
        now,
        diagnostics=tuple(sorted((*compared.introduced, *failures), key=_order)),
        known=compared.preexisting,
        fixed=compared.fixed,
        compared=since,
        problems=(*now.problems, *overlooked(request.paths, present, revision), *(
            f"{one.path} could not be analysed at {since} ({one.reason}): all of its findings count as introduced"
            for one in then.coverage.not_analysed if one.path in present)),
    )


def _only_faint(configuration: Configuration) -> Callable[[Diagnostic], bool]:
    """Return whether a finding counts for nothing but its confidence."""
    from ctxlint.gate.per_file import ignored_in

    ignored = ignored_in(configuration)
    lowest = CONFIDENCES.index(configuration.settings.min_confidence)
    return lambda one: CONFIDENCES.index(one.confidence) > lowest and not one.excused and not ignored(one.path, one.code)


def _not_accepted(report: Report, files: Files, request: Request) -> Outcome:
    """Return the report without what the baseline accepts, and with a finding for each entry that accepts nothing."""
    from ctxlint.gate.accepting import Looked, against, judged, stale
    from ctxlint.gate.baseline import read_baseline, require_rules
    from ctxlint.gate.functions import present_functions
    from ctxlint.gate.per_file import ignored_in

    configuration = request.configuration
    planned = plan(request, files)
    baseline = read_baseline(configuration.folder / configuration.settings.baseline)
    require_rules(baseline, planned.rules)
    failed = {failure.path for failure in report.coverage.not_analysed}
    looked = Looked(
        request.paths, frozenset(file.path for file in files if file.path not in failed), planned.selection.codes)
    report, comparison = against(report, baseline, present_functions({file.path: file.source for file in files}))
    judgeable = judged(baseline, looked) if request.stdin is None else ()
    ignored = ignored_in(configuration)
    notices = [
        one for one in stale(baseline, comparison, judgeable, planned.rules[STALE])
        if one.code in planned.selection.codes and not ignored(one.path, one.code)
    ]
    shown = tuple(sorted((*report.diagnostics, *notices), key=_order))
    return Outcome(msgspec.structs.replace(report, diagnostics=shown), baseline, comparison, judgeable)


def connected_analyzer() -> Analyzer:
    """Return the analysis that this installation carries; imported late, because most commands need none."""
    from ctxlint.analyzer import analyse_files

    analyzer: Analyzer = analyse_files
    return analyzer


def _failures(not_analysed: Iterable[NotAnalysed], rule: Rule) -> tuple[Diagnostic, ...]:
    """Return a finding for each file that was not analysed."""
    return tuple(
        Diagnostic(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            confidence="high",
            path=failure.path,
            span=failure.span,
            symbol="<module>",
            message=rule.message.format(reason=failure.reason, detail=failure.detail),
            kind=failure.reason,
            events=(failure.reason,),
        )
        for failure in not_analysed
    )


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    return (diagnostic.path, diagnostic.span.line, diagnostic.span.column, diagnostic.code, diagnostic.message)
