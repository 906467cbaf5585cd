"""`overwrites`: the only copy of something that is read back is overwritten in place.

A crash or a failing serialiser between the truncation and the last byte leaves neither the old content nor the new.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import is_fresh, text_of
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.guarded import runs_only_if_missing
from ctxlint.diagnostic import Confidence
from ctxlint.ir.value import Constant, Result
from ctxlint.roles.stores import Access


def overwrites(analysis: Analysis) -> Iterator[Finding]:
    """Report every in-place overwrite of a file that some function of the program reads back."""
    for identity in analysis.program.functions():
        for effect in analysis.summaries.of(identity).effects:
            if is_overwrite_here(effect) and not is_harmless(analysis, identity, effect):
                readers = readers_of(analysis, identity, effect)
                if readers:
                    yield finding(analysis, identity, effect, readers)


def is_overwrite_here(effect: StoreEffect) -> bool:
    """Whether the effect truncates a file that has its name at this level: the lowest one that knows which file it is."""
    return (
        effect.kind == "write" and effect.medium == "file" and bool(effect.keys) and not effect.staged and not effect.atomic
        and (effect.distance == 0 or effect.named)
    )


def is_harmless(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> bool:
    """A new file, a file that is only made when it is missing, or nothing but constants."""
    return (
        is_fresh(effect.place)
        or runs_only_if_missing(analysis, identity, effect.event, effect.place)
        or (bool(effect.contents) and all(isinstance(value, Constant) for value in effect.contents))
        or (not effect.contents and not effect.cells)
    )


def readers_of(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> tuple[Access, ...]:
    """The accesses that read the file back, other than the write's own event."""
    return tuple(
        access for access in analysis.stores.readers(effect.keys)
        if (access.function, access.effect.event) != (identity, effect.event)
    )


def finding(analysis: Analysis, identity: FunctionId, effect: StoreEffect, readers: tuple[Access, ...]) -> Finding:
    """The argument: where the file is truncated, what is still to be written, who reads it back."""
    view = analysis.view
    reader = readers[0]
    serialises = serialises_after_opening(analysis, identity, effect)
    place = text_of(effect.place)
    kind = "truncate-then-serialise" if serialises is not None else "in-place"
    confidence: Confidence = "high" if serialises is not None else "medium"
    flow = [FlowStep(identity, effect.event, f"truncates {place}")]
    if serialises is not None:
        flow.append(FlowStep(identity, serialises, "can fail here: the value is serialised after the file was emptied"))
    flow.append(FlowStep(reader.function, reader.effect.event, f"reads {place} back"))
    return Finding(
        function=identity, event=effect.event, kind=kind, confidence=confidence,
        fields={"place": place, "reader": analysis.program.symbol(reader.function), "line": str(view.line(identity, effect.event))},
        flow=tuple(flow),
        evidence=(Evidence(f"`{analysis.program.symbol(reader.function)}` reads {place} back", reader.function, reader.effect.event),),
        chain=("overwrite", place, *sorted(effect.keys)[:1]),
    )


def serialises_after_opening(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> int | None:
    """The event that turns the value into text once the file is already empty, if there is one."""
    for number, event in enumerate(analysis.view.function(identity).events):
        if number > effect.event and event.kind == "call" and analysis.view.does(identity, number, "serialises", "saves"):
            if any(_is_written(effect, number, argument.value) for argument in event.arguments) or any(
                value == Result(number) for value in effect.contents
            ):
                return number
    return None


def _is_written(effect: StoreEffect, number: int, value: object) -> bool:
    return value in effect.contents
