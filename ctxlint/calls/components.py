"""Strongly connected components (Tarjan, 1972), without recursion: a call graph can be deeper than the interpreter's stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N")


def components(nodes: Iterable[N], successors: Callable[[N], Iterable[N]]) -> Iterator[list[N]]:
    """Yield the components, each after those that it leads to; a node without successors is one of its own."""
    numbers: dict[N, int] = {}
    lowest: dict[N, int] = {}
    open_nodes: dict[N, None] = {}
    for root in nodes:
        if root in numbers:
            continue
        numbers[root] = lowest[root] = len(numbers)
        open_nodes[root] = None
        walk = [(root, iter(successors(root)))]
        while walk:
            node, rest = walk[-1]
            for target in rest:
                if target not in numbers:
                    numbers[target] = lowest[target] = len(numbers)
                    open_nodes[target] = None
                    walk.append((target, iter(successors(target))))
                    break
                if target in open_nodes:
                    lowest[node] = min(lowest[node], numbers[target])
            else:
                walk.pop()
                if walk:
                    lowest[walk[-1][0]] = min(lowest[walk[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    component: list[N] = []
                    while not component or component[-1] != node:
                        component.append(open_nodes.popitem()[0])
                    yield component
