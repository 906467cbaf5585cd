"""Mutations of memory whose record in a store comes afterwards and may fail.

The record is the entry from which a restore rebuilds this very cell: what goes into the cell goes into the entry, the entry goes
into a store, and a function reads that store back into the cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.names import resolve_name
from ctxlint.calls.sources import Source
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import changes_back, is_dropped_after_failure, is_read_back_before
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.key_spaces import in_other_spaces
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.recording.fallible import failure_escapes
from ctxlint.checks.recording.left_contexts import in_time
from ctxlint.checks.recording.made_here import is_new_here
from ctxlint.checks.recording.record_facts import record_facts
from ctxlint.checks.recording.relative_records import is_relative
from ctxlint.checks.retries import is_nothing, named, retry_trap
from ctxlint.checks.wording import short_cell, store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path
from ctxlint.ir.value import AccessPath, Compound, Constant
from ctxlint.roles.cells import HELD, Restore, held_store
from ctxlint.roles.entering import REMOVALS

NEAR_RECORD = 3
"""A record further down than this many calls is another function's business."""
NEAR_MUTATION = 1
"""A cell that is changed further down than this many calls is another function's business."""

ACCUMULATES = frozenset({"augment", "item", "delete", "add", "remove", "clear", "mutate"})
"""Changes that a later rebinding does not heal: what they did is only known from the record."""


class Record(msgspec.Struct, frozen=True):
    """A change of a store that may record the mutations of its function, and what was found out about it, to be asked once.

    `sources` are what goes into the record, `contents` the same as content; `others` are the events of the function that write
    this store, too. `restores` are those from this record's entries, by the cells that they rebuild; `followed` tells of the
    mutations' events whether the record comes after them.
    """

    effect: StoreEffect
    sources: frozenset[Source]
    contents: frozenset[tuple[str, str, int]]
    others: frozenset[int]
    restores: dict[tuple[str, ...], tuple[Restore, ...]]
    followed: dict[int, bool]


class Candidate(msgspec.Struct, frozen=True):
    """A mutation, the record that follows it, and the restore that rebuilds the cell from the record.

    `shares` tells that what goes into the cell (or names what leaves it) goes into the record; `heals` that the record repeats
    the whole cell, so that the next one makes up for a failed one; `trap` is where a second attempt leaves.
    """

    function: FunctionId
    mutation: Mutation
    record: StoreEffect
    restore: Restore
    shares: bool
    heals: bool
    trap: int | None


def before_store_record(analysis: Analysis, identity: FunctionId) -> Iterator[Finding]:
    """Report the function's mutations that a restore forgets when the record that follows them fails."""
    summary = analysis.summaries.of(identity)
    if is_constructor(analysis.view, identity):
        return
    mutations = [m for m in summary.mutations if m.cells and is_own(analysis, identity, m)]
    effects = in_time(analysis, identity) if mutations else ()
    records = [_record(analysis, identity, effect, effects) for effect in _records(analysis, identity, effects)]
    if analysis.silences is not None:
        _note_what_lacks(analysis, identity, mutations, records)
    for record in records:
        for mutation in mutations:
            candidate = _candidate(analysis, identity, mutation, record)
            if candidate is not None:
                yield _finding(analysis, candidate)
                break


