"""Expressions taken apart for the keys in them: bounds of slices, what is spread, merged or looked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxlint.ir.value import Compound, Constant, Name, Value
from ctxlint.roles.pieces import are_pairs


def is_open(bound: Value) -> bool:
    return isinstance(bound, Constant) and bound.kind == "none"


def pieces_of(value: Value) -> Iterator[Value]:
    """What a concatenation, a display with unpacked parts or a formatted string puts one after the other."""
    if isinstance(value, Compound) and value.operator in ("+", "f-string", "list", "tuple", "*", "format"):
        for part in value.parts:
            yield from pieces_of(part)
    else:
        yield value


def spread_in(value: Value) -> Iterator[Value]:
    """What a dictionary display spreads: `old`, then `changes`, of `{**old, **changes}`."""
    if isinstance(value, Compound) and value.operator == "dict":
        yield from [v for k, v in zip(value.parts[::2], value.parts[1::2]) if isinstance(k, Compound) and k.operator == "**"]


def memberships(value: Value) -> Iterator[Compound]:
    """The tests of a condition that look for something in something else."""
    if isinstance(value, Compound):
        if value.operator in ("in", "not in"):
            yield value
        elif value.operator in ("and", "or", "not"):
            for part in value.parts:
                yield from memberships(part)


def keys_of(value: Value) -> Iterator[Value]:
    """The keys of what is merged into a mapping; the thing itself when it is no display."""
    if isinstance(value, Compound) and value.operator == "comprehension-dict":
        yield from value.parts[2:] if isinstance(value.parts[0], Name) else value.parts[:1]
    elif isinstance(value, Compound) and value.operator == "dict":
        yield from value.parts[::2]
    elif isinstance(value, Compound) and are_pairs(value):
        pair = value.parts[0]
        yield from pair.parts[:1] if isinstance(pair, Compound) else ()
    else:
        yield value


def bounds(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, Compound) and value.operator == "slice":
            yield from value.parts
        else:
            yield value
