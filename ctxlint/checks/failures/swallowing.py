"""Where a failure ends: handlers that pass it over, managers that suppress it, decorators that do either for a whole function."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.names import resolve_name
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.handlers import Handler, handlers_of, is_failure_value, landings
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import NONE, Name, parts_of

SCREEN = "screen"
"""The store of models that stands for what somebody sees and types."""
CALLERS = 2
"""How many callers up the prompt may be that a function serves."""


class Swallow(msgspec.Struct, frozen=True):
    """A place where failures end and the program goes on.

    `tried` are the events whose failure ends there, `at` the event that shows it (in `owner`: the function itself or the
    decorator's), `body` what is done about it (events of `owner`). `told` is true when somebody at the screen hears of it.
    `after` are the events of the function that can follow the swallowed failure, `again` whether the tried part runs again:
    the failure costs one turn of a loop. `returns` is true when a `return` in a `finally` ends the failure.
    """

    function: FunctionId
    owner: FunctionId
    at: int
    names: tuple[str, ...]
    tried: frozenset[int]
    after: frozenset[int]
    told: bool
    again: bool
    returns: bool = False


def ends_for_good(analysis: Analysis, swallow: Swallow) -> bool:
    """Whether the owner itself comes to its end after the failure, without what was tried being tried again."""
    graph = analysis.view.graph(swallow.owner)
    return not swallow.again or path(graph, swallow.at, graph.exit, swallow.tried, exceptional=False, consistent=False) is not None


def is_secondary(analysis: Analysis, swallow: Swallow, change: StoreEffect | None = None) -> bool:
    """Whether all this happens in a handler, here or at every call: another failure is on its way.

    A handler of the same change that tries it once more, otherwise, is where that change is made.
    """
    identity = swallow.function
    handlers = [handler for handler in handlers_of(analysis, identity) if change is None or not _tries_again(analysis, identity, handler, change)]
    inside = any(
        swallow.tried and min(swallow.tried) in handler.body
        and (swallow.owner != identity or swallow.at not in handler.body - {swallow.at})
        for handler in handlers
    )
    return inside or _runs_in_handlers(analysis, identity)


def _tries_again(analysis: Analysis, identity: FunctionId, handler: Handler, change: StoreEffect) -> bool:
    return handler.swallows and change.event in handler.body and any(
        e.kind == change.kind and e.event in handler.tried and e.keys & change.keys for e in analysis.summaries.of(identity).effects
    )


def _runs_in_handlers(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether every known call of the function stands in a handler."""
    sites = analysis.view.call_graph.callers(identity)
    return bool(sites) and all(
        any(call in handler.body for handler in handlers_of(analysis, caller)) for caller, call in sites
    )


def handler_swallows(
    analysis: Analysis, appends: Appends, failures: frozenset[str], identity: FunctionId, tells: Callable[[Handler], bool] | None = None
) -> Iterator[Swallow]:
    """The handlers of the function; `tells` says whether one tells its failure to whoever called."""
    for handler in handlers_of(analysis, identity):
        if handler.swallows and fits(handler.names, failures) and only_tells(analysis, appends, identity, handler.body):
            graph = analysis.view.graph(identity)
            told = tells_failure(analysis, identity, handler.catch, handler.body, handler.tried) if tells is None else tells(handler)
            if not told:
                yield Swallow(
                    identity, identity, handler.catch, handler.names, handler.tried, following(analysis, identity, handler.catch),
                    told=_is_shown(analysis, identity, handler.body),
                    again=path(graph, handler.catch, handler.catch) is not None,
                )


def return_swallows(analysis: Analysis, identity: FunctionId) -> Iterator[Swallow]:
    """A `return` in a `finally`, which every failure comes to and none passes.

    What it gives must be the same as without the failure: a name that is bound where the failure can be tells of it.
    """
    graph, events = analysis.view.graph(identity), analysis.view.function(identity).events
    handling = {n for n, e in enumerate(events) if e.kind in ("catch", "exit", "resume")}
    tried: dict[int, set[int]] = {}
    for number, event in enumerate(events):
        if event.kind in ("call", "suspend", "enter", "iterate") and graph.is_reachable(number):
            for first in landings(graph, graph.pad_of(number)):
                tried.setdefault(first, set()).add(number)
    for first, failing in tried.items():
        after = frozenset(n for n in (first, *reachable(graph, first, handling)) if n < graph.size)
        ends = [n for n in sorted(after) if events[n].kind == "return"]
        if first in handling or not ends or failing & after:
            continue
        bound = {e.path.root for n, e in enumerate(events)
                 if e.kind == "local" and e.path is not None and n > min(failing) and n not in after}
        if not any(bound.intersection(parts_of(events[n].value or NONE)) for n in ends):
            yield Swallow(identity, identity, ends[0], (), frozenset(failing), after, told=False, again=False, returns=True)


def fits(names: tuple[str, ...], failures: frozenset[str]) -> bool:
    """Whether what is caught is one of the exceptions by which a store says that it failed."""
    return not names or any(name in failures for name in names)


def following(analysis: Analysis, identity: FunctionId, number: int) -> frozenset[int]:
    """The events that can come after one."""
    graph = analysis.view.graph(identity)
    return frozenset(n for n in reachable(graph, number) if n < graph.size)


def only_tells(analysis: Analysis, appends: Appends, identity: FunctionId, body: frozenset[int]) -> bool:
    """Whether the handler only computes or tells: anything else may be what is done about the failure."""
    for number in body:
        event = analysis.view.event(identity, number)
        if event.kind == "raise" or (event.kind == "call" and not appends.is_light(identity, number)):
            if not _gives_up(analysis, identity, number):
                return False
            continue
        if event.kind != "call" and analysis.summaries.effects_at(identity, number):
            return False
        if any(event.kind != "call" or mutation.cells for mutation in _own_mutations(analysis, identity, number)):
            return False
        if _is_signal(analysis, identity, number):
            return False
        if event.kind == "return" and event.value is not None and is_failure_value(analysis, identity, number, event.value):
            return False
    return True


def _gives_up(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether the event rolls a transaction back: that gives up what failed, and makes up for nothing."""
    does = analysis.view.does(identity, number, "restores")
    return does is not None and does.effect.store == "sql"


def _own_mutations(analysis: Analysis, identity: FunctionId, number: int) -> tuple[Mutation, ...]:
    """What the event itself changes: a set flag, an entry in a list; not what a function does that is called to tell."""
    if any(call.functions for call in analysis.view.effective_calls(identity, number)):
        return ()
    return tuple(analysis.summaries.mutations_at(identity, number))


def _is_signal(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether the event is a call that cannot fail, of an object in an attribute, and done for what it does there: somebody who
    waits is woken, a task cancelled.
    """
    event = analysis.view.event(identity, number)
    if event.kind != "call" or not event.ignored or event.path is None or len(event.path.steps) < 2:
        return False
    does = {modelled.effect.does for modelled in analysis.view.modelled(identity, number)}
    return does == {"total"}


def _is_shown(analysis: Analysis, identity: FunctionId, body: frozenset[int]) -> bool:
    """Whether the handler puts something on the screen of somebody who is asked there for what to do."""
    shown = any(m.effect.store == SCREEN and m.effect.does == "telemetry" for n in body for m in analysis.view.modelled(identity, n))
    return shown and _is_asked_for(analysis, identity, CALLERS)


def _is_asked_for(analysis: Analysis, identity: FunctionId, depth: int) -> bool:
    """Whether the function, or one that calls it, waits for what somebody types."""
    return _asks(analysis, identity) or (depth > 0 and any(
        caller != identity and _is_asked_for(analysis, caller, depth - 1)
        for caller, _ in analysis.view.call_graph.callers(identity)
    ))


def _asks(analysis: Analysis, identity: FunctionId) -> bool:
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "call" and any(m.effect.store == SCREEN and m.effect.does == "suspends" for m in analysis.view.modelled(identity, number)):
            return True
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and event.path.root.scope == "global":
            name = resolve_name(analysis.program, identity.module, identity.index, ".".join((event.path.root.name, *event.path.steps[:1])))
            if any(effect.store == SCREEN and effect.attribute for effect in analysis.view.models.effects(name)):
                return True
    return False


def leaves_mark(analysis: Analysis, identity: FunctionId, body: frozenset[int]) -> bool:
    """Whether something is kept in a variable or an attribute, which says afterwards that there was a failure."""
    events = analysis.view.function(identity).events
    return any(events[n].kind in ("local", "write") and events[n].value is not None for n in body)


def tells_failure(
    analysis: Analysis, identity: FunctionId, catch: int, body: frozenset[int], tried: frozenset[int] = frozenset()
) -> bool:
    """Whether the handler leaves a mark by which the failure can be told: another result than success gives, a flag, a jump.

    Success is what comes after `tried` has ended well: what is given back before it is the answer to another failure.
    """
    events = analysis.view.function(identity).events
    if leaves_mark(analysis, identity, body):
        return True
    given_back = {events[n].value for n in body if events[n].kind == "return" and events[n].value not in (None, NONE)}
    graph = analysis.view.graph(identity)
    for number, event in enumerate(events):
        if event.kind == "return" and event.value in given_back and number not in body and (
            not tried or path(graph, tried, number, frozenset((catch,)), start="completed") is not None
        ):
            given_back.discard(event.value)
    return bool(given_back)
