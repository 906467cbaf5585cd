"""A store is changed before what it held, or where it was, is kept in another one, and no transaction holds both.

The second store is the undo record of the first by what flows into it: content that was read from the first before the change,
or the place from which a file is moved away. Or the first is only added to what the second is added to, too, and made again from it;
or a row is changed and committed, and what it became is an entry of another table in a unit of its own, from which a rebuild makes
the first table again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sources import named_in
from ctxlint.calls.terms import parameters
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import is_same_place, writes_after_failure
from ctxlint.checks.connections import holders
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.recording.found_again import found_again
from ctxlint.checks.recording.left_contexts import in_time
from ctxlint.checks.recording.record_facts import record_facts
from ctxlint.checks.recording.units import ends_between
from ctxlint.checks.wording import store_name
from ctxlint.flow.paths import path
from ctxlint.ir.value import Value
from ctxlint.roles.stores import Access

NEAR = 1
"""Stores that are changed further down than this many calls are the callee's."""
DEEP = 3
"""How many calls down the entry may be that a second attempt never comes to."""

Kept = Literal["content", "place", "entry", "row"]


class Replay(msgspec.Struct, frozen=True):
    """The function that reads the record and takes the change back with it, and both events."""

    function: FunctionId
    read: int
    write: int


def before_other_store(analysis: Analysis, identity: FunctionId) -> Iterator[Finding]:
    """Report changes of a store whose old content, or old place, is only afterwards kept in another store, and those after which a
    second attempt never comes to the entry of the other store.
    """
    timed = in_time(analysis, identity)
    effects = [e for e in timed if e.distance <= DEEP and not e.staged and not e.deferred]
    records = [e for e in effects if e.keys and (e.kind in ("append", "write") or e.kind == "move" and e.atomic and e.contents)]
    changes = [
        e for e in effects if e.distance <= NEAR and (e.kind in ("write", "delete", "move", "append") and e.keys or parameters(e.place))
    ] if records else []
    if not changes or len({e.event for e in (*changes, *records)}) < 2:
        return
    for record in records:
        for change in changes:
            if change.event == record.event or is_same_place(change, record) or _is_behind(timed, change, record):
                continue
            found = _is_record(analysis, identity, change, record, timed)
            if found is not None:
                yield found
                break


def _is_record(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, timed: Iterable[StoreEffect]
) -> Finding | None:
    near = record.distance <= NEAR and record.kind != "move" and (change.kind != "append" or change.medium == "store" and change.keys)
    kept = _kept(analysis, identity, change, record) if near else None
    trap = found_again(analysis, identity, change, record) if kept is None else None
    kept = "row" if trap is not None else kept
    if kept is None or not _is_reported(analysis, identity, change, record, timed):
        return None
    replay = _replay(analysis, identity, change, record, kept, trapped=trap is not None)
    return None if replay is None else _finding(analysis, identity, change, record, kept, replay, trap)


def _is_behind(timed: Iterable[StoreEffect], change: StoreEffect, record: StoreEffect) -> bool:
    """Whether the store of one of the two is behind the interface through which the other goes: then they are one store."""
    if "interface" not in (change.medium, record.medium):
        return False
    here, there = ({key for e in timed if e.event == each.event for key in e.keys} for each in (change, record))
    return not here.isdisjoint(there)


def _is_reported(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, timed: Iterable[StoreEffect]
) -> bool:
    graph = analysis.view.graph(identity)
    others = {e.event for e in timed if e.keys & record.keys and e.kind != "read"}
    fact = ""
    if any(comes_before(graph, other, change.event) for other in others):
        fact = "what the store held is kept elsewhere before it is overwritten"
    elif path(graph, change.event, record.event, start="completed", consistent=False) is None:
        fact = "the record does not follow the change"
    elif in_one_transaction(analysis, identity, change, record):
        fact = "the change and its record are in one transaction"
    elif writes_after_failure(analysis, identity, change, record.event):
        fact = "a handler takes the change back when the record fails"
    if fact:
        analysis.spare(identity, change.event, fact, record.event)
    return not fact


