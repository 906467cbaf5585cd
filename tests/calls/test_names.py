"""What dotted names mean."""

from __future__ import annotations

import pytest

from ctxlint.calls.names import canonical, resolve_name
from tests.calls.programs import program


def meaning(module: str, name: str, function: str = "<module>", **sources: str) -> str:
    linked = program(**sources)
    functions = linked.modules[module].ir.functions
    index = next(i for i, f in enumerate(functions) if f.qualname == function)
    return resolve_name(linked, module, index, name)


@pytest.mark.parametrize(
    ("statement", "name", "expected"),
    [
        ("from p.a import Store", "Store", "p.a.Store"),
        ("from .a import Store", "Store", "p.a.Store"),
        ("from .a import Store as S", "S", "p.a.Store"),
        ("from . import a", "a.Store", "p.a.Store"),
        ("import p.a", "p.a.Store", "p.a.Store"),
        ("import p.a as other", "other.Store.Inner", "p.a.Store.Inner"),
        ("from .a import *", "Store", "p.a.Store"),
        ("from p import a", "a.make", "p.a.make"),
        ("import os.path", "os.path.join", "os.path.join"),
        ("import numpy as np", "np.zeros", "numpy.zeros"),
        ("from pathlib import Path as P", "P.home", "pathlib.Path.home"),
        ("", "open", "builtins.open"),
        ("", "Store[int]", "p.b.Store"),
    ],
)
def test_imports_lead_to_definitions(statement: str, name: str, expected: str) -> None:
    sources = {
        "p____init__": "",
        "p__a": "class Store:\n    class Inner: pass\ndef make(): pass\n",
        "p__b": f"{statement}\n",
    }
    assert meaning("p.b", name, **sources) == expected


def test_levels_of_relative_imports() -> None:
    sources = {
        "p____init__": "",
        "p__q____init__": "from ..top import T\nfrom .inner import I\n",
        "p__q__inner": "from ...p.top import T as Far\nfrom ..top import T\nclass I: pass\n",
        "p__top": "class T: pass\n",
    }
    assert meaning("p.q", "T", **sources) == "p.top.T"
    assert meaning("p.q", "I", **sources) == "p.q.inner.I"
    assert meaning("p.q.inner", "T", **sources) == "p.top.T"


def test_re_exports_are_followed_through_packages() -> None:
    sources = {
        "p____init__": "from .q import Thing\n",
        "p__q____init__": "from ._impl import Thing\n",
        "p__q___impl": "class Thing: pass\n",
        "main": "from p import Thing\nimport p\n",
    }
    sources["p__q___impl"] = "class Thing: pass\n"
    linked = program(**sources)
    assert "p.q._impl" in linked.modules
    assert resolve_name(linked, "main", 0, "Thing") == "p.q._impl.Thing"
    assert resolve_name(linked, "main", 0, "p.Thing") == "p.q._impl.Thing"


def test_a_package_attribute_hides_the_submodule_of_its_name() -> None:
    sources = {
        "p____init__": "from .app import app\n",
        "p__app": "def app(): pass\ndef other(): pass\n",
        "main": "from p import app\nimport p.app\nfrom p.app import other\n",
    }
    assert meaning("main", "app", **sources) == "p.app.app"
    assert meaning("main", "other", **sources) == "p.app.other"


def test_a_submodule_imported_by_its_own_package_stays_a_module() -> None:
    sources = {"p____init__": "from . import app\n", "p__app": "def run(): pass\n", "main": "from p import app\n"}
    assert meaning("main", "app.run", **sources) == "p.app.run"


def test_cycles_of_imports_end() -> None:
    sources = {"a": "from b import x\n", "b": "from a import x\n", "c": "from c import c\n"}
    assert meaning("a", "x", **sources) in ("a.x", "b.x")
    assert meaning("c", "c", **sources) == "c.c"


def test_cycles_of_star_imports_end() -> None:
    sources = {"a": "from b import *\n", "b": "from a import *\nclass K: pass\n"}
    assert meaning("a", "K", **sources) == "b.K"
    assert meaning("a", "missing", **sources) == "a.missing"


def test_star_imports_hide_private_names_and_reach_through() -> None:
    sources = {"a": "from b import *\n", "b": "from c import *\ndef _hidden(): pass\n", "c": "class K: pass\n"}
    assert meaning("a", "K", **sources) == "c.K"
    assert meaning("a", "_hidden", **sources) == "a._hidden"


def test_an_unknown_name_under_an_external_star_import_is_its() -> None:
    assert meaning("a", "Button", a="from tkinter import *\n") == "tkinter.Button"
    assert meaning("a", "open", a="from tkinter import *\n") == "builtins.open"


def test_of_guarded_imports_the_one_in_the_program_is_taken() -> None:
    sources = {
        "a": """
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from b import Store
            try:
                from fast_store import Fast
            except ImportError:
                from b import Slow as Fast
            """,
        "b": "class Store: pass\nclass Slow: pass\n",
    }
    assert meaning("a", "Store", **sources) == "b.Store"
    assert meaning("a", "Fast", **sources) == "b.Slow"


def test_of_external_guarded_imports_the_first_is_taken() -> None:
    source = "try:\n    import orjson as json\nexcept ImportError:\n    import json\n"
    assert meaning("a", "json.dumps", a=source) == "orjson.dumps"


def test_a_fallback_definition_is_preferred_to_an_external_import() -> None:
    source = "try:\n    from x import Base\nexcept ImportError:\n    class Base: pass\n"
    assert meaning("a", "Base", a=source) == "a.Base"


def test_module_level_aliases() -> None:
    sources = {"a": "import b\nAlias = b.Store\nopener = open\nvalue = 1\n", "b": "class Store: pass\n"}
    assert meaning("a", "Alias", **sources) == "b.Store"
    assert meaning("a", "opener", **sources) == "builtins.open"
    assert meaning("a", "value", **sources) == "a.value"


def test_alias_of_itself_ends() -> None:
    assert meaning("a", "x", a="x = y\ny = x\n") == "a.x"


def test_names_inside_functions() -> None:
    sources = {
        "a": """
            def f(path):
                from b import Store
                import os.path
                local = 1
                class Inner: pass
                def helper(): pass
                def nested():
                    pass
            """,
        "b": "class Store: pass\n",
    }
    assert meaning("a", "Store", "f", **sources) == "b.Store"
    assert meaning("a", "Store", "f.nested", **sources) == "b.Store"
    assert meaning("a", "os.path.join", "f", **sources) == "os.path.join"
    assert meaning("a", "Inner", "f.nested", **sources) == "a.f.Inner"
    assert meaning("a", "helper", "f", **sources) == "a.f.helper"
    assert meaning("a", "path", "f", **sources) == ""
    assert meaning("a", "local.x", "f", **sources) == ""
    assert meaning("a", "Store", **sources) == "a.Store"


def test_a_module_attribute_of_a_module() -> None:
    linked = program(p____init__="", p__a="import json\n", p__b="from p import a\n")
    assert canonical(linked, "p.b.a.json.dumps") == "json.dumps"
    assert canonical(linked, "outside.thing") == "outside.thing"
