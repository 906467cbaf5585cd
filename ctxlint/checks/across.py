"""When two ranges are asked whether they overlap: each begins before the other one ends."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.roles.leaf import Leaf
from ctxlint.roles.overlaps import Overlap

_BEFORE = frozenset(["<", "<="])
_BEHIND = frozenset([">", ">="])


def lie_across(overlaps: Iterable[Overlap], one: Leaf, other: Leaf) -> bool:
    """Whether a function compares bounds of two fields both ways round, so that it knows if their ranges overlap."""
    ways: set[bool] = set()
    for overlap in overlaps:
        forward = one.who in _names(overlap.left, one) and other.who in _names(overlap.right, other)
        backward = one.who in _names(overlap.right, one) and other.who in _names(overlap.left, other)
        if overlap.operator in _BEFORE | _BEHIND:
            ways |= {way == (overlap.operator in _BEFORE) for way, holds in ((True, forward), (False, backward)) if holds}
    return len(ways) == 2


def _names(side: frozenset[Leaf], like: Leaf) -> frozenset[str]:
    """The objects whose field of that name stands on a side."""
    return frozenset(leaf.who for leaf in side if leaf.key == like.key)
