"""Entries that are removed from where they came from although what was made of them may not have been written.

The two facts: content that a source gave goes into a write whose failure is swallowed, and on the way that follows, here or in
a caller, the same source is told that the entries are done with. What it owed is then nowhere.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import WRITES
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import NEAR, Appends
from ctxlint.checks.failures.failure_ends import Swallows
from ctxlint.checks.failures.swallowing import Swallow
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Name, Value, parts_of
from ctxlint.knowledge.words import hints


class Removal(msgspec.Struct, frozen=True):
    """`event` of `function` removes from its source what the source gave at `given`; `through` is the call that made it durable."""

    function: FunctionId
    event: int
    given: int
    through: int | None


class Keeping(msgspec.Struct, frozen=True):
    """A write that is to keep entries: its event, the values that go in with the events at which they do, and what it writes to."""

    event: int
    contents: tuple[tuple[int, Value], ...]
    store: str
    kind: str
    key: str
    by_the_way: bool


def acknowledged(analysis: Analysis, appends: Appends, swallows: Swallows, identity: FunctionId) -> Iterator[Finding]:
    """Report writes whose failure is swallowed, after which the entries that they were to keep are taken off their source."""
    events = analysis.view.function(identity).events
    if not any(event.kind == "catch" for event in events):
        return
    changes = any(effect.kind in WRITES for effect in analysis.summaries.of(identity).effects)
    if not changes and not any(_may_keep(analysis, event) for event in events):
        return
    for swallow in swallows.of(identity):
        keepings = [each for number in sorted(swallow.tried) if (each := _keeping(analysis, appends, identity, number)) is not None]
        found = ((each, removal) for each in keepings for removal in _removals(analysis, identity, each, swallow))
        for keeping, removal in itertools.islice(found, 1):
            yield _finding(analysis, identity, keeping, swallow, removal)


def _may_keep(analysis: Analysis, event: Event) -> bool:
    """Whether it is a call with arguments of something that is called like a write."""
    name = event.path.steps[-1] if event.kind == "call" and event.path is not None and event.path.steps and event.arguments else ""
    return bool(name) and (hints(name, analysis.words.writes) or hints(name, analysis.words.appends))


def _keeping(analysis: Analysis, appends: Appends, identity: FunctionId, number: int) -> Keeping | None:
    """The write at an event: of a known store, or of somebody else's code, when nothing else is done with what it is given."""
    append = appends.at(identity, number)
    if append is not None:
        if append.effect.kind not in ("append", "write"):
            return None
        contents = tuple((effect.event, value) for effect in append.effects for value in effect.contents)
        key = min(append.keys, default="")
        return Keeping(number, contents, store_name(append.effect), append.effect.kind, key, appends.is_by_the_way(identity, append))
    event = analysis.view.event(identity, number)
    if event.kind != "call" or event.path is None or not event.path.steps or not event.arguments:
        return None
    words = analysis.words
    if not _may_keep(analysis, event) or not _is_elsewhere(analysis, identity, number):
        return None
    if any(hints(step, words.telemetry | words.caches) for step in _dotted(event.path)):
        return None
    holder = ".".join(_dotted(event.path)[:-1])
    contents = tuple((number, argument.value) for argument in event.arguments)
    return Keeping(number, contents, holder, "write", holder, False) if _nothing_else_uses(
        analysis, appends, identity, number, contents) else None


def _dotted(path: AccessPath) -> tuple[str, ...]:
    return (path.root.name, *path.steps) if isinstance(path.root, Name) else path.steps


def _nothing_else_uses(
    analysis: Analysis, appends: Appends, identity: FunctionId, number: int, contents: tuple[tuple[int, Value], ...]
) -> bool:
    """Whether no other call of some weight takes what goes in: the entries are handled nowhere else."""
    sources = analysis.summaries.sources
    made_of = frozenset().union(*(sources.of(identity, at, value) for at, value in contents))
    given = {formal.name for formal in analysis.view.function(identity).formals}
    for other, event in enumerate(analysis.view.function(identity).events):
        if event.kind != "call" or other == number or appends.is_light(identity, other):
            continue
        if _is_removal(analysis, identity, other, event.path.steps[-1] if event.path is not None and event.path.steps else ""):
            continue
        root = event.path.root if event.path is not None else None
        if isinstance(root, Name) and root.scope == "local" and root.name not in given and event.ignored:
            continue                                             # it fills a local collection
        if any(source.event != other and source in made_of
               for argument in event.arguments for source in sources.of(identity, other, argument.value)):
            return False
    return True


