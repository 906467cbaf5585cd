"""What recovery rebuilds, and who else changes a cell.

A *restore* is a function that reads a store and stores what it read into a cell: after a crash, that cell is what the store
says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.kept_places import kept_places
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.terms import parameters
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import AccessPath, Name, Result
from ctxlint.roles.entering import Entering
from ctxlint.roles.replayed import replayed
from ctxlint.roles.stores import under_kept_names
from ctxlint.roles.taken_out import takes_an_entry

NEAR = 2
"""A cell that is filled further down than this many calls is filled by the callee."""


HELD = "store held in "
"""How the key of a store object begins that is only known by the attribute that holds it."""


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
        self._set: dict[str, list[tuple[FunctionId, int]]] | None = None
        self._reaching: dict[str, list[tuple[FunctionId, Mutation]]] | None = None
        for identity in summaries.view.program.functions():
            self._collect(identity)

    def restores(self, cells: Iterable[str]) -> tuple[Restore, ...]:
        """The functions that rebuild one of the cells from a store, nearest first."""
        return self.restores_from(tuple(cells), None)

    def restores_from(self, cells: tuple[str, ...], keys: frozenset[str] | None) -> tuple[Restore, ...]:
        """The same, of those that read a store with one of `keys` (of any store: None)."""
        known = self._sorted.get((cells, keys))
        if known is None:
            names = [name for cell in cells for name in (cell, objects_of(cell.rpartition(".")[0]))]
            found = [r for name in names for r in self._restores.get(name, ()) if keys is None or r.keys & keys]
            known = self._sorted[cells, keys] = tuple(sorted(found, key=lambda r: (r.distance, r.function, r.event)))
        return known

    def restored(self) -> tuple[str, ...]:
        """The names of the cells that some function rebuilds from a store."""
        return tuple(sorted(self._restores))

    def rebuilt_stores(self) -> frozenset[str]:
        """The keys of the stores from which some cell is rebuilt."""
        return frozenset().union(*(restore.keys for found in self._restores.values() for restore in found))

    def changes(self, cell: str) -> tuple[Change, ...]:
        """The functions that change the cell by operations of their own."""
        return tuple(self._changes.get(cell, ()))

    def reaching(self, cell: str) -> tuple[tuple[FunctionId, Mutation], ...]:
        """The functions that change the cell, themselves or by what they call, each with its first such change of every path."""
        if self._reaching is None:
            self._reaching = {}
            for identity in self._summaries.view.program.functions():
                for mutation in self._summaries.of(identity).mutations:
                    for each in mutation.cells[-1:]:
                        self._reaching.setdefault(each, []).append((identity, mutation))
        return tuple(self._reaching.get(cell, ()))

    def set_fields(self, field: str) -> tuple[tuple[FunctionId, int], ...]:
        """Where an attribute of that name is set, of whatever object."""
        if self._set is None:
            self._set = {}
            for identity in self._summaries.view.program.functions():
                for number, event in enumerate(self._summaries.view.function(identity).events):
                    if event.kind == "write" and event.path is not None and event.path.steps:
                        self._set.setdefault(event.path.steps[-1], []).append((identity, number))
        return tuple(self._set.get(field, ()))

    def is_on_demand(self, restore: Restore) -> bool:
        """Whether the restore looks into the cell before it reads the store: a miss is made up for at the next use."""
        view = self._summaries.view
        graph = view.graph(restore.function)
        return any(
            event.path is not None and event.kind in ("read", "call") and number != restore.event
            and (self._looks(restore.function, number, restore.cell) or any(
                self._looks(callee, inner, restore.cell)
                for call in view.effective_calls(restore.function, number) for callee in call.functions
                for inner in range(len(view.function(callee).events))
            ))
            and restore.read in reachable(graph, number)
            for number, event in enumerate(view.function(restore.function).events)
        )

    def _collect(self, identity: FunctionId) -> None:
        summary = self._summaries.of(identity)
        # What is rebuilt is read by an event of the function, here or below: it has the effect of a read that can be named.
        rebuilds = any([e.kind == "read" and (e.keys or parameters(e.place)) for e in summary.effects])
        for mutation in summary.mutations:
            if not mutation.cells:
                continue
            if mutation.distance == 0:
                for cell in mutation.cells:
                    self._changes.setdefault(cell, []).append(Change(identity, mutation))
            if mutation.distance <= NEAR and rebuilds:
                self._collect_restores(identity, mutation)
        for event, read, mutation in replayed(self._summaries, identity) if rebuilds else ():
            for effect in self._named_reads(identity, read):
                known = effect.keys | held_store(self._summaries.view, identity, read)
                restore = Restore(identity, mutation.cells[-1], event, read, known, effect.distance + 1)
                self._restores.setdefault(restore.cell, []).append(restore)

    def _collect_restores(self, identity: FunctionId, mutation: Mutation) -> None:
        cell = filled_cell(mutation)
        if cell is None:
            return
        for source in sorted(self.entering.content(identity, mutation), key=lambda s: s.event):
            if source.kind == "read" and source.event >= 0 and not (
                self._is_part_of(identity, mutation, source.event) or self._makes_object(identity, source.event)
            ):
                for effect in self._named_reads(identity, source.event):
                    if not self._is_written_back(identity, mutation, source.event, effect.keys):
                        restore = Restore(
                            identity, cell, mutation.event, source.event,
                            effect.keys | held_store(self._summaries.view, identity, source.event),
                            effect.distance + mutation.distance,
                        )
                        for name in (cell, *self._rebuilt_objects(identity, mutation)):
                            self._restores.setdefault(name, []).append(restore)

    def _rebuilt_objects(self, identity: FunctionId, mutation: Mutation) -> Iterator[str]:
        """The objects of the program that the restore puts into a collection: all their attributes are rebuilt with them."""
        if mutation.distance == 0 and mutation.how in ("item", "add") and len(mutation.values) == 1:
            for kind in in_order(self._summaries.view.inference.of_value(identity, mutation.event, mutation.values[0])):
                if isinstance(kind, Instance) and self._summaries.view.program.class_(kind.name) is not None:
                    yield objects_of(kind.name)

    def _named_reads(self, identity: FunctionId, event: int) -> Iterator[StoreEffect]:
        """The nearest reads; one of a place that was passed in has the name of the attribute which the function keeps it in."""
        for effect in nearest_reads(self._summaries, identity, event):
            told = bool(parameters(effect.place))
            kept = kept_places(self._summaries.view, self._summaries.places, identity) if told else {}
            yield under_kept_names(effect, kept, identity.module) or effect

    def _looks(self, identity: FunctionId, number: int, cell: str) -> bool:
        view = self._summaries.view
        event = view.event(identity, number)
        return event.kind in ("read", "call") and event.path is not None and not event.ignored and any(
            cell in cells_of(view, identity, number, path) for path in view.paths(identity, number)
        )

    def _is_part_of(self, identity: FunctionId, mutation: Mutation, read: int) -> bool:
        """Whether the changed object is what was read: a loaded record that is edited, not a cell that is rebuilt."""
        view = self._summaries.view
        base = mutation.path.root
        if not isinstance(base, (Name, Result)):
            return False
        holders = view.origins(identity).roots(base, mutation.event)
        return ("result", read) in holders

    def _makes_object(self, identity: FunctionId, event: int, depth: int = NEAR) -> bool:
        """Whether the event makes an object that loads itself, here or in a function that does nothing else with stores: that
        rebuilds its own attributes, not those of who keeps it.
        """
        view = self._summaries.view
        made = [f for call in view.effective_calls(identity, event) for f in call.functions]
        return bool(made) and all(is_constructor(view, each) or (depth > 0 and self._only_makes(each, depth)) for each in made)

    def _only_makes(self, identity: FunctionId, depth: int) -> bool:
        reads = {e.event for e in self._summaries.of(identity).effects if e.kind == "read"}
        return bool(reads) and all(self._makes_object(identity, event, depth - 1) for event in reads)

    def _is_written_back(self, identity: FunctionId, filling: Mutation, read: int, keys: frozenset[str]) -> bool:
        """Whether the store gets the cell, or what was read, when the cell is filled or afterwards: that is an edit of the store.

        A restore may well take its entry out of the store: what it writes then is only what is left.
        """
        later = [e for e in self._summaries.of(identity).effects if e.kind in WRITES and e.keys & keys]
        if any(e.event == filling.event for e in later):
            return True
        if not later:
            return False
        behind = reachable(self._summaries.view.graph(identity), filling.event)
        return any(e.event in behind and self._puts_back(identity, filling, read, e) for e in later)

    def _puts_back(self, identity: FunctionId, filling: Mutation, read: int, write: StoreEffect) -> bool:
        if write.cells.intersection(filling.cells):
            return True
        sources = self._summaries.sources.of_all(identity, write.event, write.contents)
        if any(s.kind == "cell" and s.name in filling.cells for s in sources):
            return True
        return any(s.kind == "read" and s.event == read for s in sources) and not takes_an_entry(self._summaries, identity, filling, read)


def held_store(view: View, identity: FunctionId, event: int) -> frozenset[str]:
    """The store object that a call goes to, named by the attribute that holds it: what one method saves another loads.

    The client of a service is none: it serves many resources.
    """
    path = view.event(identity, event).path
    if path is None or len(path.steps) < 2 or any(m.effect.store == "http" for m in view.modelled(identity, event)):
        return frozenset()
    receiver = AccessPath(path.root, path.steps[:-1])
    return frozenset(HELD + cell for each in view.resolve_path(identity, event, receiver)
                     for cell in cells_of(view, identity, event, each)[-1:])


def objects_of(class_name: str) -> str:
    """The name under which restores of whole objects of a class are kept."""
    return f"{class_name} objects"


def filled_cell(mutation: Mutation) -> str | None:
    """The cell that the mutation stores into itself: its attribute, or an item of it; None if it only changes a part inside."""
    if not mutation.cells:
        return None
    fields = [step for step in mutation.path.steps if not step.startswith("[")]
    innermost = mutation.cells[-1]
    return innermost if not fields or innermost.rpartition(".")[2] == fields[-1] else None


def nearest_reads(summaries: Summaries, identity: FunctionId, event: int) -> tuple[StoreEffect, ...]:
    """The reads of a store that the event is for: the nearest ones, and those behind the same interface."""
    reads = [e for e in summaries.effects_at(identity, event) if e.kind == "read" and (e.keys or parameters(e.place))]
    nearest = min((e.distance for e in reads), default=0)
    behind = nearest + 1 if any(e.medium == "interface" and e.distance == nearest for e in reads) else nearest
    return tuple(e for e in reads if e.distance <= behind)
