"""Records that share a live value without harm, since they are made anew in time."""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.flow.paths import path
from ctxlint.roles.holders import Holder
from ctxlint.roles.kept import Stored

CALLERS = 3
"""How many callers up the saving is looked for."""
NEAR = 2
"""A save further down than this many calls is another function's business."""


def is_saved_again(analysis: Analysis, identity: FunctionId, change: int, holder: Holder) -> bool:
    """Whether a function, once it has changed a value in place, itself writes what holds it to a store."""
    cell = holder.partition("[")[0]
    after = [
        e for e in analysis.summaries.of(identity).effects
        if e.kind == "write" and e.distance <= NEAR and path(analysis.view.graph(identity), change, e.event, start="completed") is not None
    ]
    return any(
        source.kind == "cell" and source.name == cell
        for e in after for source in analysis.summaries.sources.of_all(identity, e.event, e.contents)
    )


def is_replaced_before(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether one attribute tells which record is live, and its record is saved, or dropped, before each restore."""
    record, (function, _) = save.place.partition("[")[0], restore.image.where
    picked = [
        _key_cells(analysis, function, number) for number, event in enumerate(analysis.view.function(function).events)
        if event.kind == "read" and event.path is not None and event.path.steps[-1:] == ("[*]",)
        and record in cells_of(analysis.view, function, number, event.path)
    ]
    kept = _key_cells(analysis, save.function, save.event)
    return bool(kept) and bool(picked) and all(each == kept for each in picked) and _is_renewed(analysis, restore.function, record, CALLERS)


def _key_cells(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[str]:
    """The attributes that the key of an entry can be; nothing when it can be anything else."""
    found: set[str] = set()
    for key in analysis.view.event(identity, event).keys[-1:]:
        for kind, what in analysis.view.origins(identity).identity(key, event):
            read = analysis.view.event(identity, what).path if kind == "result" and isinstance(what, int) else None
            cells = cells_of(analysis.view, identity, what, read) if read is not None and isinstance(what, int) else ()
            if not cells:
                return frozenset()
            found.update(cells[-1:])
    return frozenset(found)


def _is_renewed(analysis: Analysis, identity: FunctionId, record: Holder, depth: int) -> bool:
    """Whether an entry of the record is written, or taken out, in every caller before the call."""
    sites = [(c, e) for c, e in analysis.view.call_graph.callers(identity) if not is_constructor(analysis.view, c)]
    return bool(sites) and all(
        any(
            mutation.cells[-1:] == (record,) and mutation.event != call
            and comes_before(analysis.view.graph(caller), mutation.event, call)
            for mutation in analysis.summaries.of(caller).mutations
        ) or (depth > 1 and _is_renewed(analysis, caller, record, depth - 1))
        for caller, call in sites
    )
