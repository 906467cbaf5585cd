"""Which functions calls reach."""

from __future__ import annotations

from ctxlint.calls.resolve import receives
from tests.calls.programs import Asked, described


def test_functions_methods_and_constructors() -> None:
    asked = Asked(
        m="""
        from other import helper, Store
        import other
        class A:
            def __init__(self): self.store = Store(1)
            def run(self):
                self.step()
                self.store.save(1)
                helper()
                other.helper()
                other.Store.static(1)
            def step(self): pass
        def f():
            A()
            a = A()
            a.run()
        """,
        other="""
        def helper(): pass
        class Store:
            def __init__(self, x): pass
            def save(self, x): pass
            @staticmethod
            def static(x): pass
        """,
    )
    assert asked.reached("m:A.run", "self.step") == ["m:A.step"]
    assert asked.reached("m:A.run", "self.store.save") == ["other:Store.save"]
    assert asked.reached("m:A.run", "helper") == ["other:helper"]
    assert asked.reached("m:A.run", "other.helper") == ["other:helper"]
    assert asked.reached("m:A.run", "other.Store.static") == ["other:Store.static"]
    assert asked.reached("m:A.__init__", "Store") == ["other:Store.__init__"]
    assert asked.reached("m:f", "a.run") == ["m:A.run"]
    assert described(asked.callees("m:A.run", "self.store.save").receiver) == "other.Store"


def test_overriders_of_the_receiver_are_candidates() -> None:
    asked = Asked(
        m="""
        class Base:
            def go(self): self.hook()
            def hook(self): return 0
        class A(Base):
            def hook(self): return 1
        class B(A):
            def hook(self): return 2
        def f(x: A): x.hook()
        """
    )
    assert asked.reached(":Base.go", "self.hook") == ["Base.hook", "A.hook", "B.hook"]
    assert asked.reached(":f", "x.hook") == ["A.hook", "B.hook"]


def test_too_many_overriders_leave_the_call_partly_unknown() -> None:
    classes = "".join(f"class C{i}(Base):\n    def hook(self): return {i}\n" for i in range(9))
    asked = Asked(m="class Base:\n    def hook(self): return 0\n" + classes + "def f(x: Base): x.hook()\n")
    found = asked.callees(":f", "x.hook")
    assert [asked.label(id) for id in found.functions] == ["Base.hook"]
    assert found.unknown


def test_abstract_methods_and_protocols() -> None:
    asked = Asked(
        m="""
        from abc import ABC, abstractmethod
        from typing import Protocol
        class Base(ABC):
            @abstractmethod
            def run(self): ...
        class Leaf(Base):
            def run(self): return 1
        class P(Protocol):
            def save(self, x): ...
            def load(self): ...
        class File:
            def save(self, x): print(x)
            def load(self): return 1
        class Lonely(Protocol):
            def only(self): ...
        def f(x: Base): x.run()
        def g(x: P): x.save(1)
        def h(x: Lonely): x.only()
        """
    )
    found = asked.callees(":f", "x.run")
    assert [asked.label(id) for id in found.functions] == ["Leaf.run"]
    assert [asked.label(id) for id in found.abstract] == ["Base.run"]
    assert asked.reached(":g", "x.save") == ["File.save"]
    lonely = asked.callees(":h", "x.only")
    assert lonely.functions == () and [asked.label(id) for id in lonely.abstract] == ["Lonely.only"]
    assert not lonely.unknown


def test_super_reaches_the_next_class_only() -> None:
    asked = Asked(
        m="""
        import ext
        class Base:
            def save(self): return 1
        class Child(Base):
            def save(self): super().save()
        class Grand(Child):
            def save(self): return super().save()
        class Outside(ext.Model):
            def save(self): super().save()
        class Plain:
            def __init__(self): super().__init__()
        class Mixin:
            def save(self): super().save()
        class Mixed(Mixin, Base): pass
        class Multi(ext.A, ext.B):
            def go(self): super().go()
        """
    )
    assert asked.reached(":Child.save", "().save") == ["Base.save"]
    assert asked.reached(":Grand.save", "().save") == ["Child.save"]
    assert asked.reached(":Outside.save", "().save") == ["ext.Model.save"]
    assert asked.reached(":Plain.__init__", "().__init__") == ["builtins.object.__init__"]
    assert asked.reached(":Mixin.save", "().save") == ["Base.save"]
    assert asked.reached(":Multi.go", "().go") == ["ext.A.go", "ext.B.go"]
    assert described(asked.callees(":Child.save", "().save").receiver) == "m.Child"


