"""Records that say by how much a value was changed: a restore adds them up, so that one that lacks is lacking for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.loops import Loops
from ctxlint.ir.value import Compound, Name, Result, Value, parts_of
from ctxlint.roles.cells import Restore

_SUMS = frozenset({"sum", "fsum", "reduce", "accumulate"})
MOST = 30
"""How many values one question follows."""


def is_relative(
    analysis: Analysis, mutation: Mutation, record: StoreEffect, sources: frozenset[Source], restores: Sequence[Restore]
) -> bool:
    """Whether the record is made of what the change overwrites, and a restore makes the cell of all the records together."""
    if record.kind != "append" or not any(
        s.kind == "cell" and s.name == mutation.cells[-1] and s.event < mutation.event for s in sources
    ):
        return False
    return any(_adds_up(analysis, restore) for restore in restores if restore.cell == mutation.cells[-1])


def _adds_up(analysis: Analysis, restore: Restore) -> bool:
    """Whether the restore makes the cell of one entry after the other, on top of what the ones before have made."""
    view, summaries = analysis.view, analysis.summaries
    for mutation in summaries.mutations_at(restore.function, restore.event):
        if restore.cell not in mutation.cells:
            continue
        looped = view.graph(restore.function).derived(Loops).loop_of(restore.event) is not None
        if looped and (mutation.how == "augment" or any(
            s.kind == "cell" and s.name == restore.cell for s in analysis.cells.entering.content(restore.function, mutation)
        )):
            return True
        if any(_is_summed(analysis, restore.function, value, mutation.event) for value in mutation.values):
            return True
    return False


def _is_summed(analysis: Analysis, identity: FunctionId, value: Value, at: int) -> bool:
    """Whether a value is a sum of many, or a local to which a loop adds one after the other."""
    view = analysis.view
    pending, seen = [(value, at)], set[tuple[Value, int]]()
    while pending and len(seen) < MOST:
        asked, where = pending.pop()
        if (asked, where) in seen:
            continue
        seen.add((asked, where))
        if isinstance(asked, Compound):
            pending += [(part, where) for part in asked.parts]
        elif isinstance(asked, Result):
            event = view.event(identity, asked.event)
            if event.kind == "call" and event.path is not None:
                name = event.path.steps[-1] if event.path.steps else event.path.root.name if isinstance(event.path.root, Name) else ""
                if name in _SUMS:
                    return True
                pending += [(argument.value, asked.event) for argument in event.arguments]
        elif isinstance(asked, Name):
            for number, bound in _bindings(analysis, identity, asked, where):
                if view.graph(identity).derived(Loops).loop_of(number) is not None and _has(bound, asked, view.event(identity, number).note):
                    return True
                pending.append((bound, number))
    return False


def _bindings(analysis: Analysis, identity: FunctionId, name: Name, at: int) -> Iterator[tuple[int, Value]]:
    for number in analysis.view.definitions(identity).definitions(at, name.name):
        event = analysis.view.event(identity, number) if number >= 0 else None
        if event is not None and event.kind == "local" and event.value is not None:
            yield number, event.value


def _has(value: Value, name: Name, note: str) -> bool:
    """Whether a name is bound to something made of itself."""
    return note == "aug" or any(part == name for part in parts_of(value))
