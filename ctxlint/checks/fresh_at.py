"""`fresh_at`: what is written was computed from a reading that another writer may have outdated.

A store pair: content read from a store through one call goes, after a suspension point, into a write of the same record, and
nothing guards the two.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import parameters
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.fresh_guards import (
    compares_old_content,
    guard_of,
    is_only_worker,
    locks_unlike_key,
    reads_again_inside,
)
from ctxlint.checks.records import (
    Sameness,
    is_new_record,
    is_touched,
    may_be_other_holder,
    named_keys,
    other_holder,
    same_record,
    same_store,
    selectors,
)
from ctxlint.checks.staleness.carried import carried_fields, carries_only_constants
from ctxlint.checks.staleness.fresh_facts import container_of, lock_facts
from ctxlint.checks.staleness.inner_writes import changes_it, is_by_inner, stands_at
from ctxlint.checks.staleness.interface_pairs import pair_up
from ctxlint.checks.staleness.live_objects import gives_live_object
from ctxlint.checks.staleness.other_records import is_another_record
from ctxlint.checks.staleness.overridden import is_overridden_for
from ctxlint.checks.staleness.second_writers import is_begin_or_end, is_private, puts_something
from ctxlint.checks.staleness.stale_cells import StaleCell, stale_cells
from ctxlint.checks.staleness.stale_rows import stale_rows
from ctxlint.checks.staleness.store_writers import second_writer
from ctxlint.checks.staleness.unchanged import carries_what_never_changes
from ctxlint.checks.suspensions import comes_before, lets_others_in, own_suspension, suspension_between
from ctxlint.checks.wording import short_cell, store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path

MAX_DEPTH = 4
"""Calls between here and the primitive read, plus those to the primitive write: beyond, the pair is another function's."""

MAX_DEPTH_OF_ONE_RECORD = 8
"""The same, where both calls visibly work on one record."""


class Pair(msgspec.Struct, frozen=True):
    """A read whose content flows into a later write of the same record, and where another writer can run between them.

    `between` is true when the suspension point is neither the read's nor the write's own, `doubtful` when the flow or the
    second process is only possible.
    """

    function: FunctionId
    read: StoreEffect
    write: StoreEffect
    suspension: int
    between: bool
    sameness: Sameness
    doubtful: bool

    @property
    def depth(self) -> int:
        """How many calls lie between this function and the two primitive operations together."""
        return self.read.distance + self.write.distance


def fresh_at(analysis: Analysis) -> Iterator[Finding]:
    """Report writes derived from a reading that is older than the last suspension point."""
    for identity in analysis.program.functions():
        seen: set[tuple[int, frozenset[str], frozenset[str]]] = set()
        stale = tuple(pairs(analysis, identity))
        for pair in sorted(stale, key=lambda p: p.write.event):
            cause = (pair.read.event, pair.write.keys, named_keys(analysis, identity, pair.write.event))
            if cause not in seen:
                seen.add(cause)
                yield _finding(analysis, pair)
        written = {pair.write.event for pair in stale}
        for found in (*stale_cells(analysis, identity), *stale_rows(analysis, identity)):
            if not found.others and found.beside is None and found.kind != "get-or-create":
                analysis.spare(identity, found.write.event, "no other function is seen to change this cell of this object", found.read)
            elif found.write.event not in written:
                written.add(found.write.event)
                yield _cell_finding(analysis, found)


def pairs(analysis: Analysis, identity: FunctionId) -> Iterator[Pair]:
    """The unguarded stale pairs of one function, the latest flowing read of each write."""
    effects = analysis.summaries.of(identity).effects
    writes = [
        e for e in effects
        if (e.kind in ("write", "move") or _refills(analysis, identity, e)) and (e.contents or e.cells)
        and not e.staged and (not e.deferred or changes_it(analysis, identity, e))
    ]
    if not any(e.kind == "read" for e in effects):
        for write in writes:
            analysis.spare(identity, write.event, "this function reads no store, so what it writes cannot be an outdated reading")
        return
    for write in writes:
        pair = _stale_pair(analysis, identity, write) or _reloaded_pair(analysis, identity, write)
        if pair is not None:
            yield pair