def test_who_gets_the_receiver() -> None:
    asked = Asked(
        m="""
        class Base:
            def __init__(self): pass
            def m(self): pass
            @classmethod
            def c(cls): pass
            @staticmethod
            def s(): pass
        class Child(Base):
            def __init__(self):
                Base.__init__(self)
                super().__init__()
                self.m()
                Base.m(self)
                self.c()
                self.s()
        def f(): Base()
        """
    )

    def gets(name: str, text: str) -> list[bool]:
        callees = asked.callees(name, text)
        return [receives(asked.program, callees, id) for id in callees.functions]

    assert gets(":Child.__init__", "Base.__init__") == [False]
    assert gets(":Child.__init__", "().__init__") == [True]
    assert gets(":Child.__init__", "self.m") == [True]
    assert gets(":Child.__init__", "Base.m") == [False]
    assert gets(":Child.__init__", "self.c") == [True]
    assert gets(":Child.__init__", "self.s") == [False]
    assert gets(":f", "Base") == [True]


def test_externals_have_canonical_names() -> None:
    results = {"sqlite3.connect": "sqlite3.Connection", "builtins.open": "io.TextIOWrapper"}
    asked = Asked(
        results.get,
        m="""
        import os, sqlite3, logging
        import os.path as osp
        from pathlib import Path
        from subprocess import run as execute
        logger = logging.getLogger(__name__)
        class A:
            def __init__(self):
                self.messages: list = []
                self.by_id = {}
                self.path = Path("x")
                self.db = sqlite3.connect("x")
                self.name = ""
            def f(self, items: set[str], key):
                self.messages.append(1)
                self.by_id.pop(key)
                self.by_id[key].run()
                self.path.write_text("x")
                self.db.execute("select")
                self.name.strip()
                items.add("x")
                os.replace("a", "b")
                osp.join("a")
                execute(["ls"])
                print("x")
                with open("f") as f:
                    f.write("x")
                logger.info("x")
                Path.home()
        """,
    )
    expected = {
        "self.messages.append": "builtins.list.append", "self.by_id.pop": "builtins.dict.pop",
        "self.path.write_text": "pathlib.Path.write_text", "self.db.execute": "sqlite3.Connection.execute",
        "self.name.strip": "builtins.str.strip", "items.add": "builtins.set.add", "os.replace": "os.replace",
        "osp.join": "os.path.join", "execute": "subprocess.run", "print": "builtins.print", "open": "builtins.open",
        "f.write": "io.TextIOWrapper.write", "Path.home": "pathlib.Path.home",
    }
    assert {text: asked.reached("m:A.f", text) for text in expected} == {t: [n] for t, n in expected.items()}
    assert not asked.callees("m:A.f", "os.replace").unknown
    logged = asked.callees("m:A.f", "logger.info")
    assert logged.externals == ("logging.getLogger().info",) and logged.unknown, "an unmodelled result is named, not known"
    assert asked.callees("m:A.f", "self.by_id.[*].run").unknown


def test_inherited_external_methods() -> None:
    asked = Asked(
        m="""
        import ext
        class Model(ext.Base):
            def f(self):
                self.commit()
                self.session.flush()
        class Err(Exception):
            def f(self): self.nothing()
        class Wrapper:
            def __getattr__(self, name): return 1
            def f(self): self.anything()
        """
    )
    assert asked.reached(":Model.f", "self.commit") == ["ext.Base.commit"]
    assert asked.reached(":Model.f", "self.session.flush") == ["ext.Base.session.flush"]
    assert asked.callees(":Err.f", "self.nothing").unknown
    assert asked.callees(":Wrapper.f", "self.anything").unknown


def test_a_methods_name_alone_never_decides() -> None:
    asked = Asked(m="class Only:\n    def very_special(self): pass\ndef f(x): x.very_special()\n")
    found = asked.callees(":f", "x.very_special")
    assert found.functions == () and found.externals == () and found.unknown


def test_nested_functions_lambdas_and_aliases() -> None:
    asked = Asked(
        m="""
        def helper(): pass
        def f():
            def inner(): pass
            inner()
            g = lambda: helper()
            g()
            h = helper
            h()
            def outer():
                inner()
        class A:
            handler = helper
            def run(self):
                m = self.step
                m()
            def step(self): pass
        """
    )
    assert asked.reached(":f", "inner") == ["f.inner"]
    assert asked.reached(":f", "g") == ["f.<lambda1>"]
    assert asked.reached(":f", "h") == ["helper"]
    assert asked.reached(":f.outer", "inner") == ["f.inner"]
    assert asked.reached(":A.run", "m") == ["A.step"]
    assert described(asked.callees(":A.run", "m").receiver) == "m.A"


