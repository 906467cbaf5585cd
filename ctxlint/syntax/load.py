"""From the bytes of a file to the words of the analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlint.ir.module import Module
from ctxlint.ir.value import Compound, Value
from ctxlint.syntax.depth import with_room
from ctxlint.syntax.lower import lower
from ctxlint.syntax.read import Problem, Reading, read

_DEEPEST_VALUE = 200
"""Levels of a value; more could not be written to the cache, nor compared, without a raised recursion limit."""


def load(source: bytes, reader: Callable[[bytes], Reading | Problem] = read) -> Module | Problem:
    """Read and lower a file; what stands in it never raises."""
    reading = reader(source)
    if isinstance(reading, Problem):
        return reading
    try:
        return lower(reading.tree, reading.source)
    except RecursionError:
        return _lower_with_room(reading)


def _lower_with_room(reading: Reading) -> Module | Problem:
    """Lower what is deep but legal, such as a chain of 400 calls, unless its values are as deep."""
    try:
        module = with_room(lambda deep: lower(deep.tree, deep.source), reading)
    except RecursionError:
        return _too_deep()
    return _too_deep() if any(_is_deep(value) for value in _values_of(module)) else module


def _too_deep() -> Problem:
    return Problem("too-deep", "expressions are nested too deeply to be analysed")


def _is_deep(value: Value) -> bool:
    level = [value]
    for _ in range(_DEEPEST_VALUE):
        level = [part for each in level if isinstance(each, Compound) for part in each.parts]
        if not level:
            return False
    return True


def _values_of(module: Module) -> Iterator[Value]:
    for function in module.functions:
        for formal in function.formals:
            if formal.default is not None:
                yield formal.default
        for event in function.events:
            if event.value is not None:
                yield event.value
            if event.path is not None:
                yield event.path.root
            yield from event.keys
            for argument in event.arguments:
                yield argument.value
        for block in function.blocks:
            for edge in block.edges:
                if edge.condition is not None:
                    yield edge.condition.value
    for declared in module.classes:
        for field in declared.fields:
            if field.default is not None:
                yield field.default
