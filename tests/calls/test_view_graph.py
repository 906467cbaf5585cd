"""What a function's graph knows of the functions inside it."""

from __future__ import annotations

from ctxlint.flow.paths import path
from tests.checks.asked import analysis


def is_reached(text: str) -> bool:
    """Whether the last call of `apply` can be reached."""
    view = analysis(m=text).view
    identity = next(id for id in view.program.functions() if view.program.symbol(id) == "apply")
    graph = view.graph(identity)
    calls = [number for number, event in enumerate(view.function(identity).events) if event.kind == "call"]
    return path(graph, graph.entry, calls[-1]) is not None


def test_an_inner_function_may_change_a_flag_while_something_else_runs() -> None:
    assert is_reached("""
        def apply(run, stop):
            failed = False

            def on_error(error):
                nonlocal failed
                failed = True

            run(on_error)
            if failed:
                stop()
    """)


def test_a_flag_that_nobody_changes_is_what_it_was() -> None:
    assert not is_reached("""
        def apply(run, stop):
            failed = False

            def on_error(error):
                failed = True

            run(on_error)
            if failed:
                stop()
    """)
