"""Files that can be made again: losing one costs time and nothing else.

A cache is read first, and what it has is used; only when it has nothing is the value computed and written.
A derived file is one whose loader, when it cannot be read, computes the content again or takes it from another store.
"""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.sources import Source
from ctxlint.checks.finding import Analysis
from ctxlint.checks.guarded import asks_whether_there
from ctxlint.checks.handlers import Handler
from ctxlint.checks.marks import is_only_compared
from ctxlint.checks.pairs import is_made_of
from ctxlint.checks.rewrites import Rewrite, Rewrites, sources_of_content
from ctxlint.checks.torn_loads import handlers_of_garbage
from ctxlint.flow.paths import dominates, path, reachable
from ctxlint.ir.value import NONE, Compound, Constant, Name, Result, Value
from ctxlint.roles.stores import Access


def why_it_can_be_made_again(analysis: Analysis, rewrites: Rewrites, rewrite: Rewrite) -> str:
    """The fact by which losing the file costs time and nothing else, in words; empty when it is the only copy."""
    nearest = min(reader.effect.distance for reader in rewrite.readers)
    loaders = [reader for reader in rewrite.readers if reader.effect.distance == nearest]
    if is_cache(analysis, rewrites, rewrite):
        return "the file is a cache: whoever writes it reads it first and is done when there is something in it"
    if is_fetched(analysis, rewrite):
        return "all that is written comes from elsewhere and can be fetched again"
    if any(has_another_source(analysis, rewrite, loader) for loader in loaders):
        return "the loader has another source for what the file holds"
    if all(is_only_told(analysis, rewrite, reader) for reader in rewrite.readers):
        return "what is read back is only told to people, and nothing is decided by it"
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


def is_fetched(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether all that is written comes from elsewhere (a service, the environment, a clock), which can be asked again."""
    effect = rewrite.effect
    if not effect.contents or effect.cells:
        return False
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
            event.kind == "return" and event.value is not None and is_made_of(analysis, identity, number, event.value, read.event)
            for number, event in enumerate(analysis.view.function(identity).events)
            if path(graph, read.event, number, frozenset((write.event,))) is not None
        ):
            return True
    return False


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
