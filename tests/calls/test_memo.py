"""Questions that ask themselves again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlint.calls.memo import Memo

GRAPHS = st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4), min_size=10, max_size=10)


def reachable(graph: dict[int, list[int]], start: int) -> frozenset[int]:
    seen, pending = {start}, [start]
    while pending:
        for following in graph.get(pending.pop(), []):
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return frozenset(seen)


def ask(memo: Memo[frozenset[int]], graph: dict[int, list[int]], node: int) -> frozenset[int]:
    return memo.get(node, lambda: frozenset([node]).union(*(ask(memo, graph, other) for other in graph.get(node, []))))


@given(GRAPHS, st.permutations(range(10)))
def test_the_least_solution_whatever_is_asked_first(graph: dict[int, list[int]], order: list[int]) -> None:
    memo: Memo[frozenset[int]] = Memo(frozenset(), rounds=20)
    for node in order:
        assert ask(memo, graph, node) == reachable(graph, node)


def test_every_question_of_a_group_is_answered_once_a_round() -> None:
    graph = {node: [other for other in range(12) if other != node] for node in range(12)}
    asked = 0

    def answer(node: int) -> frozenset[int]:
        nonlocal asked
        asked += 1
        return frozenset([node]).union(*(memo.get(other, lambda o=other: answer(o)) for other in graph[node]))

    memo: Memo[frozenset[int]] = Memo(frozenset())
    memo.get(0, lambda: answer(0))
    assert asked <= 12 * 4


def test_remembered() -> None:
    memo: Memo[frozenset[int]] = Memo(frozenset())
    assert memo.get("q", lambda: frozenset([1])) == {1}
    assert memo.get("q", lambda: frozenset([2])) == {1}


def test_too_deep_an_answer_is_nothing_and_spoils_no_other() -> None:
    memo: Memo[frozenset[int]] = Memo(frozenset())

    def deep(n: int) -> frozenset[int]:
        return deep(n + 1) | memo.get(n % 5, lambda: frozenset([n]))

    assert memo.get("deep", lambda: deep(0)) == frozenset()
    assert memo.get("other", lambda: memo.get("inner", lambda: frozenset([7]))) == {7}


def test_a_chain_that_is_cut_is_asked_again_from_further_along() -> None:
    memo: Memo[frozenset[int]] = Memo(frozenset())

    def chain(n: int) -> frozenset[int]:
        return frozenset([n]) if n == 200 else memo.get(n + 1, lambda: chain(n + 1))

    assert memo.get(0, lambda: chain(0)) == frozenset()
    assert memo.get(190, lambda: chain(190)) == {200}
    assert memo.get(150, lambda: chain(150)) == {200}


@given(GRAPHS, st.sets(st.integers(0, 9)), st.permutations(range(10)), st.permutations(range(10)))
def test_an_answer_for_which_nothing_was_wanting_is_taken_over(
    graph: dict[int, list[int]], told: set[int], order: list[int], later: list[int]
) -> None:
    """Some nodes have one more way, which only the later one is told."""
    asked: list[int] = []
    before: Memo[frozenset[int]] = Memo(frozenset(), rounds=20)

    def answer(memo: Memo[frozenset[int]], node: int) -> frozenset[int]:
        asked.append(node)
        following = list(graph[node])
        if node in told:
            if memo is before:
                memo.missed()
            else:
                following.append((node + 1) % 10)
        return frozenset([node]).union(*(memo.get(other, lambda o=other: answer(memo, o)) for other in following))

    for node in order:
        assert before.get(node, lambda n=node: answer(before, n)) == reachable(graph, node)
    after: Memo[frozenset[int]] = Memo(frozenset(), rounds=20, before=before)
    more = {node: [*graph[node], (node + 1) % 10] if node in told else graph[node] for node in graph}
    asked.clear()
    for node in later:
        assert after.get(node, lambda n=node: answer(after, n)) == reachable(more, node)
    assert all(reachable(graph, node) & told for node in asked)
    unaffected = {node for node in graph if not reachable(graph, node) & told}
    assert unaffected <= set(before.known)
