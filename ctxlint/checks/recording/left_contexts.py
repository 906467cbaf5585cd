"""What a context manager of the program does when its block has ended: it is called in front of the block, and writes behind it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.guards import is_manager
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.ir.value import Result


def in_time(analysis: Analysis, identity: FunctionId) -> tuple[StoreEffect, ...]:
    """The effects of the function, those that a manager has behind its `yield` where the block is left.

    Where a handler stands around the block they stay where the manager is called.
    """
    effects = analysis.summaries.of(identity).effects
    left = _left(analysis, identity) if any(effect.distance > 0 for effect in effects) else {}
    return tuple(
        msgspec.structs.replace(effect, event=left[effect.event])
        if effect.event in left and _comes_behind(analysis, identity, effect) else effect
        for effect in effects
    ) if left else effects


def _left(analysis: Analysis, identity: FunctionId) -> dict[int, int]:
    """The events with which the blocks of managers are left in the end, by the calls that make the managers."""
    graph, events = analysis.view.graph(identity), analysis.view.function(identity).events
    entered = {e.value.event for e in events if e.kind == "enter" and isinstance(e.value, Result)}
    found: dict[int, int] = {}
    for number, event in enumerate(events):
        if event.kind == "exit" and isinstance(event.value, Result) and event.value.event in entered and graph.is_reachable(number):
            if graph.pad_of(number) == graph.raised:
                found.setdefault(event.value.event, number)
    return {call: at for call, at in found.items() if any(True for _ in _managers(analysis, identity, call))}


def _managers(analysis: Analysis, identity: FunctionId, call: int) -> Iterator[FunctionId]:
    for each in analysis.view.effective_calls(identity, call):
        for target in each.functions:
            if is_manager(analysis.view.function(target)):
                yield target


def _comes_behind(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> bool:
    """Whether the manager has the effect only when its `yield` goes on."""
    for target in _managers(analysis, identity, effect.event):
        graph = analysis.view.graph(target)
        yields = [n for n, e in enumerate(analysis.view.function(target).events) if e.kind == "suspend" and e.note == "yield"]
        inner = [e.event for e in analysis.summaries.of(target).effects if e.origin == effect.origin]
        if inner and all(any(comes_before(graph, each, number) for each in yields) for number in inner):
            return True
    return False
