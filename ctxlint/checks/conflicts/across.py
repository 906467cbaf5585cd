"""When two ranges are asked whether they overlap: each begins before the other one ends."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.roles.leaf import Leaf
from ctxlint.roles.overlaps import BEFORE, ORDERED, Overlap


def lie_across(overlaps: Iterable[Overlap], one: Leaf, other: Leaf) -> bool:
    """Whether a function compares bounds of two fields both ways round, so that it knows if their ranges overlap."""
    ways: set[bool] = set()
    for overlap in overlaps:
        if overlap.operator in ORDERED:
            if _stands_on(overlap.left, one) and _stands_on(overlap.right, other):
                ways.add(overlap.operator in BEFORE)
            if _stands_on(overlap.right, one) and _stands_on(overlap.left, other):
                ways.add(overlap.operator not in BEFORE)
    return len(ways) == 2


def _stands_on(side: frozenset[Leaf], leaf: Leaf) -> bool:
    """Whether that field of that object stands on a side."""
    return any(each.who == leaf.who and each.key == leaf.key for each in side)
