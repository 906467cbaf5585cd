"""Records that share a live value without harm, since they are made anew in time, or the live value is left to them."""

from __future__ import annotations

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import conditions_before
from ctxlint.checks.images.kept_records import owner_of
from ctxlint.checks.ordering import comes_before
from ctxlint.flow.paths import path
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.holders import ITEM, Holder, Holders
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


def goes_on(analysis: Analysis, save: Stored) -> bool:
    """Whether the saving function leaves the object itself live, an attribute's: it never gives the attribute another value."""
    cell = save.image.holder
    return ":" not in cell and "[" not in cell and not any(
        m.how in ("rebind", "field", "clear") and cell in m.cells for m in analysis.summaries.of(save.function).mutations)


def is_left(analysis: Analysis, holders: Holders, save: Stored) -> bool:
    """Whether the saving function gives the cell another value next, so that the record alone has the old one."""
    graph = analysis.view.graph(save.function)
    rebinds = {
        m.event for m in analysis.summaries.of(save.function).mutations
        if m.how in ("rebind", "field") and save.image.holder in m.cells[-1:]
    } | {
        number for number, event in enumerate(analysis.view.function(save.function).events)
        if event.kind == "local" and event.value is not None and event.path is not None and isinstance(event.path.root, Name)
        and event.path.root.scope != "local" and save.image.holder in holders.of(save.function, number, event.path.root)
    }
    rebinds |= _entry_replaced(analysis, holders, save)
    return bool(rebinds) and path(graph, save.event, graph.exit, rebinds, start="completed", exceptional=False) is None


def is_dropped(analysis: Analysis, holders: Holders, restore: Stored, save: Stored) -> bool:
    """Whether the restoring function lets go of the record afterwards, or marks it as used and asks for the mark before."""
    marks: set[Holder] = set()
    for mutation in analysis.summaries.of(restore.function).mutations:
        cell = mutation.cells[-1] if mutation.cells and mutation.event != restore.event else ""
        if cell == save.place.partition("[")[0] and mutation.how in ("rebind", "field", "clear", "delete", "remove"):
            return True
        if cell and mutation.how in ("rebind", "field") and cell.rpartition(".")[0] == owner_of(save.place):
            marks.add(cell)
    if not marks or restore.function != restore.origin:
        return False

    def asks_for_mark(condition: Condition) -> bool:
        return not marks.isdisjoint(_read_in(analysis, holders, restore.function, condition.value))

    return any(True for _ in conditions_before(analysis, restore.function, restore.event, asks_for_mark))


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


def _entry_replaced(analysis: Analysis, holders: Holders, save: Stored) -> set[int]:
    """The events that put something else in the place of the entry that the record is, or take the entry out of its container."""
    if not save.image.holder.endswith("]") or save.image.where[0] != save.function:
        return set()
    keys = analysis.view.event(*save.image.where).keys[-1:]
    found: set[int] = set()
    for number, event in enumerate(analysis.view.function(save.function).events):
        if number == save.event or event.path is None or not event.path.steps:
            continue
        if event.kind in ("write", "delete") and event.keys[-1:] == keys and event.path.steps[-1] == ITEM:
            if save.image.holder in holders.of_event(save.function, number):
                found.add(number)
        elif event.kind == "call" and event.path.steps[-1] == "pop" and tuple(a.value for a in event.arguments[:1]) == keys:
            if save.image.holder in {f"{place}{ITEM}" for place in holders.of_receiver(save.function, number)}:
                found.add(number)
    return found


def _read_in(analysis: Analysis, holders: Holders, identity: FunctionId, value: Value) -> frozenset[Holder]:
    """The places that a test reads."""
    if isinstance(value, Compound):
        return frozenset().union(*(_read_in(analysis, holders, identity, part) for part in value.parts))
    if isinstance(value, Result) and analysis.view.event(identity, value.event).kind == "read":
        return holders.of_event(identity, value.event)
    return frozenset()
