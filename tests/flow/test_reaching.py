from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.bindings import bound_name, changed_name, unbound_name
from ctxlint.flow.reaching import ENTRY_VALUE, Definitions
from tests.flow.build import EXIT, NAMES, TRUE, at, bind, call, edge, function, graphs, local, quiet, step, straight, write


def naive(graph, name, binds, unbinds, initial):
    """Sets pushed along edges until nothing moves."""
    reaching = {node: set() for node in graph.nodes}
    reaching[graph.entry] = set(initial)
    moving = True
    while moving:
        moving = False
        for node in graph.nodes:
            after = set(reaching[node])
            if node < graph.size:
                event = graph.function.events[node]
                if bound_name(event) == name or unbound_name(event) == name:
                    after = set()
                if binds(event) == name:
                    after = after | {node}
            for way in graph.successors(node):
                arriving = after | reaching[node] if way.kind == "exception" else after
                if not arriving <= reaching[way.target]:
                    reaching[way.target] |= arriving
                    moving = True
    return reaching


@given(graphs(), st.sampled_from([*NAMES, "never"]))
def test_definitions_equal_a_naive_search(graph, name) -> None:
    definitions = Definitions(graph.routes)
    expected = naive(graph, name, bound_name, unbound_name, {ENTRY_VALUE})
    for node in graph.nodes:
        assert definitions.definitions(node, name) == tuple(sorted(expected[node]))


@given(graphs(), st.sampled_from(NAMES))
def test_additions_equal_a_naive_search(graph, name) -> None:
    definitions = Definitions(graph.routes)
    expected = naive(graph, name, changed_name, unbound_name, ())
    for node in graph.nodes:
        assert definitions.additions(node, name) == tuple(sorted(expected[node]))


def test_a_branch_joins_both_definitions() -> None:
    made = function([
        ([bind("x")], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([bind("x")], [edge(4)]),
        ([call("x.m")], [edge(EXIT)]),
    ], formals=("a",))
    definitions = Definitions(quiet(made).routes)
    assert definitions.definitions(2, "x") == (0, 1)
    assert definitions.definitions(1, "x") == (0,)
    assert definitions.definitions(0, "x") == (ENTRY_VALUE,)
    assert definitions.definitions(2, "a") == (ENTRY_VALUE,)


def test_del_ends_a_definition_and_a_bare_annotation_is_none() -> None:
    definitions = Definitions(quiet(straight(
        bind("x"), step("local", None, at("x"), note="int"), step("delete", path=at("x")), call("y.m"))).routes)
    assert definitions.definitions(2, "x") == (0,)
    assert definitions.definitions(3, "x") == ()


def test_stores_and_calls_add_until_the_name_is_bound_again() -> None:
    definitions = Definitions(quiet(straight(
        bind("x"), call("x.append", TRUE), write("x[*]", TRUE, TRUE), call("print", local("x")), bind("x"), call("y.m"))).routes)
    assert definitions.additions(4, "x") == (1, 2)
    assert definitions.additions(5, "x") == ()
