import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.graph import EventGraph, GraphEdge, event_graph
from ctxlint.flow.paths import Witness, between, condition_key, dominates, path, reachable
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Name, Result, Value
from tests.flow.build import (
    EXIT, FALSE, NONE, TRUE, at, bind, call, compared, edge, function, graphs, local, negated, quiet, read, step, straight,
    suspend, text, write,
)


def valid(graph: EventGraph, witness: Witness) -> bool:
    return all(edge in graph.successors(node) and edge.target == after
               for node, edge, after in zip(witness.nodes, witness.edges, witness.nodes[1:], strict=False))


def closure(graph: EventGraph, source: int, avoiding: set[int]) -> set[int]:
    """Reachability by saturation of the edge relation, without a worklist."""
    pairs = {(node, edge.target) for node in graph.nodes for edge in graph.successors(node)}
    found = {target for node, target in pairs if node == source and target not in avoiding}
    while True:
        more = {target for node, target in pairs if node in found and target not in avoiding} - found
        if not more:
            return found
        found |= more


@given(graphs(), st.data())
def test_a_path_exists_exactly_when_the_relation_says_so(graph, data) -> None:
    nodes = st.sampled_from(graph.nodes)
    source, target = data.draw(nodes), data.draw(nodes)
    avoiding = data.draw(st.sets(nodes, max_size=4))
    witness = path(graph, source, target, avoiding, consistent=False)
    assert (witness is not None) == (target in closure(graph, source, avoiding))
    assert reachable(graph, source, avoiding) == closure(graph, source, avoiding)
    if witness is not None:
        assert valid(graph, witness)
        assert witness.nodes[0] == source and witness.nodes[-1] == target
        assert not avoiding.intersection(witness.nodes[1:])


@given(graphs(), st.data())
def test_a_path_through_a_set_exists_exactly_when_two_paths_meet_in_it(graph, data) -> None:
    nodes = st.sampled_from(graph.nodes)
    source, target = data.draw(nodes), data.draw(nodes)
    avoiding = data.draw(st.sets(nodes, max_size=3))
    through = data.draw(st.sets(nodes, max_size=3))
    witness = path(graph, source, target, avoiding, through=through, consistent=False)
    expected = any(middle in closure(graph, source, avoiding) and target in closure(graph, middle, avoiding)
                   for middle in through)
    assert (witness is not None) == expected
    if witness is not None:
        assert valid(graph, witness)
        assert through.intersection(witness.nodes[1:-1])


@given(graphs(), st.data())
def test_between_is_what_lies_on_paths_that_pass_the_ends_once(graph, data) -> None:
    nodes = st.sampled_from(graph.nodes)
    a, b = data.draw(nodes), data.draw(nodes)
    expected = {node for node in range(graph.size) if node not in (a, b)
                and node in closure(graph, a, {a, b}) and _meets(graph, node, a, b)}
    assert between(graph, a, b) == expected


def _meets(graph: EventGraph, node: int, a: int, b: int) -> bool:
    """Whether b can follow the node with neither end in between."""
    return any(edge.target == b for inner in closure(graph, node, {a, b}) | {node} for edge in graph.successors(inner))


@given(graphs(most_blocks=4), st.data())
def test_a_consistent_path_is_found_between_the_bounds(graph, data) -> None:
    """It exists if a whole honest execution passes source and target, and only if an honest walk leads from one to other."""
    nodes = st.sampled_from(graph.nodes)
    source, target = data.draw(nodes), data.draw(nodes)
    witness = path(graph, source, target)
    beginnings = {belief for node, belief in _honest_states(graph, {(graph.entry, _UNSURE)}) if node == source}
    whole = {node for node, _ in _honestly_reached(graph, {(source, belief) for belief in beginnings})}
    if target in whole:
        assert witness is not None
    if witness is not None:
        assert witness.consistent
        assert target in {node for node, _ in _honestly_reached(graph, {(source, _UNSURE)})}
        assert _honest(graph, witness)


@given(graphs(most_blocks=4), st.data())
def test_from_the_entry_a_consistent_path_is_found_exactly_when_there_is_one(graph, data) -> None:
    target = data.draw(st.sampled_from(graph.nodes))
    reached = {node for node, _ in _honestly_reached(graph, {(graph.entry, _UNSURE)})}
    assert (path(graph, graph.entry, target) is not None) == (target in reached)


_Belief = tuple[bool | None, bool | None, bool]
_UNSURE: _Belief = (None, None, False)


