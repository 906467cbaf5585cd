"""The pipeline in one function; the only place where all rooms meet."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from ctxlint.diagnostic import CONFIDENCES, Diagnostic
from ctxlint.discovery.files import SourceFile, discover, discover_stdin
from ctxlint.earlier import EarlierRuns
from ctxlint.knowledge.configuration import Configuration, check_rule_tables
from ctxlint.knowledge.project import depends_on
from ctxlint.knowledge.rules import Rule, load_rules
from ctxlint.knowledge.selection import Selection, select
from ctxlint.result import Analysis, NotAnalysed, Report
from ctxlint.store.folder import Folder

# A run in which nothing has changed reads one record; what only an analysis needs is imported by the functions that make one.
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ctxlint.fix.passes import Applied
    from ctxlint.gate.suppressions import Comments
    from ctxlint.knowledge.models import Models
    from ctxlint.workers import Workers

NOT_ANALYSED = "CTX003"

RUNTIME = "ctxlint.runtime"
"""Where fixed code imports the runtime from unless the project names another module."""

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
    the worker processes that the setting `jobs` asks for. With `fixes` the findings carry what repairs them.
    """

    paths: tuple[str, ...]
    configuration: Configuration
    stdin: bytes | None = None
    stdin_filename: str = ""
    tree: str = "fast"
    cache: bool = True
    executor: Executor | None = None
    fixes: bool = False
    progress: Progress = lambda done, total: None


class Repair(msgspec.Struct, frozen=True):
    """What fixing came to: the texts of the changed files before and after, the fixes that were applied, the files that were
    given their text back with the reason, and the report on the fixed program.
    """

    before: dict[str, bytes]
    after: dict[str, bytes]
    applied: tuple[Applied, ...]
    taken_back: dict[str, str]
    report: Report


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
    return Plan(rules, selection, _files(request) if files is None else files)


def analyse(request: Request, analyzer: Analyzer | None = None) -> Report:
    """Return the findings of a run in order of output: path, line, column, code.

    `analyzer` is the analysis itself; without one it is `ctxlint.analyzer.analyse_files`, and when nothing has changed since
    an earlier run, what that one has reported.
    """
    if not request.cache or analyzer is not None:
        return _analysed(request, _files(request), analyzer, None)
    files = _files(request)
    earlier = EarlierRuns(request.configuration, files, request.tree, _fixes_depend_on(request, files))
    report = earlier.report()
    if report is None:
        report = _analysed(request, files, None, earlier.folder)
        problem = earlier.keep(report)
        if problem:
            report = msgspec.structs.replace(report, problems=(*report.problems, problem))
    return report


def repair(request: Request, analyzer: Analyzer | None = None) -> Repair:
    """Fix what the settings allow, in memory, and return the new texts with what is left to report.

    While fixes are tried, all rules are asked: a fix that brings a finding of any of them is taken back.
    """
    from ctxlint.fix.choice import applicable
    from ctxlint.fix.passes import Seen, fixed
    from ctxlint.gate.fingerprints import fingerprinted

    files = _files(request)
    folder = EarlierRuns(request.configuration, files, request.tree).folder if request.cache else None
    planned = plan(request, files)
    everything = tuple(rule for rule in planned.rules.values() if rule.check)
    given = {file.path: file.source for file in files if file.source is not None}
    reports: dict[int, Report] = {}

    def source_of(path: str) -> bytes:
        return given[path] if path in given else Path(path).read_bytes()

    def look(texts: Mapping[str, bytes]) -> Seen:
        now = tuple(msgspec.structs.replace(file, source=texts[file.path]) if file.path in texts else file for file in files)
        here = msgspec.structs.replace(planned, files=now)
        analysis = _asked(request, here, everything, analyzer, folder)
        report = _reported(msgspec.structs.replace(request, fixes=True), here, analysis)
        reports[0] = report
        found = Counter((one.path, one.fingerprint) for one in fingerprinted(analysis.diagnostics))
        found.update((one.path, one.fingerprint) for one in report.diagnostics if not planned.rules[one.code].check)
        return Seen(report.diagnostics, found, frozenset(failure.path for failure in analysis.coverage.not_analysed))

    outcome = fixed(look({}), look, source_of, lambda one: applicable(one, request.configuration.settings))
    before = {path: source_of(path) for path in outcome.texts}
    return Repair(before, outcome.texts, outcome.applied, outcome.taken_back, reports[0])


def _files(request: Request) -> tuple[SourceFile, ...]:
    if request.stdin is not None:
        return discover_stdin(request.stdin_filename, request.stdin, request.configuration)
    return discover(request.paths, request.configuration)


def _analysed(
    request: Request, files: tuple[SourceFile, ...], analyzer: Analyzer | None, folder: Folder | None
) -> Report:
    planned = plan(request, files)
    checked = tuple(rule for rule in planned.selection.rules if rule.check)
    return _reported(request, planned, _asked(request, planned, checked, analyzer, folder))


