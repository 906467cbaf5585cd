"""One edit of a sequence: where a function removes how much of a cell and puts how much there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.value import Value
from ctxlint.roles.holders import Holder
from ctxlint.roles.sums import Sum

Operation = Literal["insert", "store", "remove", "slice", "append", "pop", "prepend", "whole", "reorder"]


class Edit(msgspec.Struct, frozen=True, gc=False):
    """One edit of the sequence that one of `holders` names, at `event` of a function.

    `start` (from the front), `removed` and `inserted` are None when they cannot be said as a sum. `positions` are the values
    that say where, `contents` those that go in, as seen at `event`. `origin` is the primitive edit. `partial` is true for an
    edit in a loop that some round skips or some exit leaves early; `repeats` is how many rounds the loop makes, if known.
    `looped` is true for one that a loop makes anew in every round, each at a place of its own. `below` is the edit of a callee
    that this is.
    """

    holders: frozenset[Holder]
    operation: Operation
    event: int
    origin: tuple[FunctionId, int]
    start: Sum | None = None
    removed: Sum | None = None
    inserted: Sum | None = None
    positions: tuple[Value, ...] = ()
    contents: tuple[Value, ...] = ()
    distance: int = 0
    partial: bool = False
    repeats: Sum | None = None
    looped: bool = False
    below: tuple[FunctionId, Edit] | None = None

    @property
    def positional(self) -> bool:
        """Whether the operation itself shows that the cell is a sequence: `cell[key] = x`, `del cell[key]` and `cell.pop(key)`
        are also what mappings do.
        """
        if self.operation in ("store", "remove"):
            return self.start is not None and (
                bool(self.start.constant) or len(self.start.terms) > 1 or any(atom[0] == "len" for atom in self.start.atoms)
            )
        return self.operation not in ("whole", "reorder", "pop")

    @property
    def shifts(self) -> bool:
        """Whether what lies behind the edit may lie elsewhere afterwards."""
        return self.removed is None or self.inserted is None or self.removed != self.inserted

    @property
    def at_tail(self) -> bool:
        """Whether it only adds behind everything."""
        return self.operation == "append"


def rebased(holders: Iterable[Holder], renamed: Mapping[Holder, Iterable[Holder]]) -> frozenset[Holder]:
    """Places below a callee's formals as places below what was passed; others stay."""
    found: set[Holder] = set()
    for holder in holders:
        head = next((h for h in renamed if holder == h or (holder.startswith(h) and holder[len(h)] in ".[")), None)
        if head is None:
            found.add(holder)
        else:
            found.update(f"{new}{holder[len(head):]}" for new in renamed[head])
    return frozenset(found)


def edits_in_order(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits by where they are made; those of the function itself before those of its callees."""
    return tuple(sorted(edits, key=lambda e: (e.event, e.distance)))


def is_placed(edit: Edit) -> bool:
    """Whether something says where an edit is or how far it reaches; what a caller passes does not make that so."""
    sums = (edit.removed,) if edit.at_tail else (edit.start, edit.removed)
    return bool(edit.positions) or any(s is not None and s.terms for s in sums)


def may_be_at_a_place(edit: Edit) -> bool:
    """Whether an edit says where it is, or removes as much as lies somewhere."""
    return edit.operation in ("insert", "store", "remove", "slice", "pop") or (edit.operation == "whole" and edit.removed is not None)