def _beyond(graph: EventGraph, node: int, way: GraphEdge, belief: _Belief) -> _Belief | None:
    """What is believed of the truth of `flag`, of the truth of `a`, and whether a is the None that was written down, behind
    an edge; None if the edge is a lie. Written for the events of `build.functions` alone."""
    flag, a, nothing = belief
    if node < graph.size:
        event: Event = graph.function.events[node]
        named = event.path.root.name if event.path is not None else ""
        bound = event.kind == "local" and way.kind != "exception"
        if named == "flag":
            flag = event.value == TRUE if bound else None
        if named == "a":
            a = False if bound else None
            nothing = bound or (nothing and event.kind in ("call", "write"))
    if way.condition is not None:
        holds = way.condition.holds
        if way.condition.value == local("flag"):
            if flag is not None and flag != holds:
                return None
            flag = holds
        else:
            if (a is not None and a != holds) or (nothing and holds):
                return None
            a = holds
    return (flag, None, nothing) if graph.turns_back(node, way.target) else (flag, a, nothing)


def _honestly_reached(graph: EventGraph, beginnings: set[tuple[int, _Belief]]) -> set[tuple[int, _Belief]]:
    """The nodes that can follow, each with what is believed there."""
    reached: set[tuple[int, _Belief]] = set()
    pending = list(beginnings)
    while pending:
        node, belief = pending.pop()
        for way in graph.successors(node):
            then = _beyond(graph, node, way, belief)
            if then is not None and (way.target, then) not in reached:
                reached.add((way.target, then))
                pending.append((way.target, then))
    return reached


def _honest_states(graph: EventGraph, beginnings: set[tuple[int, _Belief]]) -> set[tuple[int, _Belief]]:
    return beginnings | _honestly_reached(graph, beginnings)


def _honest(graph: EventGraph, witness: Witness) -> bool:
    belief: _Belief | None = _UNSURE
    for node, way in zip(witness.nodes, witness.edges, strict=False):
        assert belief is not None
        belief = _beyond(graph, node, way, belief)
        if belief is None:
            return False
    return True


def twice(first: Value, second: Value, *between_them: Event, before: tuple[Event, ...] = (), holds: bool = True) -> bool:
    """Whether `if first: A` … `if second: B` can do A and then leave out B."""
    made = function([
        (before, [edge(3, first, holds), edge(4, first, not holds)]),
        ([call("x.a")], [edge(4)]),
        (between_them, [edge(5, second, True), edge(EXIT, second, False)]),
        ([call("x.b")], [edge(EXIT)]),
    ])
    a, b = (number for number, event in enumerate(made.events) if event.path in (at("x.a"), at("x.b")))
    return _can_skip(quiet(made), a, b)


def _can_skip(graph: EventGraph, a: int, b: int) -> bool:
    first = path(graph, graph.entry, a)
    assert first is not None
    whole = path(graph, graph.entry, graph.exit, {b}, through={a})
    return whole is not None


FLAG = local("flag")


@pytest.mark.parametrize(("first", "second", "holds"), [
    (FLAG, FLAG, True),
    (negated(FLAG), FLAG, False),
    (compared(FLAG, "is", NONE), compared(FLAG, "is not", NONE), False),
    (compared(FLAG, "==", text("a")), compared(FLAG, "!=", text("b")), True),
    (compared(FLAG, ">", local("n")), compared(local("n"), "<", FLAG), True),
    (compared(FLAG, "<=", local("n")), compared(FLAG, ">", local("n")), False),
    (Compound("and", (FLAG, local("other"))), FLAG, True),
    (FLAG, compared(FLAG, "is not", NONE), True),
    (compared(local("k"), "in", FLAG), compared(local("k"), "not in", FLAG), False),
])
def test_one_question_is_answered_one_way(first, second, holds) -> None:
    assert not twice(first, second, holds=holds)


@pytest.mark.parametrize(("first", "second"), [
    (FLAG, local("other")),
    (compared(FLAG, "is not", NONE), FLAG),
    (compared(FLAG, "==", text("a")), compared(FLAG, "==", text("b"))),
    (Compound("or", (FLAG, local("other"))), FLAG),
])
def test_different_questions_are_free(first, second) -> None:
    assert twice(first, second)


@pytest.mark.parametrize("change", [
    bind("flag", local("y")), call("flag.clear"), write("flag.x"), write("flag[*]", NONE, local("k")),
    step("delete", path=at("flag")), step("catch", path=at("flag")),
])
def test_a_change_frees_the_answer(change) -> None:
    assert twice(FLAG, FLAG, change)


@pytest.mark.parametrize("no_change", [bind("y"), suspend(), call("y.clear"), call("g", FLAG)])
def test_other_events_leave_a_local_alone(no_change) -> None:
    assert not twice(FLAG, FLAG, no_change)


