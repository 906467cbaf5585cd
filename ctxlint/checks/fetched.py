"""What comes from elsewhere and can be asked for again: the answers of services, the environment, clocks."""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.rewrites import Rewrite, sources_of_content
from ctxlint.flow.paths import dominates
from ctxlint.ir.value import Constant, Value

_QUESTIONS = frozenset({"reads", "measures"})


def is_fetched(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether all that is written comes from elsewhere (a service, the environment, a clock), which can be asked again."""
    effect = rewrite.effect
    if not effect.contents or effect.cells:
        return False
    at = written_at(analysis.view, rewrite.function, effect)
    if all(_is_an_answer(analysis, rewrite.function, at, value) for value in effect.contents):
        return True
    sources = sources_of_content(analysis, rewrite.function, effect)
    has_cells = any(source.kind == "cell" for source in sources)
    varying = [source for source in sources if not _is_part_of_the_program(analysis, rewrite.function, source, has_cells)]
    return bool(varying) and all(_is_asked_for(analysis, rewrite.function, source, effect.event) for source in varying)


def _is_part_of_the_program(analysis: Analysis, identity: FunctionId, source: Source, has_cells: bool) -> bool:
    """Whether the source is a module, a function, a constant of a module, or the receiver of the cells that are named besides.

    A variable of a module that some function changes is none of these: it holds what the program was told.
    """
    if source.kind == "global":
        variable = resolve_name(analysis.program, identity.module, identity.index, source.name)
        own = bool(split(analysis.program, variable)[0])
        return not own or all(change.function.index == 0 for change in analysis.cells.changes(variable))
    return (
        has_cells and source.kind == "param" and source.name == receiver_name(analysis.view.function(identity))
    )


def _is_asked_for(analysis: Analysis, identity: FunctionId, source: Source, before: int) -> bool:
    if source.kind == "call":
        return True
    if source.kind == "read":
        return not any(e.medium in ("file", "sql", "interface") for e in analysis.summaries.effects_at(identity, source.event))
    return source.kind == "cell" and _was_just_fetched(analysis, identity, source.name, before)


def _was_just_fetched(analysis: Analysis, identity: FunctionId, cell: str, before: int) -> bool:
    """Whether the cell was given its value in this very function, on every way, from elsewhere."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events[:before]):
        if event.kind != "write" or event.path is None or event.value is None or cell not in cells_of(view, identity, number, event.path):
            continue
        sources = analysis.summaries.sources.of(identity, number, event.value)
        if sources and all(s.kind != "cell" and _is_asked_for(analysis, identity, s, number) for s in sources):
            return dominates(view.graph(identity), number, before)
    return False


def _is_an_answer(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether the value is what a plain question over the network brought, read and decoded; what was asked with is not in it."""
    asked = False
    pending, seen = [(value, at)], set()
    while pending:
        for kind, what in analysis.view.origins(identity).roots(*pending.pop()):
            if kind == "constant" or what in seen:
                continue
            if kind != "result" or not isinstance(what, int):
                return False
            seen.add(what)
            event = analysis.view.event(identity, what)
            if event.kind == "enter" and event.value is not None:
                pending.append((event.value, what))
            elif event.kind != "call" or event.path is None:
                return False
            elif any(m.effect.store == "http" and m.effect.does in _QUESTIONS for m in analysis.view.modelled(identity, what)):
                asked = True
            elif event.path.steps and all(isinstance(argument.value, Constant) for argument in event.arguments):
                pending.append((event.path.root, what))
            else:
                return False
    return asked
