"""Files that can be made again: losing one costs time and nothing else.

A cache is read first, and what it has is used; only when it has nothing is the value computed and written.
A derived file is one whose loader, when it cannot be read, computes the content again or takes it from another store.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fetched import is_fetched
from ctxlint.checks.files.memos import is_memo
from ctxlint.checks.guarded import asks_whether_there
from ctxlint.checks.handlers import Handler
from ctxlint.checks.healed import is_written_where_it_differs
from ctxlint.checks.marks import is_only_compared
from ctxlint.checks.pairs import is_made_of
from ctxlint.checks.rewrites import Rewrite, Rewrites, sources_of_content
from ctxlint.checks.torn_loads import handlers_of_garbage
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import NONE, Compound, Constant, Name, Result, Value
from ctxlint.roles.stores import Access


def why_it_can_be_made_again(analysis: Analysis, rewrites: Rewrites, rewrite: Rewrite) -> str:
    """The fact by which losing the file costs time and nothing else, in words; empty when it is the only copy."""
    nearest = min(reader.effect.distance for reader in rewrite.readers)
    loaders = [reader for reader in rewrite.readers if reader.effect.distance == nearest]
    if is_cache(analysis, rewrites, rewrite):
        return "the file is a cache: whoever writes it reads it first and is done when there is something in it"
    if is_memo(analysis, rewrite):
        return "what is written is computed again where it is missing, and a file that cannot be read counts as an empty one"
    if is_fetched(analysis, rewrite):
        return "all that is written comes from elsewhere and can be fetched again"
    if any(has_another_source(analysis, rewrite, loader) for loader in loaders):
        return "the loader has another source for what the file holds"
    if all(is_only_told(analysis, rewrite, reader) for reader in rewrite.readers):
        return "what is read back is only told to people, and nothing is decided by it"
    if is_written_where_it_differs(analysis, rewrite):
        return "whoever reads the file compares it with what would be written, and writes it anew where it differs"
    if all(is_only_compared(analysis, reader) for reader in rewrite.readers):
        return "what is read back is a mark that is only compared: without it the same is asked or done once more"
    return ""


_NEAR = 2
"""How many calls a cache's own read and write may be away."""


def is_cache(analysis: Analysis, rewrites: Rewrites, rewrite: Rewrite) -> bool:
    """Whether whoever reaches this write first reads the file, and is done when there is something in it."""
    return _is_cached(analysis, rewrites, Access(rewrite.function, rewrite.effect), _NEAR)


def _is_cached(analysis: Analysis, rewrites: Rewrites, level: Access, depth: int) -> bool:
    if _asks_before_it_computes(analysis, level.function, level.effect):
        return True
    callers = rewrites.callers(level) if depth else []
    return bool(callers) and all(_is_cached(analysis, rewrites, caller, depth - 1) for caller in callers)


def _asks_before_it_computes(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether a read of the same file comes first, its content is returned without the write, and does not go into the write."""
    graph = analysis.view.graph(identity)
    handed = [argument.value for argument in analysis.view.event(identity, write.event).arguments] if write.distance else []
    sources = {source.event for source in sources_of_content(analysis, identity, write)}
    sources |= {source.event for source in analysis.summaries.sources.of_all(identity, write.event, handed)}
    for read in analysis.summaries.of(identity).effects:
        if read.kind != "read" or read.distance > _NEAR or read.event == write.event or read.event in sources:
            continue
        if not (read.keys & write.keys or (read.place == write.place and read.place.kind != "unknown")):
            continue
        if path(graph, write.event, read.event) is not None:
            continue
        if path(graph, read.event, write.event) is None and not asks_whether_there(analysis, identity, write.place):
            continue
        if any(
            is_made_of(analysis, identity, number, value, read.event)
            and path(graph, read.event, number, frozenset((write.event,))) is not None
            for number, value in _given(analysis, identity, write)
        ):
            return True
    return False


def _given(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> Iterator[tuple[int, Value]]:
    """What a function gives its caller and is done: what it returns, and what it yields on ways that do not come to the write."""
    graph = analysis.view.graph(identity)
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.value is not None and (
            event.kind == "return"
            or event.kind == "suspend" and event.note in ("yield", "yield-from") and path(graph, number, write.event) is None
        ):
            yield number, event.value


def has_another_source(analysis: Analysis, rewrite: Rewrite, reader: Access) -> bool:
    """Whether the loader, when what it reads is no good, computes the content or reads it somewhere else."""
    return any(
        _computes(analysis, reader.function, handler) or _reads_elsewhere(analysis, rewrite, reader, handler)
        for handler in handlers_of_garbage(analysis, reader)
    ) or _callers_do_without(analysis, rewrite, reader)


def _callers_do_without(analysis: Analysis, rewrite: Rewrite, reader: Access) -> bool:
    """Whether the loader can say that there is nothing, and all who ask it then answer with the content of another store."""
    events = analysis.view.function(reader.function).events
    if not any(event.kind == "return" and event.value == NONE for event in events):
        return False
    sites = analysis.view.call_graph.callers(reader.function)
    return bool(sites) and all(_answers_without(analysis, rewrite, identity, number) for identity, number in sites)


def _answers_without(analysis: Analysis, rewrite: Rewrite, identity: FunctionId, load: int) -> bool:
    others = [
        effect.event for effect in analysis.summaries.of(identity).effects
        if effect.kind == "read" and effect.keys and not effect.keys & rewrite.effect.keys
    ]
    returns = [
        (number, event.value) for number, event in enumerate(analysis.view.function(identity).events)
        if event.kind == "return" and event.value is not None
    ]
    with_it = [number for number, value in returns if is_made_of(analysis, identity, number, value, load)]
    return bool(with_it) and any(
        number not in with_it and any(is_made_of(analysis, identity, number, value, other) for other in others)
        for number, value in returns
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


def is_only_told(analysis: Analysis, rewrite: Rewrite, reader: Access) -> bool:
    """Whether what the loader gives back goes into texts for people, and into the next write, and nothing is decided by it."""
    sites = analysis.view.call_graph.callers(reader.function)
    return bool(sites) and all(
        _goes_into_the_write(analysis, rewrite, identity, number) or _goes_into_texts(analysis, identity, number)
        for identity, number in sites
    )


def _goes_into_the_write(analysis: Analysis, rewrite: Rewrite, identity: FunctionId, call: int) -> bool:
    return identity == rewrite.function and any(
        is_made_of(analysis, identity, rewrite.effect.event, value, call) for value in rewrite.effect.contents
    )


def _goes_into_texts(analysis: Analysis, identity: FunctionId, call: int) -> bool:
    """Whether the call's result is used, and only as a piece of a text."""
    uses = [
        value
        for event in analysis.view.function(identity).events
        for value in (event.value, *(argument.value for argument in event.arguments), *event.keys)
        if value is not None and _mentions(value, call)
    ]
    return bool(uses) and all(_only_in_text(value, call) for value in uses)


def _mentions(value: Value, call: int) -> bool:
    return value == Result(call) or (isinstance(value, Compound) and any(_mentions(part, call) for part in value.parts))


def _only_in_text(value: Value, call: int) -> bool:
    if isinstance(value, Compound):
        return value.operator in ("f-string", "format") or all(
            _only_in_text(part, call) for part in value.parts if _mentions(part, call)
        )
    return False
