"""Remembering answers to questions that ask one another, where a question that is being asked already contributes nothing.

What a question is answered by itself, before any other, is its answer, whoever asks and whenever. So nothing is remembered for
others that was answered otherwise because of who was asking: below a question that is open, or too far down. Questions that ask
one another in a circle are told from those that only ask into one as Tarjan does (1972): one of them is answered for whoever
stands outside, and asked again by whoever stands in the circle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")

_CUT = -1
"""In place of the time when someone was asked who is waiting: what was cut is whole for nobody."""
_NOBODY = 1 << 60


class Recall(Generic[Q, A]):
    """Answers by question; `nothing` is what a question contributes to itself, and what is said of one that is `too_far` down."""

    def __init__(self, nothing: Callable[[Q], A], too_far: Callable[[Q], A] | None = None) -> None:
        self._nothing = nothing
        self._too_far = too_far or nothing
        self._known: dict[Q, tuple[A, int, int]] = {}
        """Answers for whoever stands outside: how far down they look, and the circle that the question belongs to."""
        self._first: dict[Q, A] = {}
        """Answers that were cut, of questions that nobody was waiting for."""
        self._circles: dict[Q, int] = {}
        self._asked_in: dict[int, int] = {}
        self._active: dict[Q, int] = {}
        self._here: dict[Q, tuple[A, int, int, int]] = {}
        """What was answered meanwhile for those who are waiting: whom of them it depends on, how far down, and when it was asked."""
        self._time = 0
        self._lowest = _NOBODY
        self._depth = 0
        self._deepest = 0

    def ask(self, question: Q, answer: Callable[[], A], depth: int = 0, most: int = 0) -> A:
        """The known answer, or that of `answer()`, which may ask others `depth + 1` steps down, of `most`, or anew from 0."""
        found = self._known.get(question)
        if found is not None:
            value, below, circle = found
            if depth + below <= most and not (circle and self._asked_in.get(circle)):
                if depth > self._depth and depth + below > self._deepest:
                    self._deepest = depth + below
                return value
        if not self._active:
            if question in self._first:
                return self._first[question]
            return self._answered(question, answer, depth)
        if question in self._active:
            self._lowest = min(self._lowest, self._active[question])
            return self._nothing(question)
        if question in self._here:
            value, lowest, asked_at, _ = self._here[question]
            if lowest != _CUT or depth >= asked_at:               # less far down it may be whole
                self._lowest = min(self._lowest, lowest)
                return value
        if depth > most:
            self._lowest = _CUT
            return self._too_far(question)
        return self._answered(question, answer, depth)

    def reaches(self, depth: int, most: int) -> bool:
        """Whether so far down may be looked, for who asks something of that depth without asking here."""
        if depth > most:
            self._lowest = _CUT
            return False
        self._deepest = max(self._deepest, depth)
        return True

    def _answered(self, question: Q, answer: Callable[[], A], depth: int) -> A:
        self._time += 1
        time, circle = self._time, self._circles.get(question, 0)
        outer = self._lowest, self._depth, self._deepest
        self._lowest, self._depth, self._deepest = _NOBODY, depth, depth
        self._active[question] = time
        self._asked_in[circle] = self._asked_in.get(circle, 0) + 1
        done = False
        try:
            value = answer()
            done = True
        finally:
            del self._active[question]
            self._asked_in[circle] -= 1
            lowest, reached = self._lowest, self._deepest
            self._lowest, self._depth, self._deepest = outer
            if not done:
                self._forget(time)
        self._here.pop(question, None)
        if lowest >= time:
            self._known[question] = value, reached - depth, self._circle(question, time) if lowest == time else 0
            self._forget(time)
        elif self._active:
            self._here[question] = value, lowest, depth, time
            self._lowest = min(self._lowest, lowest)
        else:
            self._first[question] = value
            self._forget(time)
        if depth > self._depth and reached > self._deepest:
            self._deepest = reached
        return value

    def _circle(self, question: Q, time: int) -> int:
        """The number of a circle, with those that are in it."""
        circle = self._circles.get(question) or len(self._circles) + 1
        self._circles.update(dict.fromkeys((question, *self._since(time)), circle))
        return circle

    def _forget(self, time: int) -> None:
        for question in self._since(time):
            del self._here[question]

    def _since(self, time: int) -> list[Q]:
        """The questions that were asked after that time: the last ones, as who asks is answered after whom he asks."""
        return list(itertools.takewhile(lambda question: self._here[question][3] > time, reversed(self._here)))
