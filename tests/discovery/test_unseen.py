"""What a run says that it did not look at, and when it has nothing to say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.files import discover
from ctxlint.discovery.unseen import unseen
from tests.discovery.test_files import configuration, tree


def missed(root: Path, *paths: str, imports: tuple[str, ...] = (), **flags: object) -> tuple[int, str, tuple[str, ...]] | None:
    """How many files of the project were missed, the example, and what to name instead, by their places under `root`."""
    settings = configuration(root, **flags)
    given = [str(root / path) for path in paths]
    rest = unseen(given, discover(given, settings), imports, settings, Asked())
    return rest and (rest.files, os.path.relpath(rest.example, root), tuple(os.path.relpath(path, root) for path in rest.paths))


def test_a_whole_project_misses_nothing(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/__init__.py", "pkg/agent.py", "pkg/sub/__init__.py", "tests/test_agent.py", "other/__init__.py")
    assert missed(tmp_path, ".", imports=("pkg.agent.Agent", "json", "nowhere.x")) is None
    assert missed(tmp_path, "pkg", imports=("pkg.agent.Agent", "json")) is None


def test_the_rest_of_a_package_that_the_paths_cut(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/__init__.py", "pkg/agent.py", "pkg/sub/__init__.py", "pkg/sub/log.py", "pkg/build/junk.py")
    assert missed(tmp_path, "pkg/agent.py") == (3, "pkg/sub/log.py", ("pkg",))
    assert missed(tmp_path, "pkg/sub") == (2, "pkg/agent.py", ("pkg",))
    assert missed(tmp_path, "pkg/agent.py", "pkg/__init__.py", "pkg/sub") is None
    assert missed(tmp_path, "pkg/sub", extend_exclude=["pkg/agent.py", "pkg/__init__.py"]) is None


def test_a_script_belongs_with_the_scripts_beside_it_and_no_further(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.py", "pkg/__init__.py", "deep/c.py")
    assert missed(tmp_path, "a.py") == (1, "b.py", (".",))
    assert missed(tmp_path, "a.py", "b.py") is None
    assert unseen(("stdin.py",), (), ("b.x",), configuration(tmp_path), Asked()) is None


@pytest.mark.parametrize("name", ["lib.store.Store", "lib.store", "lib.store.*"])
def test_modules_that_are_imported_and_not_looked_at(tmp_path: Path, name: str) -> None:
    tree(tmp_path, "app/__init__.py", "app/agent.py", "lib/__init__.py", "lib/store.py", "lib/other.py")
    assert missed(tmp_path, "app", imports=(name,)) == (1, "lib/store.py", ("app", "lib"))
    assert missed(tmp_path, "app", "lib", imports=(name,)) is None
    assert missed(tmp_path, "app", imports=(name,), extend_exclude=["lib"]) is None


def test_a_folder_of_sources_is_where_imports_are_sought(tmp_path: Path) -> None:
    tree(tmp_path, "src/lib/__init__.py", "src/lib/store.py", "tests/test_store.py")
    assert missed(tmp_path, "tests", imports=("lib.store.Store",)) is None
    assert missed(tmp_path, "tests", imports=("lib.store.Store",), src=["src"]) == (1, "src/lib/store.py", ("src/lib", "tests"))


def test_the_answer_depends_on_what_was_asked(tmp_path: Path) -> None:
    tree(tmp_path, "app/__init__.py", "app/agent.py")
    settings, asked = configuration(tmp_path), Asked()
    given = [str(tmp_path / "app")]
    assert unseen(given, discover(given, settings), ("lib.store",), settings, asked) is None
    assert asked.kinds[str(tmp_path / "lib.py")] == -1      # so that a run after it is there is another one
