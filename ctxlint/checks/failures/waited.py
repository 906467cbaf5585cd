"""What runs and is waited for, where the call that waits keeps the failures for whoever asks, and nobody does."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.failures.background import used_values
from ctxlint.checks.failures.swallowing import Swallow, following, leaves_mark, only_tells
from ctxlint.flow.guards import guards
from ctxlint.flow.paths import path
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Name, Result, Value, parts_of


def waited(analysis: Analysis, appends: Appends, identity: FunctionId) -> Iterator[Swallow]:
    """Calls that wait for the end of what they are given, whichever way it ends, and whose results are at most told."""
    view = analysis.view
    for number, _ in view.calls_that(identity, "swallows"):
        if view.does(identity, number, "joins") is None or not view.graph(identity).is_reachable(number):
            continue
        events = view.function(identity).events
        ends = [n for n, e in enumerate(events) if e.kind == "suspend" and e.value == Result(number)] or [number]
        if not _is_at_most_told(analysis, appends, identity, ends[0]) or _is_asked_itself(analysis, identity, number):
            continue
        graph = view.graph(identity)
        yield Swallow(
            identity, identity, number, (), frozenset((*_handed(analysis, identity, number), number)), following(analysis, identity, number),
            told=False, again=path(graph, number, number) is not None,
        )


def _handed(analysis: Analysis, identity: FunctionId, number: int) -> Iterator[int]:
    """The calls that make what is waited for, also those in a list or a comprehension."""
    origins = analysis.view.origins(identity)
    for argument in analysis.view.event(identity, number).arguments:
        for kind, what in origins.roots(argument.value, number, mutations=True):
            if kind == "result" and isinstance(what, int) and analysis.view.event(identity, what).kind == "call":
                yield what


def _is_asked_itself(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether something that was handed in, or a list of it, is used again afterwards: it can be asked how it ended."""
    events = analysis.view.function(identity).events
    given = {value for a in events[number].arguments for value in _listed(a.value)
             if isinstance(value, Result) or (isinstance(value, Name) and value.scope != "global")}
    made = {Result(n) for n in _handed(analysis, identity, number)}
    names = {e.path.root for e in events if e.kind == "local" and e.path is not None and e.value in made} | given
    return any(names.intersection(used_values(events[n])) for n in following(analysis, identity, number)
               if n != number and events[n].value != Result(number) and not _makes(events[n], made))


def _listed(value: Value) -> tuple[Value, ...]:
    """What an argument holds: the value, or what a display lists; what a comprehension goes over is not in it."""
    return value.parts if isinstance(value, Compound) and value.operator in ("list", "tuple", "set") else (value,)


def _makes(event: Event, made: set[Result]) -> bool:
    """Whether the event is the binding of what is handed in, or puts it into the list: in the next round of a loop."""
    return event.kind == "local" or any(argument.value in made for argument in event.arguments)


def _is_at_most_told(analysis: Analysis, appends: Appends, identity: FunctionId, end: int) -> bool:
    """Whether the results that a wait gives are looked at for telling only: nothing is done, and nobody is given them."""
    view, graph = analysis.view, analysis.view.graph(identity)
    events = view.function(identity).events
    if events[end].ignored:
        return True
    held: set[Value] = {Result(end)}
    growing = True
    while growing:
        before = len(held)
        for number, event in enumerate(events):
            if number == end or not held.intersection(used_values(event)):
                continue
            root = event.path.root if event.path is not None else None
            if event.kind == "local" and isinstance(root, Name) and root.scope == "local":
                held.add(root)
            elif event.kind in ("iterate", "call") and (event.kind == "iterate" or appends.is_light(identity, number)):
                held.add(Result(number))
            else:
                return False
        growing = len(held) > before
    asked = frozenset(
        n for n in range(graph.size) if graph.is_reachable(n)
        and any(held.intersection(parts_of(guard.condition.value)) for guard in guards(graph, n))
    )
    told = frozenset(n for n in asked if events[n].kind not in ("local", "iterate") or not held.intersection(used_values(events[n])))
    return not leaves_mark(analysis, identity, told) and only_tells(analysis, appends, identity, told) and not any(
        events[n].kind == "return" for n in told)
