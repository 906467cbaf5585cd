"""Remembering answers to questions that can ask themselves again.

The type of an attribute can depend on a method's result that depends on the attribute. Such a group of questions has a least
solution, which chaotic iteration finds: answer with what is assumed so far (nothing, at first), and ask again until the
assumptions hold (Cousot and Cousot, 1977). The answer does not depend on which question of the group came first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

A = TypeVar("A")

ROUNDS = 5
DEEPEST = 60
"""A chain of questions longer than this is cut: its end is answered by "nothing is known", which is not remembered."""


class Memo(Generic[A]):
    """Answers by question; `nothing` is the answer assumed for a question that is being asked already.

    `before` are the answers of one who was told less. An answer that did not need what he was not told is taken over:
    whoever answers says with `missed` that something was wanting.
    """

    def __init__(self, nothing: A, rounds: int = ROUNDS, before: Memo[A] | None = None) -> None:
        self.known: dict[Hashable, A] = {}
        """The answers that nothing was wanting for."""
        self._wanting: dict[Hashable, A] = {}
        self._before = before.known if before is not None else {}
        self._missed = False
        self._nothing = nothing
        self._rounds = rounds
        self._assumed: dict[Hashable, A] = {}
        self._provisional: dict[Hashable, tuple[A, int]] = {}
        self._trail: list[Hashable] = []
        self._active: dict[Hashable, int] = {}
        self._asked_again: set[Hashable] = set()
        self._lowest = DEEPEST + 1
        self._cut = False

    def get(self, question: Hashable, answer: Callable[[], A]) -> A:
        """The remembered answer, or that of `answer()`, which may call `get` itself."""
        known = self.known.get(question)
        if known is not None:
            return known
        wanting = self._wanting.get(question)
        if wanting is not None:
            self._missed = True
            return wanting
        if question in self._before:
            value = self.known[question] = self._before[question]
            return value
        if question in self._active:
            self._lowest = min(self._lowest, self._active[question])
            self._asked_again.add(question)
            return self._assumed.get(question, self._nothing)
        if question in self._provisional:
            value, low = self._provisional[question]
            self._lowest = min(self._lowest, low)
            return value
        if len(self._active) >= DEEPEST:
            self._cut, self._lowest, self._missed = True, 0, True
            return self._nothing
        if self._active:
            return self._ask(question, answer)
        try:
            return self._ask(question, answer)
        except RecursionError:
            self._start_over()
            return self._wanting.setdefault(question, self._nothing)

    def missed(self) -> None:
        """Whoever is being answered now would be answered otherwise if more were known."""
        self._missed = True

    def _start_over(self) -> None:
        """Forget everything that is not certain, after an answer that needed more stack than there is."""
        self._provisional.clear()
        self._trail.clear()
        self._asked_again.clear()
        self._assumed.clear()
        self._lowest, self._cut = DEEPEST + 1, False

    def _ask(self, question: Hashable, answer: Callable[[], A]) -> A:
        depth = len(self._active)
        outer_lowest, mark = self._lowest, len(self._trail)
        outer_missed, self._missed = self._missed, False
        self._active[question] = depth
        try:
            for turn in range(self._rounds):
                self._lowest = DEEPEST + 1
                value = answer()
                if self._lowest > DEEPEST and len(self._trail) == mark:
                    self._keep({question: value})
                    break
                if self._lowest < depth:
                    self._trail.append(question)
                    self._provisional[question] = (value, self._lowest)
                    self._depend(mark)
                    break
                group = {q: self._provisional[q][0] for q in self._trail[mark:]}
                group[question] = value
                settled = all(self._assumed.get(q, self._nothing) == group[q] for q in group if q in self._asked_again)
                self._forget(mark)
                if settled or turn == self._rounds - 1:
                    self._missed = self._missed or not settled
                    self._keep({question: value} if self._cut else group)
                    self._cut = False
                    for q in group:
                        self._asked_again.discard(q)
                        self._assumed.pop(q, None)
                    break
                self._assumed.update(group)
        finally:
            del self._active[question]
            self._lowest = min(outer_lowest, self._lowest)
            self._missed = outer_missed or self._missed
        return value

    def _keep(self, answers: dict[Hashable, A]) -> None:
        (self._wanting if self._missed else self.known).update(answers)

    def _depend(self, mark: int) -> None:
        """What was answered on the way here depends on what this answer depends on."""
        for question in self._trail[mark:]:
            value, low = self._provisional[question]
            if low > self._lowest:
                self._provisional[question] = (value, self._lowest)

    def _forget(self, mark: int) -> None:
        for question in self._trail[mark:]:
            del self._provisional[question]
        del self._trail[mark:]
