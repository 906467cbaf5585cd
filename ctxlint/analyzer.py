"""The analysis itself: files → IR → a linked program → answers of the checks → LibCST's verdict → diagnostics.

It does not suppress, filter or sort: that is the engine's.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import LinkedModule, Program, link
from ctxlint.calls.resolve import CallGraph
from ctxlint.calls.tables import DefinitionTables
from ctxlint.calls.view import View
from ctxlint.checks.finding import Analysis as Questions
from ctxlint.checks.finding import Finding
from ctxlint.checks.run import Options, find, worded
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.ir.span import Span
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.knowledge.words import load_words
from ctxlint.result import Analysis, Coverage, NotAnalysed
from ctxlint.syntax.load import load
from ctxlint.syntax.read import Problem, read
from ctxlint.syntax.verdict import confirmed, read_with_libcst

VERDICT_ROUNDS = 3
"""How often the question is asked again when LibCST's tree gave another IR than the screen's."""

_REASONS = {"syntax": "syntax error", "encoding": "encoding", "too-large": "too large", "too-deep": "too deeply nested",
            "missing": "unreadable"}


def analyse_files(
    files: tuple[SourceFile, ...],
    rules: tuple[Rule, ...],
    configuration: Configuration,
    models: Models,
    *,
    tree: str,
    cache: bool,
    progress: Callable[[int, int], None],
) -> Analysis:
    """Lower, link and question `files`; see `engine.Analyzer`."""
    with _without_cyclic_collection():
        modules, problems = _lowered(files, tree, progress)
        options = {rule.code: dict(configuration.options(rule)) for rule in rules}
        questions, found = _asked(modules, rules, options, models)
        if tree == "fast":
            for _ in range(VERDICT_ROUNDS):
                changed = _verdict(questions, found)
                if not changed:
                    break
                modules.update(changed)
                questions, found = _asked(modules, rules, options, models)
        lines = _SourceLines({m.path: f for m, f in zip(modules.values(), files)})
        diagnostics = tuple(
            worded(rule, finding, questions, lines) for rule in rules for finding in found.get(rule.code, ())
        )
        functions = sum(len(module.ir.functions) for module in modules.values())
        return Analysis(diagnostics, Coverage(len(modules), functions, tuple(problems)))


def _asked(
    modules: Mapping[str, LinkedModule], rules: tuple[Rule, ...], options: dict[str, Options], models: Models
) -> tuple[Questions, dict[str, tuple[Finding, ...]]]:
    """Link the modules and ask every rule's question."""
    program = link(modules)
    questions = Questions(_view(program, models))
    return questions, find(rules, options, questions)


def _view(program: Program, models: Models) -> View:
    @functools.cache
    def result_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and not effect.attribute), None)

    @functools.cache
    def attribute_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and effect.attribute), None)

    definitions = DefinitionTables(program)
    inference = TypeInference(program, external_result=result_of, external_attribute=attribute_of, definitions=definitions)
    return View(CallGraph(inference), definitions, models, load_words())


def _lowered(
    files: Iterable[SourceFile], tree: str, progress: Callable[[int, int], None]
) -> tuple[dict[str, LinkedModule], list[NotAnalysed]]:
    """Read and lower every file; those that cannot be are problems."""
    modules: dict[str, LinkedModule] = {}
    problems: list[NotAnalysed] = []
    listed = tuple(files)
    for number, file in enumerate(listed):
        lowered = _lower_file(file, tree)
        if isinstance(lowered, Problem):
            problems.append(_not_analysed(file, lowered))
        else:
            name = _unique(file.module, modules)
            modules[name] = LinkedModule(name, file.path, file.is_package, lowered)
        progress(number + 1, len(listed))
    return modules, problems


def _lower_file(file: SourceFile, tree: str) -> Module | Problem:
    try:
        data = Path(file.path).read_bytes() if file.source is None else file.source
    except OSError as error:
        return Problem("encoding", f"cannot be read: {error.strerror}")
    return load(data, read_with_libcst if tree == "libcst" else read)


def _not_analysed(file: SourceFile, problem: Problem) -> NotAnalysed:
    return NotAnalysed(file.path, _REASONS[problem.kind], problem.message, Span(problem.line, 1, problem.line, 1))


def _unique(name: str, taken: Mapping[str, object]) -> str:
    """A module name of its own: two scripts in folders that are no packages may share one."""
    if name not in taken:
        return name
    number = 2
    while f"{name}~{number}" in taken:
        number += 1
    return f"{name}~{number}"


def _verdict(questions: Questions, found: Mapping[str, tuple[Finding, ...]]) -> dict[str, LinkedModule]:
    """Read the functions of every witness with LibCST and lower them again: the modules whose IR is another one."""
    changed = {}
    for name, functions in sorted(_witnesses(found).items()):
        module = questions.program.modules[name]
        lines = [module.ir.functions[index].span.line for index in sorted(functions)]
        ir = confirmed(Path(module.path).read_bytes(), lines)
        if ir is not None and ir != module.ir:
            changed[name] = msgspec.structs.replace(module, ir=ir)
    return changed


def _witnesses(found: Mapping[str, tuple[Finding, ...]]) -> dict[str, set[int]]:
    """The functions with a finding and those of its flow, by module."""
    functions: dict[str, set[int]] = {}
    for finding in (finding for findings in found.values() for finding in findings):
        for identity in (finding.function, *(step.function for step in finding.flow)):
            functions.setdefault(identity.module, set()).add(identity.index)
    return functions


class _SourceLines:
    """Lines of source files by path and number, read when first asked for."""

    def __init__(self, files: Mapping[str, SourceFile]) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def __call__(self, path: str, line: int) -> str:
        found = self._lines.get(path)
        if found is None:
            file = self._files.get(path)
            data = file.source if file is not None and file.source is not None else Path(path).read_bytes()
            found = self._lines[path] = data.decode("utf-8", "replace").splitlines()
        return found[line - 1].strip() if 0 < line <= len(found) else ""


class _without_cyclic_collection:
    """Nothing in the analysis makes reference cycles, and looking for them costs a third of the time."""

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *exception: object) -> None:
        if self._was_enabled:
            gc.enable()
