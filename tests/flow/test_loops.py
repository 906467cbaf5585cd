from hypothesis import given

from ctxlint.flow.loops import Loops, may_repeat
from ctxlint.flow.paths import path
from tests.flow.build import EXIT, call, edge, function, graphs, local, quiet, step


def test_a_loop_in_a_loop() -> None:
    made = function([
        ([call("x.before")], [edge(3)]),
        ([step("iterate", local("rows"))], [edge(4), edge(EXIT)]),
        ([call("x.row")], [edge(5, local("a")), edge(3, local("a"), False)]),
        ([call("x.cell")], [edge(5, local("b")), edge(3, local("b"), False)]),
    ])
    found = Loops(quiet(made))
    inner, outer = found.all
    assert inner.driver is None and outer.driver == 1
    assert found.loop_of(3) == inner
    assert found.around(3) == (inner, outer)
    assert found.loop_of(2) == outer
    assert found.loop_of(0) is None


@given(graphs())
def test_what_is_in_a_loop_repeats(graph) -> None:
    for loop in Loops(graph).all:
        for node in loop.body:
            assert path(graph, node, node, consistent=False) is not None


@given(graphs())
def test_every_event_that_repeats_is_in_a_loop(graph) -> None:
    found = Loops(graph)
    heads = {loop.head for loop in found.all}
    for node in graph.nodes:
        cycle = path(graph, node, node, consistent=False)
        if cycle is not None:
            assert heads.intersection(cycle.nodes)


@given(graphs())
def test_without_a_cycle_of_blocks_there_is_no_loop(graph) -> None:
    assert may_repeat(graph.function) or not Loops(graph).all


def test_blocks_go_round_or_do_not() -> None:
    asks = ([step("iterate", local("rows"))], [edge(4), edge(EXIT)])
    assert may_repeat(function([([call("x.before")], [edge(3)]), asks, ([call("x.row")], [edge(3)])]))
    assert not may_repeat(function([([call("x.before")], [edge(3)]), asks, ([call("x.row")], [edge(EXIT)])]))
