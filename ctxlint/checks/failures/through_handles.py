"""Writes through a handle that was opened before, here or by a helper that hands it out: they are where the store changes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import Value


def written_through(analysis: Analysis, identity: FunctionId, event: int) -> tuple[StoreEffect, ...]:
    """The effects of the opening whose handle the event writes through, as if they were the event's own."""
    view = analysis.view
    call = view.event(identity, event)
    if call.kind != "call" or call.path is None or not _writes(analysis, identity, event):
        return ()
    given = [argument.value for argument in call.arguments]
    holders = [call.path.root, *given] if call.path.steps else given
    for handle in holders:
        for opening in _openings(analysis, identity, event, handle):
            found = [e for e in analysis.summaries.effects_at(identity, opening) if e.kind in ("append", "write") and e.mode]
            if found and opening != event:
                contents = tuple(value for value in given if value != handle)
                return tuple(msgspec.structs.replace(e, event=event, contents=contents, mode="") for e in found)
    return ()


def _writes(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether something is written there: by the library, or by a function that is given the handle."""
    if any(call.functions for call in analysis.view.calls(identity, event)):
        return not analysis.summaries.effects_at(identity, event)
    match = analysis.view.does(identity, event, "mutates")
    return match is not None and match.effect.store == "file" and match.effect.how == "add"


def _openings(analysis: Analysis, identity: FunctionId, at: int, handle: Value) -> Iterator[int]:
    """The events that gave the handle: an opening, or a call of a function that gives back what it has opened."""
    for kind, what in sorted(analysis.view.origins(identity).identity(handle, at), key=str):
        if kind == "result" and isinstance(what, int) and any(e.mode for e in analysis.summaries.effects_at(identity, what)):
            yield what