def _kept(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> Kept | None:
    """What of the state before the change is in the record: the content, or for a mere move the place where it was.

    What is only added to a store is in the record as an entry, from which the store can be made again.
    """
    recorded = analysis.summaries.sources.of_all(identity, record.event, record.contents)
    if change.kind == "append":
        added = analysis.summaries.sources.of_all(identity, change.event, change.contents)
        return "entry" if record.kind == "append" and named_in(added) & named_in(recorded) else None
    for source in recorded:
        if source.kind == "read" and 0 <= source.event < change.event:
            if any(e.kind == "read" and is_same_place(e, change) for e in analysis.summaries.effects_at(identity, source.event)):
                return "content" if change.keys or parameters(change.place) & named_in(recorded) else None
        elif source.kind == "read" and source.event == change.event and change.medium == record.medium == "sql":
            if _gives_what_was(analysis, identity, change):
                return "content"
    if change.medium == record.medium == "sql" and record.kind == "append":
        given = analysis.summaries.sources.of_all(identity, change.event, change.selects if change.kind == "delete" else change.contents)
        if named_in(given) & named_in(recorded) and ends_between(analysis, identity, change.event, record.event):
            return "row"
    if change.kind == "move" and change.distance == 0 and not change.contents and not change.leaves:
        ends = [named_in(analysis.summaries.sources.of(identity, change.event, a.value))
                for a in analysis.view.event(identity, change.event).arguments[:2]]
        told = named_in(recorded)
        if len(ends) == 2 and ends[0] & told and ends[0] - ends[1] <= told:
            return "place"
    return None


def _gives_what_was(analysis: Analysis, identity: FunctionId, change: StoreEffect) -> bool:
    """Whether the function that makes the change reads what it changes first, and gives it back."""
    for call in analysis.view.effective_calls(identity, change.event):
        for target in call.functions:
            effects = analysis.summaries.of(target).effects
            inner = [e.event for e in effects if e.origin == change.origin and e.distance == change.distance - 1]
            reads = [e.event for e in effects if e.kind == "read" and e.keys & change.keys and inner and e.event < inner[0]]
            for number, event in enumerate(analysis.view.function(target).events):
                if event.kind == "return" and event.value is not None and any(
                    s.kind == "read" and s.event in reads for s in analysis.summaries.sources.of(target, number, event.value)
                ):
                    return True
    return False


def in_one_transaction(analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect) -> bool:
    """Whether both go through the same connection, and nothing between them commits or leaves a context of that connection."""
    first, second = change.event, record.event
    if analysis.guards.held(identity, first) & analysis.guards.held(identity, second):
        return True
    connection = holders(analysis, identity, first)
    if not connection or connection != holders(analysis, identity, second):
        return False
    inside = change.medium == record.medium == "sql"       # what an interface commits for itself is not known of all who have it
    return not ends_between(analysis, identity, first, second, inside=inside)


def _replay(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, kept: Kept, *, trapped: bool
) -> Replay | None:
    recorded = analysis.summaries.sources.of_all(identity, record.event, record.contents)
    told = bool(parameters(change.place) & named_in(recorded))
    for access in _readers(analysis, identity, record):
        if kept == "row" and not trapped and not _makes_again(analysis, access, change):
            continue
        for effect in analysis.summaries.of(access.function).effects:
            if effect.medium != change.medium or effect.staged or effect.distance > NEAR or effect.event == access.effect.event:
                continue
            found = _moves_back(analysis, access, effect) if kept == "place" else _puts_back(analysis, access, change, effect) or (
                told and _puts_where_it_is_told(analysis, access, change, effect))
            if found:
                return Replay(access.function, access.effect.event, effect.event)
    return None


def _readers(analysis: Analysis, identity: FunctionId, record: StoreEffect) -> Iterator[Access]:
    """Who reads the record: the functions themselves, and those whom these give what they read."""
    for access in analysis.stores.readers(record.keys, but=(identity,)):
        yield access
        handed = [(over.caller, over.event) for over in analysis.concurrency.hand_overs(access.function) if over.awaited]
        named = any(not key.endswith("[]") for key in access.effect.keys & record.keys)
        called = (*analysis.view.call_graph.callers(access.function), *handed) if named and access.effect.distance < NEAR else ()
        for caller, event in called:
            if caller != identity:
                yield from (Access(caller, e) for e in analysis.summaries.effects_at(caller, event)
                            if e.kind == "read" and e.origin == access.effect.origin and e.distance <= NEAR)


def _puts_back(analysis: Analysis, access: Access, change: StoreEffect, effect: StoreEffect) -> bool:
    """Whether the effect writes what was read from the record to the changed place, or to the place that the record names."""
    adds = change.medium == "sql" or change.medium == "interface" and change.kind == "append"
    kinds = ("write", "move", "append") if adds else ("write", "move")
    if effect.kind not in kinds or not _is_made_of(analysis, access, effect.event, effect.contents):
        return False
    if effect.keys & change.keys or change.kind == "append":
        return bool(effect.keys & change.keys)
    asked = {s.name for s in analysis.summaries.sources.of_all(access.function, access.effect.event, access.effect.selects)
             if s.kind == "param"}
    return not change.keys and not effect.keys and parameters(effect.place) <= asked


def _makes_again(analysis: Analysis, access: Access, change: StoreEffect) -> bool:
    """Whether whoever reads the entries empties the changed table first: all that it holds then is what they say."""
    graph = analysis.view.graph(access.function)
    return any(
        e.kind == "delete" and e.keys & change.keys and not e.selects and (
            comes_before(graph, e.event, access.effect.event) or comes_before(graph, access.effect.event, e.event))
        for e in analysis.summaries.of(access.function).effects
    )


def _puts_where_it_is_told(analysis: Analysis, access: Access, change: StoreEffect, effect: StoreEffect) -> bool:
    """Whether the effect writes what was read from the record to a file that the record itself names."""
    if change.medium != "file" or effect.kind not in ("write", "move") or effect.keys or parameters(effect.place):
        return False
    event = analysis.view.event(access.function, effect.event)
    given = [argument.value for argument in event.arguments if argument.value not in effect.contents]
    if event.path is not None and event.path.steps:
        given.append(event.path.root)
    return _is_made_of(analysis, access, effect.event, effect.contents) and _is_made_of(analysis, access, effect.event, tuple(given))


def _moves_back(analysis: Analysis, access: Access, effect: StoreEffect) -> bool:
    """Whether the effect moves something from or to a place that was read from the record."""
    given = tuple(argument.value for argument in analysis.view.event(access.function, effect.event).arguments)
    return effect.kind == "move" and not effect.contents and _is_made_of(analysis, access, effect.event, given)


def _is_made_of(analysis: Analysis, access: Access, at: int, values: tuple[Value, ...]) -> bool:
    sources = analysis.summaries.sources.of_all(access.function, at, values)
    return any(s.kind == "read" and s.event == access.effect.event for s in sources)


_KINDS: dict[Kept, str] = {"content": "two-stores", "place": "moved", "entry": "derived", "row": "made-again"}
_DONE = {"write": "overwrites", "delete": "removes", "move": "overwrites"}


def _finding(
    analysis: Analysis, identity: FunctionId, change: StoreEffect, record: StoreEffect, kept: Kept, replay: Replay, trap: int | None
) -> Finding:
    changed, journal, recovery = store_name(change), store_name(record), analysis.program.symbol(replay.function)
    if kept == "place":
        steps = (f"moves something to {changed}", f"keeps where it was in {journal}; can fail here", "moves it back")
    elif kept == "row":
        done = f"changes {changed}, and commits it" if change.medium == "sql" else f"changes {changed}"
        steps = (done, f"writes the entry to {journal} in a unit of its own; can fail here", f"makes {changed} again from {journal}")
    elif kept == "entry":
        steps = (f"adds to {changed}", f"writes what was added to {journal}; can fail here", f"makes {changed} again from {journal}")
    else:
        steps = (f"{_DONE[change.kind]} {changed}", f"keeps what it held in {journal}; can fail here", f"writes it back into {changed}")
    where = _seen_at(analysis, identity, change)
    return Finding(
        function=where[0], event=where[1], kind=_KINDS[kept], confidence="medium",
        fields={
            "cell": changed, "journal": journal, "mutation": At(*where),
            "record": At(identity, record.event), "recovery": recovery,
            "fault": At(identity, record.event, "line {line}"),
        },
        flow=(
            *([FlowStep(identity, trap, f"a second attempt finds it in {changed} and leaves")] if trap is not None else ()),
            FlowStep(*where, steps[0]),
            FlowStep(identity, record.event, steps[1]),
            FlowStep(replay.function, replay.write, steps[2]),
        ),
        evidence=(Evidence(f"journal: `{recovery}` reads {journal} back", replay.function, replay.read),),
        chain=(change.kind, *sorted(change.keys)[:1], "record", *sorted(record.keys)[:1]),
        facts=record_facts(analysis, identity, change.event, record.event, ()) if where[0] == identity else {},
    )


def _seen_at(analysis: Analysis, identity: FunctionId, change: StoreEffect) -> tuple[FunctionId, int]:
    """Where the change stands for whoever reads the function: in the function inside it that it hands to somebody who runs it."""
    origin, event = change.origin
    is_inside = origin.module == identity.module and analysis.view.function(origin).enclosing == identity.index
    return (origin, event) if change.distance == 1 and is_inside and identity.index > 0 else (identity, change.event)
