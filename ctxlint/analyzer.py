"""The analysis itself: files → IR → a linked program → answers of the checks → LibCST's verdict → diagnostics.

It does not suppress, filter or sort: that is the engine's.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ctxlint.calls.edges import edges
from ctxlint.calls.guards import Guards
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
from ctxlint.flow.landing import pads, targets_of_raise
from ctxlint.ir.describe import block_name, describe_function
from ctxlint.ir.function import Function
from ctxlint.ir.module import Module
from ctxlint.ir.span import Span
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.knowledge.words import load_words
from ctxlint.result import Analysis, Called, Coverage, Described, NotAnalysed, Spent
from ctxlint.store.folder import Folder
from ctxlint.store.sources import source_of
from ctxlint.workers import Unreadable, Workers, beside, confirm, lower_files

VERDICT_ROUNDS = 3
"""How often the question is asked again when LibCST's tree gave another IR than the screen's."""

ROUNDS = 4
"""How often a call graph that is printed looks at what callers pass; rules look once."""

RECURSION_LIMIT = 4000
"""Frames: `calls.memo.DEEPEST` questions of some fifty frames each fit in, and the stack of a main thread holds them."""

_REASONS = {"syntax": "syntax error", "encoding": "encoding", "too-large": "too large", "too-deep": "too deeply nested",
            "missing": "unreadable", "died": "worker died"}


def analyse_files(
    files: tuple[SourceFile, ...],
    rules: tuple[Rule, ...],
    configuration: Configuration,
    models: Models,
    *,
    tree: str,
    cache: Folder | None,
    workers: Workers,
    progress: Callable[[int, int], None],
) -> Analysis:
    """Lower, link and question `files`; see `engine.Analyzer`."""
    with _with_room_and_no_cyclic_collection():
        spent: list[Spent] = []
        with _timed(spent, "step", "lowering, in this process"):
            lowered = lower_files(files, tree, cache, workers, progress, spent)
        return _judged(files, lowered, rules, configuration, models, tree, cache, spent)


def analyse_both(
    files: tuple[SourceFile, ...],
    earlier: tuple[SourceFile, ...],
    rules: tuple[Rule, ...],
    configuration: Configuration,
    models: Models,
    *,
    tree: str,
    cache: Folder | None,
    workers: Workers,
    progress: Callable[[int, int], None],
) -> tuple[Analysis, Analysis]:
    """Analyse the present and an earlier state of the files, of which those without a `source` of their own are the same.

    What both have is lowered once; the earlier state is questioned by a process beside this one.
    """
    with _with_room_and_no_cyclic_collection():
        places = {file.path: number for number, file in enumerate(files) if file.source is None}
        other = [file for file in earlier if file.source is not None or file.path not in places]
        lowered = lower_files((*files, *other), tree, cache, workers, progress)
        lowered_other = {file.path: module for file, module in zip(other, lowered[len(files):])}
        lowered_earlier = [lowered_other.get(file.path) or lowered[places[file.path]] for file in earlier]
        return beside(
            lambda: _judged(files, lowered[: len(files)], rules, configuration, models, tree, cache),
            lambda: _judged(earlier, lowered_earlier, rules, configuration, models, tree, cache),
            Analysis,
            workers.jobs,
        )


def _judged(
    files: tuple[SourceFile, ...], lowered: Sequence[Module | Unreadable], rules: tuple[Rule, ...],
    configuration: Configuration, models: Models, tree: str, cache: Folder | None, spent: list[Spent] | None = None,
) -> Analysis:
    """Link what the files were lowered to, and question it."""
    spent = [] if spent is None else spent
    modules, problems = _linked(files, lowered)
    by_path = {file.path: file for file in files}
    options = {rule.code: dict(configuration.options(rule)) for rule in rules}
    questions, found = _asked(modules, rules, options, models, spent)
    if tree == "fast":
        for number in range(VERDICT_ROUNDS):
            with _timed(spent, "step", "verdict"):
                changed = _verdict(questions, found, by_path, cache if number == 0 else None)
            if not changed:
                break
            modules.update(changed)
            questions, found = _asked(modules, rules, options, models, spent)
    lines = _SourceLines(by_path)
    diagnostics = tuple(
        worded(rule, finding, questions, lines) for rule in rules for finding in found.get(rule.code, ())
    )
    functions = sum(len(module.ir.functions) for module in modules.values())
    return Analysis(diagnostics, Coverage(len(modules), functions, tuple(problems)), spent=tuple(spent))


def questions_of(
    files: tuple[SourceFile, ...], models: Models, *, tree: str, workers: Workers, progress: Callable[[int, int], None]
) -> Questions:
    """Lower and link `files`, and return what may be asked about the program; files that cannot be read are left out."""
    with _with_room_and_no_cyclic_collection():
        modules, _ = _linked(files, lower_files(files, tree, None, workers, progress))
        return Questions(_view(link(modules), models))


def calls_in(
    files: tuple[SourceFile, ...], models: Models, workers: Workers, progress: Callable[[int, int], None]
) -> Called:
    """Lower and link `files` and resolve every call."""
    with _with_room_and_no_cyclic_collection():
        modules, problems = _linked(files, lower_files(files, "fast", None, workers, progress))
        found = edges(_view(link(modules), models, ROUNDS))
        functions = sum(len(module.ir.functions) for module in modules.values())
        coverage = Coverage(len(modules), functions, tuple(problems))
        return Called(found.calls, found.sites, found.unknown, coverage, models.problems)


def functions_called(
    name: str, files: tuple[SourceFile, ...], models: Models, workers: Workers, progress: Callable[[int, int], None]
) -> Described:
    """Lower `files` and describe the functions of that qualified name, with the locks held and the handlers that raises lead to."""
    with _with_room_and_no_cyclic_collection():
        modules, problems = _linked(files, lower_files(files, "fast", None, workers, progress))
        guards = Guards(_view(link(modules), models))
        texts = []
        names: dict[str, None] = {}
        for key, module in modules.items():
            for index, function in enumerate(module.ir.functions):
                names[function.qualname] = None
                if function.qualname == name:
                    texts.append(describe_function(function, _notes(guards, FunctionId(key, index), function)))
        return Described(tuple(texts), tuple(names), tuple(problems))


def _notes(guards: Guards, identity: FunctionId, function: Function) -> dict[int, str]:
    """For the events that happen under locks, the events that acquired these; for a `raise`, the handlers it leads to."""
    notes: dict[int, str] = {}
    for number, (event, pad) in enumerate(zip(function.events, pads(function))):
        said = []
        targets = targets_of_raise(function, number, pad) if event.kind == "raise" else (pad,)
        if targets != (pad,):
            said.append(f"to {', '.join([block_name(target) for target in targets])}")
        sites = sorted(guards.held(identity, number))
        if sites:
            said.append(f"holds {', '.join([f'#{site}' for site in sites])}")
        if said:
            notes[number] = ", ".join(said)
    return notes


def _asked(
    modules: Mapping[str, LinkedModule], rules: tuple[Rule, ...], options: dict[str, Options], models: Models, spent: list[Spent]
) -> tuple[Questions, dict[str, tuple[Finding, ...]]]:
    """Link the modules and ask every rule's question."""
    with _timed(spent, "step", "linking"):
        view = _view(link(modules), models)
    with _timed(spent, "step", "summaries"):
        questions = Questions(view)
    found: dict[str, tuple[Finding, ...]] = {}
    for rule in rules:
        with _timed(spent, "rule", rule.code):
            found.update(find((rule,), options, questions))
    return questions, found