def is_own(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    """Whether a cell that some restore rebuilds is changed by the function: near it, or by the very function with which the restore
    applies what it reads.
    """
    restores = analysis.cells.restores(mutation.cells)
    if mutation.distance <= NEAR_MUTATION or not restores:
        return bool(restores)
    applying = _called(analysis, identity, mutation.event)
    return any(r.distance > 0 and not applying.isdisjoint(_called(analysis, r.function, r.event)) for r in restores)


def _called(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[FunctionId]:
    return frozenset(target for call in analysis.view.effective_calls(identity, event) for target in call.functions)


def _note_what_lacks(
    analysis: Analysis, identity: FunctionId, mutations: Sequence[Mutation], records: Sequence[Record]
) -> None:
    """Say of the mutations that are no candidates which half of the argument there is not."""
    for mutation in analysis.summaries.of(identity).mutations:
        if mutation not in mutations:
            analysis.spare(identity, mutation.event, "no function rebuilds what is changed from a store")
        elif not records:
            analysis.spare(identity, mutation.event, "this function records the change in no store")


def _records(analysis: Analysis, identity: FunctionId, effects: Sequence[StoreEffect]) -> Iterator[StoreEffect]:
    """The changes of stores near enough to be this function's business, one for each event and store."""
    seen: set[tuple[int, frozenset[str]]] = set()
    for effect in effects:
        if effect.kind not in WRITES or not effect.keys or effect.distance > NEAR_RECORD or effect.staged or effect.deferred:
            continue
        if (effect.event, effect.keys) not in seen and _changes_store(analysis, identity, effect.event):
            seen.add((effect.event, effect.keys))
            yield msgspec.structs.replace(effect, keys=effect.keys | held_store(analysis.view, identity, effect.event))


def _record(analysis: Analysis, identity: FunctionId, effect: StoreEffect, effects: Sequence[StoreEffect]) -> Record:
    sources = _recorded(analysis, identity, effect)
    others = frozenset(
        e.event for e in effects
        if e.keys & effect.keys and e.kind in WRITES and e.event != effect.event and not e.deferred
    )
    return Record(effect, sources, frozenset(map(named, sources)), others, {}, {})


def _changes_store(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    """Whether the event is there to change a store: its nearest effect does, or it is where a manager that does is left."""
    effects = [e for e in analysis.summaries.effects_at(identity, event) if e.kind != "commit"]
    nearest = min((e.distance for e in effects), default=0)
    return not effects or any(e.kind in WRITES for e in effects if e.distance == nearest)


def _candidate(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record) -> Candidate | None:
    """The mutation and the record, if a failure between them can lose something."""
    at = record.effect.event
    if mutation.event == at or not can_record(mutation, record.effect):
        return None
    restores = _restores(analysis, mutation, record)
    if not restores:
        analysis.spare(identity, mutation.event, "no function rebuilds the changed cell from the store that is written", at)
        return None
    fact = _why_complete(analysis, identity, mutation, record, restores)
    if fact:
        analysis.spare(identity, mutation.event, fact, at)
        return None
    shares, heals = shares_content(analysis, identity, mutation, record), repeats_cell(analysis, identity, mutation, record)
    trap = retry_trap(analysis, identity, mutation, at)
    fact = _why_recovered(analysis, identity, mutation, record, restores, shares, heals, trap)
    if fact:
        analysis.spare(identity, mutation.event, fact, at)
        return None
    return Candidate(identity, mutation, record.effect, restores[0], shares, heals, trap)


def _restores(analysis: Analysis, mutation: Mutation, record: Record) -> tuple[Restore, ...]:
    """The functions that rebuild the changed cell from entries as the record is one."""
    known = record.restores.get(mutation.cells)
    if known is None:
        found = analysis.cells.restores_from(mutation.cells, record.effect.keys)
        known = record.restores[mutation.cells] = tuple([r for r in found if not reads_other_entries(analysis, r, record.effect)])
    return known


def _why_complete(
    analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record, restores: Sequence[Restore]
) -> str:
    """Why the change is no mutation that its record follows, in words; empty when it is one."""
    if any(r.function == identity for r in restores):
        return "this function itself rebuilds the cell from the store"
    if mutation.distance and not _called(analysis, identity, mutation.event).isdisjoint(r.function for r in restores):
        return "what changes the cell here is what rebuilds it from the store"
    if is_new_here(analysis, identity, mutation):
        return "the changed object is made here: a failure drops it"
    if not shares_content(analysis, identity, mutation, record) and not repeats_cell(analysis, identity, mutation, record):
        return "what goes into the cell does not go into what is written: it is no record of this change"
    if mutation.event not in record.followed:
        record.followed[mutation.event] = _follows(analysis, identity, mutation, record)
    return "" if record.followed[mutation.event] else "the record comes first, or another record of the store does"


def _why_recovered(
    analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record, restores: Sequence[Restore],
    shares: bool, heals: bool, trap: int | None,
) -> str:
    """Why a record that fails after the change loses nothing, in words; empty when it does."""
    if mutation.how in REMOVALS and all(analysis.cells.is_on_demand(r) for r in restores if r.distance == restores[0].distance):
        return "the cell is a cache: what it lost is loaded again"
    if trap is None and heals:
        return "the record repeats the whole cell, so that the next one makes up for a failed one"
    if trap is None and not _accumulates(analysis, identity, mutation) and not is_relative(
        analysis, mutation, record.effect, record.sources, restores
    ):
        return "the change sets a plain last value, which the next one sets again"
    if trap is None and record.effect.kind in ("write", "move") and not (
        is_entry_of(analysis, identity, mutation, record.effect, restores) or adds_before_image(analysis, identity, mutation, record)
    ):
        return "what is saved is no entry of the changed collection"
    if heals and not failure_escapes(analysis, identity, record.effect):
        return "nobody hears of the failure, so nobody tries again"
    if changes_back(analysis, identity, mutation, record.effect.event):
        return "a handler takes the change back when the record fails"
    if is_dropped_after_failure(analysis, identity, record.effect.event, restores):
        return "a handler drops the changed object when the record fails: it is loaded again"
    if is_read_back_before(analysis, identity, mutation, restores):
        return "the cell is loaded again from the store before its next use"
    return ""


def can_record(mutation: Mutation, record: StoreEffect) -> bool:
    """Whether the operation on the store says what the operation on the cell did: a deletion what leaves, a write what enters."""
    empties = mutation.how in REMOVALS or (mutation.how == "rebind" and all(map(is_nothing, mutation.values)))
    return empties if record.kind == "delete" else record.kind == "append" or mutation.how not in REMOVALS


def _follows(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record) -> bool:
    """Whether the record comes after the mutation, with no other record of the store before or between."""
    graph = analysis.view.graph(identity)
    if comes_before(graph, record.effect.event, mutation.event):
        return False
    if mutation.event in record.others:             # the change itself writes the store: it is an operation of the store
        return False
    if any(comes_before(graph, event, mutation.event) for event in record.others):
        return False
    rounds = {
        loop.head for loop in graph.derived(Loops).around(mutation.event) if record.effect.event in loop.body
    } - {mutation.event, record.effect.event}         # the record of the next round is that of another change
    return path(graph, mutation.event, record.effect.event, record.others | rounds, start="completed", consistent=False) is not None


def shares_content(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record) -> bool:
    """Whether what goes into the cell, or names what leaves it, goes into the record as well."""
    if mutation.how in REMOVALS:
        into_cell = analysis.cells.entering.keys(identity, mutation)
    else:
        into_cell = analysis.cells.entering.content(identity, mutation)
    if record.effect.kind == "append" and any(s.kind == "cell" and s.name == mutation.cells[-1] for s in record.sources):
        return True
    if adds_before_image(analysis, identity, mutation, record):
        return True
    return any(named(s) in record.contents for s in into_cell if s.kind in ("param", "call", "read"))


def _recorded(analysis: Analysis, identity: FunctionId, record: StoreEffect) -> frozenset[Source]:
    values = record.contents
    if record.kind == "delete":
        values = tuple(argument.value for argument in analysis.view.event(identity, record.event).arguments)
    return analysis.summaries.sources.of_all(identity, record.event, values)


def adds_before_image(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record) -> bool:
    """Whether the store is written again as it was read, with what the cell held before the change: that adds an undo record."""
    if record.effect.kind not in ("write", "move"):
        return False
    keys, recorded = record.effect.keys, record.sources
    return any(s.kind == "cell" and s.name == mutation.cells[-1] and s.event < mutation.event for s in recorded) and any(
        s.kind == "read" and any(e.keys & keys for e in analysis.summaries.effects_at(identity, s.event)) for s in recorded
    )


def repeats_cell(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Record) -> bool:
    """Whether the record is the whole cell: the next one repeats what a failed one should have said."""
    if not _writes_whole(analysis, identity, record.effect):
        return False
    if record.effect.cells.intersection(mutation.cells) or _contains_holder(analysis, identity, mutation, record.effect):
        return True
    return any(s.kind == "cell" and s.name in mutation.cells and s.event > mutation.event for s in record.sources)


def _writes_whole(analysis: Analysis, identity: FunctionId, record: StoreEffect) -> bool:
    """Whether the record replaces what the store held; of a method that others implement, whether all who do so that are seen."""
    if record.kind in ("write", "move"):
        return True
    implemented = [
        e.kind for e in analysis.summaries.effects_at(identity, record.event) if e.kind in WRITES and e.distance > record.distance
    ]
    return record.medium == "interface" and bool(implemented) and all(kind in ("write", "move") for kind in implemented)


def states_cell(analysis: Analysis, found: Candidate) -> bool:
    """Whether a number is counted up, the record says how far, and the restore sets the number from the record."""
    mutation, restore = found.mutation, found.restore
    added = [part for value in mutation.values if isinstance(value, Compound) for part in value.parts[1:]]
    if mutation.how != "augment" or not added or not all(isinstance(part, Constant) and part.kind == "int" for part in added):
        return False
    said = any(s.kind == "cell" and s.name in mutation.cells for s in _recorded(analysis, found.function, found.record))
    return said and all(
        change.how == "rebind"
        for change in analysis.summaries.mutations_at(restore.function, restore.event) if restore.cell in change.cells
    )


def reads_other_entries(analysis: Analysis, restore: Restore, record: StoreEffect) -> bool:
    """Whether what the restore reads from an interface is found by keys that are made in another way than the record's."""
    reads = [e for e in analysis.summaries.effects_at(restore.function, restore.read) if e.kind == "read" and e.keys & record.keys]
    return bool(reads) and all(in_other_spaces(analysis, record, read) for read in reads)


def is_entry_of(
    analysis: Analysis, identity: FunctionId, mutation: Mutation, record: StoreEffect, restores: Sequence[Restore]
) -> bool:
    """Whether the record puts the very entry into the store that the function itself puts into the collection."""
    if mutation.distance > 0 or mutation.how not in ("item", "add") or not any(r.cell in mutation.cells for r in restores):
        return False
    origins = analysis.view.origins(identity)
    put = {atom for value in mutation.values for atom in origins.identity(value, mutation.event) if atom[0] != "constant"}
    saved = {atom for value in record.contents for atom in origins.identity(value, record.event)}
    return bool(put & saved)


def _contains_holder(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: StoreEffect) -> bool:
    """Whether the object in which the cell lies is saved as a whole."""
    view = analysis.view
    for value in record.contents:
        for saved in view.resolve_path(identity, record.event, AccessPath(value)):
            for changed in view.resolve_path(identity, mutation.event, mutation.path):
                if saved.root == changed.root and len(saved.steps) < len(changed.steps) and changed.steps[: len(saved.steps)] == saved.steps:
                    return True
    return False


def _accumulates(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> bool:
    """Whether what the mutation did is lost with its record: a plain last value is made up for by the next one."""
    if mutation.how in ACCUMULATES:
        return True
    return any(
        (s.kind == "cell" and s.name in mutation.cells)
        or (s.kind == "global" and resolve_name(analysis.program, identity.module, identity.index, s.name) in mutation.cells)
        for s in analysis.cells.entering.content(identity, mutation)
    )


def _finding(analysis: Analysis, found: Candidate) -> Finding:
    identity = found.function
    cell, rebuilt = short_cell(found.mutation.cells[-1:]), short_cell((found.restore.cell,))
    store = store_name(msgspec.structs.replace(found.record, keys=effect_keys(found.record)))
    restore = analysis.program.symbol(found.restore.function)
    flow = [
        FlowStep(identity, found.mutation.event, f"changes `{cell}`"),
        FlowStep(identity, found.record.event, f"records it in {store}; can fail here"),
        FlowStep(found.restore.function, found.restore.event, f"rebuilds `{rebuilt}` from {store}"),
    ]
    if found.trap is not None:
        flow.insert(0, FlowStep(identity, found.trap, f"a second attempt sees the changed `{cell}` and leaves"))
    return Finding(
        function=identity, event=found.mutation.event, kind="store" if found.trap is None else "retry-trap",
        confidence=_confidence(analysis, found),
        fields={
            "cell": cell, "journal": store, "mutation": At(identity, found.mutation.event),
            "record": At(identity, found.record.event), "recovery": restore,
            "fault": At(identity, found.record.event, "line {line}"),
        },
        flow=tuple(flow),
        evidence=(Evidence(f"journal: `{restore}` reads {store} back into `{rebuilt}`", found.restore.function, found.restore.read),),
        chain=("mutate", found.mutation.cells[-1], found.mutation.how, "record", *sorted(effect_keys(found.record))[:1]),
        facts=record_facts(analysis, identity, found.mutation.event, found.record.event, found.mutation.cells),
    )


def effect_keys(record: StoreEffect) -> frozenset[str]:
    """The keys that name the store itself, where there are any, rather than the attribute that holds it."""
    return frozenset(key for key in record.keys if not key.startswith(HELD)) or record.keys


def _confidence(analysis: Analysis, found: Candidate) -> Confidence:
    if not _is_of_one_owner(analysis, found):
        return "low"                                     # one class changes what another restores in the objects of a third
    if found.trap is not None:
        return "high" if found.shares else "medium"
    if states_cell(analysis, found):
        return "low"                                     # the next record makes up for it; till then the number is ahead
    if found.record.kind in ("append", "delete"):
        return "high" if found.mutation.distance == 0 and found.restore.distance <= 1 else "medium"
    return "low"


def _is_of_one_owner(analysis: Analysis, found: Candidate) -> bool:
    """Whether two of the three are one's: the cell, the function that changes it, the function that restores it."""
    program = analysis.program
    owners = [
        program.owner(function) or function.module for function in (found.function, found.restore.function)
    ] + [found.restore.cell.rpartition(".")[0]]
    lineages = [set(info.mro) if (info := program.class_(owner)) is not None else {owner} for owner in owners]
    return any(owners[a] in lineages[b] or owners[b] in lineages[a] for a, b in ((0, 1), (0, 2), (1, 2)))
