from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.graph import event_graph
from ctxlint.flow.locks import held, regions
from tests.flow.build import EXIT, RAISED, bind, call, edge, function, graphs, local, quiet, step, straight


def by_paths(graph, acquires, releases):
    """The sites held in front of each node, by following every set of held sites along every edge."""
    states = {(graph.entry, frozenset())}
    pending = list(states)
    while pending:
        node, sites = pending.pop()
        after = frozenset(site for site in sites if acquires[site] != releases.get(node))
        if node in acquires:
            after |= {node}
        for way in graph.successors(node):
            for then in ({after, sites} if way.kind == "exception" else {after}):
                if (way.target, then) not in states:
                    states.add((way.target, then))
                    pending.append((way.target, then))
    found = {}
    for node, sites in states:
        found[node] = found.get(node, sites) & sites
    return [found.get(node, frozenset()) for node in graph.nodes]


@given(graphs(), st.data())
def test_held_locks_equal_those_of_every_path(graph, data) -> None:
    events = st.sampled_from(range(graph.size)) if graph.size else st.nothing()
    keys = st.sampled_from(["k", "l"])
    some = st.dictionaries(events, keys, max_size=4) if graph.size else st.just({})
    acquires, releases = data.draw(some), data.draw(some)
    assert held(graph, acquires, releases) == by_paths(graph, acquires, releases)


def test_a_region_and_two_sites_of_one_lock() -> None:
    made = straight(step("enter", local("lock")), call("x.a"), step("exit", local("lock")),
                    call("x.b"), step("enter", local("lock")), call("x.c"), step("exit", local("lock")))
    graph = quiet(made)
    sites = held(graph, {0: "lock", 4: "lock"}, {2: "lock", 6: "lock"})
    assert sites[1] == {0} and sites[3] == frozenset() and sites[5] == {4} and sites[graph.exit] == frozenset()
    assert regions(graph) == {0: (2,), 4: (6,)}


def test_a_lock_taken_on_one_branch_is_not_held_behind_it() -> None:
    made = function([
        ([], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([call("lock.acquire")], [edge(4)]),
        ([call("x.m")], [edge(EXIT)]),
    ])
    assert held(quiet(made), {0: "lock"}, {})[1] == frozenset()


def test_regions_with_an_exit_for_every_way_out() -> None:
    lock = local("lock")
    made = function([
        ([step("enter", lock)], [edge(3)]),
        ([step("enter", lock), call("x.m")], [edge(4)]),
        ([step("exit", lock), step("exit", lock)], [edge(EXIT)]),
        ([step("exit", lock), step("exit", lock)], [edge(RAISED, raised=True)]),
    ], pads={3: 5})
    graph = event_graph(made, lambda event: event == 2)
    assert regions(graph) == {0: (4, 6), 1: (3, 5)}


def test_an_acquisition_that_fails_holds_nothing() -> None:
    made = function([([call("lock.acquire"), call("x.m")], [edge(EXIT)]), ([bind("x")], [edge(EXIT)])], pads={2: 3})
    graph = event_graph(made, lambda event: True)
    sites = held(graph, {0: "lock"}, {})
    assert sites[1] == {0}
    assert sites[2] == frozenset()
