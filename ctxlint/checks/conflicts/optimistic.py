"""Optimistic validation that looks at the places which are written alone, while those that were read were noted, too.

A container is filled with the keys by which a function reads the state; beside it is kept what is to be written.
Where that is stored, it is first asked whether the places to be written are what they were.
The noted keys take part in no comparison at all.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.uncompared import Uncompared
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Name, parts_of
from ctxlint.roles.carriers import Carrier, Carriers, scope_of
from ctxlint.roles.copied_state import CopiedState
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
    validations = Validations(analysis.view, carriers)
    uncompared = Uncompared(analysis, carriers, validations)
    for module in sorted(reading):
        functions = list(analysis.program.functions_in(module))
        fills = [note for identity in functions for note in recordings.noted(identity) if _is_kept(note)]
        noted = [note for note in reading[module] if _has_writer(uncompared, fills, note)]
        if not noted:
            continue
        copied = CopiedState(analysis.view, carriers, functions)
        for identity in functions:
            elsewhere = [note for note in noted if note.function != identity]
            applied = recordings.applied(identity) if elsewhere else ()
            tests = [test for test in validations.of(identity) if test.decides] if applied else []
            if tests:
                asked = _Asked(analysis.view, recordings, copied, identity)
                yield from _left_out(asked, uncompared, elsewhere, fills, applied, tests)


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
    own = scope_of(note.function)
    return any(carrier.kind != "variable" or carrier.scope != own for carrier in note.containers)


def _has_writer(uncompared: Uncompared, fills: list[Noted], note: Noted) -> bool:
    """Whether another function fills something that is kept beside what is noted, or the keys are handed on to a record."""
    return any(read.kind == "field" for read in note.containers) or any(
        each.function != note.function and uncompared.are_beside(read, other)
        for read in note.containers for each in fills for other in each.containers
    )


def _left_out(
    asked: _Asked, uncompared: Uncompared, noted: list[Noted], fills: list[Noted], applied: Iterable[Applied], tests: list[Test],
) -> Iterator[WritesAlone]:
    """The tests of what a function applies which no noted key takes part in; each question is asked of as few as can depend on it."""
    for kept in sorted(frozenset().union(*(each.kept for each in applied))):
        own = [each for each in applied if kept in each.kept and kept not in each.state]
        writing = [note for note in fills if kept in note.containers]
        if not (writing or kept.kind == "field") or not any(asked.outlives(each) for each in own):
            continue
        state = frozenset().union(*(each.state for each in own))
        mapping = frozenset().union(*(each.state for each in own if each.by_key))
        keys = {(note.function, note.key) for note in writing}
        written = frozenset([kept]).union(*(note.containers for note in fills if (note.function, note.key) in keys))
        asking = [test for test in tests if _asks(test, written, state) and asked.decides(test, own)]
        reads = list(_reads(asked, noted, writing, written | state, state)) if asking else []
        for test in asking:
            for note, read in reads:
                if note.function in (test.function, test.own[0]):
                    continue
                if test.membership and test.container & mapping and asked.looks_into(note, test.container):
                    continue                             # it is only asked if the key is there in the state
                beside = uncompared.kept_beside(read, kept, _recording(noted, read))
                if beside is not None and (writing or beside != read) and test.mentioned.isdisjoint((read, beside)):
                    yield WritesAlone(test, kept, beside, note)


def _reads(
    asked: _Asked, noted: list[Noted], writing: list[Noted], applied: frozenset[Carrier], state: frozenset[Carrier]
) -> Iterator[tuple[Noted, Carrier]]:
    """The noted keys of the state, and where they are noted: not where something is kept to be written under them."""
    keys = {(note.function, note.key) for note in writing}
    for note in noted:
        read = next((each for each in sorted(note.containers) if each not in applied), None)
        if read is not None and (note.function, note.key) not in keys and asked.reads(note, state):
            yield note, read


def _recording(noted: Iterable[Noted], read: Carrier) -> frozenset[FunctionId]:
    return frozenset(note.function for note in noted if read in note.containers)


def _asks(test: Test, written: frozenset[Carrier], state: frozenset[Carrier]) -> bool:
    """Whether a test asks of what is written if the state, or what is kept of it, is what it was."""
    if not test.about & written or not test.mentioned & (state - written):
        return False
    return not (test.membership and test.container & written) or not test.element.isdisjoint(state - written)


class _Asked:
    """What is asked of the function that applies what was kept."""

    def __init__(self, view: View, recordings: Recordings, copied: CopiedState, identity: FunctionId) -> None:
        self._view = view
        self._recordings = recordings
        self._copied = copied
        self._identity = identity

    def outlives(self, applied: Applied) -> bool:
        """Whether what something is stored in is more than a variable that the function throws away."""
        function = self._view.function(self._identity)
        formals = {formal.name for formal in function.formals}
        own = scope_of(self._identity)
        return any(
            carrier.kind != "variable" or carrier.scope != own or carrier.name in formals or carrier.name in self._given_away
            for carrier in applied.state
        )

    @functools.cached_property
    def _given_away(self) -> frozenset[str]:
        """The variables that the function returns, or puts into something else."""
        return frozenset(
            part.name for event in self._view.function(self._identity).events
            if event.value is not None and (event.kind in ("return", "write") or event.note == "yield")
            for part in parts_of(event.value) if isinstance(part, Name)
        )

    def decides(self, test: Test, applied: Iterable[Applied]) -> bool:
        """Whether what is kept is stored after the test on some way, and on another one not; by a callee that does both, there."""
        graph = self._view.graph(self._identity)
        stores = {each.event for each in applied}
        if (test.own[0] != self._identity and test.at in stores) or stores.isdisjoint(reachable(graph, test.at)):
            return False
        ends = {graph.exit, *(n for n, event in enumerate(graph.function.events) if event.kind == "raise")}
        raising = test.own[0] != self._identity and any(event.kind == "raise" for event in self._view.function(test.own[0]).events)
        return raising or path(graph, test.at, ends, stores, exceptional=False) is not None

    def reads(self, note: Noted, state: frozenset[Carrier]) -> bool:
        """Whether what is noted are keys by which the state is read that is written here."""
        looked = self._looked_up(note)
        return bool(looked) and (self._copied.are_one(looked, state) or self._copied.is_unknown(looked))

    def looks_into(self, note: Noted, container: frozenset[Carrier]) -> bool:
        """Whether what is noted are keys that are looked up in a container."""
        return self._copied.are_one(self._looked_up(note), container)

    def _looked_up(self, note: Noted) -> frozenset[Carrier]:
        return self._recordings.looked_up_in(note.function, note.key) - note.containers