def _refills(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> bool:
    """Whether an append follows a clearing of the whole store in this function: together they overwrite it."""
    return effect.kind == "append" and bool(_clearings(analysis, identity, effect))


def _clearings(analysis: Analysis, identity: FunctionId, append: StoreEffect) -> list[int]:
    return [
        e.event for e in analysis.summaries.of(identity).effects
        if e.kind == "delete" and e.event != append.event and same_store(e, append)
        and not list(selectors(analysis, identity, e.event)) and comes_before(analysis, identity, e.event, append.event)
    ]


def _stale_pair(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> Pair | None:
    sources = analysis.summaries.sources.of_all(identity, write.event, write.contents)
    for read in sorted({s.event for s in sources if s.kind == "read" and s.event >= 0}, reverse=True):
        effect = _reading(analysis, identity, read, write)
        if effect is None or not comes_before(analysis, identity, read, write.event):
            continue
        sameness = same_record(analysis, identity, effect, write)
        if sameness == "other":
            analysis.spare(identity, write.event, "what is read and what is written are two records", read)
        elif sameness != "object" and is_by_inner(analysis, identity, write):
            analysis.spare(identity, write.event, "the function defined here writes something else than the record that was read", read)
        elif effect.distance + write.distance > _depth_allowed(sameness):
            analysis.spare(identity, write.event, "read and write lie too many calls down: the pair belongs to a callee", read)
        else:
            return _judged(analysis, identity, effect, write, sameness)
    analysis.spare(identity, write.event, "what is written does not come from an earlier reading of the same store")
    return None


def _reloaded_pair(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> Pair | None:
    """A cell that one call fills from the store, this function changes and another call saves as a whole."""
    for cell in sorted(write.cells) if write.distance else ():
        mutations = analysis.summaries.mutations_of(identity, cell)
        fills = {m.event for m in mutations if m.how == "rebind" and m.distance}
        changes = {m.event for m in mutations if m.distance <= 1} - fills
        for read in sorted(fills, reverse=True):
            effect = _reading(analysis, identity, read, write)
            if effect is None or effect.distance + write.distance > MAX_DEPTH:
                continue
            changed = [
                c for c in changes
                if comes_before(analysis, identity, read, c) and comes_before(analysis, identity, c, write.event)
            ]
            if changed and not _changes_again(analysis, identity, write.event, changed, read):
                return _judged(analysis, identity, effect, write, "carried")
    return None


def _changes_again(analysis: Analysis, identity: FunctionId, write: int, changes: list[int], read: int) -> bool:
    """Whether the cell is changed after the write without being filled anew: then it, not the store, is what counts."""
    return path(analysis.view.graph(identity), write, changes, {read}, start="completed") is not None


def _depth_allowed(sameness: Sameness) -> int:
    return MAX_DEPTH_OF_ONE_RECORD if sameness == "object" else MAX_DEPTH


def _reading(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> StoreEffect | None:
    """The nearest reading of the written store that the event does."""
    loads = [
        e for e in analysis.summaries.effects_at(identity, read)
        if e.kind == "read" and same_store(e, write) and (write.medium != "interface" or pair_up(analysis, e, write))
        and not (e.columns and write.columns and e.columns.isdisjoint(write.columns))
    ]
    if not loads or read == write.event:
        return None
    if write.medium != "sql" and other_holder(analysis, identity, read, write.event):
        return None
    return min(loads, key=lambda e: e.distance)


def _judged(
    analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect, sameness: Sameness
) -> Pair | None:
    """The pair, if another writer can run in it and nothing guards it."""
    suspension = _open_at(analysis, identity, read, write)
    fact = "nobody else can run between the read and the write" if suspension is None else _harmless(
        analysis, identity, read, write, sameness)
    if fact or suspension is None:
        analysis.spare(identity, write.event, fact, read.event)
        return None
    doubtful = (
        (sameness != "carried" and not carried_fields(analysis, identity, read.event, write))
        or (suspension == write.event and _may_stay_here(analysis, identity, write))
        or compares_old_content(analysis, identity, read.event, write)
        or may_be_other_holder(analysis, identity, read.event, write.event)
        or (locks_unlike_key(analysis, identity, read.event, write.event) and not _meets_same_record(analysis, identity, read.event))
    )
    between = suspension_between(analysis, identity, read.event, write.event) is not None
    return Pair(identity, read, write, suspension, between, sameness, doubtful)


def _open_at(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> int | None:
    """The event at which another writer can run between the two."""
    middle = suspension_between(analysis, identity, read.event, write.event)
    if write.kind == "append" and all(
        suspension_between(analysis, identity, read.event, clearing) is None for clearing in _clearings(analysis, identity, write)
    ):
        return None                                           # nothing was outdated before the clearing
    suspension = middle if middle is not None else own_suspension(analysis, identity, read.event, write.event)
    if suspension is None and (lets_others_in(write) or _meets_itself(analysis, identity, write)):
        return write.event
    return suspension


def _harmless(
    analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect, sameness: Sameness
) -> str:
    """Why nothing is lost although another writer can run between the two, in words; empty when something is."""
    if is_new_record(analysis, identity, read.event, write):
        return "the written record is a new one, which nobody else knows yet"
    if is_another_record(analysis, identity, read, write):
        return "the written record is made here and has a key of its own"
    if is_overridden_for(analysis, identity, write):
        return "every class whose store is written overrides this method"
    if sameness == "object" and gives_live_object(analysis, identity, read.event):
        return "the read gives the live object itself, not a copy that could be outdated"
    if reads_again_inside(analysis, identity, write):
        return "the called function reads the store anew before it writes"
    if is_only_worker(analysis, identity, write):
        return "only one task runs this function, and nobody else writes the store"
    if sameness == "object" and not is_touched(analysis, identity, read.event, write.event) and not changes_it(analysis, identity, write):
        return "nothing of what was read is changed before it is written"
    guard = guard_of(analysis, identity, read.event, write)
    if guard:
        return guard
    if carries_only_constants(analysis, identity, read.event, write):
        return "only constants go into the written fields, nothing of the old reading"
    if carries_what_never_changes(analysis, identity, read.event, write):
        return "every field of the record is replaced, but for those that nobody ever changes"
    return ""


def _may_stay_here(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    """Whether the write can also reach an implementation that does not leave this process."""
    if write.medium == "file":
        picked_by = frozenset(parameters(write.place))
        return not analysis.concurrency.hand_overs(identity) and analysis.tasks.beside_itself(identity, picked_by, anywhere=False) is None
    targets = {t for call in analysis.view.calls(identity, write.event) for t in call.functions}
    return any(not any(e.kind == write.kind and lets_others_in(e) for e in analysis.summaries.of(t).effects) for t in targets)


def _meets_itself(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> bool:
    if analysis.view.function(identity).kind == "coroutine":
        return False
    return write.medium == "file" and analysis.concurrency.beside_itself(identity) is not None


def _meets_same_record(analysis: Analysis, identity: FunctionId, read: int) -> bool:
    """Whether the program itself starts several of the function on one record."""
    names = {
        str(what) for value in selectors(analysis, identity, read)
        for kind, what in analysis.view.origins(identity).roots(value, read) if kind == "param"
    }
    return analysis.tasks.beside_itself(identity, names, anywhere=False) is not None


def _finding(analysis: Analysis, pair: Pair) -> Finding:
    identity = pair.function
    store = store_name(pair.write)
    other = _second_writer(analysis, pair)
    where, event = stands_at(analysis, identity, pair.write)
    return Finding(
        function=where, event=event, kind="store-pair", confidence=_confidence(pair),
        fields={
            "store": store, "read": At(identity, pair.read.event),
            "write": At(where, event),
            "suspension": At(identity, pair.suspension), "writer": other.text,
        },
        flow=(
            FlowStep(identity, pair.read.event, f"reads {store}"),
            FlowStep(identity, pair.suspension, "another writer can run here", by="another writer"),
            FlowStep(where, event, f"writes {store} from the old reading"),
        ),
        evidence=(other,),
        chain=("read", "suspend", "write", *sorted(pair.write.keys)[:1]),
        facts=lock_facts(analysis, identity, pair.read.event, pair.write.event),
    )


_CELL_STEPS = {
    "attribute-path": ("read here", "written from the old reading"),
    "drained-buffer": ("its content is handed on", "emptied, with what was added meanwhile"),
    "get-or-create": ("found missing", "filled, whatever is there by now"),
    "unit-of-work": ("its row is read here", "set from the old reading"),
}


def _cell_finding(analysis: Analysis, found: StaleCell) -> Finding:
    identity, cell = found.function, short_cell((found.cell,))
    reads, writes = _CELL_STEPS[found.kind]
    other = _other_writer(analysis, found)
    own = found.kind == "drained-buffer" and analysis.program.owner(found.write.origin[0]) == analysis.program.owner(identity)
    where, event = found.write.origin if own else (identity, found.write.event)
    return Finding(
        function=where, event=event, kind=found.kind, confidence=_cell_confidence(analysis, found),
        fields={
            "store": cell, "read": At(identity, found.read), "write": At(where, event),
            "suspension": At(identity, found.suspension), "writer": other.text,
        },
        flow=(
            FlowStep(identity, found.read, reads),
            FlowStep(identity, found.suspension, "another writer can run here", by="another writer"),
            FlowStep(where, event, writes),
        ),
        evidence=(other,),
        chain=(found.kind, found.cell),
        facts={"container": container_of(analysis, where, event)},
    )


def _other_writer(analysis: Analysis, found: StaleCell) -> Evidence:
    if found.others:
        first = min(found.others, key=lambda change: is_begin_or_end(analysis, found.cell, change))
        return Evidence(f"second writer: `{analysis.program.symbol(first.function)}`", first.function, first.mutation.event)
    if found.beside is not None:
        return Evidence("second writer: the same function, of which several are started here", found.beside.caller, found.beside.event)
    return Evidence("second writer: another call of the same function")


def _cell_confidence(analysis: Analysis, found: StaleCell) -> Confidence:
    """How sure it is that somebody else writes in between: the program itself starts the two, or both can be called."""
    if found.beside is None and found.others and all(analysis.guards.is_dispatched(other.function) for other in found.others):
        return "low"                                      # the object lets its own entry points in one at a time
    if found.beside is not None and (found.kind != "get-or-create" or found.goes_through):
        return "medium"
    if found.task is not None and found.kind != "get-or-create" and any(map(puts_something, found.others)):
        return "medium"
    if found.kind == "attribute-path" and all(is_begin_or_end(analysis, found.cell, other) for other in found.others):
        return "low"                                      # they fill it at the start, or reset it at the end
    callable_by_all = found.kind in ("drained-buffer", "unit-of-work") or not is_private(analysis, found.function)
    return "medium" if found.others and found.goes_through and callable_by_all else "low"


def _confidence(pair: Pair) -> Confidence:
    if pair.doubtful:
        return "low"
    if pair.sameness in ("object", "key", "place") and pair.between and pair.write.medium != "interface":
        return "high"
    return "medium"


def _second_writer(analysis: Analysis, pair: Pair) -> Evidence:
    other = second_writer(analysis, pair.function, pair.read, pair.write)
    if other is None:
        return Evidence("second writer: another call of the same function")
    return Evidence(f"second writer: `{analysis.program.symbol(other.function)}`", other.function, other.effect.event)
