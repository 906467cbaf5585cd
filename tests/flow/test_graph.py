from hypothesis import given

from ctxlint.flow.graph import event_graph
from ctxlint.ir.function import RAISED
from tests.flow.build import EXIT, TRUE, bind, call, edge, function, graphs, local, quiet, step, straight


def test_events_follow_each_other_from_entry_to_exit() -> None:
    graph = quiet(straight(bind("x"), call("x.m")))
    assert [edge.target for edge in graph.successors(graph.entry)] == [0]
    assert [edge.target for edge in graph.successors(0)] == [1]
    assert [edge.target for edge in graph.successors(1)] == [graph.exit]
    assert graph.successors(graph.exit) == ()
    assert list(graph.predecessors(1)) == [0]


def test_an_event_that_can_raise_reaches_its_pad() -> None:
    made = function([([call("x.m"), call("x.n")], [edge(EXIT)]), ([step("catch")], [edge(EXIT)])], pads={2: 3})
    graph = event_graph(made, lambda event: event == 1)
    assert [edge.kind for edge in graph.successors(0)] == ["next"]
    assert [(edge.target, edge.kind) for edge in graph.successors(1)] == [
        (graph.exit, "next"), (graph.size + 3, "exception")]
    assert graph.pad_of(0) == graph.size + 3
    assert graph.block_of(2) == 3
    assert graph.block_of(graph.size + 3) == 3


def test_a_raise_only_raises() -> None:
    graph = quiet(function([([step("raise", TRUE), bind("x")], [edge(EXIT)])]))
    assert [(edge.target, edge.kind) for edge in graph.successors(0)] == [(graph.raised, "exception")]
    assert not graph.is_reachable(1)


def test_edges_carry_condition_and_flight() -> None:
    graph = quiet(function([([], [edge(EXIT, local("a"), True), edge(RAISED, local("a"), False, raised=True)])]))
    yes, no = graph.successors(graph.entry)
    assert yes.condition is not None and yes.condition.holds and yes.kind == "next"
    assert no.condition is not None and not no.condition.holds and no.kind == "raised"


def test_unreachable_blocks_have_no_edges() -> None:
    graph = quiet(function([([bind("x")], [edge(EXIT)]), ([bind("y")], [edge(EXIT)])]))
    assert not graph.predecessors(1)
    assert graph.successors(1) == ()
    assert list(graph.predecessors(graph.exit)) == [0]


@given(graphs())
def test_successors_and_predecessors_agree(graph) -> None:
    forward = {(node, edge.target) for node in graph.nodes for edge in graph.successors(node)}
    assert forward == {(source, node) for node in graph.nodes for source in graph.predecessors(node)}
    assert {node for node in graph.nodes if graph.is_reachable(node)} == set(graph.order)


@given(graphs())
def test_order_starts_at_the_entry_and_holds_each_node_once(graph) -> None:
    assert graph.order[0] == graph.entry
    assert len(set(graph.order)) == len(graph.order)
