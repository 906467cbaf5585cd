"""Strongly connected components, compared with networkx."""

from __future__ import annotations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.calls.components import components

GRAPHS = st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=13)


@given(GRAPHS)
def test_the_components_are_those_of_networkx_and_callees_come_first(graph: dict[int, list[int]]) -> None:
    found = list(components(graph, lambda node: graph.get(node, ())))
    reference = networkx.DiGraph(graph)
    assert {frozenset(component) for component in found} == set(map(frozenset, networkx.strongly_connected_components(reference)))
    position = {node: number for number, component in enumerate(found) for node in component}
    assert all(position[target] <= position[node] for node, targets in graph.items() for target in targets)


def test_a_long_chain_needs_no_stack() -> None:
    found = list(components(range(50_000), lambda node: [node + 1] if node < 49_999 else []))
    assert [component[0] for component in found[:2]] == [49_999, 49_998] and len(found) == 50_000
