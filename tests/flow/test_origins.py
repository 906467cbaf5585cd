from hypothesis import given

from ctxlint.flow.graph import EventGraph
from ctxlint.flow.origins import Origins
from ctxlint.flow.reaching import Definitions
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result
from tests.flow.build import (
    EXIT, NAMES, bind, call, edge, function, graphs, local, quiet, read, step, straight, suspend, text, write,
)


def origins(made: Function, **told: object) -> Origins:
    return Origins(made, Definitions(quiet(made).routes), **told)  # type: ignore[arg-type]


def test_content_goes_through_locals_operators_and_displays() -> None:
    made = straight(read("self.count"), bind("x", Compound("+", (Result(0), local("n")))),
                    bind("pair", Compound("tuple", (local("x"), text("t")))), call("y.m"), formals=("self", "n"))
    found = origins(made).roots(local("pair"), 3)
    assert found == {("result", 0), ("param", "self"), ("param", "n"), ("constant", "t")}


def test_identity_does_not() -> None:
    made = straight(call("load"), suspend(Result(0)), bind("x", Result(1)), bind("y", Compound("or", (local("x"), local("n")))),
                    bind("z", Compound("list", (local("y"),))), call("y.m"), formals=("n",))
    told = origins(made)
    assert told.identity(local("y"), 5) == {("result", 0), ("param", "n")}
    assert told.identity(local("z"), 5) == frozenset()
    assert told.roots(local("z"), 5) == {("result", 0), ("param", "n")}


def test_a_test_is_no_content() -> None:
    made = straight(bind("x", Compound("if", (local("n"), local("m"), Constant("none", "None")))), call("y.m"),
                    formals=("n", "m"))
    assert origins(made).roots(local("x"), 1) == {("param", "m"), ("constant", "None")}
    assert origins(made).identity(local("x"), 1) == {("param", "m"), ("constant", "None")}


def test_a_branch_gives_both_and_scopes_are_told_apart() -> None:
    made = function([
        ([bind("x", Name("g", "global"))], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([bind("x", Name("c", "captured"))], [edge(4)]),
        ([call("x.m")], [edge(EXIT)]),
    ])
    assert origins(made).roots(local("x"), 2) == {("global", "g"), ("captured", "c")}


def test_unpacking_a_display_takes_the_part() -> None:
    pair = Compound("tuple", (local("n"), local("m")))
    made = straight(bind("x", Compound("item", (pair, Constant("int", "1")))), call("y.m"), formals=("n", "m"))
    assert origins(made).roots(local("x"), 1) == {("param", "m")}
    assert origins(made).identity(local("x"), 1) == {("param", "m")}


def test_elements_are_content_of_their_iterable() -> None:
    made = straight(read("self.rows"), step("iterate", Result(0)), bind("row", Result(1)), call("y.m"), formals=("self",))
    assert origins(made).roots(local("row"), 3) == {("result", 1), ("result", 0), ("param", "self")}
    assert origins(made).identity(local("row"), 3) == {("result", 1)}


def test_additions_count_from_where_they_happen() -> None:
    made = straight(bind("x", Compound("list", ())), call("y.m"), call("x.append", local("n"), ignored=True),
                    write("x[*]", local("m"), text("k")), call("x.get", local("q")), call("y.m"), formals=("n", "m", "q"))
    told = origins(made)
    assert told.roots(local("x"), 1, mutations=True) == frozenset()
    assert told.roots(local("x"), 5, mutations=True) == {("param", "n"), ("param", "m")}
    assert told.roots(local("x"), 5) == frozenset()


def test_calls_are_expanded_as_told() -> None:
    made = straight(call("cast", local("t"), local("n")), bind("x", Result(0)), call("y.m"), formals=("n", "t"))

    def second(event: int) -> tuple[Name, ...]:
        return (local("n"),)

    assert origins(made).roots(local("x"), 2) == {("result", 0)}
    assert origins(made, content=second).roots(local("x"), 2) == {("result", 0), ("param", "n")}
    assert origins(made, same=second).identity(local("x"), 2) == {("result", 0), ("param", "n")}


def test_a_loop_ends() -> None:
    made = function([
        ([bind("x", local("n"))], [edge(3)]),
        ([bind("x", Compound("+", (local("x"), local("m"))))], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([call("x.m")], [edge(EXIT)]),
    ], formals=("n", "m"))
    assert origins(made).roots(local("x"), 2) == {("param", "n"), ("param", "m")}


def test_handlers_imports_and_stores() -> None:
    made = straight(step("catch", path=AccessPath(local("e"))), step("import", path=AccessPath(local("j"))),
                    write("self.x", local("e")), call("y.m"))
    assert origins(made).roots(local("e"), 3) == {("result", 0)}
    assert origins(made).roots(local("j"), 3) == {("global", "j")}


@given(graphs())
def test_identity_is_part_of_content(graph: EventGraph) -> None:
    told = Origins(graph.function, Definitions(graph.routes))
    for node in range(graph.size):
        for name in NAMES:
            content = told.roots(local(name), node)
            assert told.identity(local(name), node) <= content
            assert content <= told.roots(local(name), node, mutations=True)
