"""What is read back only to be compared: a mark that says whether something has been seen or done.

A mark that is cut off, or missing, equals nothing: whatever it stands for is asked or done once more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.opened import handle_uses
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import NONE, Compound, Constant, Name, Result, Value
from ctxlint.roles.stores import Access


def is_only_compared(analysis: Analysis, reader: Access) -> bool:
    """Whether all that a function does with what it reads is to ask whether it equals something, and nobody is refused for it."""
    identity = reader.function
    read = _carriers(analysis, identity, reader.effect.event)
    compared = told = False
    for at, value, is_answer in _uses(analysis, identity):
        fits, compares = _only_compares(analysis, identity, at, value, read)
        if not fits:
            return False
        compared, told = compared or compares, told or (compares and is_answer)
    asking = [caller for caller, _ in analysis.view.call_graph.callers(identity)] if told else []
    return compared and (not told or bool(asking)) and not any(_refuses(analysis, each) for each in (identity, *asking))


def _refuses(analysis: Analysis, identity: FunctionId) -> bool:
    return any(event.kind == "raise" for event in analysis.view.function(identity).events)


def _carriers(analysis: Analysis, identity: FunctionId, read: int) -> frozenset[int]:
    """The events whose result is the text that was read, or that text without its margins."""
    found = {read, *handle_uses(analysis.view, identity, read)}
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "call" and event.path is not None and number not in found and analysis.view.does(identity, number, "pure"):
            given = [event.path.root] if event.path.steps else [argument.value for argument in event.arguments[:1]]
            if any(_is_carrier(analysis, identity, number, value, found) for value in given):
                found.add(number)
    return frozenset(found)


def _is_carrier(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: frozenset[int] | set[int]) -> bool:
    if isinstance(value, Result) and value.event in read:
        return True
    return isinstance(value, Name) and any(
        kind == "result" and what in read for kind, what in analysis.view.origins(identity).identity(value, at)
    )


def _uses(analysis: Analysis, identity: FunctionId) -> Iterator[tuple[int, Value, bool]]:
    """The values that the function's steps and branches go by, where they are looked at, and whether they are its answer."""
    function, graph = analysis.view.function(identity), analysis.view.graph(identity)
    for number, event in enumerate(function.events):
        if event.kind not in ("local", "enter", "exit"):
            roots = () if event.path is None else (event.path.root,)
            for value in (*roots, event.value, *event.keys, *(argument.value for argument in event.arguments)):
                if value is not None:
                    yield number, value, event.kind == "return"
    for block in function.blocks:
        for edge in block.edges:
            if edge.condition is not None:
                yield graph.size + edge.target, edge.condition.value, False


def _only_compares(
    analysis: Analysis, identity: FunctionId, at: int, value: Value, read: frozenset[int]
) -> tuple[bool, bool]:
    """Whether the value uses what was read for nothing but comparisons, and whether it compares it at all."""
    if not isinstance(value, Compound):
        is_test = at >= len(analysis.view.function(identity).events)
        return is_test or at in read or not _is_carrier(analysis, identity, at, value, read), False
    if value.operator in ("f-string", "format") or (value.operator in ("is", "is not") and value.parts[-1] == NONE):
        return True, False
    sides = [_is_carrier(analysis, identity, at, part, read) for part in value.parts] if value.operator in ("==", "!=") else []
    if sides.count(True) == 1 and len(sides) == 2:
        other = value.parts[sides.index(False)]
        return not isinstance(other, Constant) or not other.text, not isinstance(other, Constant)
    parts = [_only_compares(analysis, identity, at, part, read) for part in value.parts]
    return all(fits for fits, _ in parts), any(compares for _, compares in parts)
