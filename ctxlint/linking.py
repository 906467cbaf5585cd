"""Lowered files in, a linked program to ask out: what every analysis of a whole program begins with."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping

from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import LinkedModule, Program
from ctxlint.calls.resolve import CallGraph
from ctxlint.calls.scopes import absolute
from ctxlint.calls.tables import DefinitionTables
from ctxlint.calls.view import View
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.ir.span import Span
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.words import load_words
from ctxlint.result import WORKER_DIED, NotAnalysed
from ctxlint.workers import Unreadable

_REASONS = {"syntax": "syntax error", "encoding": "encoding", "too-large": "too large", "too-deep": "too deeply nested",
            "missing": "unreadable", "died": WORKER_DIED}


def view_of(program: Program, models: Models, rounds: int = 1) -> View:
    """What may be asked about a program; `rounds` is how often it is looked at what callers pass."""
    @functools.cache
    def result_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and not effect.attribute), None)

    @functools.cache
    def attribute_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and effect.attribute), None)

    definitions = DefinitionTables(program)
    inference = TypeInference(program, external_result=result_of, external_attribute=attribute_of, definitions=definitions)
    return View(CallGraph(inference, rounds), definitions, models, load_words())


def linked(
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


def imports_of(modules: Collection[LinkedModule]) -> tuple[str, ...]:
    """The absolute dotted names that the modules import and that are none of them."""
    names = {module.name for module in modules}
    found = {
        absolute(module.name if module.is_package else module.name.rpartition(".")[0], statement.target)
        for module in modules for statement in module.ir.imports
    }
    return tuple(sorted(name for each in found if (name := each.removesuffix(".*")) and name not in names))


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
