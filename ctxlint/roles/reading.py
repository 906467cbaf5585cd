"""Reads edits of sequences off the events of one function.

`items.insert(i, x)`, `del text[a:b]`, `self.text = self.text[:a] + new + self.text[b:]` and `items.append(x)` are one thing
here: at a start, some removed, some inserted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.elements import MAPPINGS, SEQUENCES
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance
from ctxlint.flow.paths import path
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.edit import Edit, Operation
from ctxlint.roles.holders import STORE, Holder
from ctxlint.roles.measures import Measures, is_in_order, slice_of
from ctxlint.roles.remade import is_made_of, is_mapped
from ctxlint.roles.sequence_methods import METHODS
from ctxlint.roles.sums import ONE, ZERO, Sum, single
from ctxlint.roles.written_back import written_back


class Reader:
    """Reads the edits off one function's events."""

    def __init__(self, summaries: Summaries, measures: Measures, identity: FunctionId) -> None:
        self._summaries = summaries
        self._identity = identity
        self._view = summaries.view
        self._holders = measures.holders
        self._measures = measures
        self._images: dict[str, frozenset[Holder]] = {}

    def edits(self) -> Iterator[Edit]:
        """The function's own edits, in event order."""
        shared = self._holders.shared_below(self._identity)
        for number, event in enumerate(self._view.function(self._identity).events):
            if event.kind == "call" and event.path is not None:
                name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
                if name in _MIXES or name in _SORTED:
                    yield from self._of_sorted(number, event, name)
                elif event.path.steps and (name in METHODS or name == "write"):
                    yield from self._of_call(number, event)
            elif event.kind in ("write", "delete") and event.path is not None and event.path.steps:
                if event.path.steps[-1] == "[*]":
                    yield from self._of_item(number, event)
                    if event.kind == "write" and event.keys and event.value is not None:
                        yield from self._of_entry(number, event, event.path, event.value)
                elif event.kind == "write" and event.value is not None:
                    yield from self._of_element(number, event, event.path, event.keys)
                    yield from self._of_binding(number, event.value, self._holders.of_event(self._identity, number))
            elif event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
                if event.path.root.scope != "local" or event.path.root.name in shared:
                    yield from self._of_variable(number, event.path.root, event.value)
                elif not isinstance(event.value, Compound) or event.value.operator in _DISPLAYED:
                    yield from self._of_local(number, event.path.root, event.value)

    def _of_entry(self, number: int, event: Event, path: AccessPath, value: Value) -> Iterator[Edit]:
        """A store under a key of a mapping: a field of an element, or a sequence that is bound anew to what is left of it."""
        named = isinstance(event.keys[-1], Constant) and event.keys[-1].kind == "str"
        bound = named or self._is_no_sequence(number, AccessPath(path.root, path.steps[:-1]))
        if bound:
            yield from self._of_element(number, event, AccessPath(path.root, path.steps[:-1]), event.keys[:-1])
        holders = self._holders.of_event(self._identity, number)
        if bound and is_made_of(self._view, self._holders, self._identity, number, value, holders):
            yield from self._of_binding(number, value, holders)

    def _of_variable(self, number: int, name: Name, value: Value) -> Iterator[Edit]:
        """A variable that functions share is a cell; a local is none."""
        if name.scope == "local":
            holders = frozenset([self._holders.own(self._identity, name.name)])
            if not any(holders & self._sliced(piece.at, piece.value) for piece in self._pieces(number, value)):
                return                                     # the first value of the variable
            yield from self._of_binding(number, value, holders)
            return
        yield from self._of_binding(number, value, self._holders.of(self._identity, number, name))

    def _of_local(self, number: int, name: Name, value: Value) -> Iterator[Edit]:
        """A local list that is made anew of pieces of itself, and put back where it came from later."""
        if self._is_piece_of(name, value) or (
            isinstance(value, Compound) and any(self._is_piece_of(name, piece.value) for piece in self._pieces(number, value))
        ):
            yield from self._of_binding(number, value, self._image(number, name), name)

    def _is_piece_of(self, name: Name, piece: Value) -> bool:
        event = self._view.event(self._identity, piece.event) if isinstance(piece, Result) else None
        return event is not None and event.kind == "read" and event.path == AccessPath(name, ("[*]",)) and slice_of(event) is not None

    # Methods.

    def _of_call(self, number: int, event: Event) -> Iterator[Edit]:
        assert event.path is not None
        if event.path.steps[-1] == "write" and len(event.arguments) == 1:
            yield from self._of_write(number, event)
        arguments = [argument.value for argument in event.arguments if not argument.keyword]
        yield from self.by_method(number, event.path, event.keys, arguments)

    def _of_sorted(self, number: int, event: Event, name: str) -> Iterator[Edit]:
        """What puts an item where it belongs in a sorted cell decides the place itself."""
        if name in _MIXES and event.arguments:
            holders = self._holders.of(self._identity, number, event.arguments[0].value)
            if holders:
                yield self.edit("reorder", number, holders, None, None, None, (), ())
        if name in _SORTED and is_in_order(event):
            cell, item, *key = (argument.value for argument in event.arguments)
            holders = self._holders.of(self._identity, number, cell)
            if holders:
                start = self._measures.sorted_place(self._identity, number, _SORTED[name], cell, item, *key)
                yield self.edit("insert", number, holders, start, ZERO, ONE, (), (item,))

    def by_method(self, number: int, method: AccessPath, keys: tuple[Value, ...], arguments: list[Value]) -> Iterator[Edit]:
        """The edit that a method of a sequence makes when it is called with these arguments."""
        shape = METHODS.get(method.steps[-1])
        receiver = AccessPath(method.root, method.steps[:-1])
        if shape is None or self._is_no_sequence(number, receiver):
            return
        holders = self._cell(number, receiver, keys)
        if holders and len(arguments) in shape.takes:
            yield shape.reads(self, number, holders, arguments)

    def _of_write(self, number: int, event: Event) -> Iterator[Edit]:
        """What is written through a handle after a seek takes the place of as much as it is long."""
        assert event.path is not None
        receiver = AccessPath(event.path.root, event.path.steps[:-1])
        graph = self._view.graph(self._identity)
        seeks = [
            n for n, e in enumerate(self._view.function(self._identity).events)
            if e.kind == "call" and e.path is not None and e.path.steps[-1:] == ("seek",) and len(e.arguments) == 1
            and AccessPath(e.path.root, e.path.steps[:-1]) == receiver
        ]
        for seek in seeks:
            if path(graph, seek, number, frozenset(seeks) - {seek}) is not None:
                where = self._view.event(self._identity, seek).arguments[0].value
                holders = frozenset(
                    h if h.startswith(STORE) else f"{STORE}{h}"
                    for h in self._holders.of_path(self._identity, number, receiver, event.keys)
                )
                length = self.length(number, event.arguments[0].value)
                if holders and not isinstance(where, Constant):
                    start = self._measures.number(self._identity, seek, where)
                    yield self.edit("store", number, holders, start, length, length, (where,), (event.arguments[0].value,))

    def _is_no_sequence(self, number: int, receiver: AccessPath) -> bool:
        types = self._view.inference.of_path(self._identity, number, receiver)
        return any(isinstance(t, Instance) and (t.name in MAPPINGS or t.name in _SETS or self._view.program.class_(t.name) is not None)
                   for t in types)

    def _cell(self, number: int, receiver: AccessPath, keys: tuple[Value, ...]) -> frozenset[Holder]:
        found = self._holders.of_path(self._identity, number, receiver, keys)
        if isinstance(receiver.root, Name) and not receiver.steps:
            if all(holder.startswith(STORE) for holder in found) or self._is_copy(number, receiver.root):
                return self._image(number, receiver.root)
        return found

    def _is_copy(self, number: int, name: Name) -> bool:
        """Whether a local name holds a list of its own with the same elements."""
        bindings = self._view.definitions(self._identity).definitions(number, name.name) if name.scope == "local" else ()
        values = [self._view.event(self._identity, n).value if n >= 0 else None for n in bindings]
        return bool(values) and all(isinstance(value, Result) and self._copies(value.event) for value in values)

    def _copies(self, number: int) -> bool:
        event = self._view.event(self._identity, number)
        if event.path is None:
            return False
        if event.kind == "read":
            return slice_of(event) is not None
        return event.kind == "call" and (event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")) in _COPYING

    def _image(self, number: int, name: Name) -> frozenset[Holder]:
        """The cells and stores whose content a local object holds, when the object is written back to them later."""
        known = self._images.get(name.name)
        if known is None:
            known = self._images[name.name] = frozenset(written_back(self._summaries, self._holders, self._identity, number, name))
        return known

    # Items and slices.

    def _of_item(self, number: int, event: Event) -> Iterator[Edit]:
        assert event.path is not None
        receiver = AccessPath(event.path.root, event.path.steps[:-1])
        if self._is_no_sequence(number, receiver) or not event.keys:
            return
        holders = self._cell(number, receiver, event.keys)
        key = event.keys[-1]
        if not holders or (isinstance(key, Constant) and key.kind == "str"):
            return
        contents = () if event.value is None else (event.value,)
        bounds = slice_of(event)
        if bounds is not None:
            start, stop = self._measures.bounds(self._identity, number, bounds, self.size(number, holders))
            inserted = ZERO if event.value is None else self._measures.length(self._identity, number, event.value)
            yield self.edit("slice", number, holders, start, stop - start, inserted, bounds.parts[:2], contents)
        elif not isinstance(key, Compound) or key.operator != "slice":
            where = self.position(number, key, holders)
            operation: Operation = "remove" if event.kind == "delete" else "store"
            yield self.edit(operation, number, holders, where, ONE, ZERO if event.kind == "delete" else ONE, (key,), contents)

    def _of_element(self, number: int, event: Event, changed: AccessPath, given: tuple[Value, ...]) -> Iterator[Edit]:
        """A store into a field of the element at a position changes that element in its place."""
        where, steps, keys = number, changed, given
        if "[*]" not in steps.steps and isinstance(steps.root, Name):
            bound = self._only_binding(number, steps.root)
            read = self._view.event(self._identity, bound[1].event) if bound is not None and isinstance(bound[1], Result) else None
            if bound is None or read is None or read.kind != "read" or read.path is None or not read.keys:
                return
            where, steps, keys = bound[0], read.path, read.keys
        last = max((index for index, step in enumerate(steps.steps) if step == "[*]"), default=-1)
        container = AccessPath(steps.root, steps.steps[:max(last, 0)])
        key = keys[-1] if keys else None
        if last < 0 or key is None or (isinstance(key, Compound) and key.operator == "slice") or not self.is_sequence(where, container):
            return
        holders = self._cell(where, container, keys[:-1])
        if holders:
            yield self.edit("store", number, holders, self.position(where, key, holders), ONE, ONE, (key,), (event.value,) if event.value else ())

    def is_sequence(self, number: int, path: AccessPath) -> bool:
        types = self._view.inference.of_path(self._identity, number, path) or self._holders.types_of(self._identity, number, path)
        return any(isinstance(t, Instance) and t.name in SEQUENCES for t in types)

    # Rebinding with pieces of the old value.

    def _of_binding(self, number: int, value: Value, holders: frozenset[Holder], name: Name | None = None) -> Iterator[Edit]:
        if not holders:
            return
        pieces = list(self._pieces(number, value))
        last = len(pieces) - 1
        kept = [
            index for index, piece in enumerate(pieces)
            if not piece.element and (holders & self._sliced(piece.at, piece.value) or (name is not None and self._is_piece_of(name, piece.value)))
        ]
        whole = self.size(number, holders)
        before = self._extent(pieces[0], whole) if kept[:1] == [0] else (ZERO, ZERO)
        behind = self._extent(pieces[last], whole) if kept[-1:] == [last] and last > 0 else (whole, whole)
        if is_mapped(self._view, self._holders, self._identity, number, value, holders):
            yield self.edit("whole", number, holders, ZERO, whole, whole, (), (value,))
            return
        if not kept or any(index not in (0, last) for index in kept) or before[0] != ZERO or behind[1] != whole:
            yield self.edit("whole", number, holders, None, None, None, (), (value,))
            return
        middle = [piece for index, piece in enumerate(pieces) if index not in kept]
        inserted = ZERO
        for piece in middle:
            inserted = inserted + (ONE if piece.element else self.length(piece.at, piece.value))
        positions = tuple(bound for index in kept for bound in self._bounds(pieces[index].value))
        operation: Operation = "append" if before[1] == whole else "slice"
        contents = tuple(piece.value for piece in middle)
        yield self.edit(operation, number, holders, before[1], behind[0] - before[1], inserted, positions, contents)

    def _pieces(self, number: int, value: Value) -> Iterator[_Piece]:
        """The parts that a concatenation, a join, a display or a formatted string puts one after the other."""
        if isinstance(value, Compound) and value.operator in ("+", "+=", "f-string", "list", "tuple"):
            for part in value.parts:
                if value.operator in ("list", "tuple") and not (isinstance(part, Compound) and part.operator == "*"):
                    yield _Piece(part, number, element=True)
                else:
                    yield from self._pieces(number, part)
        elif isinstance(value, Compound) and value.operator in ("*", "format") and value.parts:
            yield from self._pieces(number, value.parts[0])
        elif isinstance(value, Result):
            event = self._view.event(self._identity, value.event)
            if self._joins(event):
                for piece in self._pieces(value.event, event.arguments[0].value):
                    yield msgspec.structs.replace(piece, element=False)
            elif self._passes(event):
                yield from self._pieces(value.event, event.arguments[0].value)
            else:
                yield _Piece(value, number)
        elif isinstance(value, Name) and value.scope == "local":
            bound = self._only_binding(number, value)
            if bound is None:
                yield _Piece(value, number)
            else:
                yield from self._pieces(*bound)
        else:
            yield _Piece(value, number)

    def _only_binding(self, number: int, name: Name) -> tuple[int, Value] | None:
        """What a local is bound to, when that is one value to which nothing was added."""
        definitions = self._view.definitions(self._identity)
        bindings = definitions.definitions(number, name.name)
        if len(bindings) != 1 or bindings[0] < 0 or definitions.additions(number, name.name):
            return None
        event = self._view.event(self._identity, bindings[0])
        return (bindings[0], event.value) if event.kind == "local" and event.value is not None else None

    def _joins(self, event: Event) -> bool:
        return event.kind == "call" and event.path is not None and event.path.steps == ("join",) and len(event.arguments) == 1 and (
            event.path.root in (Constant("str", ""), Constant("bytes", "b''")))

    def _passes(self, event: Event) -> bool:
        return event.kind == "call" and event.path is not None and not event.path.steps and len(event.arguments) == 1 and (
            getattr(event.path.root, "name", "") in ("list", "tuple", "bytes", "bytearray", "str"))

    def _sliced(self, number: int, piece: Value) -> frozenset[Holder]:
        """The cells that a piece is a slice, or the whole, of."""
        if isinstance(piece, Result):
            event = self._view.event(self._identity, piece.event)
            if event.kind == "read" and (event.path is None or event.path.steps[-1:] != ("[*]",) or slice_of(event) is not None):
                return self._holders.of_event(self._identity, piece.event)
            return frozenset()
        return self._holders.of(self._identity, number, piece) if isinstance(piece, Name) else frozenset()

    def _bounds(self, piece: Value) -> tuple[Value, ...]:
        if isinstance(piece, Result):
            bounds = slice_of(self._view.event(self._identity, piece.event))
            if bounds is not None:
                return tuple(part for part in bounds.parts[:2] if not (isinstance(part, Constant) and part.kind == "none"))
        return ()

    def _extent(self, piece: _Piece, whole: Sum) -> tuple[Sum, Sum]:
        if isinstance(piece.value, Result):
            bounds = slice_of(self._view.event(self._identity, piece.value.event))
            if bounds is not None:
                return self._measures.bounds(self._identity, piece.value.event, bounds, whole)
        return ZERO, whole

    # What the shapes of methods need.

    def size(self, number: int, holders: frozenset[Holder]) -> Sum:
        """How long the cell is at an event."""
        return single(("size", min(holders), number))

    def position(self, number: int, value: Value, holders: frozenset[Holder]) -> Sum:
        """The position from the front that an index denotes."""
        return self._measures.from_end(self._measures.number(self._identity, number, value), self.size(number, holders))

    def length(self, number: int, value: Value) -> Sum:
        """How long a value is at an event."""
        return self._measures.length(self._identity, number, value)

    def edit(
        self, operation: Operation, number: int, holders: frozenset[Holder], start: Sum | None, removed: Sum | None,
        inserted: Sum | None, positions: Iterable[Value], contents: Iterable[Value],
    ) -> Edit:
        """An edit of this function."""
        return Edit(holders, operation, number, (self._identity, number), start, removed, inserted, tuple(positions), tuple(contents))


class _Piece(msgspec.Struct, frozen=True):
    """A part of a concatenation, as seen at an event; an `element` stands for itself, anything else for what it holds."""

    value: Value
    at: int
    element: bool = False


_DISPLAYED = frozenset(["+", "list"])
_MIXES = frozenset(["shuffle", "heapify", "heappush", "heappop", "heappushpop", "heapreplace"])
_COPYING = frozenset(["list", "sorted", "bytearray", "deque", "copy", "deepcopy"])
_SORTED = {"insort": "right", "insort_right": "right", "insort_left": "left"}
_SETS = frozenset(["builtins.set", "builtins.frozenset"])
