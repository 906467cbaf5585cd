import pytest

from ctxlint.flow.aliases import STEPS, resolve, root_paths
from ctxlint.flow.reaching import Definitions
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result
from tests.flow.build import EXIT, at, bind, call, edge, function, local, quiet, read, step, straight, suspend, text, write
from tests.syntax.lowered import function_of


def resolved(made: Function, event: int, same=None) -> set[AccessPath]:
    definitions = Definitions(quiet(made).routes)
    return set(resolve(made, definitions, event) if same is None else resolve(made, definitions, event, same))


def test_a_local_stands_for_the_cell_it_was_read_from() -> None:
    made = straight(read("self.messages"), bind("history", Result(0)), call("history.append", local("m")),
                    formals=("self", "m"))
    assert resolved(made, 2) == {at("self.messages.append")}
    assert root_paths(made, Definitions(quiet(made).routes), 2, AccessPath(local("history"))) == {at("self.messages")}
    assert root_paths(made, Definitions(quiet(made).routes), 2, AccessPath(local("m"))) == {at("m")}


def test_items_keep_an_item_step() -> None:
    made = straight(read("self.rows[*]", local("k")), bind("row", Result(0)), write("row.name", text("n")),
                    formals=("self", "k"))
    assert resolved(made, 2) == {at("self.rows[*].name")}


def test_elements_and_unpacked_items_are_items() -> None:
    made = straight(read("self.rows"), step("iterate", Result(0)),
                    bind("cell", Compound("item", (Result(1), Constant("int", "0")))), call("cell.clear"), formals=("self",))
    assert resolved(made, 3) == {at("self.rows[*][*].clear")}


def test_alternatives_and_new_objects() -> None:
    made = straight(read("self.rows"), bind("x", Compound("or", (Result(0), Compound("list", ())))), call("x.append"),
                    bind("y", Compound("dict", ())), write("y[*]", text("v"), text("k")), formals=("self",))
    assert resolved(made, 2) == {at("self.rows.append"), at("x.append")}
    assert resolved(made, 4) == {at("y[*]")}


def test_results_are_roots_unless_told() -> None:
    made = straight(call("load"), suspend(Result(0)), bind("x", Result(1)), call("x.append"), formals=("self",))
    assert resolved(made, 3) == {AccessPath(Result(0), ("append",))}
    assert resolved(made, 3, lambda event: (at("self.state"),)) == {at("self.state.append")}


def test_scopes_stay() -> None:
    made = straight(bind("x", Name("CACHE", "global")), write("x[*]", text("v"), text("k")))
    assert resolved(made, 1) == {at("CACHE[*]", "global")}


def test_elements_of_a_display_are_its_parts() -> None:
    made = straight(read("self.a"), read("self.b"), step("iterate", Compound("tuple", (Result(0), Result(1)))),
                    bind("x", Result(2)), call("x.clear"), formals=("self",))
    assert resolved(made, 4) == {at("self.a.clear"), at("self.b.clear")}


@pytest.mark.parametrize(("statements", "expected"), [
    ("d = {'a': self.a, **self.b}\n    d['a'].clear()", {"self.a.clear", "self.b[*].clear"}),
    ("pair = (self.a, [self.b])\n    pair[1][0].clear()", {"self.a[*].clear", "self.b.clear"}),
    ("for row in [r for r in self.rows if r.ok]:\n        row.clear()", {"self.rows[*].clear"}),
    ("d = {k: v for k, v in self.pairs}\n    d[0].clear()", {"self.pairs[*][*].clear"}),
    ("for row in (x for rows in self.tables for x in rows):\n        row.clear()", {"self.tables[*][*].clear"}),
    ("x = [*self.rows][0]\n    x.clear()", {"self.rows[*].clear"}),
])
def test_what_is_taken_out_of_a_container_made_here(statements: str, expected: set[str]) -> None:
    made = function_of(f"def f(self):\n    {statements}\n")
    last = max(number for number, event in enumerate(made.events) if event.kind == "call")
    assert resolved(made, last) == {at(path) for path in expected}


def test_chains_through_loops_end() -> None:
    made = function([
        ([read("self.head"), bind("node", Result(0))], [edge(3)]),
        ([read("node.next"), bind("node", Result(2))], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([call("node.visit")], [edge(EXIT)]),
    ], formals=("self",))
    found = resolved(made, 4)
    assert at("self.head.next.visit") in found
    assert max(len(path.steps) for path in found) == STEPS + 1
    assert len(found) == STEPS - 1


def test_many_fields_through_a_loop_stay_bounded() -> None:
    events = []
    for field in "abcdefgh":
        events += [read(f"node.{field}"), bind("node", Compound("or", (Result(len(events)), local("node"))))]
    made = function([(events, [edge(2), edge(EXIT)])], formals=("node",))
    assert 0 < len(resolved(made, 2)) < 200
