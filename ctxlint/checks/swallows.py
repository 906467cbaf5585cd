"""`swallows`: a change of durable state may fail, nobody hears of it, and the program goes on as if it had been made."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.handlers import Handler, handlers_of
from ctxlint.checks.wording import store_name
from ctxlint.diagnostic import Confidence

NEAR = 3


def swallows(analysis: Analysis) -> Iterator[Finding]:
    """Report durable changes whose failure is swallowed while the mutation stands or success is told."""
    for identity in analysis.program.functions():
        effects = [e for e in analysis.summaries.of(identity).effects
                   if e.kind in ("write", "append", "delete", "move") and e.keys and e.distance <= NEAR and not e.staged]
        if effects:
            yield from _fire_and_forget(analysis, identity, effects)
            yield from _swallowed(analysis, identity, [e for e in effects if not e.deferred])


def _fire_and_forget(analysis: Analysis, identity: FunctionId, effects: list[StoreEffect]) -> Iterator[Finding]:
    seen: set[int] = set()
    for effect in effects:
        if effect.deferred and effect.event not in seen and analysis.view.event(identity, effect.event).ignored:
            readers = analysis.stores.readers(effect.keys)
            if readers:
                seen.add(effect.event)
                yield _finding(analysis, identity, effect, "fire-and-forget", "high", None)


def _swallowed(analysis: Analysis, identity: FunctionId, effects: list[StoreEffect]) -> Iterator[Finding]:
    for handler in handlers_of(analysis, identity):
        if not handler.swallows:
            continue
        inside = [e for e in effects if handler.catches_failure_of(e.event)]
        kept = [e for e in inside if analysis.stores.readers(e.keys)]
        if kept and not handler.acts and _stands(analysis, identity, kept[0], handler):
            yield _finding(analysis, identity, kept[0], "swallowed", "medium", handler)


def _stands(analysis: Analysis, identity: FunctionId, effect: StoreEffect, handler: Handler) -> bool:
    """Whether something is lost: memory was changed before, or the change is a delta of what was passed in."""
    mutated = any(m.cells and m.event < effect.event for m in analysis.summaries.of(identity).mutations)
    sources = analysis.summaries.sources.of_all(identity, effect.event, effect.contents)
    return mutated or any(s.kind == "param" for s in sources)


def _finding(
    analysis: Analysis, identity: FunctionId, effect: StoreEffect, kind: str, confidence: Confidence, handler: Handler | None
) -> Finding:
    view = analysis.view
    store = store_name(effect)
    reader = analysis.stores.readers(effect.keys)[0]
    flow = [FlowStep(identity, effect.event, f"changes {store}; can fail")]
    if handler is not None:
        flow.append(FlowStep(identity, handler.catch, "the failure ends here"))
    flow.append(FlowStep(reader.function, reader.effect.event, f"reads {store} back"))
    return Finding(
        function=identity, event=effect.event, kind=kind, confidence=confidence,
        fields={"store": store, "line": str(view.line(identity, effect.event)), "reader": analysis.program.symbol(reader.function),
                "handler": str(view.line(identity, handler.catch)) if handler else ""},
        flow=tuple(flow),
        evidence=(Evidence(f"`{analysis.program.symbol(reader.function)}` reads {store} back", reader.function, reader.effect.event),),
        chain=(kind, effect.kind, *sorted(effect.keys)[:1]),
    )
