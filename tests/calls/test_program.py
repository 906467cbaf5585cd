"""Classes and functions of a program, and how classes relate."""

from __future__ import annotations

from ctxlint.calls.hierarchy import linearise
from ctxlint.calls.program import FunctionId, Program, is_property
from tests.calls.programs import program


def symbol(linked: Program, id: FunctionId | None) -> str | None:
    return None if id is None else f"{id.module}:{linked.symbol(id)}"


def test_c3_orders_a_diamond() -> None:
    orders = linearise({"D": ("B", "C"), "B": ("A",), "C": ("A",), "A": ("ext.Base",)})
    assert orders["D"] == ("D", "B", "C", "A", "ext.Base")


def test_contradicting_bases_fall_back_to_depth_first() -> None:
    orders = linearise({"X": (), "Y": (), "A": ("X", "Y"), "B": ("Y", "X"), "C": ("A", "B")})
    assert orders["C"] == ("C", "A", "X", "Y", "B")


def test_cyclic_bases_end() -> None:
    orders = linearise({"A": ("B",), "B": ("A",), "S": ("S",)})
    assert set(orders["A"]) == {"A", "B"}
    assert orders["S"] == ("S",)


def test_bases_are_resolved_across_modules() -> None:
    linked = program(
        base="import abc\nclass Base(abc.ABC):\n    def save(self): pass\n    def load(self): return 1\n",
        child="from base import Base\nclass Child(Base, dict):\n    def save(self): pass\n",
        grand="import child as c\nclass Grand(c.Child): pass\n",
    )
    info = linked.class_("grand.Grand")
    assert info is not None
    assert info.bases == ("child.Child",)
    assert info.mro == ("grand.Grand", "child.Child", "base.Base", "abc.ABC", "builtins.dict")
    base = linked.class_("base.Base")
    assert base is not None and base.subclasses == ("child.Child", "grand.Grand")
    assert symbol(linked, linked.method("grand.Grand", "save")) == "child:Child.save"
    assert symbol(linked, linked.method("grand.Grand", "load")) == "base:Base.load"
    assert linked.method("grand.Grand", "missing") is None
    assert [symbol(linked, m) for m in linked.overriders("base.Base", "save")] == ["child:Child.save"]
    assert linked.external_bases("grand.Grand") == ("builtins.dict",)


def test_functions_and_their_owners() -> None:
    linked = program(m="class A:\n    def f(self):\n        def inner(): pass\ndef g(): pass\n")
    ids = {linked.symbol(id): id for id in linked.functions()}
    assert linked.owner(ids["A.f"]) == "m.A"
    assert linked.owner(ids["g"]) is None
    assert linked.path(ids["g"]) == "m.py"
    assert linked.function(ids["A.f.inner"]).enclosing == ids["A.f"].index
    assert linked.named_function("m.A.f") == ids["A.f"]
    assert linked.class_of_body(ids["A"]) == "m.A"


def test_the_last_definition_counts_and_overloads_do_not() -> None:
    linked = program(
        m="""
        from typing import overload
        class A:
            @overload
            def f(self, x: int) -> int: ...
            @overload
            def f(self, x: str) -> str: ...
            def f(self, x): return x
        def g(): return 1
        def g(): return 2
        """
    )
    method = linked.method("m.A", "f")
    assert method is not None and linked.function(method).decorators == ()
    g = linked.named_function("m.g")
    assert g is not None and linked.function(g).ordinal == 1


def test_properties() -> None:
    linked = program(
        m="""
        import functools
        class A:
            @property
            def value(self): return self._v
            @value.setter
            def value(self, v): self._v = v
            @functools.cached_property
            def heavy(self): return 1
            def plain(self): pass
        class B(A): pass
        """
    )
    getter = linked.property_getter("m.B", "value")
    setter = linked.property_setter("m.B", "value")
    assert getter is not None and setter is not None and getter != setter
    assert linked.function(getter).decorators == ("property",)
    assert linked.function(setter).decorators == ("value.setter",)
    assert linked.property_getter("m.A", "heavy") is not None
    assert linked.property_setter("m.A", "heavy") is None
    assert linked.property_getter("m.A", "plain") is None
    assert is_property(linked.function(getter))


def test_protocols_and_abstract_classes() -> None:
    linked = program(
        m="""
        from abc import ABC, abstractmethod
        from typing import Protocol
        class P(Protocol):
            def save(self, x): ...
            def load(self): ...
        class Nominal(P):
            def save(self, x): self.x = x
            def load(self): return self.x
        class Structural:
            def save(self, x): print(x)
            def load(self): return 1
        class Half:
            def save(self, x): print(x)
        class Late(Half):
            def load(self): return 2
        class Base(ABC):
            @abstractmethod
            def run(self): ...
        class Middle(Base): pass
        class Leaf(Middle):
            def run(self): return 1
        class OldStyle:
            def run(self): raise NotImplementedError
        """
    )
    assert linked.is_protocol("m.P") and not linked.is_protocol("m.Nominal")
    assert linked.is_abstract("m.Base") and linked.is_abstract("m.Middle") and not linked.is_abstract("m.Leaf")
    assert linked.is_abstract("m.OldStyle")
    assert linked.implementers("m.P") == ("m.Nominal", "m.Structural", "m.Late")
    assert linked.implementers("m.Base") == ("m.Leaf",)


def test_too_many_implementers_say_nothing() -> None:
    classes = "".join(f"class C{i}:\n    def go(self): return {i}\n" for i in range(9))
    linked = program(m="from typing import Protocol\nclass P(Protocol):\n    def go(self): ...\n" + classes)
    assert linked.implementers("m.P") == ()


def test_a_protocol_without_public_methods_has_no_structural_implementers() -> None:
    linked = program(
        m="from typing import Protocol\nclass P(Protocol):\n    def __call__(self): ...\nclass A:\n    def __call__(self): return 1\n"
    )
    assert linked.implementers("m.P") == ()


def test_decorators_of_the_program() -> None:
    linked = program(
        d="def retry(f): return f\ndef logged(level): return lambda f: f\n",
        m="import functools\nfrom d import retry, logged\n@retry\n@functools.cache\n@logged(3)\ndef f(): pass\n",
    )
    f = linked.named_function("m.f")
    assert f is not None
    assert [symbol(linked, d) for d in linked.decorated_by(f)] == ["d:retry", "d:logged"]


def test_classes_in_functions_and_conditional_classes() -> None:
    linked = program(
        m="""
        def make():
            class Inner:
                def go(self): pass
            return Inner()
        try:
            from x import Y
        except ImportError:
            class Y:
                def a(self): pass
        if True:
            class Z: pass
        else:
            class Z:
                def z(self): pass
        """
    )
    assert linked.class_("m.make.Inner") is not None
    assert linked.class_("m.Y") is not None
    assert symbol(linked, linked.method("m.Z", "z")) == "m:Z.z"
