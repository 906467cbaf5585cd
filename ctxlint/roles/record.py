"""An undo record in memory, the edits by which it is replayed, and which places edits are at."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.value import Value
from ctxlint.roles.commands import Command
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holder
from ctxlint.roles.parts import Part


class Record(msgspec.Struct, frozen=True, gc=False):
    """A record put into `container` at `event` of `function`; `made` is the event that puts it together."""

    function: FunctionId
    event: int
    container: Holder
    parts: dict[Holder, Part]
    made: int
    value: Value | None = None
    distance: int = 0
    inverse: FunctionId | None = None
    """The function that the record holds, if it is one to be called: its captured variables are the parts."""
    command: Command | None = None
    """The methods that make the edit and take it back, if the record is an object that knows both."""
    bound: Edit | None = None
    """The edit that the record's bound method and arguments will make, if it holds those."""
    below: tuple[FunctionId, int] | None = None
    """Where a callee puts it together of several things that this function passes."""

    @property
    def kept(self) -> FunctionId | None:
        """The function of the program that the record holds, alone or with what it is to be called with."""
        return self.bound.below[0] if self.inverse is None and self.bound is not None and self.bound.below is not None else self.inverse


class Replay(msgspec.Struct, frozen=True, gc=False):
    """An edit at a place that comes from a record of `container`; `places` are the parts that say where."""

    function: FunctionId
    edit: Edit
    container: Holder
    places: frozenset[Holder]


class Uses:
    """Edits by the places that say where they are."""

    def __init__(self) -> None:
        self._by_place: dict[Holder, list[tuple[FunctionId, Edit, frozenset[Holder]]]] = {}
        self.containers: set[Holder] = set()

    def add(self, function: FunctionId, edit: Edit, places: frozenset[Holder]) -> None:
        """Note that an edit is at these places."""
        for place in places:
            self._by_place.setdefault(place, []).append((function, edit, places))
            steps = place.split("[")
            self.containers.update("[".join(steps[:n]) for n in range(1, len(steps)))

    def within(self, part: Holder) -> Iterator[tuple[FunctionId, Edit, frozenset[Holder]]]:
        """The edits at a part of a record."""
        yield from self._by_place.get(part, ())

    def knows(self, part: Holder) -> bool:
        """Whether some edit is at this place."""
        return part in self._by_place
