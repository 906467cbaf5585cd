"""Changes of durable state that run in a task or thread at whose result nobody looks."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.appends import Append, Appends
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name
from ctxlint.diagnostic import Confidence
from ctxlint.ir.event import Event
from ctxlint.ir.value import Name, Result, Value, parts_of

MAIN = 12
"""How many calls a task may make, callees included, and still be mainly an append."""


def unwatched(analysis: Analysis, appends: Appends, identity: FunctionId) -> Iterator[Finding]:
    """Report what a function starts and leaves alone although it is mainly a change of durable state."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or not any(e.deferred for e in analysis.summaries.effects_at(identity, number)):
            continue
        if (_is_awaited(analysis, identity, number) if event.ignored else not _is_dropped(analysis, identity, number)):
            continue
        if view.does(identity, number, "watches"):
            continue
        started = [call for call in view.effective_calls(identity, number) if call.deferred]
        if not started or any(appends.weight_within(t) > MAIN for call in started for t in call.functions if not call.abstract):
            continue
        append = appends.at(identity, number)
        if append is not None and append.readers and any(e.deferred for e in append.effects):
            sure = append.rebuilt and not appends.is_by_the_way(identity, append)
            yield _finding(analysis, identity, append, "high" if sure else "low")


def _is_awaited(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether what is started is waited for on the spot: that nobody uses its result is another matter."""
    return any(e.kind == "suspend" and e.value == Result(number) for e in analysis.view.function(identity).events)


def _is_dropped(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether the result is bound to a local name that nobody mentions again."""
    function = analysis.view.function(identity)
    bound = [e.path.root for e in function.events
             if e.kind == "local" and e.value == Result(number) and e.path is not None and isinstance(e.path.root, Name)]
    if len(bound) != 1 or bound[0].scope != "local":
        return False
    name = bound[0]
    used_elsewhere = any(Result(number) in set(used_values(e)) for e in function.events if e.kind != "local")
    inner = any(name.name in f.captures for f in analysis.program.modules[identity.module].ir.functions if f.enclosing == identity.index)
    return not used_elsewhere and not inner and not any(name in set(used_values(e)) for e in function.events)


def used_values(event: Event) -> Iterator[Value]:
    """The names, results and whatever else an event uses."""
    if event.path is not None and event.kind != "local":
        yield from parts_of(event.path.root)
    for value in (event.value, *event.keys, *(a.value for a in event.arguments)):
        if value is not None:
            yield from parts_of(value)


def _finding(analysis: Analysis, identity: FunctionId, append: Append, confidence: Confidence) -> Finding:
    store = store_name(append.effect)
    reader = append.reader(analysis)
    reading = analysis.program.symbol(reader.function)
    return Finding(
        function=identity, event=append.event, kind="fire-and-forget", confidence=confidence,
        fields={"store": store, "line": At(identity, append.event), "reader": reading, "handler": ""},
        flow=(FlowStep(identity, append.event, f"starts a change of {store} and does not look at its end"),
              FlowStep(reader.function, reader.effect.event, f"reads {store} back")),
        evidence=(Evidence(f"`{reading}` reads {store} back", reader.function, reader.effect.event),),
        chain=("fire-and-forget", append.effect.kind, *sorted(append.keys)[:1]),
    )
