"""Small programs, and what a check answers about them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from ctxlint.calls.infer import TypeInference
from ctxlint.calls.resolve import CallGraph
from ctxlint.calls.tables import DefinitionTables
from ctxlint.calls.view import View
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import Finding
from ctxlint.knowledge.models import Models, load_models
from ctxlint.knowledge.words import load_words
from tests.calls.programs import program


@functools.cache
def _models() -> Models:
    return load_models()


def analysis(**sources: str) -> Analysis:
    """Everything a check may ask about the modules, given as source texts."""
    models = _models()

    def result_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and not effect.attribute), None)

    def attribute_of(name: str) -> str | None:
        return next((effect.returns for effect in models.effects(name) if effect.returns and effect.attribute), None)

    linked = program(**sources)
    definitions = DefinitionTables(linked)
    inference = TypeInference(linked, external_result=result_of, external_attribute=attribute_of, definitions=definitions)
    return Analysis(View(CallGraph(inference), definitions, models, load_words()))


def answers(check: Callable[[Analysis], Iterable[Finding]], **sources: str) -> list[tuple[int, str]]:
    """The line and the kind of every answer, in order of the lines."""
    asked = analysis(**sources)
    return sorted((asked.view.line(f.function, f.event), f.kind) for f in check(asked))


def marked(source: str) -> list[int]:
    """The lines of a source that end in `# <-`, counted as in the text without its first line break and indentation."""
    return [number for number, line in enumerate(source.splitlines(), 1) if line.rstrip().endswith("# <-")]
