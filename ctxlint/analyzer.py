"""The analysis itself: files → IR → a linked program → answers of the checks → LibCST's verdict → diagnostics.

It does not suppress, filter or sort: that is the engine's.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ctxlint.again import Spans, in_words, witnesses
from ctxlint.calls.program import LinkedModule, link
from ctxlint.checks.analysis import Analysis as Questions
from ctxlint.checks.finding import Finding
from ctxlint.checks.run import Options, find, settled
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.linking import imports_of, linked, view_of
from ctxlint.result import Analysis, Coverage, Spent
from ctxlint.stack import with_room_and_no_cyclic_collection
from ctxlint.store.folder import Folder
from ctxlint.store.sources import source_of
from ctxlint.workers import Unreadable, Workers, beside, confirm, dealt, lower_files

VERDICT_ROUNDS = 3
"""How often the question is asked again when LibCST's tree gave another IR than the screen's."""


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
    sources: tuple[str, ...] = (),
) -> Analysis:
    """Lower, link and question `files`; see `engine.Analyzer`. With `sources`, the keys of their texts, the answers are recorded."""
    with with_room_and_no_cyclic_collection():
        spent: list[Spent] = []
        with _timed(spent, "step", "lowering, in this process"):
            lowered = lower_files(files, tree, cache, workers, progress, spent)
        return _judged(files, lowered, rules, configuration, models, tree, cache, workers, spent, sources)


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
    with with_room_and_no_cyclic_collection():
        places = {file.path: number for number, file in enumerate(files) if file.source is None}
        other = [file for file in earlier if file.source is not None or file.path not in places]
        lowered = lower_files((*files, *other), tree, cache, workers, progress)
        lowered_other = {file.path: module for file, module in zip(other, lowered[len(files):])}
        lowered_earlier = [lowered_other.get(file.path) or lowered[places[file.path]] for file in earlier]
        alone = Workers(1)                # each of the two has a processor to itself
        return beside(
            lambda: _judged(files, lowered[: len(files)], rules, configuration, models, tree, cache, alone),
            lambda: _judged(earlier, lowered_earlier, rules, configuration, models, tree, cache, alone),
            Analysis,
            workers.jobs,
        )


def _judged(
    files: tuple[SourceFile, ...], lowered: Sequence[Module | Unreadable], rules: tuple[Rule, ...],
    configuration: Configuration, models: Models, tree: str, cache: Folder | None, workers: Workers,
    spent: list[Spent] | None = None, sources: tuple[str, ...] = (),
) -> Analysis:
    """Link what the files were lowered to, and question it."""
    spent = [] if spent is None else spent
    modules, problems = linked(files, lowered)
    by_path = {file.path: file for file in files}
    options = {rule.code: dict(configuration.options(rule)) for rule in rules}
    questions, found = _asked(modules, rules, options, models, workers, spent)
    read_otherwise = False
    if tree == "fast":
        for number in range(VERDICT_ROUNDS):
            with _timed(spent, "step", "verdict"):
                changed = _verdict(questions, found, by_path, cache if number == 0 else None)
            if not changed:
                break
            read_otherwise = True
            modules.update(changed)
            questions, found = _asked(modules, rules, options, models, workers, spent)
    answers = [(rule.code, settled(each, questions)) for rule in rules for each in found.get(rule.code, ())]
    spans = Spans({name: module.path for name, module in modules.items()}, {name: module.ir for name, module in modules.items()})
    coverage = Coverage(
        len(modules), sum(len(module.ir.functions) for module in modules.values()), tuple(problems),
        imports=imports_of(modules.values()))
    # What LibCST reads otherwise was asked as LibCST reads it, and is not what lies among the lowered files.
    recorded = () if read_otherwise else sources
    analysis = in_words(answers, rules, spans, by_path, coverage, tuple(dict.fromkeys(questions.warnings)), recorded)
    return msgspec.structs.replace(analysis, spent=tuple(spent))


class _Asked(msgspec.Struct, frozen=True):
    """What a rule's question was answered, what whoever wrote the rule should be told, and the CPU seconds that it took."""

    findings: dict[str, tuple[Finding, ...]]
    warnings: tuple[str, ...]
    seconds: float


def _asked(
    modules: Mapping[str, LinkedModule], rules: tuple[Rule, ...], options: dict[str, Options], models: Models, workers: Workers,
    spent: list[Spent],
) -> tuple[Questions, dict[str, tuple[Finding, ...]]]:
    """Link the modules and ask every rule's question; a rule's answer does not depend on which were asked before."""
    with _timed(spent, "step", "linking"):
        view = view_of(link(modules), models)
    with _timed(spent, "step", "summaries"):
        questions = Questions(view)

    def ask(number: int) -> _Asked:
        begin = time.process_time()
        questions.warnings.clear()
        findings = find((rules[number],), options, questions)
        return _Asked(findings, tuple(questions.warnings), time.process_time() - begin)

    functions = sum(len(module.ir.functions) for module in modules.values())
    answers = dealt(len(rules), ask, _Asked, workers, functions)
    questions.warnings[:] = [warning for answer in answers for warning in answer.warnings]
    spent += [Spent("rule", rule.code, answer.seconds) for rule, answer in zip(rules, answers)]
    return questions, {code: findings for answer in answers for code, findings in answer.findings.items()}


@contextlib.contextmanager
def _timed(spent: list[Spent], what: Literal["step", "rule"], name: str) -> Iterator[None]:
    """Add the CPU time of this process."""
    begin = time.process_time()
    yield
    spent.append(Spent(what, name, time.process_time() - begin))


def _verdict(
    questions: Questions, found: Mapping[str, tuple[Finding, ...]], files: Mapping[str, SourceFile], cache: Folder | None
) -> dict[str, LinkedModule]:
    """Read the functions of every witness with LibCST and lower them again: the modules whose IR is another one.

    `cache` holds comparisons with the screen's IR, so it is of use in the first round alone.
    """
    changed = {}
    for name, functions in witnesses(each for findings in found.values() for each in findings).items():
        module = questions.program.modules[name]
        lines = sorted({module.ir.functions[index].span.line for index in functions})
        ir = confirm(source_of(files[module.path]), lines, module.ir, cache)
        if ir is not None:
            changed[name] = msgspec.structs.replace(module, ir=ir)
    return changed
