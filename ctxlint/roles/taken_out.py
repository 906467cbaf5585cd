"""Restores that take their entry out of the store: the cell gets one entry of what was read, and the store gets the others."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import Summaries
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Result, Value


def takes_an_entry(summaries: Summaries, identity: FunctionId, filling: Mutation, read: int) -> bool:
    """Whether what fills the cell is one entry of what was read, and that entry is left out of what is written afterwards."""
    picked = set(_picked(summaries, identity, read))
    if not picked or filling.distance:
        return False
    sources = {number for value in filling.values for number in _behind(summaries, identity, filling.event, value)}
    return bool(picked & sources) and _is_left_out(summaries, identity, read)


def _picked(summaries: Summaries, identity: FunctionId, read: int) -> Iterator[int]:
    """The events that give one entry of what was read: an item of it, or what is taken off it."""
    for number, event in enumerate(summaries.view.function(identity).events):
        item = event.kind == "read" and event.path is not None and event.path.steps[:1] == ("[*]",) and not _slices(event)
        if (item or _removes(event)) and _is_of(summaries, identity, number, event, read):
            yield number


def _is_left_out(summaries: Summaries, identity: FunctionId, read: int) -> bool:
    """Whether an entry is removed from what was read, or only a slice of it is used."""
    return any(
        (_slices(event) or _removes(event)) and _is_of(summaries, identity, number, event, read)
        for number, event in enumerate(summaries.view.function(identity).events)
    )


_TAKES_OFF = frozenset(["pop", "popleft", "popitem", "remove"])


def _removes(event: Event) -> bool:
    if event.path is None:
        return False
    return event.path.steps == ("[*]",) if event.kind == "delete" else event.kind == "call" and event.path.steps[-1:] != () and (
        event.path.steps[-1] in _TAKES_OFF)


def _slices(event: Event) -> bool:
    return event.kind == "read" and any(isinstance(key, Compound) and key.operator == "slice" for key in event.keys)


def _is_of(summaries: Summaries, identity: FunctionId, number: int, event: Event, read: int) -> bool:
    return event.path is not None and any(
        source.kind == "read" and source.event == read
        for source in summaries.sources.of(identity, number, event.path.root, additions=False)
    )


def _behind(summaries: Summaries, identity: FunctionId, at: int, value: Value) -> Iterator[int]:
    """The events whose results a value is taken from, item by item."""
    pending, seen = [(value, at)], set()
    while pending:
        for kind, what in summaries.view.origins(identity).roots(*pending.pop()):
            if kind == "result" and isinstance(what, int) and what not in seen:
                seen.add(what)
                yield what
                event = summaries.view.event(identity, what)
                pending += [(argument.value, what) for argument in event.arguments]
                if event.path is not None and isinstance(event.path.root, Result):
                    pending.append((event.path.root, what))