@contextlib.contextmanager
def _timed(spent: list[Spent], what: Literal["step", "rule"], name: str) -> Iterator[None]:
    """Add the CPU time of this process."""
    begin = time.process_time()
    yield
    spent.append(Spent(what, name, time.process_time() - begin))


def _view(program: Program, models: Models, rounds: int = 1) -> View:
    @functools.cache
    def result_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and not effect.attribute), None)

    @functools.cache
    def attribute_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and effect.attribute), None)

    definitions = DefinitionTables(program)
    inference = TypeInference(program, external_result=result_of, external_attribute=attribute_of, definitions=definitions)
    return View(CallGraph(inference, rounds), definitions, models, load_words())


def _linked(
    files: Iterable[SourceFile], lowered: Iterable[Module | Unreadable]
) -> tuple[dict[str, LinkedModule], list[NotAnalysed]]:
    """The modules by a name of their own each; files that have none are problems."""
    modules: dict[str, LinkedModule] = {}
    problems: list[NotAnalysed] = []
    shared: dict[str, int] = {}
    for file, result in zip(files, lowered):
        if isinstance(result, Unreadable):
            problems.append(_not_analysed(file, result))
        else:
            name = _unique(file.module, modules, shared)
            modules[name] = LinkedModule(name, file.path, file.is_package, result)
    return modules, problems


def _not_analysed(file: SourceFile, problem: Unreadable) -> NotAnalysed:
    return NotAnalysed(file.path, _REASONS[problem.kind], problem.message, Span(problem.line, 1, problem.line, 1))


def _unique(name: str, taken: Mapping[str, object], shared: dict[str, int]) -> str:
    """A module name of its own: two scripts in folders that are no packages may share one. `shared` counts them."""
    if name not in taken:
        return name
    number = shared.get(name, 1) + 1
    while f"{name}~{number}" in taken:
        number += 1
    shared[name] = number
    return f"{name}~{number}"


def _verdict(
    questions: Questions, found: Mapping[str, tuple[Finding, ...]], files: Mapping[str, SourceFile], cache: Folder | None
) -> dict[str, LinkedModule]:
    """Read the functions of every witness with LibCST and lower them again: the modules whose IR is another one.

    `cache` holds comparisons with the screen's IR, so it is of use in the first round alone.
    """
    changed = {}
    for name, functions in sorted(_witnesses(found).items()):
        module = questions.program.modules[name]
        lines = sorted({module.ir.functions[index].span.line for index in functions})
        ir = confirm(source_of(files[module.path]), lines, module.ir, cache)
        if ir is not None:
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
            found = self._lines[path] = source_of(self._files[path]).decode("utf-8", "replace").splitlines()
        return found[line - 1].strip() if 0 < line <= len(found) else ""


class _with_room_and_no_cyclic_collection:
    """Nothing in the analysis makes reference cycles, and looking for them costs a third of the time.

    A chain of questions about types nests deeper than the interpreter allows by default; it is bounded by itself
    (`calls.memo.DEEPEST`).
    """

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        self._limit = sys.getrecursionlimit()
        gc.disable()
        sys.setrecursionlimit(max(self._limit, RECURSION_LIMIT))

    def __exit__(self, *exception: object) -> None:
        sys.setrecursionlimit(self._limit)
        if self._was_enabled:
            # What lives now would all be looked through once more, which takes as long as lowering it.
            gc.freeze()
            gc.enable()
