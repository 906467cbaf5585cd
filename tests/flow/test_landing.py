"""What a handler can catch, and where a `raise` leads."""

from __future__ import annotations

import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.flow.graph import EventGraph, event_graph
from ctxlint.flow.landing import Handler, landing
from ctxlint.ir.describe import describe_event
from ctxlint.ir.function import Function
from tests.syntax.lowered import function_of

EXCEPTIONS = sorted(name for name, value in vars(builtins).items()
                    if isinstance(value, type) and issubclass(value, BaseException))


def described(function: Function, node: int) -> str:
    if node < len(function.events):
        return describe_event(function.events[node])
    return {0: "exit", 1: "raised"}.get(node - len(function.events), "block")


def after(source: str, kind: str, can_raise: bool = False) -> list[str]:
    """What can happen next behind an exception of each event of the kind: events, or an exit."""
    function = function_of(source)
    graph = event_graph(function, lambda event: can_raise)
    return sorted({found for node, event in enumerate(function.events) if event.kind == kind and graph.is_reachable(node)
                   for edge in graph.successors(node) if edge.kind == "exception"
                   for found in first_steps(graph, edge.target)})


def first_steps(graph: EventGraph, node: int) -> list[str]:
    if node < graph.size or node in (graph.exit, graph.raised):
        return [described(graph.function, node)]
    return [found for edge in graph.successors(node) for found in first_steps(graph, edge.target)]


RAISES = """
    def f(x):
        try:
            raise {raised}
        except {first}:
            a()
        except {second}:
            b()
"""


@pytest.mark.parametrize(("raised", "first", "second", "expected"), [
    ("ValueError(x)", "ValueError", "KeyError", ["catch ValueError$"]),
    ("KeyError", "ValueError", "LookupError", ["catch LookupError$"]),
    ("KeyError", "ValueError", "OSError", ["raised"]),
    ("KeyError", "(OSError, LookupError)", "OSError", ["catch (tuple OSError$ LookupError$)"]),
    ("KeyboardInterrupt", "Exception", "BaseException", ["catch BaseException$"]),
    ("asyncio.CancelledError()", "Exception", "asyncio.CancelledError", ["catch #2"]),
    ("Mine", "KeyError", "Mine", ["catch KeyError$", "catch Mine$"]),
    ("Mine", "KeyError", "Exception", ["catch Exception$", "catch KeyError$", "raised"]),
    ("make(x)", "KeyError", "BaseException", ["catch BaseException$", "catch KeyError$"]),
    ("x", "ValueError", "KeyError", ["catch KeyError$", "catch ValueError$", "raised"]),
])
def test_a_raise_leads_to_the_handlers_that_can_catch_it(raised: str, first: str, second: str, expected: list[str]) -> None:
    assert after(RAISES.format(raised=raised, first=first, second=second), "raise") == expected


def test_the_inner_try_is_left_when_nothing_there_catches() -> None:
    source = """
        def f(x):
            try:
                try:
                    raise KeyError(x)
                except errors.Mine:
                    a()
                except OSError:
                    b()
                finally:
                    c()
            except LookupError:
                d()
    """
    assert after(source, "raise") == ["catch #2", "ignored call c$()"]


def test_what_a_handler_is_written_for_can_fail() -> None:
    source = """
        def f(self, key):
            try:
                g(key)
                return self.cache[key]
            except {caught}:
                h()
    """
    assert after(source.format(caught="KeyError"), "read") == ["catch KeyError$", "raised"]
    assert after(source.format(caught="AttributeError"), "read") == ["catch AttributeError$", "raised"]
    assert after(source.format(caught="OSError"), "call", True) == ["catch OSError$", "raised"]
    assert after(source.format(caught="OSError").replace("g(key)", "pass"), "read") == ["catch OSError$", "raised"]
    assert after("def f(x, k):\n    try:\n        g()\n    finally:\n        h()\n    return x[k]\n", "read") == []


def test_an_import_can_be_missing() -> None:
    assert after("def f():\n    try:\n        import a\n    except ImportError:\n        a = None\n", "import") == [
        "catch ImportError$", "raised"]
    assert after("def f():\n    import a\n", "import") == []


def test_a_bare_handler_and_one_of_everything_let_nothing_past() -> None:
    for caught in ("except", "except BaseException", "except (KeyError, BaseException)"):
        function = function_of(f"def f():\n    try:\n        g()\n    {caught}:\n        h()\n")
        found = landing(function, next(block.pad for block in function.blocks if block.pad != 1))
        assert len(found.handlers) == 1 and found.onward is None
    assert landing(function, 1) == ((), None)


@given(st.sampled_from(EXCEPTIONS), st.sampled_from(EXCEPTIONS))
def test_builtin_exceptions_are_caught_as_the_interpreter_catches_them(raised: str, caught: str) -> None:
    expected = issubclass(getattr(builtins, raised), getattr(builtins, caught))
    assert Handler(3, (caught,)).catches(raised) is expected
    assert Handler(3, ("", caught)).catches(raised) is (expected or None)
