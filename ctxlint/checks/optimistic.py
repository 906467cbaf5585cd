"""Optimistic validation that looks at the places which are written alone, while those that were read were noted, too.

A container is filled with the keys by which a function reads the state; beside it is kept what is to be written.
Where that is stored, it is first asked whether the places to be written are what they were.
The noted keys take part in no comparison at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis
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
    reading = list(_noted_at_reads(analysis, recordings))
    if not reading:
        return
    validations = Validations(analysis.view, carriers)
    uncompared = Uncompared(analysis, carriers, validations)
    for module in sorted({note.function.module for note in reading}):
        functions = [identity for identity in analysis.program.functions() if identity.module == module]
        fills = [note for identity in functions for note in recordings.noted(identity) if _is_kept(note)]
        noted = [note for note in reading if note.function.module == module and _has_writer(uncompared, fills, note)]
        for identity in functions if noted else ():
            applied = [each for each in recordings.applied(identity) if each.kept and each.state]
            tests = [test for test in validations.of(identity) if test.decides] if applied else []
            if tests:
                elsewhere = [note for note in noted if note.function != identity]
                yield from _left_out(recordings, uncompared, elsewhere, fills, applied, tests)


def _noted_at_reads(analysis: Analysis, recordings: Recordings) -> Iterator[Noted]:
    """The keys by which a function reads out of one thing and which it puts into another, that outlives it."""
    for identity in analysis.program.functions():
        notes = [note for note in recordings.noted(identity) if _is_kept(note)]
        looked = list(recordings.looked_up(identity)) if notes else []
        for note in notes:
            if any(note.key == key and not container & note.containers for _, container, key in looked):
                yield note


def _is_kept(note: Noted) -> bool:
    """Whether a container is more than a variable of the function that fills it."""
    own = f"{note.function.module}:{note.function.index}"
    return any(carrier.kind != "variable" or carrier.scope != own for carrier in note.containers)


def _has_writer(uncompared: Uncompared, fills: list[Noted], note: Noted) -> bool:
    """Whether another function fills something that is kept beside what is noted, or the keys are handed on to a record."""
    return any(
        each.function != note.function and uncompared.are_beside(read, other)
        for read in note.containers for each in fills for other in each.containers
    ) or any(read.kind == "field" for read in note.containers)


def _left_out(
    recordings: Recordings, uncompared: Uncompared, noted: list[Noted], fills: list[Noted], applied: list[Applied], tests: list[Test],
) -> Iterator[WritesAlone]:
    for kept in sorted(frozenset().union(*(each.kept for each in applied))):
        own = [each for each in applied if kept in each.kept and kept not in each.state]
        state = frozenset().union(*(each.state for each in own))
        writing = [note for note in fills if kept in note.containers]
        written = _filled_beside(fills, kept)
        for test in tests:
            if not own or not _asks(test, written, state, frozenset().union(*(each.state for each in own if each.by_key))):
                continue
            for note in noted:
                read = next((each for each in sorted(note.containers) if each not in written | state), None)
                if read is None or test.function == note.function or _is_write(fills, kept, note):
                    continue
                if not (writing or kept.kind == "field") or not _is_of_the_state(recordings, note, writing):
                    continue
                beside = uncompared.kept_beside(read, kept, _recording(noted, read))
                if beside is not None and (writing or beside != read) and not test.mentioned & {read, beside}:
                    yield WritesAlone(test, kept, beside, note)


def _recording(noted: Iterable[Noted], read: Carrier) -> frozenset[FunctionId]:
    return frozenset(note.function for note in noted if read in note.containers)


def _filled_beside(fills: list[Noted], kept: Carrier) -> frozenset[Carrier]:
    """What is filled with the keys under which something is kept to be written, where it is."""
    where = {(note.function, note.key) for note in fills if kept in note.containers}
    return frozenset([kept]).union(*(note.containers for note in fills if (note.function, note.key) in where))


def _is_write(fills: list[Noted], kept: Carrier, note: Noted) -> bool:
    """Whether a key is noted where something is kept to be written under it."""
    return any(each.function == note.function and each.key == note.key and kept in each.containers for each in fills)


def _asks(test: Test, written: frozenset[Carrier], state: frozenset[Carrier], mapping: frozenset[Carrier]) -> bool:
    """Whether a test asks of what is written if the state is what it was; not only if a key is there in the state."""
    if not test.mentioned & written or not test.mentioned & (state - written):
        return False
    return not (test.membership and test.container & mapping)


def _is_of_the_state(recordings: Recordings, note: Noted, writing: list[Noted]) -> bool:
    """Whether what is read has something in common with what is looked up where something is kept to be written."""
    looked = [recordings.names_looked_up(each.function, each.key) for each in writing]
    own = recordings.names_looked_up(note.function, note.key)
    return not any(looked) or any(own & each for each in looked) or not own