def _removals(analysis: Analysis, identity: FunctionId, keeping: Keeping, swallow: Swallow) -> Iterator[Removal]:
    """The removals that follow the swallowed failure, in the function and in those that call it."""
    sources = analysis.summaries.sources
    made_of = frozenset().union(*(sources.of(identity, at, value) for at, value in keeping.contents))
    following = _same_turn(analysis, identity, keeping.event, swallow.at)
    for given in sorted(s.event for s in made_of if s.kind in ("read", "call")):
        for event in sorted(following - {keeping.event}):
            if _removes(analysis, identity, event, given):
                yield Removal(identity, event, given, None)
    passed = {s.name for s in made_of if s.kind == "param"}
    if passed:
        kept = _keeps_the_failed(analysis, identity, keeping.event, swallow)
        for caller, call in analysis.view.call_graph.callers(identity):
            yield from _removals_by(analysis, caller, call, identity, passed, kept)


def _removals_by(
    analysis: Analysis, caller: FunctionId, call: int, callee: FunctionId, passed: set[str], kept: bool
) -> Iterator[Removal]:
    """Removals in a caller that gave the callee what a source had given to it; `kept`: the answer names what has failed, too."""
    sources, origins = analysis.summaries.sources, analysis.view.origins(caller)
    actuals = [
        value for each in analysis.view.effective_calls(caller, call) if callee in each.functions
        for name, value in analysis.view.bound(each, callee).items() if name in passed
    ]
    given = sorted({s.event for s in sources.of_all(caller, call, actuals) if s.kind in ("read", "call")})
    if not given:
        return
    following = sorted(n for n in reachable(analysis.view.graph(caller), call) if n < analysis.view.graph(caller).size)
    asked = _is_asked(analysis, caller, call)
    for event in following:
        answer = any(("result", call) in origins.roots(value, event) for value in _named_entries(analysis, caller, event))
        if kept if answer else not asked:
            for source in given:
                if _removes(analysis, caller, event, source):
                    yield Removal(caller, event, source, call)


def _removes(analysis: Analysis, identity: FunctionId, event: int, given: int) -> bool:
    """Whether an event tells the source of `given`, by what was given there, that it is done with."""
    call = analysis.view.event(identity, event)
    source = analysis.view.event(identity, given)
    if call.kind != "call" or call.path is None or not call.path.steps or event == given or source.path is None:
        return False
    if not _is_removal(analysis, identity, event, call.path.steps[-1]):
        return False
    sources = analysis.summaries.sources
    entries = _named_entries(analysis, identity, event)
    by_entry = any(s.event == given for s in sources.of_all(identity, event, entries))
    own = AccessPath(call.path.root, call.path.steps[:-1])
    if source.path.steps and own == AccessPath(source.path.root, source.path.steps[:-1]):
        return by_entry
    return any(s.event == given for s in sources.of(identity, event, own.root, additions=False)) and not by_entry


def _is_removal(analysis: Analysis, identity: FunctionId, event: int, name: str) -> bool:
    """Whether a call removes entries: it is known to, and does nothing sooner, or it is a method of nobody's known code that is called so."""
    effects = analysis.summaries.effects_at(identity, event)
    if effects:
        nearest = min(effect.distance for effect in effects)
        kinds = {effect.kind for effect in effects if effect.distance == nearest}
        return nearest <= NEAR and "delete" in kinds and kinds.isdisjoint(("write", "append"))
    return _is_elsewhere(analysis, identity, event) and (hints(name, analysis.words.acknowledgements) or hints(name, analysis.words.deletes))


