"""What an expression denotes, as far as one function can say.

A value is a small tree.
Its leaves are constants, names and results of events; calls, attribute reads, item reads and awaits are *events*
(they can fail, suspend or be interleaved), so a value only refers to them by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Union

import msgspec

ConstantKind = Literal["str", "bytes", "int", "float", "complex", "bool", "none", "ellipsis"]
Scope = Literal["local", "captured", "global"]


class Constant(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="constant"):
    """A literal: its kind and its text (the content of a string, `repr` of everything else)."""

    kind: ConstantKind
    text: str


class Name(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="name"):
    """A variable: `local` (parameters too), `captured` from an enclosing function, `global` (module level or builtin)."""

    name: str
    scope: Scope


class Result(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="result"):
    """What event number `event` of the same function produced."""

    event: int


class Compound(msgspec.Struct, frozen=True, array_like=True, gc=False, cache_hash=True, tag="compound"):
    """A value computed from others without an event of its own.

    `operator` is one of: a binary operator (`+`, `/`, `|`, …), an augmented one (`+=`), a unary one (`not`, `-x`, `~x`),
    a comparison (`==`, `is not`, `not in`, …), `and`, `or`, `if` (test, then, else), `f-string`, `tuple`, `list`, `set`,
    `dict` (key, value, key, value, …; a `**mapping` is the pair Compound("**", ()), value), `*` with one part (starred),
    `slice` (start, stop, step), `element` (of an iterable), `item` (of an unpacked value, with its position),
    `rest` (starred target of an unpacking), `comprehension-list|set|dict|generator` (element parts, as in the display, then
    iterables),
    `match` (subject, then what is asked for, any of which is enough: a constant, a class, or a shape: `list` and `dict` of
    patterns, `and` of a class and `item`s of patterns, the ellipsis for anything), `format` (value, spec), `t-string`,
    `annotation` (declared with this type, not bound).
    A long chain of one binary operator, as of `and` and `or`, is one value with many parts.
    """

    operator: str
    parts: tuple[Value, ...]


class Closure(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="closure"):
    """A function or class defined here: `function` is its index in the module's functions."""

    function: int


Value = Union[Constant, Name, Result, Compound, Closure]


class AccessPath(msgspec.Struct, frozen=True, array_like=True, gc=False, cache_hash=True):
    """A root and the field and item steps from it: `self.ctx.messages[*]`.

    A step is an attribute name, or `[*]` for an item (the item's key stands in the event's `keys`, one per item step).
    """

    root: Value
    steps: tuple[str, ...] = ()


NONE = Constant("none", "None")


def parts_of(value: Value) -> Iterator[Value]:
    """The value and everything that it is put together from."""
    yield value
    if isinstance(value, Compound):
        for part in value.parts:
            yield from parts_of(part)
