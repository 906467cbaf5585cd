"""Sums of unknowns: what a position or a length is made of.

A sum is exact or absent: what cannot be said as a sum is a single unknown, so that two sums are equal only if they must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

Atom = tuple[str | int, ...]
"""An unknown of a sum.

`("param", name)`, `("place", holder)`, `("size", holder, event)` (how long the holder is at an event), `("len", *atom)`,
`("event", function, number)` (what only that event knows), `("choice", function, name, event)` (one of several bindings),
`("sorted", side, holder, sum)` (where something belongs in a sorted cell: before or behind its equals),
`("either", value)` (one of several lengths that are known to differ, or a padding), `("some", sum)` (as many as a test lets through).
"""

class Sum(msgspec.Struct, frozen=True, gc=False):
    """A constant and multiples of atoms, in a fixed order."""

    constant: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    def __add__(self, other: Sum) -> Sum:
        return self.plus(other, 1)

    def __sub__(self, other: Sum) -> Sum:
        return self.plus(other, -1)

    def plus(self, other: Sum, factor: int) -> Sum:
        """This sum and `factor` times the other one."""
        found = dict(self.terms)
        for atom, count in other.terms:
            found[atom] = found.get(atom, 0) + factor * count
        return made(self.constant + factor * other.constant, found)

    def times(self, factor: int) -> Sum:
        """The sum, `factor` times."""
        return ZERO.plus(self, factor)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The unknowns."""
        return tuple(atom for atom, _ in self.terms)


ZERO = Sum()
ONE = Sum(1)


def made(constant: int, terms: Mapping[Atom, int]) -> Sum:
    """A sum in its normal form."""
    return Sum(constant, tuple(sorted(((a, n) for a, n in terms.items() if n), key=repr)))


def single(atom: Atom) -> Sum:
    """The sum that is one unknown."""
    return Sum(0, ((atom, 1),))


def substituted(sum: Sum, actuals: Mapping[Atom, Sum]) -> Sum:
    """The sum with some of its unknowns replaced."""
    found = Sum(sum.constant)
    for atom, count in sum.terms:
        found = found.plus(actuals.get(atom, single(atom)), count)
    return found


def leaves(sum: Sum) -> Iterator[Atom]:
    """The unknowns of a sum, those inside lengths too."""
    for atom in sum.atoms:
        yield atom
        if atom[0] == "len":
            yield atom[1:]
        elif atom[0] == "size":
            yield ("place", atom[1])
