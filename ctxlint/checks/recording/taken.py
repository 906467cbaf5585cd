"""What a value was taken from: cells it was read from as it stands, an item of them, a copy, or parts of a record made here.

Content flow says of almost everything that it is made of almost everything; an undo record holds the very value.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value

MOST = 60
"""How many values one question follows."""

Taken = tuple[str, int]
"""A cell, and the event that read it."""


def taken(
    analysis: Analysis, identity: FunctionId, values: Iterator[Value] | tuple[Value, ...], at: int, *, parts: bool = False
) -> frozenset[Taken]:
    """The cells whose values the given ones hold, each with the event that read it; also those of which they are `parts`."""
    found: set[Taken] = set()
    pending: list[tuple[Value, int]] = [(value, at) for value in values]
    seen = set(pending)
    while pending and len(seen) < MOST:
        value, where = pending.pop()
        for part in _parts(analysis, identity, value, where, found, parts):
            if part not in seen:
                seen.add(part)
                pending.append(part)
    return frozenset(found)


def _parts(
    analysis: Analysis, identity: FunctionId, value: Value, at: int, found: set[Taken], within: bool
) -> Iterator[tuple[Value, int]]:
    if isinstance(value, Compound):
        yield from ((part, at) for part in value.parts)
    elif isinstance(value, Result):
        yield from _behind(analysis, identity, value.event, found, within)
    elif isinstance(value, Name):
        for number in analysis.view.definitions(identity).definitions(at, value.name):
            if number < 0:
                continue
            event = analysis.view.event(identity, number)
            if event.kind == "local" and event.value is not None:
                yield event.value, number
            elif event.kind in ("iterate", "enter"):
                yield from _behind(analysis, identity, number, found, within)


def _behind(
    analysis: Analysis, identity: FunctionId, number: int, found: set[Taken], within: bool
) -> Iterator[tuple[Value, int]]:
    view = analysis.view
    event = view.event(identity, number)
    if event.kind == "read" and event.path is not None:
        cells = innermost_cells(analysis, identity, number, event.path)
        found.update((cell, number) for cell in cells)
        if not cells or within:
            yield event.path.root, number
    elif event.kind in ("iterate", "suspend", "enter") and event.value is not None:
        yield event.value, number
    elif event.kind == "call" and event.path is not None:
        if event.path.steps and any(call.externals and not call.functions for call in view.calls(identity, number)):
            receiver = AccessPath(event.path.root, event.path.steps[:-1])
            found.update((cell, number) for cell in innermost_cells(analysis, identity, number, receiver))
        functions = {f for call in view.calls(identity, number) for f in call.functions}
        for function in functions:
            found.update((s.name, number) for s in analysis.summaries.flow(function).returns if s.kind == "cell")
        if all(is_constructor(view, function) for function in functions):
            yield from ((argument.value, number) for argument in event.arguments)


def innermost_cells(analysis: Analysis, identity: FunctionId, number: int, path: AccessPath) -> frozenset[str]:
    """The cells in which an access path ends."""
    return frozenset(cell for each in analysis.view.resolve_path(identity, number, path)
                     for cell in cells_of(analysis.view, identity, number, each)[-1:])
