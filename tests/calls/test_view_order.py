"""What a set would give in another order in every process comes in one of its own."""

from __future__ import annotations

from tests.checks.asked import analysis


def test_the_paths_of_an_event_are_ordered() -> None:
    view = analysis(m="""
        def f(one, alpha, beta, gamma, delta):
            x = alpha if one else beta
            if delta:
                x = gamma
            x.items = 1
    """).view
    identity = next(id for id in view.program.functions() if view.program.symbol(id) == "f")
    (write,) = [number for number, event in enumerate(view.function(identity).events) if event.kind == "write"]
    paths = view.paths(identity, write)
    assert len(paths) == 3 and list(paths) == sorted(paths, key=repr)
