"""A cache that came with the code is not believed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxlint.store.committed import is_committed
from tests.cli.conftest import project  # noqa: F401

git_is_there = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@git_is_there
@pytest.mark.parametrize("version", ["2", "4"])
def test_a_tracked_folder_is_told_from_an_untracked_one(tmp_path: Path, version: str) -> None:
    git(tmp_path, "init")
    git(tmp_path, "config", "index.version", version)
    for name in (".cache_other/x", ".cache/runs/x", "sub/.cache/y", ".cached"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    git(tmp_path, "add", ".cached", ".cache_other", "sub")
    assert not is_committed(str(tmp_path / ".cache"))
    assert is_committed(str(tmp_path / "sub" / ".cache"))
    git(tmp_path, "add", ".cache")
    assert is_committed(str(tmp_path / ".cache"))


def test_outside_of_a_work_tree_nothing_is_committed(tmp_path: Path) -> None:
    assert not is_committed(str(tmp_path / ".cache"))


@git_is_there
def test_a_forged_report_is_not_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    (project / "agent.py").write_text(
        "import json\n\n\ndef load():\n    return json.load(open('s.json'))\n\n\n"
        "def save(state):\n    with open('s.json', 'w') as file:\n        json.dump(state, file)\n"
    )
    from ctxlint.cli.main import main

    git(project, "init")
    assert main(["check", "--quiet"]) == 1
    assert (project / ".ctxlint_cache").is_dir()
    git(project, "add", "-f", ".ctxlint_cache")
    capfd.readouterr()
    assert main(["check"]) == 1
    assert "is under version control and is not used" in capfd.readouterr().err


@git_is_there
@pytest.mark.parametrize("how", ["link", "parent", "split"])
def test_no_detour_makes_a_committed_folder_believed(tmp_path: Path, how: str) -> None:
    git(tmp_path, "init")
    (tmp_path / "kept" / "cache").mkdir(parents=True)
    (tmp_path / "kept" / "cache" / "x").write_text("x")
    folder = tmp_path / "kept" / "cache"
    if how == "link":
        folder = tmp_path / ".cache"
        folder.symlink_to("kept/cache")
    elif how == "parent":
        (tmp_path / "way").symlink_to("kept")
        folder = tmp_path / "way" / "cache"
    git(tmp_path, "add", "-A")
    if how == "split":
        git(tmp_path, "update-index", "--split-index")
    assert is_committed(str(folder))
