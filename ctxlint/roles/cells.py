"""What recovery rebuilds, and who else changes a cell.

A *restore* is a function that reads a store and stores what it read into a cell: after a crash, that cell is what the store
says.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.roles.entering import Entering

NEAR = 2
"""A cell that is filled further down than this many calls is filled by the callee."""


class Restore(msgspec.Struct, frozen=True, gc=False):
    """`function` fills cell `cell` at `event` with what it read from the store `keys` at `read`.

    The content flows into the cell; what is only used as a key, or changes something inside the object that the cell holds,
    fills nothing.
    """

    function: FunctionId
    cell: str
    event: int
    read: int
    keys: frozenset[str]
    distance: int


class Change(msgspec.Struct, frozen=True, gc=False):
    """A function that changes a cell itself."""

    function: FunctionId
    mutation: Mutation


class Cells:
    """Restores and changes of every cell of a program, by the cell's name."""

    def __init__(self, summaries: Summaries) -> None:
        self._summaries = summaries
        self.entering = Entering(summaries)
        self._restores: dict[str, list[Restore]] = {}
        self._changes: dict[str, list[Change]] = {}
        self._sorted: dict[tuple[tuple[str, ...], frozenset[str] | None], tuple[Restore, ...]] = {}
        for identity in summaries.view.program.functions():
            self._collect(identity)

    def restores(self, cells: Iterable[str]) -> tuple[Restore, ...]:
        """The functions that rebuild one of the cells from a store, nearest first."""
        return self.restores_from(tuple(cells), None)

    def restores_from(self, cells: tuple[str, ...], keys: frozenset[str] | None) -> tuple[Restore, ...]:
        """The same, of those that read a store with one of `keys` (of any store: None)."""
        known = self._sorted.get((cells, keys))
        if known is None:
            found = [restore for cell in cells for restore in self._restores.get(cell, ()) if keys is None or restore.keys & keys]
            known = self._sorted[cells, keys] = tuple(sorted(found, key=lambda r: (r.distance, r.function, r.event)))
        return known

    def rebuilt_stores(self) -> frozenset[str]:
        """The keys of the stores from which some cell is rebuilt."""
        return frozenset().union(*(restore.keys for found in self._restores.values() for restore in found))

    def changes(self, cell: str) -> tuple[Change, ...]:
        """The functions that change the cell by operations of their own."""
        return tuple(self._changes.get(cell, ()))

    def _collect(self, identity: FunctionId) -> None:
        for mutation in self._summaries.of(identity).mutations:
            if not mutation.cells:
                continue
            if mutation.distance == 0:
                for cell in mutation.cells:
                    self._changes.setdefault(cell, []).append(Change(identity, mutation))
            if mutation.distance <= NEAR:
                self._collect_restores(identity, mutation)

    def _collect_restores(self, identity: FunctionId, mutation: Mutation) -> None:
        cell = filled_cell(mutation)
        if cell is None:
            return
        for source in sorted(self.entering.content(identity, mutation), key=lambda s: s.event):
            if source.kind == "read" and source.event >= 0:
                for effect in nearest_reads(self._summaries, identity, source.event):
                    self._restores.setdefault(cell, []).append(
                        Restore(identity, cell, mutation.event, source.event, effect.keys, effect.distance + mutation.distance)
                    )


def filled_cell(mutation: Mutation) -> str | None:
    """The cell that the mutation stores into itself: its attribute, or an item of it; None if it only changes a part inside."""
    if not mutation.cells:
        return None
    fields = [step for step in mutation.path.steps if not step.startswith("[")]
    innermost = mutation.cells[-1]
    return innermost if not fields or innermost.rpartition(".")[2] == fields[-1] else None


def nearest_reads(summaries: Summaries, identity: FunctionId, event: int) -> tuple[StoreEffect, ...]:
    """The reads of a store that the event is for: the nearest ones, and those behind the same interface."""
    reads = [e for e in summaries.effects_at(identity, event) if e.kind == "read" and e.keys]
    nearest = min((e.distance for e in reads), default=0)
    behind = nearest + 1 if any(e.medium == "interface" and e.distance == nearest for e in reads) else nearest
    return tuple(e for e in reads if e.distance <= behind)
