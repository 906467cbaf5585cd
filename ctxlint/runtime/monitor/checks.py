"""The questions asked of what was observed; each is the dynamic twin of a rule.

An *operation* is one call of a function of the program in which both mutations and appends happen; an event belongs
to the innermost such call.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from types import FrameType

from .arguments import Finding
from .events import NAME, WHOLE, Event, Recorder
from .freezing import freeze

Found = Iterator[tuple[str, tuple[tuple[Event, str], ...], int, str]]


def findings(recorder: Recorder, cell: str, journal: str) -> list[Finding]:
    """Return everything that is wrong with the order of the recorded events, in their order."""
    checks: tuple[Callable[[Recorder], Found], ...] = (_late, _swallowed, _aliased, _stale)
    found = [item for check in checks for item in check(recorder)]
    found.sort(key=lambda item: item[1][item[2]][0].number)
    result: list[Finding] = []
    for kind, steps, primary, scenario in found:
        words = {"cell": cell, "journal": journal}
        told = tuple(event.step(note.format(**words)) for event, note in steps)
        finding = Finding(kind, cell, journal, told, primary, scenario.format(**words))
        if finding not in result:
            result.append(finding)
    return result


def _late(recorder: Recorder) -> Found:
    """The first event of an operation is a mutation, and it ends in, or has its number of, appends."""
    for events in _operations(recorder).values():
        appends = [event for event in events if event.kind == "append" and event.ended]
        mutations = [event for event in events if event.kind == "mutate"]
        first = events[0]
        if first.kind != "mutate" or not appends or _was_taken_back(recorder, mutations, appends):
            continue
        if events[-1].kind == "append" or len(appends) >= len(mutations):
            record = next(event for event in appends if event.number > first.number)
            yield (
                "late",
                ((first, "changes {cell}"), (record, "records it in {journal}")),
                0,
                "If 2 fails, the change of 1 stays and recovery does not know it.",
            )


def _was_taken_back(recorder: Recorder, mutations: list[Event], appends: list[Event]) -> bool:
    """Say whether an append failed and the operation left the cell as it found it."""
    return any(event.failure is not None for event in appends) and not _stands(recorder, mutations)


def _swallowed(recorder: Recorder) -> Found:
    """An append failed, or never ended, within an operation that went on as if it had not."""
    for frame, events in _operations(recorder).items():
        mutations = [event for event in events if event.kind == "mutate"]
        for append in (event for event in events if event.kind == "append"):
            lost = not append.ended or (append.failure is not None and _caught_within(append, frame))
            if lost and mutations and _stands(recorder, mutations):
                what = "never ends: nobody awaits it" if not append.ended else f"fails: {append.failure!r}"
                steps = [(append, "append to {journal} " + _braced(what)), (mutations[-1], "changes {cell}")]
                steps.sort(key=lambda step: step[0].number)
                yield (
                    "swallowed",
                    tuple(steps),
                    [event for event, _ in steps].index(append),
                    "The change stays, its record does not exist, and the caller is told nothing.",
                )


def _aliased(recorder: Recorder) -> Found:
    for append in recorder.events:
        if append.changed_by is not None:
            yield (
                "aliased",
                (
                    (append, "puts a mutable part of {cell} into {journal}"),
                    (append.changed_by, "changes it, and the record with it"),
                ),
                0,
                "Restoring from {journal} brings back the changed content, not the content of 1.",
            )


def _stale(recorder: Recorder) -> Found:
    """A write replaces what its actor read before another actor changed it."""
    for position, write in enumerate(recorder.events):
        if write.kind != "mutate" or not write.replaces:
            continue
        earlier = recorder.events[:position]
        own = (event for event in reversed(earlier) if event.kind == "read" and event.actor == write.actor)
        read = next((event for event in own if _is_base(event, write)), None)
        if read is None:
            continue
        since = (event for event in reversed(earlier) if event.kind == "mutate" and event.number > read.number)
        other = next((event for event in since if event.actor != write.actor and _meets(event, write)), None)
        if other is not None:
            yield (
                "stale",
                ((read, "reads {cell}"), (other, "another writer changes {cell}"), (write, "writes what 1 led to")),
                2,
                "The change of 2 is overwritten, and nobody notices.",
            )


def _operations(recorder: Recorder) -> dict[FrameType, list[Event]]:
    kinds: dict[FrameType, set[str]] = {}
    events = [event for event in recorder.events if event.kind != "read"]
    for event in events:
        for frame in _inside(event, recorder):
            kinds.setdefault(frame, set()).add(event.kind)
    operations: dict[FrameType, list[Event]] = {}
    for event in events:
        for frame in _inside(event, recorder):
            if len(kinds[frame]) == 2:
                operations.setdefault(frame, []).append(event)
                break
    return operations


def _inside(event: Event, recorder: Recorder) -> list[FrameType]:
    """Return the calls that may be the event's operation: the test function only when the event is in it directly."""
    direct = event.frames[:1]
    return [frame for frame in event.frames if frame not in recorder.outside or frame in direct]


def _stands(recorder: Recorder, mutations: list[Event]) -> bool:
    """Say whether the operation leaves the cell other than it found it."""
    following = (
        event
        for event in recorder.events
        if event.kind == "mutate" and event.number > mutations[-1].number and event not in mutations
    )
    after = next(following, None)
    return mutations[0].before != (freeze(recorder.content()) if after is None else after.before)


def _caught_within(append: Event, operation: FrameType) -> bool:
    """Say whether the append's exception never left the call: a traceback begins where it was caught."""
    trace = append.failure.__traceback__ if append.failure is not None else None
    catcher = None if trace is None else trace.tb_frame
    while catcher is not None and catcher not in append.frames:
        catcher = catcher.f_back
    # A task that nobody awaits ends with its exception; no call of the program is the catcher then.
    return catcher is None or append.frames.index(catcher) <= append.frames.index(operation)


def _is_base(read: Event, write: Event) -> bool:
    """Say whether a write may rest on a read: an item on that item or on everything, everything on anything."""
    if write.part[0] == "item":
        return read.part in (write.part, WHOLE)
    return read.part in (NAME, WHOLE)


def _meets(other: Event, write: Event) -> bool:
    either: tuple[tuple[Hashable, ...], ...] = (WHOLE, NAME)
    return other.part == write.part or other.part in either or write.part in either


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
