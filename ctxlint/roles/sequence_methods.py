"""What the methods of the language's sequences do to them, each as one edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from ctxlint.ir.value import Constant, Value
from ctxlint.roles.edit import Edit, Operation
from ctxlint.roles.holders import Holder
from ctxlint.roles.sums import ONE, ZERO, Sum


class Function(Protocol):
    """Whoever reads the edits of one function."""

    def size(self, number: int, holders: frozenset[Holder]) -> Sum:
        """How long the cell is at an event."""

    def position(self, number: int, value: Value, holders: frozenset[Holder]) -> Sum:
        """The position from the front that an index denotes."""

    def length(self, number: int, value: Value) -> Sum:
        """How long a value is at an event."""

    def edit(
        self, operation: Operation, number: int, holders: frozenset[Holder], start: Sum | None, removed: Sum | None,
        inserted: Sum | None, positions: Iterable[Value], contents: Iterable[Value],
    ) -> Edit:
        """An edit of this function."""


class Method(msgspec.Struct, frozen=True):
    """A method of the language's sequences: how many arguments it takes, and the edit it is."""

    takes: tuple[int, ...]
    reads: Callable[[Function, int, frozenset[Holder], list[Value]], Edit]


def _insert(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("insert", number, holders, reader.position(number, given[0], holders), ZERO, ONE, given[:1], given[1:])


def _append(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("append", number, holders, reader.size(number, holders), ZERO, ONE, (), given)


def _extend(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("append", number, holders, reader.size(number, holders), ZERO, reader.length(number, given[0]), (), given)


def _prepend(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("prepend", number, holders, ZERO, ZERO, ONE, (), given)


def _extendleft(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("prepend", number, holders, ZERO, ZERO, reader.length(number, given[0]), (), given)


def _pop(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    if not given or given[0] == Constant("int", "-1"):
        return reader.edit("pop", number, holders, reader.size(number, holders) - ONE, ONE, ZERO, (), ())
    return reader.edit("remove", number, holders, reader.position(number, given[0], holders), ONE, ZERO, given[:1], ())


def _popleft(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("remove", number, holders, ZERO, ONE, ZERO, (), ())


def _remove(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("remove", number, holders, None, ONE, ZERO, (), given)


def _clear(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("whole", number, holders, ZERO, reader.size(number, holders), ZERO, (), ())


def _reorder(reader: Function, number: int, holders: frozenset[Holder], given: list[Value]) -> Edit:
    return reader.edit("reorder", number, holders, None, None, None, (), given)


METHODS: dict[str, Method] = {
    "insert": Method((2,), _insert),
    "append": Method((1,), _append),
    "extend": Method((1,), _extend),
    "appendleft": Method((1,), _prepend),
    "pop": Method((0, 1), _pop),
    "popleft": Method((0,), _popleft),
    "remove": Method((1,), _remove),
    "clear": Method((0,), _clear),
    "sort": Method((0,), _reorder),
    "reverse": Method((0,), _reorder),
    "rotate": Method((0, 1), _reorder),
    "extendleft": Method((1,), _extendleft),
}
