"""What recovery rebuilds, and who else changes a cell.

A *restore* is a function that reads a store and stores what it read into a cell: after a crash, that cell is what the store
says.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxlint.calls.mutations import Mutation
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.ir.value import Constant


class Restore(msgspec.Struct, frozen=True, gc=False):
    """`function` fills cell `cell` at `event` with what it read from the store `keys` at `read`."""

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
        self._restores: dict[str, list[Restore]] = {}
        self._changes: dict[str, list[Change]] = {}
        for identity in summaries.view.program.functions():
            self._collect(identity)

    def restores(self, cells: Iterable[str]) -> tuple[Restore, ...]:
        """The functions that rebuild one of the cells from a store, nearest first."""
        found = [restore for cell in cells for restore in self._restores.get(cell, ())]
        return tuple(sorted(found, key=lambda r: (r.distance, r.function, r.event)))

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
            if mutation.distance <= 2:
                self._collect_restores(identity, mutation)

    def _collect_restores(self, identity: FunctionId, mutation: Mutation) -> None:
        if all(isinstance(value, Constant) for value in mutation.values):
            return
        sources = self._summaries.sources.of_all(identity, mutation.event, mutation.values)
        for source in sorted(sources, key=lambda s: s.event):
            if source.kind != "read" or source.event < 0:
                continue
            for effect in self._summaries.effects_at(identity, source.event):
                if effect.kind == "read" and effect.keys:
                    for cell in mutation.cells:
                        self._restores.setdefault(cell, []).append(
                            Restore(identity, cell, mutation.event, source.event, effect.keys, effect.distance + mutation.distance)
                        )
