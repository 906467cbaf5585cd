"""Optimistic validation that looks at the places which are written alone, while those that were read were noted, too.

A container is filled with the keys by which a function reads the state; beside it is kept what is to be written.
Where that is stored, it is first asked whether the places to be written are what they were.
The noted keys take part in no comparison at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.uncompared import Uncompared
from ctxlint.roles.carriers import Carrier, Carriers
from ctxlint.roles.recordings import Applied, Noted, Recordings
from ctxlint.roles.validations import Test, Validations


class WritesAlone(msgspec.Struct, frozen=True):
    """A test of what is written, where a keyed note of what was read takes part in nothing."""

    test: Test
    written: Carrier
    read: Carrier
    noted: Noted


def writes_alone(analysis: Analysis) -> Iterator[WritesAlone]:
    """The validations of a program that leave out what was noted when the state was read."""
    carriers = Carriers(analysis.view)
    recordings = Recordings(analysis.view, carriers)
    reading: dict[str, list[Noted]] = {}
    for note in _noted_at_reads(analysis, recordings):
        reading.setdefault(note.function.module, []).append(note)
    functions: dict[str, list[FunctionId]] = {module: [] for module in reading}
    for identity in analysis.program.functions() if reading else ():
        if identity.module in functions:
            functions[identity.module].append(identity)
    validations = Validations(analysis.view, carriers)
    uncompared = Uncompared(analysis, carriers, validations)
    for module in sorted(reading):
        fills = [note for identity in functions[module] for note in recordings.noted(identity) if _is_kept(note)]
        noted = [note for note in reading[module] if _has_writer(uncompared, fills, note)]
        for identity in functions[module]:
            elsewhere = [note for note in noted if note.function != identity]
            applied = recordings.applied(identity) if elsewhere else ()
            tests = [test for test in validations.of(identity) if test.decides] if applied else []
            if tests:
                yield from _left_out(recordings, uncompared, elsewhere, fills, applied, tests)


def _noted_at_reads(analysis: Analysis, recordings: Recordings) -> Iterator[Noted]:
    """The keys by which a function reads out of one thing and which it puts into another, that outlives it."""
    for identity in analysis.program.functions():
        notes = [note for note in recordings.noted(identity) if _is_kept(note)]
        looked_up = recordings.looked_up(identity) if notes else ()
        for note in notes:
            if any(note.key == looked.key and note.containers.isdisjoint(looked.containers) for looked in looked_up):
                yield note


def _is_kept(note: Noted) -> bool:
    """Whether a container is more than a variable of the function that fills it."""
    own = f"{note.function.module}:{note.function.index}"
    return any(carrier.kind != "variable" or carrier.scope != own for carrier in note.containers)


def _has_writer(uncompared: Uncompared, fills: list[Noted], note: Noted) -> bool:
    """Whether another function fills something that is kept beside what is noted, or the keys are handed on to a record."""
    return any(read.kind == "field" for read in note.containers) or any(
        each.function != note.function and uncompared.are_beside(read, other)
        for read in note.containers for each in fills for other in each.containers
    )


def _left_out(
    recordings: Recordings, uncompared: Uncompared, noted: list[Noted], fills: list[Noted], applied: Iterable[Applied], tests: list[Test],
) -> Iterator[WritesAlone]:
    """The tests of what a function applies which no noted key takes part in; each question is asked of as few as can depend on it."""
    for kept in sorted(frozenset().union(*(each.kept for each in applied))):
        own = [each for each in applied if kept in each.kept and kept not in each.state]
        writing = [note for note in fills if kept in note.containers]
        if not own or not (writing or kept.kind == "field"):
            continue
        state = frozenset().union(*(each.state for each in own))
        mapping = frozenset().union(*(each.state for each in own if each.by_key))
        keys = {(note.function, note.key) for note in writing}
        written = frozenset([kept]).union(*(note.containers for note in fills if (note.function, note.key) in keys))
        asking = [test for test in tests if _asks(test, written, state, mapping)]
        reads = list(_reads(recordings, noted, writing, written | state)) if asking else []
        for test in asking:
            for note, read in reads:
                if test.function == note.function:
                    continue
                beside = uncompared.kept_beside(read, kept, _recording(noted, read))
                if beside is not None and (writing or beside != read) and test.mentioned.isdisjoint((read, beside)):
                    yield WritesAlone(test, kept, beside, note)


def _reads(
    recordings: Recordings, noted: list[Noted], writing: list[Noted], applied: frozenset[Carrier]
) -> Iterator[tuple[Noted, Carrier]]:
    """The noted keys of the state, and where they are noted: not where something is kept to be written under them."""
    keys = {(note.function, note.key) for note in writing}
    looked = [recordings.names_looked_up(*key) for key in keys]
    for note in noted:
        read = next((each for each in sorted(note.containers) if each not in applied), None)
        if read is not None and (note.function, note.key) not in keys and _is_of_the_state(recordings, note, looked):
            yield note, read


def _recording(noted: Iterable[Noted], read: Carrier) -> frozenset[FunctionId]:
    return frozenset(note.function for note in noted if read in note.containers)


def _asks(test: Test, written: frozenset[Carrier], state: frozenset[Carrier], mapping: frozenset[Carrier]) -> bool:
    """Whether a test asks of what is written if the state is what it was; not only if a key is there in the state."""
    if not test.mentioned & written or not test.mentioned & (state - written):
        return False
    return not (test.membership and test.container & mapping)


def _is_of_the_state(recordings: Recordings, note: Noted, looked: list[frozenset[str]]) -> bool:
    """Whether what is read has something in common with what is looked up where something is kept to be written."""
    own = recordings.names_looked_up(note.function, note.key)
    return not own or not any(looked) or any(not own.isdisjoint(each) for each in looked)
