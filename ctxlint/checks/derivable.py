"""Files that can be made again: losing one costs time and nothing else.

A cache is read first, and what it has is used; only when it has nothing is the value computed and written.
A derived file is one whose loader, when it cannot be read, computes the content again or takes it from another store.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis
from ctxlint.checks.handlers import Handler
from ctxlint.checks.rewrites import Rewrite
from ctxlint.checks.torn_loads import handlers_of_garbage
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.stores import Access


def can_be_made_again(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether some function uses the file as a cache, or a loader has another source for what it holds."""
    return is_cache(analysis, rewrite) or any(has_another_source(analysis, rewrite, reader) for reader in rewrite.readers)


def is_cache(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether a function that reaches this write first reads the file, and is done when there is something in it."""
    return any(
        _asks_before_it_computes(analysis, identity, write)
        for identity, write in _levels(analysis, rewrite)
    )


def _levels(analysis: Analysis, rewrite: Rewrite) -> Iterator[tuple[FunctionId, StoreEffect]]:
    """The functions that reach the write, with the write as they see it."""
    pending, seen = [rewrite.function], {rewrite.function}
    while pending:
        identity = pending.pop()
        writes = [e for e in analysis.summaries.of(identity).effects if e.origin == rewrite.effect.origin and e.distance <= _NEAR]
        for write in writes:
            yield identity, write
        for caller, _ in analysis.view.call_graph.callers(identity) if writes else ():
            if caller not in seen:
                seen.add(caller)
                pending.append(caller)


_NEAR = 2
"""How many calls a cache's own read and write may be away."""


def _asks_before_it_computes(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether a read of the same file comes first, its content is returned without the write, and does not go into the write."""
    graph = analysis.view.graph(identity)
    sources = {s.event for s in analysis.summaries.sources.of_all(identity, write.event, write.contents)}
    for read in analysis.summaries.of(identity).effects:
        if read.kind != "read" or read.distance > _NEAR or read.event == write.event or read.event in sources:
            continue
        if not (read.keys & write.keys or (read.place == write.place and read.place.kind != "unknown")):
            continue
        if path(graph, read.event, write.event) is None or path(graph, write.event, read.event) is not None:
            continue
        if any(
            event.kind == "return" and event.value is not None and _is_made_of(analysis, identity, number, event.value, read.event)
            for number, event in enumerate(analysis.view.function(identity).events)
            if path(graph, read.event, number, frozenset((write.event,))) is not None
        ):
            return True
    return False


def _is_made_of(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: int) -> bool:
    """Whether the value has content that the event read."""
    if ("result", read) in analysis.view.origins(identity).roots(value, at):
        return True
    return any(s.event == read for s in analysis.summaries.sources.of(identity, at, value))


def has_another_source(analysis: Analysis, rewrite: Rewrite, reader: Access) -> bool:
    """Whether the loader, when what it reads is no good, computes the content or reads it somewhere else."""
    return any(
        _computes(analysis, reader.function, handler) or _reads_elsewhere(analysis, rewrite, reader, handler)
        for handler in handlers_of_garbage(analysis, reader)
    )


def _computes(analysis: Analysis, identity: FunctionId, handler: Handler) -> bool:
    """Whether the handler gives back, or stores, something that is computed from arguments or state."""
    for number in handler.body:
        event = analysis.view.event(identity, number)
        if event.kind in ("return", "write", "local") and event.value is not None and _is_computed(analysis, identity, number, event.value):
            return True
    return False


def _is_computed(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    if isinstance(value, Compound) and value.operator.startswith("comprehension"):
        return True
    if isinstance(value, (Constant, Name, Compound)) or not isinstance(value, Result):
        return False
    event = analysis.view.event(identity, value.event)
    if event.kind == "suspend" and event.value is not None:
        return _is_computed(analysis, identity, at, event.value)
    if event.kind != "call" or analysis.summaries.effects_at(identity, value.event):
        return False
    return any(not isinstance(argument.value, Constant) for argument in event.arguments)


def _reads_elsewhere(analysis: Analysis, rewrite: Rewrite, reader: Access, handler: Handler) -> bool:
    """Whether another store is read when this one could not be."""
    graph = analysis.view.graph(reader.function)
    for number in reachable(graph, handler.catch):
        if number < graph.size and number != reader.effect.event:
            for effect in analysis.summaries.effects_at(reader.function, number):
                if effect.kind == "read" and effect.keys and not effect.keys & (rewrite.effect.keys | reader.effect.keys):
                    return True
    return False