def _is_elsewhere(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether nobody's known code runs at a call, of the program or the standard library: a name is all that says what it does."""
    view, summaries = analysis.view, analysis.summaries
    if view.modelled(identity, event) or summaries.effects_at(identity, event) or summaries.mutations_at(identity, event):
        return False
    return all(
        call.abstract or not (call.functions or any(name.partition(".")[0] in sys.stdlib_module_names for name in call.externals))
        for call in view.effective_calls(identity, event)
    )


def _named_entries(analysis: Analysis, identity: FunctionId, event: int) -> list[Value]:
    return [argument.value for argument in analysis.view.event(identity, event).arguments]


def _is_asked(analysis: Analysis, caller: FunctionId, call: int) -> bool:
    """Whether a branch of the caller depends on what the call gives back."""
    origins = analysis.view.origins(caller)
    return any(
        ("result", call) in origins.roots(edge.condition.value, block.last - 1)
        for block in analysis.view.function(caller).blocks for edge in block.edges
        if edge.condition is not None and block.last > block.first
    )


def _same_turn(analysis: Analysis, identity: FunctionId, write: int, at: int) -> frozenset[int]:
    """The events that can follow a failure before the next entry is looked at, when entries are written one after the other."""
    graph = analysis.view.graph(identity)
    return frozenset(n for n in reachable(graph, at, _turns(analysis, identity, write)) if n < graph.size)


def _turns(analysis: Analysis, identity: FunctionId, write: int) -> frozenset[int]:
    """Where the next entry is taken, if the write stands in a loop over entries."""
    graph = analysis.view.graph(identity)
    events = analysis.view.function(identity).events
    return frozenset(
        n for n, event in enumerate(events)
        if event.kind == "iterate" and path(graph, write, n) is not None and path(graph, n, write) is not None
    )


def _keeps_the_failed(analysis: Analysis, identity: FunctionId, write: int, swallow: Swallow) -> bool:
    """Whether what the function gives back after the failure holds the entry that failed like any other.

    A list that it fills holds the entry when it was put there before the write was tried, or is put there after the failure.
    """
    events = analysis.view.function(identity).events
    turns = _turns(analysis, identity, write)
    after = _same_turn(analysis, identity, write, swallow.at)
    for number in swallow.after:
        event = events[number]
        if event.kind != "return" or event.value is None:
            continue
        filled = [n for name in _locals(event.value) for n in _fillings(analysis, identity, name)]
        graph = analysis.view.graph(identity)
        if any(n in after or path(graph, n, write, turns) is not None for n in filled):
            return True
        made_of = analysis.summaries.sources.of(identity, number, event.value)
        if not filled and any(source.kind == "param" for source in made_of):
            return True
    return False


def _locals(value: Value) -> set[Name]:
    return {part for part in parts_of(value) if isinstance(part, Name) and part.scope == "local"}


def _fillings(analysis: Analysis, identity: FunctionId, name: Name) -> list[int]:
    """The calls and stores that put something into a local collection."""
    return [
        number for number, event in enumerate(analysis.view.function(identity).events)
        if event.path is not None and event.path.root == name and event.path.steps
        and (event.kind == "write" or (event.kind == "call" and event.ignored and event.arguments))
    ]


def _finding(analysis: Analysis, identity: FunctionId, keeping: Keeping, swallow: Swallow, removal: Removal) -> Finding:
    view = analysis.view
    call = view.event(removal.function, removal.event)
    source = ".".join(_dotted(call.path)[:-1]) if call.path is not None else ""
    source = source or "the source"
    flow = [FlowStep(removal.function, removal.given, f"{source} gives entries")]
    if removal.through is not None:
        flow.append(FlowStep(removal.function, removal.through, "hands them on to be kept"))
    flow += [FlowStep(identity, keeping.event, f"changes {keeping.store}; can fail"),
             FlowStep(swallow.owner, swallow.at, "the failure ends here"),
             FlowStep(removal.function, removal.event, f"{source} is told that they are done with")]
    confidence: Confidence = "low" if swallow.told or keeping.by_the_way else "medium"
    return Finding(
        function=identity, event=keeping.event, kind="acknowledged", confidence=confidence,
        fields={"store": keeping.store, "line": At(identity, keeping.event),
                "handler": At(swallow.owner, swallow.at), "source": source,
                "removal": At(removal.function, removal.event, "line {line}"),
                "reader": analysis.program.symbol(removal.function)},
        flow=tuple(flow),
        evidence=(Evidence(f"{source} gave the entries and is told to forget them", removal.function, removal.event),),
        chain=("acknowledged", keeping.kind, keeping.key),
    )