def test_dispatch_through_tables_and_stored_callables() -> None:
    asked = Asked(
        m="""
        def one(): pass
        def two(): pass
        TABLE = {"a": one, "b": two}
        class A:
            def __init__(self, emit):
                self._handlers = {"x": self.start, "y": self.stop}
                self._callback = one
                self._emit = emit
                self._fn = lambda: two()
            def start(self): pass
            def stop(self): pass
            def run(self, key):
                self._handlers[key]()
                h = self._handlers.get(key)
                h()
                self._callback()
                self._emit()
                self._fn()
                TABLE[key]()
                for f in (one, two):
                    f()
        """
    )
    assert asked.reached(":A.run", "self._handlers.[*]") == ["A.start", "A.stop"]
    assert asked.reached(":A.run", "h") == ["A.start", "A.stop"]
    assert asked.reached(":A.run", "self._callback") == ["one"]
    assert asked.callees(":A.run", "self._emit").unknown, "nobody makes an A"
    assert asked.reached(":A.run", "self._fn") == ["A.__init__.<lambda1>"]
    assert asked.reached(":A.run", "TABLE.[*]") == ["one", "two"]
    assert asked.reached(":A.run", "f") == ["one", "two"]


def test_callables_handed_over() -> None:
    asked = Asked(
        m="""
        import asyncio, functools
        from pathlib import Path
        def work(x): pass
        class A:
            def __init__(self): self.path = Path("x")
            async def save(self): pass
            async def run(self, loop, xs):
                await asyncio.to_thread(self.path.write_text, "x")
                asyncio.create_task(self.save())
                await asyncio.gather(self.save(), *[self.save() for x in xs])
                loop.run_in_executor(None, work, 1)
                functools.partial(work, 1)
                register(on_done=lambda: work(1))
                call_later(5, functools.partial(self.sync, 1))
                kept = self.save()
                asyncio.ensure_future(kept)
                tasks = [self.save() for x in xs]
                wait_all(tasks)
                plain(xs, 1, "x")
            def sync(self, x): pass
        """
    )
    run = "m:A.run"
    assert asked.passed(run, "asyncio.to_thread") == [(0, "pathlib.Path.write_text")]
    assert asked.passed(run, "asyncio.create_task") == [(0, "A.save")]
    assert asked.passed(run, "asyncio.gather") == [(0, "A.save"), (1, "A.save")]
    assert asked.passed(run, "loop.run_in_executor") == [(1, "work")]
    assert asked.passed(run, "functools.partial") == [(0, "work")]
    assert asked.passed(run, "register") == [("on_done", "A.run.<lambda1>")]
    assert asked.passed(run, "call_later") == [(1, "A.sync")]
    assert asked.passed(run, "asyncio.ensure_future") == [(0, "A.save")]
    assert asked.passed(run, "wait_all") == [(0, "A.save")]
    assert asked.passed(run, "plain") == []


def test_callers_and_coverage() -> None:
    asked = Asked(
        m="""
        def target(): pass
        def a(): target()
        def b():
            target()
            target()
        def c(x): x()
        """
    )
    callers = asked.graph.callers(asked.id(":target"))
    assert [(asked.label(f), asked.program.function(f).events[e].kind) for f, e in callers] == [
        ("a", "call"), ("b", "call"), ("b", "call")
    ]
    assert asked.graph.callers(asked.id(":c")) == ()
    assert asked.graph.coverage() == (4, 1)


