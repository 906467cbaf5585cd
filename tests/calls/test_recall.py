"""What a question is answered does not depend on who asked before, however the questions ask one another."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from ctxlint.calls.recall import Recall

NODES = 8
GRAPHS = st.lists(st.lists(st.integers(0, NODES - 1), max_size=3), min_size=NODES, max_size=NODES)
ORDERS = st.permutations(range(NODES))
SOME = st.frozensets(st.integers(0, NODES - 1), max_size=2)
Answers = Recall[int, int]
"""An answer is a number that every answer below it goes into, in order: whatever is otherwise below is seen above."""


def ask(recall: Answers, graph: list[list[int]], node: int, most: int, anew: frozenset[int], depth: int = 0) -> int:
    def answer() -> int:
        below = [
            ask(recall, graph, other, most, anew, 0 if other in anew else depth + 1)
            for other in graph[node] if other % 2 or recall.reaches(depth + 2, most)
        ]
        return hash((node, *below))

    return recall.ask(node, answer, depth, most)


def check(graph: list[list[int]], order: list[int], most: int, anew: frozenset[int], together: bool = False) -> None:
    def answers() -> Answers:
        return Answers(lambda node: -1, lambda node: -2, first=min if together else None)

    used = answers()
    for node in order * 2:
        assert ask(used, graph, node, most, anew) == ask(answers(), graph, node, most, anew)


@given(GRAPHS, ORDERS, SOME)
def test_in_circles_the_same_answer_whatever_was_asked_before(graph: list[list[int]], order: list[int], anew: frozenset[int]) -> None:
    check(graph, order, 99, anew)


@given(GRAPHS, ORDERS)
def test_circles_answered_together_are_the_same_whoever_begins(graph: list[list[int]], order: list[int]) -> None:
    check(graph, order, 99, frozenset(range(NODES)), together=True)


@given(GRAPHS, ORDERS, SOME, st.integers(1, 6))
def test_far_down_the_same_answer_whatever_was_asked_before(
    graph: list[list[int]], order: list[int], anew: frozenset[int], most: int
) -> None:
    check([[other for other in others if other > node] for node, others in enumerate(graph)], order, most, anew)


class _AnsweredAgain(Answers):
    """Puts nothing back."""

    def _is_put_back(self, question: int, depth: int) -> bool:
        return False


@given(GRAPHS, ORDERS, SOME, st.integers(1, 6))
def test_what_is_put_back_is_what_would_be_answered_again(
    graph: list[list[int]], order: list[int], anew: frozenset[int], most: int
) -> None:
    quick, slow = (kind(lambda node: -1, lambda node: -2) for kind in (Answers, _AnsweredAgain))
    for node in order * 3:
        assert ask(quick, graph, node, most, anew) == ask(slow, graph, node, most, anew)


def test_what_is_behind_a_circle_is_answered_once() -> None:
    asked: list[int] = []
    recall = Recall[int, int](lambda number: 0)

    def number(which: int) -> int:
        def answer() -> int:
            asked.append(which)
            return which + sum(map(number, {9: [0], 0: [1, 2], 1: [0, 3], 2: [3], 3: []}[which]))

        return recall.ask(which, answer)

    assert [number(which) for which in (9, 0, 9, 3, 1)] == [18, 9, 18, 3, 9]
    assert asked == [9, 0, 1, 3, 2, 1, 0]


def test_a_circle_whose_first_question_turns_before_it_comes_back() -> None:
    def number(recall: Recall[int, int], which: int) -> int:
        if which == 0:
            return recall.ask(0, lambda: 1 if number(recall, 1) == 5 else number(recall, 2))
        return recall.ask(which, lambda: 5 if which == 1 and number(recall, 2) == 0 else number(recall, 0))

    def answers() -> Recall[int, int]:
        return Recall[int, int](lambda which: 0, first=min)

    for order in itertools.permutations(range(3)):
        recall = answers()
        assert all(number(recall, which) == number(answers(), which) for which in order)


def test_an_answer_that_fails_leaves_nothing_behind() -> None:
    recall = Recall[str, int](lambda question: 0)

    def failing() -> int:
        recall.ask("inner", lambda: recall.ask("outer", lambda: 1) + 1)
        raise RecursionError

    for _ in range(2):
        try:
            recall.ask("outer", failing)
        except RecursionError:
            pass
    assert recall.ask("inner", lambda: recall.ask("outer", lambda: 1) + 1) == 2
