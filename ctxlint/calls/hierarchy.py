"""Linearisation of a class hierarchy whose roots may lie outside the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def linearise(bases: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The method resolution order of every class in `bases` (C3: Barrett et al., 1996; Python's own since 2.3).

    A class that is not a key is a leaf: nothing is known above it.
    Where C3 has no answer (inconsistent or cyclic bases) the order is depth first, each class once.
    """
    orders: dict[str, tuple[str, ...]] = {}
    for name in bases:
        _order(name, bases, orders, ())
    return orders


def _order(
    name: str, bases: Mapping[str, Sequence[str]], orders: dict[str, tuple[str, ...]], above: tuple[str, ...]
) -> tuple[str, ...]:
    known = orders.get(name)
    if known is not None:
        return known
    if name not in bases:
        return (name,)
    direct = [base for base in bases[name] if base != name and base not in above]
    sequences = [_order(base, bases, orders, (*above, name)) for base in direct]
    merged = _merge([*sequences, tuple(direct)])
    order = (name, *merged) if merged is not None else _depth_first(name, sequences)
    if not above or len(direct) == len(bases[name]):
        orders[name] = order
    return order


def _merge(sequences: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """The C3 merge, or None when the orders contradict each other."""
    pending = [list(sequence) for sequence in sequences if sequence]
    merged: list[str] = []
    while pending:
        head = next((s[0] for s in pending if not any(s[0] in other[1:] for other in pending)), None)
        if head is None:
            return None
        merged.append(head)
        pending = [rest for rest in ([c for c in s if c != head] for s in pending) if rest]
    return tuple(merged)


def _depth_first(name: str, sequences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([name, *(ancestor for sequence in sequences for ancestor in sequence)]))
