"""A store is overwritten before what it held is kept in another one, and no transaction holds both.

The second store is the undo record of the first by what flows into it: content that was read from the first before the change.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.compensation import writes_after_failure
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.record_facts import record_facts
from ctxlint.checks.wording import store_name
from ctxlint.flow.paths import between, path
from ctxlint.ir.value import AccessPath

NEAR = 1
"""Stores that are changed further down than this many calls are the callee's."""


class Replay(msgspec.Struct, frozen=True):
    """The function that reads the record and writes it back into the first store, and both events."""

    function: FunctionId
    read: int
    write: int


def before_other_store(analysis: Analysis, identity: FunctionId) -> Iterator[Finding]:
    """Report changes of a store whose old content is only afterwards kept in another store."""
    effects = [e for e in analysis.summaries.of(identity).effects
               if e.keys and e.distance <= NEAR and not e.staged and not e.deferred]
    changes = [e for e in effects if e.kind in ("write", "delete")]
    records = [e for e in effects if e.kind in ("append", "write")]
    if not changes or not records or len({e.event for e in (*changes, *records)}) < 2:
        return
    for record in records:
        for change in changes:
            if change.event != record.event and not change.keys & record.keys and _is_reported(analysis, identity, change, record):
                replay = _replay(analysis, identity, change, record)
                if replay is not None:
                    yield _finding(analysis, identity, change, record, replay)
                    break


def _is_reported(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    graph = analysis.view.graph(identity)
    others = {e.event for e in analysis.summaries.of(identity).effects if e.keys & record.keys and e.kind != "read"}
    if not _keeps_old_content(analysis, identity, change, record):
        return False
    fact = ""
    if any(comes_before(graph, other, change.event) for other in others):
        fact = "what the store held is kept elsewhere before it is overwritten"
    elif path(graph, change.event, record.event, start="completed", consistent=False) is None:
        fact = "the record does not follow the change"
    elif in_one_transaction(analysis, identity, change.event, record.event):
        fact = "the change and its record are in one transaction"
    elif writes_after_failure(analysis, identity, change, record.event):
        fact = "a handler writes the old content back when the record fails"
    if fact:
        analysis.spare(identity, change.event, fact, record.event)
    return not fact


def _keeps_old_content(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    """Whether the record holds what was read from the changed store before the change."""
    for source in analysis.summaries.sources.of_all(identity, record.event, record.contents):
        if source.kind == "read" and 0 <= source.event < change.event:
            if any(e.kind == "read" and e.keys & change.keys for e in analysis.summaries.effects_at(identity, source.event)):
                return True
    return False


def in_one_transaction(analysis: Analysis, identity: FunctionId, first: int, second: int) -> bool:
    """Whether both go through the same connection, and nothing between them commits or leaves a context of that connection."""
    if analysis.guards.held(identity, first) & analysis.guards.held(identity, second):
        return True
    holders = _holders(analysis, identity, first)
    if not holders or holders != _holders(analysis, identity, second):
        return False
    for number in between(analysis.view.graph(identity), first, second):
        event = analysis.view.event(identity, number)
        if any(e.kind == "commit" for e in analysis.summaries.effects_at(identity, number)):
            return False
        if event.kind == "exit" and event.value is not None and holders & _named(analysis, identity, number, AccessPath(event.value)):
            return False
    return True


def _holders(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[str]:
    """What the call goes to: the attribute that holds the connection, or the local object."""
    at = analysis.view.event(identity, event).path
    return frozenset() if at is None or not at.steps else _named(analysis, identity, event, AccessPath(at.root, at.steps[:-1]))


def _named(analysis: Analysis, identity: FunctionId, event: int, holder: AccessPath) -> frozenset[str]:
    names = set()
    for each in analysis.view.resolve_path(identity, event, holder):
        cells = cells_of(analysis.view, identity, event, each)
        names.add(cells[-1] if cells else repr(each))
    return frozenset(names)


def _replay(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> Replay | None:
    for access in analysis.stores.readers(record.keys, but=(identity,)):
        for effect in analysis.summaries.of(access.function).effects:
            if effect.kind == "write" and effect.keys & change.keys:
                sources = analysis.summaries.sources.of_all(access.function, effect.event, effect.contents)
                if any(s.kind == "read" and s.event == access.effect.event for s in sources):
                    return Replay(access.function, access.effect.event, effect.event)
    return None


def _finding(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, replay: Replay) -> Finding:
    view = analysis.view
    changed, kept, recovery = store_name(change), store_name(record), analysis.program.symbol(replay.function)
    return Finding(
        function=identity, event=change.event, kind="two-stores", confidence="medium",
        fields={
            "cell": changed, "journal": kept, "mutation": str(view.line(identity, change.event)),
            "record": str(view.line(identity, record.event)), "recovery": recovery,
            "fault": f"line {view.line(identity, record.event)}",
        },
        flow=(
            FlowStep(identity, change.event, f"overwrites {changed}"),
            FlowStep(identity, record.event, f"keeps what it held in {kept}; can fail here"),
            FlowStep(replay.function, replay.write, f"writes it back into {changed}"),
        ),
        evidence=(Evidence(f"journal: `{recovery}` reads {kept} back into {changed}", replay.function, replay.read),),
        chain=("write", *sorted(change.keys)[:1], "record", *sorted(record.keys)[:1]),
        facts=record_facts(analysis, identity, change.event, record.event, ()),
    )
