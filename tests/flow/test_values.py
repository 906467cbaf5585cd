"""Laws of what values come from and stand for: the joins of `Origins` and of alias paths, for any small values.

Facts about values are sets, joined by union: commutative, associative and idempotent. The laws say that the walks keep to
that: a value made of two parts, or bound on two branches, has exactly what the parts have, and more definitions never give
less.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlint.flow.aliases import STEPS, resolve, root_paths
from ctxlint.flow.origins import Atom, Origins
from ctxlint.flow.reaching import Definitions
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from tests.flow.build import EXIT, at, bind, call, edge, function, local, quiet, read, step, straight, suspend

PREFIX: tuple[Event, ...] = (read("self.items"), call("load"), step("iterate", Result(0)), suspend(Result(1)))
"""Events whose results the values are made of."""

LEAVES = st.one_of(
    st.sampled_from([local("n"), local("self"), Name("G", "global"), Name("c", "captured"), local("unbound")]),
    st.sampled_from([Result(number) for number in range(len(PREFIX))]),
    st.sampled_from([Constant("str", "s"), Constant("int", "0"), Constant("none", "None")]),
)


def _compounds(parts: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    some = st.lists(parts, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Compound, st.sampled_from(["+", "or", "and", "tuple", "list", "f-string", "=="]), some),
        st.builds(lambda test, one, other: Compound("if", (test, one, other)), parts, parts, parts),
        st.builds(lambda value, place: Compound("item", (value, Constant("int", str(place)))), parts, st.integers(-2, 2)),
        st.builds(lambda value: Compound("*", (value,)), parts),
    )


VALUES = st.recursive(LEAVES, _compounds, max_leaves=6)
FORMALS = ("self", "n", "flag")
TRUE = Constant("bool", "True")


few = settings(max_examples=40)


def told(made: Function) -> Origins:
    return Origins(made, Definitions(quiet(made).routes))


def content(value: Value) -> frozenset[Atom]:
    return told(straight(*PREFIX, call("n.m"), formals=FORMALS)).roots(value, len(PREFIX))


def identity(value: Value) -> frozenset[Atom]:
    return told(straight(*PREFIX, call("n.m"), formals=FORMALS)).identity(value, len(PREFIX))


def on_branches(one: Value, other: Value) -> Function:
    """`x` is bound to one value or the other; its use is the last event."""
    return function([
        (PREFIX, [edge(3, local("flag")), edge(4, local("flag"), False)]),
        ([bind("x", one)], [edge(5)]),
        ([bind("x", other)], [edge(5)]),
        ([call("x.m")], [edge(EXIT)]),
    ], formals=FORMALS)


def paths(made: Function, path: AccessPath) -> frozenset[AccessPath]:
    return root_paths(made, Definitions(quiet(made).routes), len(made.events) - 1, path)


def bound(value: Value) -> Function:
    return straight(*PREFIX, bind("x", value), call("x.m"), formals=FORMALS)


@few
@given(VALUES, VALUES, VALUES)
def test_content_of_a_computation_is_the_join_of_its_parts(a: Value, b: Value, c: Value) -> None:
    assert content(Compound("+", (a, b))) == content(a) | content(b) == content(Compound("+", (b, a)))
    assert content(Compound("+", (Compound("+", (a, b)), c))) == content(Compound("+", (a, Compound("+", (b, c)))))
    assert content(Compound("+", (a, a))) == content(a)
    assert content(Compound("if", (c, a, b))) == content(a) | content(b)


@few
@given(VALUES, VALUES, VALUES)
def test_identity_of_a_choice_is_the_join_and_a_computation_has_none(a: Value, b: Value, c: Value) -> None:
    assert identity(Compound("or", (a, b))) == identity(a) | identity(b) == identity(Compound("if", (c, b, a)))
    assert identity(Compound("or", (a, a))) == identity(a)
    assert identity(Compound("+", (a, b))) == identity(Compound("list", (a,))) == frozenset()


@few
@given(VALUES)
def test_identity_is_part_of_content_for_any_value(value: Value) -> None:
    assert identity(value) <= content(value)


@few
@given(VALUES, VALUES)
def test_bindings_on_two_branches_are_joined(a: Value, b: Value) -> None:
    made = on_branches(a, b)
    last = len(made.events) - 1
    assert told(made).roots(local("x"), last) == content(a) | content(b)
    assert told(made).identity(local("x"), last) == identity(a) | identity(b)
    assert told(made).roots(local("x"), last) == told(on_branches(b, a)).roots(local("x"), last)


@few
@given(VALUES, VALUES)
def test_more_definitions_never_give_less(a: Value, b: Value) -> None:
    assert paths(bound(a), AccessPath(local("x"))) <= paths(on_branches(a, b), AccessPath(local("x"))) | {AccessPath(local("x"))}
    assert paths(on_branches(a, b), AccessPath(local("x"))) == paths(on_branches(b, a), AccessPath(local("x")))
    assert paths(on_branches(a, a), AccessPath(local("x"))) == paths(bound(a), AccessPath(local("x")))


@few
@given(VALUES)
def test_a_name_for_a_name_changes_nothing(value: Value) -> None:
    direct = straight(*PREFIX, bind("x", value), bind("w", TRUE), call("x.m"), formals=FORMALS)
    renamed = straight(*PREFIX, bind("x", value), bind("y", local("x")), call("y.m"), formals=FORMALS)
    last = len(direct.events) - 1
    assert told(renamed).identity(local("y"), last) == told(direct).identity(local("x"), last)
    assert told(renamed).roots(local("y"), last) == told(direct).roots(local("x"), last)


@few
@given(VALUES, st.sampled_from(["first", "second"]))
def test_a_step_more_is_a_step_more_on_every_path(value: Value, name: str) -> None:
    made = bound(value)
    whole = paths(made, AccessPath(local("x")))
    assert whole
    assert paths(made, AccessPath(local("x"), (name,))) == {AccessPath(path.root, (*path.steps, name)[:STEPS]) for path in whole}


@few
@given(VALUES)
def test_paths_from_the_roots_are_their_own_paths(value: Value) -> None:
    made = bound(value)
    for path in paths(made, AccessPath(local("x"))):
        if isinstance(path.root, Name) and path.root.name != "x":
            assert paths(made, path) == {path}


@few
@given(st.lists(st.sampled_from(["next", "left", "right"]), min_size=1, max_size=12), st.integers(1, 3))
def test_paths_through_a_loop_are_cut(steps: list[str], reads: int) -> None:
    """One round of `node = node.next…`, or more of them, with as many steps as one likes."""
    path = at(".".join(["node", *steps]))
    body = [event for number in range(reads) for event in (Event("read", PREFIX[0].span, path), bind("node", Result(1 + 2 * number)))]
    made = function([
        ([bind("node", local("self"))], [edge(3)]),
        (body, [edge(3, local("flag")), edge(4, local("flag"), False)]),
        ([call("node.m")], [edge(EXIT)]),
    ], formals=FORMALS)
    found = resolve(made, Definitions(quiet(made).routes), len(made.events) - 1)
    assert at(".".join(["self", *(steps * reads)[:STEPS], "m"])) in found
    assert all(len(each.steps) <= STEPS + 1 for each in found)
    assert all(each.root == local("self") for each in found)
