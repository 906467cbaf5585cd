"""Whether one module can be imported at the top of another, and what that takes."""

from __future__ import annotations

import pytest

from ctxlint.calls.loading import Loading
from tests.calls.programs import program


@pytest.mark.parametrize(
    ("imports", "cycle"),
    [
        ("import json", False),
        ("from app.agent import run", True),
        ("from .agent import run", True),
        ("class Disk:\n    from app import agent", True),
        ("from app.third import x", True),
        ("import app.third", True),
        ("from app import version", True),
        ("from app import fourth", False),
        ("def later():\n    from app.agent import run", False),
        ("from app.parts.one import x", True),
    ],
)
def test_an_import_may_not_come_back_to_who_imports(imports: str, cycle: bool) -> None:
    linked = program(
        app____init__="from app.agent import run\nversion = 1\n", app__agent="def run(): pass\n", app__files=imports,
        app__third="from app.agent import run\nx = 1\n", app__fourth="y = 1\n",
        app__parts____init__="from ..agent import run\n", app__parts__one="x = 1\n",
    )
    assert Loading(linked).would_be_a_cycle("app.agent", "app.files") == cycle


def test_circles_elsewhere_end_and_do_no_harm() -> None:
    linked = program(agent="", files="import disks", disks="import files")
    loading = Loading(linked)
    assert not loading.would_be_a_cycle("agent", "files")
    assert loading.would_be_a_cycle("disks", "files")


@pytest.mark.parametrize(
    ("agent", "files", "enough"),
    [
        ("", "import json", True),
        ("", "import yaml", False),
        ("import yaml", "import yaml", True),
        ("from app import third", "from yaml import load", True),
        ("", "from app import third", False),
        ("def later():\n    import yaml", "import yaml", False),
        ("", "def later():\n    import yaml", True),
    ],
)
def test_what_another_module_needs_has_to_be_there_already(agent: str, files: str, enough: bool) -> None:
    linked = program(app__agent=agent, app__files=files, app__third="import yaml")
    assert Loading(linked).needs_nothing_new("app.agent", "app.files") == enough
