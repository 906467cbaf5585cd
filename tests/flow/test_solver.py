from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.solver import solve, solve_bits
from tests.flow.build import EXIT, bind, call, edge, function, graphs, local, quiet


@dataclass(frozen=True)
class Powerset:
    """Sets of small numbers, joined by union."""

    bottom: frozenset[int] = frozenset()

    def join(self, a: frozenset[int], b: frozenset[int]) -> frozenset[int]:
        return a | b

    def equal(self, a: frozenset[int], b: frozenset[int]) -> bool:
        return a == b


@dataclass(frozen=True)
class Must:
    """Sets of small numbers that hold on every path, joined by intersection; None is everything."""

    bottom: frozenset[int] | None = None

    def join(self, a: frozenset[int] | None, b: frozenset[int] | None) -> frozenset[int] | None:
        return b if a is None else a if b is None else a & b

    def equal(self, a: frozenset[int] | None, b: frozenset[int] | None) -> bool:
        return a == b


SETS = st.frozensets(st.integers(0, 5))


@given(SETS, SETS, SETS, st.sampled_from([Powerset(), Must()]))
def test_laws(a, b, c, lattice) -> None:
    assert lattice.join(a, a) == a
    assert lattice.join(a, b) == lattice.join(b, a)
    assert lattice.join(a, lattice.join(b, c)) == lattice.join(lattice.join(a, b), c)
    assert lattice.join(lattice.bottom, a) == a


def _effects(data, graph):
    events = st.sampled_from(range(graph.size)) if graph.size else st.nothing()
    masks = st.integers(0, 15)
    entries = st.dictionaries(events, masks, max_size=5) if graph.size else st.just({})
    return data.draw(entries), data.draw(entries)


@given(graphs(), st.data())
def test_the_facts_are_a_fixed_point_and_the_least(graph, data) -> None:
    gen, kill = _effects(data, graph)
    facts = solve_bits(graph, gen, kill, 1)
    expected = {node: 0 for node in graph.nodes}
    expected[graph.entry] = 1
    for _ in range(4 * len(graph.nodes) + 8):
        for node in graph.nodes:
            behind = expected[node] & ~kill.get(node, 0) | gen.get(node, 0)
            for way in graph.successors(node):
                expected[way.target] |= behind | (expected[node] if way.kind == "exception" else 0)
    assert facts == [expected[node] for node in graph.nodes]


def _bits(mask: int) -> frozenset[int]:
    return frozenset(position for position in range(4) if mask >> position & 1)


@given(graphs(), st.data(), st.booleans())
def test_both_solvers_agree(graph, data, every_path) -> None:
    gen, kill = _effects(data, graph)

    def transfer(node: int, fact: frozenset[int] | None) -> frozenset[int] | None:
        return None if fact is None else fact - _bits(kill.get(node, 0)) | _bits(gen.get(node, 0))

    lattice = Must() if every_path else Powerset()
    general = solve(graph, lattice, transfer, frozenset())
    fast = solve_bits(graph, gen, kill, every_path=every_path)
    assert [fact or frozenset() for fact in general] == [_bits(mask) for mask in fast]


@given(graphs(), st.data())
def test_backward_facts_equal_what_lies_ahead(graph, data) -> None:
    """With nothing killed, the backward fact of a node is what is generated on some path from it."""
    gen, _ = _effects(data, graph)
    facts = solve(graph, Powerset(), lambda node, fact: fact | _bits(gen.get(node, 0)), frozenset(), backward=True)
    for node in graph.nodes:
        ahead, pending = set(), [node]
        while pending:
            for way in graph.successors(pending.pop()):
                if way.target not in ahead:
                    ahead.add(way.target)
                    pending.append(way.target)
        assert facts[node] == frozenset().union(*[_bits(gen.get(each, 0)) for each in ahead])


def test_a_name_is_live_until_it_is_bound() -> None:
    made = function([
        ([bind("x"), call("y.m"), bind("x")], [edge(3)]),
        ([call("x.m")], [edge(EXIT)]),
    ])

    def transfer(node: int, live: frozenset[int]) -> frozenset[int]:
        return live - {0} if node in (0, 2) else live | {0} if node == 3 else live

    facts = solve(quiet(made), Powerset(), transfer, frozenset(), backward=True)
    assert facts[2] == {0}
    assert facts[1] == frozenset()
    assert local("x") == local("x")