def _asked(
    request: Request, planned: Plan, rules: tuple[Rule, ...], analyzer: Analyzer | None, folder: Folder | None
) -> Analysis:
    """What the checks of `rules` say about the files of the plan."""
    from ctxlint.knowledge.models import load_models
    from ctxlint.workers import Workers

    configuration = request.configuration
    models = load_models(configuration.paths(configuration.settings.model_paths))
    analysis = (analyzer or connected_analyzer())(
        planned.files, rules, configuration, models,
        tree=request.tree, cache=folder, workers=Workers(configuration.settings.jobs, request.executor),
        progress=request.progress,
    )
    return msgspec.structs.replace(analysis, problems=(*models.problems, *analysis.problems))


def _reported(request: Request, planned: Plan, analysis: Analysis) -> Report:
    """The report on what the checks said: suppressed, filtered, and in order."""
    from ctxlint.gate.fingerprints import fingerprinted
    from ctxlint.gate.per_file import ignored_in
    from ctxlint.gate.suppressions import apply_suppressions

    configuration = request.configuration
    failures = _failures(analysis.coverage.not_analysed, planned.rules[NOT_ANALYSED])
    failed = {failure.path for failure in failures}
    outcome = apply_suppressions(
        [diagnostic for diagnostic in analysis.diagnostics if diagnostic.code in planned.selection.codes],
        _comments((file for file in planned.files if file.path not in failed), planned.rules),
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

    shown = finished((*outcome.shown, *outcome.notices, *failures))
    problems = [*planned.selection.warnings, *analysis.problems]
    if not planned.files:
        problems.append("no Python files to analyse")
    return Report(
        diagnostics=_with_fixes(shown, request, planned) if request.fixes else shown,
        suppressed=finished(outcome.suppressed),
        coverage=analysis.coverage,
        problems=tuple(problems),
        incomplete=any(not ignored(failure.path, NOT_ANALYSED) for failure in failures),
    )


def connected_analyzer() -> Analyzer:
    """Return the analysis that this installation carries; imported late, because most commands need none."""
    from ctxlint.analyzer import analyse_files

    analyzer: Analyzer = analyse_files
    return analyzer


def _with_fixes(diagnostics: tuple[Diagnostic, ...], request: Request, planned: Plan) -> tuple[Diagnostic, ...]:
    """The findings with what repairs them, as far as the project trusts it."""
    from ctxlint.fix.choice import adjusted
    from ctxlint.fix.fixes import Workshop
    from ctxlint.fix.rewriting import Runtime

    settings = request.configuration.settings
    files = {file.path: file for file in planned.files}

    def source_of(path: str) -> bytes | None:
        file = files.get(path)
        if file is None:
            return None
        return Path(path).read_bytes() if file.source is None else file.source

    @functools.cache
    def depends(folder: Path) -> bool:
        return depends_on(RUNTIME.partition(".")[0], folder)

    def runtime_of(path: str) -> Runtime:
        module = settings.runtime_module
        return Runtime(module or RUNTIME, module is not None or depends(Path(path).parent))

    def package_of(path: str) -> str:
        return files[path].module.partition(".")[0]

    workshop = Workshop(planned.rules, source_of, package_of, runtime_of)
    return tuple(
        msgspec.structs.replace(one, fixes=tuple(adjusted(fix, one.code, settings) for fix in one.fixes)) if one.fixes else one
        for one in workshop.with_fixes(diagnostics)
    )


def _fixes_depend_on(request: Request, files: Iterable[SourceFile]) -> tuple[object, ...]:
    """What changes the fixes of a run besides its files and settings: whether the projects depend on the runtime."""
    if not request.fixes:
        return ()
    folders = sorted({Path(file.path).parent for file in files})
    return ("fixes", *(depends_on(RUNTIME.partition(".")[0], folder) for folder in folders))


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


def _comments(files: Iterable[SourceFile], rules: Iterable[str]) -> Iterator[Comments]:
    """Yield the suppression comments of the files that have some."""
    from ctxlint.gate.statements import statement_lines
    from ctxlint.gate.suppressions import Comments
    from ctxlint.syntax.comments import suppressions
    from ctxlint.syntax.read import decode

    prefixes = tuple(sorted({code.rstrip("0123456789") for code in rules}))
    for file in files:
        data = Path(file.path).read_bytes() if file.source is None else file.source
        if b"noqa" in data or b"ctxlint:" in data:
            text = decode(data)
            if isinstance(text, str) and (found := suppressions(text, prefixes)):
                yield Comments(file.path, found, tuple(text.splitlines()), statement_lines(text))


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    return (diagnostic.path, diagnostic.span.line, diagnostic.span.column, diagnostic.code, diagnostic.message)
