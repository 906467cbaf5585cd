"""The pipeline in one function; the only place where all rooms meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from ctxlint.diagnostic import CONFIDENCES, Diagnostic
from ctxlint.discovery.asked import Asked
from ctxlint.discovery.files import SourceFile, discover, discover_stdin
from ctxlint.earlier import EarlierRuns
from ctxlint.knowledge.configuration import Configuration, check_rule_tables
from ctxlint.knowledge.rules import Rule, load_rules
from ctxlint.knowledge.selection import Selection, select
from ctxlint.result import Analysis, Called, Described, NotAnalysed, Report
from ctxlint.store.folder import Folder

# A run in which nothing has changed reads one record; what only an analysis needs is imported by the functions that make one.
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ctxlint.gate.suppressions import Comments
    from ctxlint.knowledge.models import Models
    from ctxlint.workers import Workers

NOT_ANALYSED = "CTX003"

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
    """

    paths: tuple[str, ...]
    configuration: Configuration
    stdin: bytes | None = None
    stdin_filename: str = ""
    tree: str = "fast"
    cache: bool = True
    executor: Executor | None = None
    progress: Progress = lambda done, total: None
    asked: Asked | None = None


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
    earlier = EarlierRuns(request.configuration, files, request.tree, request.asked)
    report = earlier.report()
    if report is None:
        report = _analysed(request, files, None, earlier.folder)
        problem = earlier.keep(report)
        if problem:
            report = msgspec.structs.replace(report, problems=(*report.problems, problem))
    return report


def _files(request: Request) -> tuple[SourceFile, ...]:
    if request.stdin is not None:
        return discover_stdin(request.stdin_filename, request.stdin, request.configuration)
    return discover(request.paths, request.configuration, request.asked)


def _analysed(
    request: Request, files: tuple[SourceFile, ...], analyzer: Analyzer | None, folder: Folder | None
) -> Report:
    from ctxlint.gate.fingerprints import fingerprinted
    from ctxlint.gate.per_file import ignored_in
    from ctxlint.gate.suppressions import apply_suppressions
    from ctxlint.knowledge.models import load_models
    from ctxlint.workers import Workers

    configuration = request.configuration
    planned = plan(request, files)
    models = load_models(configuration.paths(configuration.settings.model_paths))
    checked = tuple(rule for rule in planned.selection.rules if rule.check)

    analysis = (analyzer or connected_analyzer())(
        planned.files, checked, configuration, models,
        tree=request.tree, cache=folder, workers=Workers(configuration.settings.jobs, request.executor),
        progress=request.progress,
    )
    failures = _failures(analysis.coverage.not_analysed, planned.rules[NOT_ANALYSED])
    failed = {failure.path for failure in failures}
    outcome = apply_suppressions(
        analysis.diagnostics,
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

    problems = [*planned.selection.warnings, *models.problems, *analysis.problems]
    if not planned.files:
        problems.append("no Python files to analyse")
    return Report(
        diagnostics=finished((*outcome.shown, *outcome.notices, *failures)),
        suppressed=finished(outcome.suppressed),
        coverage=analysis.coverage,
        problems=tuple(problems),
        incomplete=any(not ignored(failure.path, NOT_ANALYSED) for failure in failures),
    )


def called(request: Request) -> Called:
    """Return which functions of the files call which."""
    from ctxlint.analyzer import calls_in

    return calls_in(*_lowering(request))


def described(request: Request, function: str) -> Described:
    """Return what each function of that qualified name does, as text."""
    from ctxlint.analyzer import functions_called

    return functions_called(function, *_lowering(request))


def _lowering(request: Request) -> tuple[tuple[SourceFile, ...], Models, Workers, Progress]:
    """What a run needs that asks no rule."""
    from ctxlint.knowledge.models import load_models
    from ctxlint.workers import Workers

    configuration = request.configuration
    models = load_models(configuration.paths(configuration.settings.model_paths))
    return _files(request), models, Workers(configuration.settings.jobs, request.executor), request.progress


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
