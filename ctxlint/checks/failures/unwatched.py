"""Changes of durable state that run in a task or thread at whose result nobody looks."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import Call
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Append, Appends
from ctxlint.checks.failures.background import Background
from ctxlint.checks.failures.ingredients import ingredients
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.loops import Loop, Loops
from ctxlint.ir.value import Result

MAIN = 12
"""How many calls a task may make, callees included, and still be mainly an append."""


def unwatched(analysis: Analysis, appends: Appends, background: Background, identity: FunctionId) -> Iterator[Finding]:
    """Report what a function starts and leaves alone although it is mainly a change of durable state."""
    view = analysis.view
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or not analysis.summaries.effects_at(identity, number):
            continue
        started = _started(analysis, identity, number)
        if not started or any(appends.weight_within(t) > MAIN for call in started for t in call.functions if not call.abstract):
            continue
        if (_is_awaited(analysis, identity, number) if event.ignored else not background.is_left(identity, number)):
            continue
        append = appends.at(identity, number) if view.does(identity, number, "watches") is None else None
        if append is not None and _serves(analysis, appends, started, append):
            analysis.spare(identity, number, "what is started serves others in a loop for as long as the program runs")
        elif append is not None and append.readers and (event.ignored or any(e.deferred for e in append.effects)):
            sure = append.rebuilt and not appends.is_by_the_way(identity, append)
            yield _finding(analysis, identity, append, "high" if sure else "low")


def _started(analysis: Analysis, identity: FunctionId, number: int) -> list[Call]:
    """What runs on its own after the event: what a library leaves running, or would be waited for if somebody awaited it."""
    view = analysis.view
    calls = view.effective_calls(identity, number)
    left = [call for call in calls if call.deferred]
    if left or not view.event(identity, number).ignored or view.does(identity, number, "concurrent-executor") is None:
        return left
    return list(calls[1:])


def _serves(analysis: Analysis, appends: Appends, started: list[Call], append: Append) -> bool:
    """Whether what is started makes the change in a loop over what comes later, from others: that is a service, no change."""
    return any(
        _comes_later(analysis, appends, target, loop)
        for target in {target for call in started for target in call.functions}
        for effect in analysis.summaries.of(target).effects if effect.origin == append.effect.origin
        for loop in analysis.view.graph(target).derived(Loops).around(effect.event)
    )


def _comes_later(analysis: Analysis, appends: Appends, target: FunctionId, loop: Loop) -> bool:
    """Whether the rounds of a loop are not told by what the function was given, or holds: it waits, or asks somebody for each."""
    driver = analysis.view.event(target, loop.driver) if loop.driver is not None else None
    if driver is None or driver.note == "async" or driver.value is None or loop.driver is None:
        return True
    made_of = ingredients(analysis, appends, target, loop.driver, (driver.value,))
    return all(kind != "param" for kind, _ in made_of) and any(
        kind == "result" and isinstance(what, int) and analysis.view.event(target, what).kind == "call" for kind, what in made_of
    )


def _is_awaited(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether what is started is waited for on the spot: that nobody uses its result is another matter."""
    return any(e.kind == "suspend" and e.value == Result(number) for e in analysis.view.function(identity).events)


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
