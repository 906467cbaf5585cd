"""Remembering answers to questions that ask one another, where a question that is being asked already contributes nothing.

What a question is answered by itself, before any other, is its answer, whoever asks and whenever. So nothing is remembered for
others that was answered otherwise because of who was asking: below a question that is open, or too far down. Questions that ask
one another in a circle are told from those that only ask into one as Tarjan does (1972): one of them is answered for whoever
stands outside, and asked again by whoever stands in the circle. What is not held apart is a circle in which something is also
cut: there the way by which it is entered can count.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")

_NOBODY = 1 << 60
"""In place of the time when someone was asked who is waiting."""


_Meanwhile = tuple[A, int, bool, int, Callable[[], A], int]


class Recall(Generic[Q, A]):
    """Answers by question; `nothing` is what a question contributes to itself, and what is said of one that is `too_far` down.

    With `first`, which picks one of a circle, the questions of a circle are answered together, as that one finds them.
    """

    def __init__(
        self, nothing: Callable[[Q], A], too_far: Callable[[Q], A] | None = None, *, first: Callable[[Iterable[Q]], Q] | None = None
    ) -> None:
        self._nothing = nothing
        self._first_of = first
        self._too_far = too_far or nothing
        self._known: dict[Q, tuple[A, int, int]] = {}
        """Answers for whoever stands outside: how far down they look, and the circle that the question belongs to."""
        self._first: dict[tuple[Q, int], tuple[A, frozenset[Q]]] = {}
        """Answers that were cut, for whoever asks anew, and whom they came by."""
        self._below: dict[tuple[Q, int], tuple[A, int, list[tuple[Q, _Meanwhile[A]]], int, frozenset[Q]]] = {}
        """Answers that were cut, so far down, when nobody waited who counts: with all that was answered meanwhile and how long
        it took, to be put back as if it were answered again; and which questions were too far down."""
        self._circles: dict[Q, int] = {}
        self._asked_in: dict[int, int] = {}
        self._active: dict[Q, int] = {}
        self._here: dict[Q, _Meanwhile[A]] = {}
        """What was answered meanwhile for those who are waiting: on whom of them it depends, whether it was cut, how far down it
        was asked, and when."""
        self._time = 0
        self._lowest, self._is_cut, self._depth, self._deepest, self._begin = _NOBODY, False, 0, 0, 0
        self._oldest = _NOBODY
        """When the oldest was asked of those whose answers were taken over; 0 where who is waiting can count otherwise."""
        self._missed: list[Q] = []
        """The questions that were too far down for those who are waiting."""
        self._turning = 0
        """How many of those who are waiting belong to a circle."""

    def ask(self, question: Q, answer: Callable[[], A], depth: int = 0, most: int = 0) -> A:
        """The known answer, or that of `answer()`, which may ask others `depth + 1` steps down, of `most`, or anew from 0."""
        found = self._known.get(question)
        if found is not None:
            value, below, circle = found
            if depth + below <= most and not (circle and self._asked_in.get(circle)):
                if depth > self._depth and depth + below > self._deepest:
                    self._deepest = depth + below
                return value
        is_anew = not self._active or depth <= self._depth
        if is_anew and (question, depth) in self._first:
            value, met = self._first[question, depth]
            if met.isdisjoint(self._active):
                self._oldest = 0
                return value
        if question in self._active:
            self._lowest = min(self._lowest, self._active[question])
            return self._nothing(question)
        if question in self._here:
            value, lowest, is_cut, asked_at, _, time = self._here[question]
            # Less far down it may be whole, and who is asked anew does not care what was cut before.
            if not is_cut or (depth >= asked_at and (lowest < time or (time > self._begin and not is_anew))):
                self._lowest, self._is_cut, self._oldest = min(self._lowest, lowest), self._is_cut or is_cut, min(self._oldest, time)
                return value
        if depth > most:
            self._is_cut = True
            self._missed.append(question)
            return self._too_far(question)
        if not is_anew and not self._turning and (question, depth) in self._below and self._is_put_back(question, depth):
            return self._below[question, depth][0]
        return self._answered(question, answer, depth, is_anew)

    def reaches(self, depth: int, most: int) -> bool:
        """Whether so far down may be looked, for who asks something of that depth without asking here."""
        if depth > most:
            self._is_cut = True
            return False
        self._deepest = max(self._deepest, depth)
        return True

    def _answered(self, question: Q, answer: Callable[[], A], depth: int, is_anew: bool) -> A:
        self._time += 1
        time, circle = self._time, self._circles.get(question, 0)
        outer = self._lowest, self._is_cut, self._depth, self._deepest, self._begin
        oldest, self._oldest, missed = self._oldest, _NOBODY, len(self._missed)
        self._lowest, self._is_cut, self._depth, self._deepest = _NOBODY, False, depth, depth
        if is_anew:
            self._begin = time
        self._active[question] = time
        self._asked_in[circle] = self._asked_in.get(circle, 0) + 1
        self._turning += bool(circle)
        done = False
        try:
            value = answer()
            done = True
        finally:
            del self._active[question]
            self._asked_in[circle] -= 1
            self._turning -= bool(circle)
            lowest, is_cut, reached = self._lowest, self._is_cut, self._deepest
            self._lowest, self._is_cut, self._depth, self._deepest, self._begin = outer
            own, self._oldest = self._oldest, min(oldest, self._oldest)
            if not done:
                self._forget(time)
        self._here.pop(question, None)
        if lowest == time and not is_cut and self._first_of is not None:
            return self._together(question, answer, value, time)
        if lowest >= time and not is_cut:
            self._known[question] = value, reached - depth, self._circle(question, self._since(time)) if lowest == time else 0
            self._forget(time)
        elif lowest >= time and is_anew:
            self._first[question, depth] = value, frozenset((question, *self._since(time)))
            self._oldest = 0
            self._forget(time)
        else:
            meanwhile = self._since(time)
            self._here[question] = value, lowest, is_cut, depth, answer, time
            if lowest >= time and own >= time and not self._turning:
                met = [(each, self._here[each]) for each in (*reversed(meanwhile), question)]
                self._below[question, depth] = value, reached, met, self._time - time, frozenset(self._missed[missed:])
            self._lowest, self._is_cut = min(self._lowest, lowest), self._is_cut or is_cut
        if not is_anew and reached > self._deepest:
            self._deepest = reached
        if not self._active:
            self._missed.clear()
        return value

    def _is_put_back(self, question: Q, depth: int) -> bool:
        """Put back what was answered meanwhile when the question was asked so far down before, unless some of it is there."""
        _, reached, met, took, missed = self._below[question, depth]
        if any(each in self._here or each in self._active for each, _ in met) or any(
            each in self._here or each in self._active for each in missed
        ):
            return False
        self._missed += missed
        begun = met[-1][1][-1]
        later = self._time + 1 - begun
        for each, (value, lowest, is_cut, asked_at, answer, time) in met:
            self._here[each] = value, lowest if lowest == _NOBODY else lowest + later, is_cut, asked_at, answer, time + later
        self._time += 1 + took
        self._lowest, self._is_cut = min(self._lowest, self._here[question][1]), True
        self._deepest = max(self._deepest, reached)
        return True

    def _together(self, question: Q, answer: Callable[[], A], value: A, time: int) -> A:
        """Answer a circle as its first question finds it: asked by each of many, it would take that many times as long."""
        others = {each: self._here[each] for each in self._since(time)}
        assert self._first_of is not None
        first = self._first_of((question, *others))
        self._forget(time)
        if first != question:
            self._answered(first, others[first][4], 0, True)
            if question not in self._known:          # what one finds on the way can make it turn before it comes here
                self._known[question] = value, 0, self._circle(question, others)
            return self._known[question][0]
        self._known[question] = value, 0, 0
        self._known.update((each, (found[0], 0, 0)) for each, found in others.items())
        return value

    def _circle(self, question: Q, others: Iterable[Q]) -> int:
        """The number of a circle, with those that are in it."""
        circle = self._circles.get(question) or len(self._circles) + 1
        self._circles.update(dict.fromkeys((question, *others), circle))
        return circle

    def _forget(self, time: int) -> None:
        for question in self._since(time):
            del self._here[question]

    def _since(self, time: int) -> list[Q]:
        """The questions that were asked after that time: the last ones, as who asks is answered after whom he asks."""
        return list(itertools.takewhile(lambda question: self._here[question][-1] > time, reversed(self._here)))
