"""The call graph by name, one small program for each way in which a callable travels."""

from __future__ import annotations

import functools
from textwrap import dedent

import pytest

from ctxlint.calls.edges import Edges, edges
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.resolve import CallGraph
from ctxlint.calls.tables import DefinitionTables
from ctxlint.calls.view import View
from ctxlint.knowledge.models import Models, load_models
from ctxlint.knowledge.words import load_words
from tests.calls.programs import program


@functools.cache
def models() -> Models:
    return load_models()


def drawn(**sources: str) -> Edges:
    """The graph of the modules, given as source texts."""
    linked = program(**sources)
    known = models()

    def result_of(name: str) -> str | None:
        return next((effect.returns for effect in known.effects(name) if effect.returns and not effect.attribute), None)

    definitions = DefinitionTables(linked)
    inference = TypeInference(linked, external_result=result_of, definitions=definitions)
    return edges(View(CallGraph(inference, rounds=4), definitions, known, load_words()))


def calls(caller: str, **sources: str) -> list[str]:
    """What one function of the program calls."""
    return list(drawn(**sources).calls[caller])


PROGRAMS = {
    "a default and what is passed": ("m.run", ["m.fast", "m.slow"], """
        def slow(): pass
        def fast(): pass
        def run(step=slow): step()
        run(fast)
        """),
    "through two functions": ("m.inner", ["m.save"], """
        def save(): pass
        def inner(hook): hook()
        def outer(hook): inner(hook)
        outer(save)
        """),
    "by keyword through **": ("m.call", ["m.save"], """
        def save(): pass
        def call(first, hook): hook()
        def forward(**options): call(1, **options)
        forward(hook=save)
        """),
    "by position through *": ("m.call", ["m.save"], """
        def save(): pass
        def call(first, hook): hook()
        def forward(*given): call(*given)
        forward(1, save)
        """),
    "an argument handed back": ("m", ["m.keep", "m.save"], """
        def save(): pass
        def load(): pass
        def keep(it): return it
        keep(load)
        keep(save)()
        """),
    "rebound at module level": ("m", ["m.load", "m.save"], """
        def save(): pass
        def load(): pass
        step = save
        again = step
        step = load
        step()
        again()
        """),
    "swapped": ("m", ["m.load"], """
        def save(): pass
        def load(): pass
        one, two = save, load
        one, two = two, one
        one()
        """),
    "a table by key": ("m", ["m.load"], """
        def save(): pass
        def load(): pass
        STEPS = {"save": save, "load": load, 3: None}
        STEPS["load"]()
        """),
    "a table by a constant of another module": ("m", ["m.load"], """
        from keys import KEY
        def save(): pass
        def load(): pass
        {"save": save, "load": load}[KEY]()
        """),
    "a table by any key": ("m.dispatch", ["m.load", "m.save"], """
        def save(): pass
        def load(): pass
        STEPS = {"save": save}
        STEPS["load"] = load
        def dispatch(name): STEPS[name]()
        """),
    "a table by what is passed as key": ("m.dispatch", ["m.save"], """
        def save(): pass
        def load(): pass
        STEPS = [load, save]
        def dispatch(number): STEPS[number]()
        dispatch(1)
        """),
    "a table that is updated": ("m", ["<builtin>.dict.update", "m.load", "m.save"], """
        def save(): pass
        def load(): pass
        steps = {"save": save}
        steps.update({"load": load}, more=save)
        steps["load"]()
        steps["more"]()
        """),
    "a table that is asked": ("m.dispatch", ["<builtin>.dict.get", "m.load"], """
        def save(): pass
        def load(): pass
        STEPS = {"save": save, "load": load}
        def dispatch(): STEPS.get("load", load)()
        """),
    "a list that is cut": ("m", ["m.c"], """
        def a(): pass
        def b(): pass
        def c(): pass
        steps = [a, b, c][1:]
        steps[-1]()
        """),
    "placeholders that are filled": ("m", ["m.save"], """
        def save(): pass
        steps = [None, None]
        steps[0] = save
        steps[0]()
        """),
    "an iterator of the program": ("m.each", ["m.Rows.__iter__", "m.Rows.__next__", "m.save"], """
        def save(): pass
        class Rows:
            def __iter__(self): return self
            def __next__(self): return save
        def each(rows):
            for row in rows: row()
        each(Rows())
        """),
    "a class that is raised": ("m", ["m.Late.__init__"], """
        class Late(Exception):
            def __init__(self): pass
        raise Late
        """),
    "stored from outside": ("m", ["m.Till.__init__", "m.load"], """
        def load(): pass
        class Till:
            def __init__(self): self.hook = None
        till = Till()
        till.hook = load
        till.hook()
        """),
    "an optional callback": ("m.Till.close", ["m.save"], """
        from typing import Callable, Optional
        def save(): pass
        class Till:
            def __init__(self, hook: Optional[Callable[[], None]] = None): self.hook = hook
            def close(self): self.hook()
        Till(save)
        """),
    "an operator": ("m", ["m.Sum", "m.Sum.__add__", "m.Sum.__eq__"], """
        class Sum:
            def __add__(self, other): return self
            def __eq__(self, other): return True
        total = Sum() + Sum() == Sum()
        """),
    "a manager and a property": ("m", ["m.Door.__enter__", "m.Door.__exit__", "m.Door.open"], """
        class Door:
            def __enter__(self): return self
            def __exit__(self, *why): pass
            @property
            def open(self): return True
        with Door() as door:
            print_it = door.open
        """),
    "what a library runs": ("m.run", ["asyncio.create_task", "asyncio.gather", "asyncio.to_thread", "m.Till", "m.Till.close",
                                      "m.make", "m.work"], """
        import asyncio
        class Till:
            def close(self): pass
        def make(): return Till()
        async def work(): return Till()
        async def run():
            till = await asyncio.to_thread(make)
            till.close()
            task = asyncio.create_task(work())
            (await task).close()
            for each in await asyncio.gather(work()):
                each.close()
        """),
    "a keyword of a builtin": ("m", ["<builtin>.sorted", "m.size"], """
        def size(x): return x
        sorted([1], key=size)
        """),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_callable_is_found_where_it_is_called(name: str) -> None:
    caller, expected, source = PROGRAMS[name]
    found = calls(caller, m=dedent(source), keys='KEY = "load"\n')
    assert found == [callee for callee in expected if callee not in ("m.Till", "m.Sum")]


def test_decorators_are_called_and_what_they_return_is() -> None:
    graph = drawn(m="""
        import functools
        def plain(f): return f
        def loud(f):
            @functools.wraps(f)
            def wrapper(*args):
                return f(*args)
            return wrapper
        def times(n):
            def apply(f):
                def repeated(): f()
                return repeated
            return apply
        @plain
        def a(): pass
        @loud
        def b(): pass
        @times(2)
        @loud
        def c(): pass
        class K:
            @loud
            def d(self): pass
        def use():
            a(); b(); c(); K().d()
        """).calls
    assert graph["m.use"] == ("m.a", "m.loud.wrapper", "m.times.apply.repeated")
    assert graph["m.loud.wrapper"] == ("m.K.d", "m.b", "m.c")
    assert graph["m.times.apply.repeated"] == ("m.loud.wrapper",)
    assert graph["m"] == ("m.loud", "m.plain", "m.times", "m.times.apply")
    assert graph["m.K"] == ("m.loud",)
    assert "functools.wraps" in graph["m.loud"]


def test_what_is_declared_names_the_callee() -> None:
    """Fields, unions, quoted names, factories, getters and their annotations."""
    graph = drawn(m="""
        from __future__ import annotations
        from dataclasses import dataclass, field
        from typing import Protocol, Optional
        class Store:
            def put(self): pass
        class Local(Store):
            def put(self): pass
        class Sink(Protocol):
            def send(self): ...
        class Mail:
            def send(self): pass
        @dataclass
        class App:
            store: "Store"
            spare: Optional[Store] = None
            logs: list[Mail] = field(default_factory=list)
        _app: App | None = None
        def app() -> App: return _app
        def current(): return _app
        def use(sink: Sink, either: "Mail | None", thing):
            app().store.put()
            current().spare.put()
            for log in app().logs: log.send()
            sink.send()
            either.send()
            if isinstance(thing, Mail): thing.send()
        """).calls
    assert graph["m.use"] == ("<builtin>.isinstance", "m.Local.put", "m.Mail.send", "m.Store.put", "m.app", "m.current")


def test_names_of_modules_nested_functions_and_lambdas() -> None:
    graph = drawn(pkg____init__="from .core import start as go\n", pkg__core="""
        def start():
            first, second = lambda: 1, lambda: helper()
            def helper(): return len("")
            return second()
        """, main="from pkg import go\ngo()\nnothing.at_all()\n")
    assert graph.calls == {
        "main": ("<unknown>.at_all", "pkg.core.start"),
        "pkg": (),
        "pkg.core": (),
        "pkg.core.start": ("pkg.core.start.<lambda2>",),
        "pkg.core.start.<lambda1>": (),
        "pkg.core.start.<lambda2>": ("pkg.core.start.helper",),
        "pkg.core.start.helper": ("<builtin>.len",),
    }
    assert (graph.sites, graph.unknown) == (5, 1)
