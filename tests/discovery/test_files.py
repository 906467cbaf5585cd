from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxlint.discovery.files import discover, discover_stdin
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import Configuration, load_configuration


def tree(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def configuration(folder: Path, **flags: object) -> Configuration:
    (folder / "ctxlint.toml").touch()
    return load_configuration(folder, flags={key.replace("_", "-"): value for key, value in flags.items()})


def found(root: Path, *paths: str, **flags: object) -> list[str]:
    given = [root / path for path in paths] or [root]
    return [Path(file.path).relative_to(root).as_posix() for file in discover(given, configuration(root, **flags))]


def test_folders_are_walked_and_ordered_by_path(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.py", "a/__init__.py", "a/data.json", "a/stub.pyi")
    assert found(tmp_path) == ["a/__init__.py", "a/z.py", "b.py"]
    assert found(tmp_path, "b.py", "a") == found(tmp_path, "a", "b.py") == found(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="links need privileges there")
def test_links_that_lead_nowhere_are_no_files(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / "circle.py").symlink_to("circle.py")
    (tmp_path / "nowhere.py").symlink_to("gone.py")
    (tmp_path / "up").symlink_to("..")
    assert found(tmp_path) == ["a.py"]


def test_a_file_named_twice_is_analysed_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/z.py")
    assert found(tmp_path, ".", "a", "a/z.py") == ["a/z.py"]


def test_what_is_no_source_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".venv/x.py", "node_modules/x.py", "build/x.py", "dist/x.py", "__pycache__/x.py",
         ".git/x.py", "lib/site-packages/x.py", "x.egg-info/x.py", "strange/pyvenv.cfg", "strange/x.py")
    assert found(tmp_path) == ["a.py"]


def test_a_package_called_build_is_source(tmp_path: Path) -> None:
    tree(tmp_path, "app/build/__init__.py", "app/build/x.py", "build/y.py")
    assert found(tmp_path) == ["app/build/__init__.py", "app/build/x.py"]
    assert found(tmp_path, exclude=["build"]) == []


def test_a_folder_named_explicitly_is_walked_wherever_it_lies(tmp_path: Path) -> None:
    tree(tmp_path, "build/x.py")
    assert found(tmp_path, "build") == ["build/x.py"]


def test_excluded_files_are_left_out_unless_named(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "tests/t.py", "gen/g.py")
    assert found(tmp_path, extend_exclude=["tests", "gen/*.py"]) == ["a.py"]
    assert found(tmp_path, "gen/g.py", extend_exclude=["gen/*.py"]) == ["gen/g.py"]
    assert found(tmp_path, "gen/g.py", extend_exclude=["gen/*.py"], force_exclude=True) == []
    assert found(tmp_path, "tests", "a.py", extend_exclude=["tests"], force_exclude=True) == ["a.py"]
    tree(tmp_path, ".venv/x.py")
    assert found(tmp_path, ".venv/x.py", force_exclude=True) == []


def test_include_chooses_files_of_folders(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.txt", "c.pyi")
    assert found(tmp_path, include=["*.py", "*.pyi"]) == ["a.py", "c.pyi"]
    assert found(tmp_path, "b.txt") == ["b.txt"]


def test_ignore_files_are_honoured(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "a.py", "out/x.py", "inner/keep.py", "inner/drop.py", "inner/deep/drop.py")
    (tmp_path / ".gitignore").write_text("out/\ndrop.py\n")
    (tmp_path / "inner" / ".gitignore").write_text("!/drop.py\n")
    assert found(tmp_path) == ["a.py", "inner/drop.py", "inner/keep.py"]


def test_ignore_files_above_the_folder_count_inside_a_repository(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "src/a.py", "src/drop.py")
    (tmp_path / ".gitignore").write_text("drop.py\n")
    assert found(tmp_path, "src") == ["src/a.py"]


def test_an_ignored_folder_named_explicitly_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "out/a.py")
    (tmp_path / ".gitignore").write_text("out/\n")
    assert found(tmp_path, "out") == ["out/a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_is_called_like_an_ignore_file_is_not_waited_for(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    os.mkfifo(tmp_path / ".gitignore")
    assert found(tmp_path) == ["a.py"]


def test_a_missing_path_is_refused_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^gone/x\.py: no such file or folder$"):
        discover(["gone/x.py"], configuration(tmp_path))


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    os.symlink(tmp_path / "a", tmp_path / "a" / "loop")
    os.symlink(tmp_path / "a" / "x.py", tmp_path / "y.py")
    assert found(tmp_path) == ["a/x.py", "y.py"]


def test_standard_input_stands_where_its_name_says(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/__init__.py")
    (file,) = discover_stdin(str(tmp_path / "pkg" / "new.py"), b"x = 1\n", configuration(tmp_path))
    assert (file.module, file.source, file.is_package) == ("pkg.new", b"x = 1\n", False)
    excluded = configuration(tmp_path, extend_exclude=["pkg"], force_exclude=True)
    assert discover_stdin(str(tmp_path / "pkg" / "new.py"), b"", excluded) == ()


def test_patterns_say_nothing_of_the_folder_that_they_are_relative_to(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.py", "docs/b.py", "c.py")
    assert found(tmp_path, exclude=["*", "!src", "!src/**"]) == ["src/a.py"]


def test_a_folder_that_may_not_be_looked_into_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "a.py", "secret/b.py")
    scandir = os.scandir

    def refused(folder: str) -> object:
        if os.fspath(folder).endswith("secret"):
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(UsageError, match="secret: cannot be listed: Permission denied .`extend-exclude` leaves a folder out"):
        found(tmp_path)
    assert found(tmp_path, extend_exclude=["secret"]) == ["a.py"]