def test_implicit_calls() -> None:
    asked = Asked(
        m="""
        class Lock:
            def __enter__(self): pass
            def __exit__(self, *a): pass
            async def __aenter__(self): pass
            async def __aexit__(self, *a): pass
        class Box:
            def __iter__(self): return iter([])
            def __getitem__(self, k): return Inner()
            def __setitem__(self, k, v): pass
            def __delitem__(self, k): pass
            @property
            def value(self): return Inner()
            @value.setter
            def value(self, v): pass
        class Inner:
            @property
            def deep(self): return 1
        async def f(b: Box):
            with Lock(): pass
            async with Lock(): pass
            for x in b: pass
            b.value
            b.value = 1
            b[0]
            b[0] = 1
            del b[0]
            b.value.deep
            b.other
        """
    )
    function = asked.id(":f")
    found = []
    for index, event in enumerate(asked.program.function(function).events):
        if event.kind in ("enter", "exit", "iterate", "read", "write", "delete"):
            callees = asked.graph.callees(function, index)
            assert not callees.unknown
            found.append((event.kind, [asked.label(id) for id in callees.functions]))
    assert ("enter", ["Lock.__enter__"]) in found and ("enter", ["Lock.__aenter__"]) in found
    assert ("exit", ["Lock.__exit__"]) in found and ("exit", ["Lock.__aexit__"]) in found
    assert ("iterate", ["Box.__iter__"]) in found
    assert ("write", ["Box.value"]) in found and ("write", ["Box.__setitem__"]) in found
    assert ("delete", ["Box.__delitem__"]) in found
    assert ("read", ["Box.__getitem__"]) in found
    assert ("read", ["Box.value", "Inner.deep"]) in found
    assert ("read", []) in found


def test_constructors_of_dataclasses_and_external_bases() -> None:
    asked = Asked(
        m="""
        from dataclasses import dataclass
        import threading, ext
        @dataclass
        class D:
            x: int
            def __post_init__(self): pass
        class MyLock(ext.Lock): pass
        class Empty: pass
        class N:
            def __new__(cls): return object.__new__(cls)
        def f():
            D(1)
            MyLock()
            Empty()
            N()
        """
    )
    assert asked.reached(":f", "D") == ["D.__post_init__"]
    assert asked.reached(":f", "MyLock") == ["ext.Lock"]
    assert asked.reached(":f", "Empty") == ["builtins.object"]
    assert not asked.callees(":f", "Empty").unknown
    assert asked.reached(":f", "N") == ["N.__new__"]


def test_calling_instances() -> None:
    asked = Asked(
        m="""
        import ext
        class Tool:
            def __call__(self): pass
        def f(t: Tool, e: ext.Thing):
            t()
            e()
        """
    )
    assert asked.reached(":f", "t") == ["Tool.__call__"]
    assert asked.reached(":f", "e") == ["ext.Thing.__call__"]


def test_a_cycle_of_modules_resolves() -> None:
    asked = Asked(
        a="from b import B\nclass A:\n    def go(self): B().back(self)\n",
        b="import a\nclass B:\n    def back(self, x: 'a.A'): x.go()\n",
    )
    assert asked.reached("a:A.go", "().back") == ["b:B.back"]
    assert asked.reached("b:B.back", "x.go") == ["a:A.go"]


def test_callers_say_what_parameters_and_stored_callables_are() -> None:
    asked = Asked(
        m="""
        from dataclasses import dataclass
        from typing import Callable
        class Store:
            def save(self): pass
        def emit(): pass
        class A:
            def __init__(self, callback: Callable[[], None], other=None):
                self._callback = callback
                self._other = other
            def run(self):
                self._callback()
                self._other()
        @dataclass
        class Command:
            name: str
            func: Callable[[], None]
        def helper(store, on_done):
            store.save()
            on_done()
        def nobody_calls(store):
            store.save()
        def outer(fn):
            def inner():
                fn()
            return inner
        def main(unknown):
            A(emit).run()
            helper(Store(), on_done=lambda: 1)
            helper(unknown, emit)
            command = Command("x", emit)
            command.func()
            outer(emit)
        """
    )
    assert asked.reached(":A.run", "self._callback") == ["emit"]
    assert asked.callees(":A.run", "self._other").unknown
    assert asked.reached(":helper", "store.save") == ["Store.save"]
    assert sorted(asked.reached(":helper", "on_done")) == ["emit", "main.<lambda1>"]
    assert asked.reached(":main", "command.func") == ["emit"]
    assert asked.reached(":outer.inner", "fn") == ["emit"]
    assert asked.callees(":nobody_calls", "store.save").unknown
    assert {asked.label(f) for f, _ in asked.graph.callers(asked.id(":emit"))} == {
        "A.run", "helper", "outer.inner", "main"
    }


def test_a_mixin_calls_what_its_users_define() -> None:
    asked = Asked(
        m="""
        class Mixin:
            def run(self):
                self.work()
                return self.name
        class A(Mixin):
            name = "a"
            def work(self): pass
        class B(Mixin):
            @property
            def name(self): return "b"
            def work(self): pass
        """
    )
    assert asked.reached(":Mixin.run", "self.work") == ["A.work", "B.work"]
    assert asked.result("m:Mixin.run") == "str"