def test_identity_survives_a_change_of_content() -> None:
    none = compared(FLAG, "is", NONE)
    assert not twice(none, none, call("flag.clear"))
    assert twice(none, none, bind("flag", local("y")))


@pytest.mark.parametrize(("between_them", "free"), [
    ((), False), ((suspend(),), True), ((write("self.open"),), True), ((write("self"),), True), ((call("self.stop"),), True),
    ((call("stop", local("self")),), True), ((write("self.other"),), False), ((call("log", local("y")),), False),
])
def test_a_cell_is_read_anew(between_them, free) -> None:
    made = function([
        ([read("self.open")], [edge(3, Result(0)), edge(4, Result(0), False)]),
        ([call("x.a")], [edge(4)]),
        ([*between_them, read("self.open")], [edge(5, Result(2 + len(between_them))),
                                              edge(EXIT, Result(2 + len(between_them)), False)]),
        ([call("x.b")], [edge(EXIT)]),
    ])
    assert _can_skip(quiet(made), 1, len(made.events) - 1) is free


def test_a_constant_settles_the_flag() -> None:
    made = function([
        ([bind("done", FALSE), call("x.a"), bind("done", TRUE)], [edge(3)]),
        ([], [edge(EXIT, local("done")), edge(4, local("done"), False)]),
        ([call("x.undo")], [edge(EXIT)]),
    ], pads={2: 3})
    graph = event_graph(made, lambda event: event == 1)
    assert path(graph, graph.entry, graph.exit, {2, 3}) is None
    assert path(graph, 1, 3, start="completed") is None
    failed = path(graph, 1, 3, start="failed")
    assert failed is not None and failed.failures == (1,)


def test_an_answer_of_the_last_round_does_not_bind_the_next() -> None:
    item = Result(0)
    made = function([
        ([step("iterate", local("items"))], [edge(3, item), edge(4, item, False), edge(EXIT)]),
        ([call("x.a")], [edge(2)]),
        ([call("x.b")], [edge(2)]),
    ])
    assert path(quiet(made), 1, 2) is not None


def test_a_call_is_another_question_each_time_but_a_builtin_that_only_looks_is_not() -> None:
    for name, free in (("ready", True), ("isinstance", False)):
        made = function([
            ([call(name, local("m"), scope="global")], [edge(3, Result(0)), edge(4, Result(0), False)]),
            ([call("x.a")], [edge(4)]),
            ([call(name, local("m"), scope="global")], [edge(5, Result(2)), edge(EXIT, Result(2), False)]),
            ([call("x.b")], [edge(EXIT)]),
        ])
        assert _can_skip(quiet(made), 1, 3) is free


def test_an_avoided_node_dominates() -> None:
    made = function([
        ([call("x.a")], [edge(3, FLAG), edge(4, FLAG, False)]),
        ([call("x.b")], [edge(4)]),
        ([call("x.c")], [edge(EXIT)]),
    ])
    graph = quiet(made)
    assert dominates(graph, 0, 2)
    assert not dominates(graph, 1, 2)
    assert dominates(graph, 2, graph.exit)
    assert path(graph, 2, 2) is None


def test_ordinary_control_flow_alone() -> None:
    made = function([([call("x.a"), call("x.b")], [edge(EXIT)]), ([step("catch")], [edge(EXIT)])], pads={2: 3})
    graph = event_graph(made, lambda event: True)
    assert path(graph, graph.entry, 2) is not None
    assert path(graph, graph.entry, 2, exceptional=False) is None


def test_many_independent_questions_do_not_explode() -> None:
    parts = []
    flags = [f"f{number}" for number in range(40)]
    for number, name in enumerate(flags * 2):
        block = 2 + 2 * number
        parts.append(([], [edge(block + 1, local(name)), edge(block + 2, local(name), False)]))
        parts.append(([call("x.a")], [edge(block + 2)]))
    parts.append(([call("x.last")], [edge(EXIT)]))
    graph = quiet(function(parts))
    witness = path(graph, 0, graph.size - 1)
    assert witness is not None and witness.consistent


def test_keys_are_normal_forms() -> None:
    made = straight(read("self.items[*]", local("k")), call("x.m"))
    assert condition_key(made, Result(0)) == "self.items[k]"
    assert condition_key(made, Result(1)) == "#1"
    assert condition_key(made, negated(compared(Result(0), "is not", NONE))) == "self.items[k] is None"
    assert condition_key(made, compared(text("a"), "==", Name("x", "local"))) == "x == str a"
