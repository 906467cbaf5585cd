from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.guards import guards
from tests.flow.build import EXIT, call, edge, function, graphs, local, quiet


@given(graphs(), st.data())
def test_a_guard_is_a_conditional_edge_without_which_the_node_is_not_reached(graph, data) -> None:
    node = data.draw(st.sampled_from(graph.order))
    conditional = [(source, position) for source in graph.order
                   for position, way in enumerate(graph.successors(source)) if way.condition is not None]
    needed = []
    for left_out in conditional:
        reached, pending = {graph.entry}, [graph.entry]
        while pending:
            source = pending.pop()
            for position, way in enumerate(graph.successors(source)):
                if (source, position) != left_out and way.target not in reached:
                    reached.add(way.target)
                    pending.append(way.target)
        if node not in reached:
            needed.append((left_out[0], graph.successors(left_out[0])[left_out[1]].condition))
    assert sorted(map(repr, guards(graph, node))) == sorted(
        f"Guard(node={source!r}, condition={condition!r})" for source, condition in needed)


def test_nested_branches_guard_from_the_outside_in() -> None:
    made = function([
        ([], [edge(3, local("a")), edge(EXIT, local("a"), False)]),
        ([call("x.m")], [edge(4, local("b"), False), edge(5, local("b"))]),
        ([call("x.n")], [edge(5)]),
        ([call("x.o")], [edge(EXIT)]),
    ])
    graph = quiet(made)
    assert [(guard.condition.value, guard.condition.holds) for guard in guards(graph, 1)] == [
        (local("a"), True), (local("b"), False)]
    assert [guard.condition.value for guard in guards(graph, 2)] == [local("a")]
    assert guards(graph, graph.exit) == ()
