"""Workers run without garbage collection, so nothing here may refer to itself."""

import gc

from ctxlint.flow.aliases import resolve
from ctxlint.flow.graph import event_graph
from ctxlint.flow.guards import guards
from ctxlint.flow.locks import held, regions
from ctxlint.flow.loops import Loops
from ctxlint.flow.origins import Origins
from ctxlint.flow.paths import between, path
from ctxlint.flow.reaching import Definitions
from tests.flow.build import EXIT, bind, call, edge, function, local, step


def _ask_everything() -> None:
    made = function([
        ([bind("x", local("a")), step("enter", local("lock"))], [edge(3, local("a")), edge(4, local("a"), False)]),
        ([call("x.m")], [edge(3, local("x")), edge(4, local("x"), False)]),
        ([step("exit", local("lock"))], [edge(EXIT, local("a")), edge(2, local("a"), False)]),
    ], formals=("a",))
    graph = event_graph(made, lambda event: True)
    definitions = Definitions(graph.routes)
    assert path(graph, graph.entry, graph.exit) is not None
    assert Origins(made, definitions).roots(local("x"), 2, mutations=True)
    assert resolve(made, definitions, 2) and Loops(graph).all and guards(graph, 2)
    assert held(graph, {1: "k"}, {3: "k"}) and regions(graph) and between(graph, 0, 3)


def test_questions_leave_no_cycles() -> None:
    _ask_everything()
    gc.collect()
    gc.disable()
    try:
        _ask_everything()
        assert gc.collect() == 0
    finally:
        gc.enable()
