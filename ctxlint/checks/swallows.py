"""`swallows`: a change of durable state may fail, nobody hears of it, and the program goes on as if it had been made."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.calls.terms import is_fresh
from ctxlint.checks.appends import Append, Appends
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.swallowing import Swallow, swallows_of
from ctxlint.checks.unwatched import unwatched
from ctxlint.checks.wording import short_cell, store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.knowledge.words import hints

SMALL = 4
"""How many other steps a tried part may hold and still be mainly an append."""
AFTER = 2
"""How many of them may follow the append."""


def swallows(analysis: Analysis) -> Iterator[Finding]:
    """Report durable changes whose failure is swallowed while the mutation stands or success is told."""
    appends = Appends(analysis)
    for identity in analysis.program.functions():
        if analysis.summaries.of(identity).effects:
            yield from _swallowed(analysis, appends, identity)
            yield from unwatched(analysis, appends, identity)


def _swallowed(analysis: Analysis, appends: Appends, identity: FunctionId) -> Iterator[Finding]:
    tried_by = [(swallow, _main_append(analysis, appends, identity, swallow)) for swallow in swallows_of(analysis, appends, identity)]
    for swallow, append in tried_by:
        if append is None or swallow.again:
            continue
        lost = _what_stands(analysis, identity, append, swallow)
        if lost is not None:
            confidence = _confidence(analysis, identity, append, swallow, lost)
            yield _finding(analysis, identity, append, swallow, lost, confidence)


def _main_append(analysis: Analysis, appends: Appends, identity: FunctionId, swallow: Swallow) -> Append | None:
    """The change that the tried part is mainly there for: nothing heavy beside it, and little behind it."""
    weighty = [n for n in sorted(swallow.tried) if analysis.view.event(identity, n).kind == "call" and not appends.is_light(identity, n)]
    found = [(n, append) for n in weighty if (append := appends.at(identity, n)) is not None and append.readers]
    if not found:
        return None
    number, append = found[0]
    others = [n for n in weighty if all(n != other for other, _ in found)]
    behind = [n for n in others if path(analysis.view.graph(identity), number, n) is not None]
    if sum(appends.weight(identity, n) for n in others) > 2 * SMALL or len(others) > SMALL or len(behind) > AFTER:
        return None
    return append


def _what_stands(analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow) -> Mutation | str | None:
    """What says something else than the store after a failure: a mutation, or what was handed in (a delta)."""
    mirrored = _mirroring(analysis, identity, append, swallow)
    if mirrored is not None:
        return mirrored
    if not append.rebuilt or append.effect.kind not in ("append", "write"):
        return None
    own = receiver_name(analysis.view.function(identity))
    for effect in append.effects:
        for source in sorted(analysis.summaries.sources.of_all(identity, effect.event, effect.contents), key=lambda s: (s.kind, s.name)):
            if source.kind == "param" and source.name != own:
                return source.name
    return None


def _mirroring(analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow) -> Mutation | None:
    """A mutation, before the append or behind its swallowed failure, of what the store keeps."""
    graph = analysis.view.graph(identity)
    contents = _sources(analysis, identity, append)
    cells = frozenset().union(*(e.cells for e in append.effects)) | {s.name for s in contents if s.kind == "cell"}
    own = receiver_name(analysis.view.function(identity))
    passed = {s for s in contents if s.kind in ("param", "call", "read") and s.name != own}
    for mutation in analysis.summaries.of(identity).mutations:
        if not mutation.cells or mutation.event == append.event:
            continue
        if mutation.event not in swallow.after and path(graph, mutation.event, append.event) is None:
            continue
        rebuilt = any(r.keys & append.keys for r in analysis.cells.restores(mutation.cells))
        goes_in = analysis.summaries.sources.of_all(identity, mutation.event, mutation.values)
        if rebuilt or cells.intersection(mutation.cells) or passed & goes_in:
            return mutation
    return None


def _sources(analysis: Analysis, identity: FunctionId, append: Append) -> frozenset[Source]:
    return frozenset().union(
        *(analysis.summaries.sources.of_all(identity, e.event, e.contents) for e in append.effects)
    )


def _confidence(
    analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow, lost: Mutation | str
) -> Confidence:
    words = analysis.words
    names = (analysis.program.symbol(identity), store_name(append.effect))
    secondary = any(hints(name, words.telemetry) or hints(name, words.caches) for name in names)
    if swallow.told or secondary or not append.rebuilt or is_fresh(append.effect.place):
        return "low"
    return "high" if isinstance(lost, Mutation) and append.effect.distance < 3 else "medium"


def _finding(
    analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow, lost: Mutation | str, confidence: Confidence
) -> Finding:
    view = analysis.view
    store = store_name(append.effect)
    reader = append.readers[0]
    flow = [FlowStep(identity, append.event, f"changes {store}; can fail"),
            FlowStep(swallow.owner, swallow.at, "the failure ends here")]
    if isinstance(lost, Mutation):
        flow.append(FlowStep(identity, lost.event, f"{short_cell(lost.cells)} is changed all the same"))
    flow.append(FlowStep(reader.function, reader.effect.event, f"reads {store} back"))
    reading = analysis.program.symbol(reader.function)
    return Finding(
        function=identity, event=append.event, kind="swallowed", confidence=confidence,
        fields={"store": store, "line": str(view.line(identity, append.event)), "reader": reading,
                "handler": str(view.line(swallow.owner, swallow.at))},
        flow=tuple(flow),
        evidence=(Evidence(f"`{reading}` reads {store} back", reader.function, reader.effect.event),),
        chain=("swallowed", append.effect.kind, *sorted(append.keys)[:1]),
    )
