from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.discovery.files import discover
from ctxlint.knowledge.configuration import load_configuration


def modules(root: Path, files: dict[str, str], given: str = ".", **flags: object) -> dict[str, str]:
    """Write the files and return the module name of each."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    configuration = load_configuration(root, isolated=True, flags=flags)
    found = discover([root / given], configuration)
    return {Path(file.path).relative_to(root).as_posix(): file.module for file in found}


def names(*files: str) -> dict[str, str]:
    return dict.fromkeys(files, "")


def test_a_package_gives_its_name(tmp_path: Path) -> None:
    assert modules(tmp_path, names("pkg/__init__.py", "pkg/soul/__init__.py", "pkg/soul/context.py")) == {
        "pkg/__init__.py": "pkg", "pkg/soul/__init__.py": "pkg.soul", "pkg/soul/context.py": "pkg.soul.context",
    }


@pytest.mark.parametrize("given", ["pkg", "pkg/soul", "pkg/soul/context.py", "."])
def test_the_name_does_not_depend_on_the_path_given(tmp_path: Path, given: str) -> None:
    files = names("pkg/__init__.py", "pkg/soul/__init__.py", "pkg/soul/context.py")
    assert modules(tmp_path, files, given)["pkg/soul/context.py"] == "pkg.soul.context"


def test_src_is_no_part_of_a_name(tmp_path: Path) -> None:
    found = modules(tmp_path, names("src/pkg/__init__.py", "src/pkg/a.py", "src/tool.py", "scripts/run.py"))
    assert found["src/pkg/a.py"] == "pkg.a"
    assert found["src/tool.py"] == "tool"
    assert found["scripts/run.py"] == "scripts.run"


def test_a_namespace_package_is_counted_from_the_path_given(tmp_path: Path) -> None:
    assert modules(tmp_path, names("google/adk/__init__.py", "google/adk/a.py"))["google/adk/a.py"] == "google.adk.a"


@pytest.mark.parametrize(("line", "name"), [
    ("from acme.core import x\n", "acme.core.a"), ("import core.b\n", "core.a"), ("from . import b\n", "acme.core.a"),
])
def test_how_a_package_imports_itself_decides(tmp_path: Path, line: str, name: str) -> None:
    files = {"acme/core/__init__.py": "", "acme/core/a.py": line, "acme/core/b.py": ""}
    assert modules(tmp_path, files)["acme/core/a.py"] == name


def test_a_project_inside_is_a_root(tmp_path: Path) -> None:
    files = names("libs/one/pyproject.toml", "libs/one/pkg/__init__.py", "libs/one/pkg/a.py", "libs/one/run.py")
    found = modules(tmp_path, files)
    assert found["libs/one/pkg/a.py"] == "pkg.a"
    assert found["libs/one/run.py"] == "run"


def test_a_folder_that_cannot_be_imported_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert modules(tmp_path, names("my-agent/tools/web.py")) == {"my-agent/tools/web.py": "tools.web"}


def test_the_setting_wins(tmp_path: Path) -> None:
    files = names("code/app/__init__.py", "code/app/x.py")
    (tmp_path / "ctxlint.toml").write_text("")
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    configuration = load_configuration(tmp_path, flags={"src": ["code/app"]})
    assert [file.module for file in discover([tmp_path], configuration)] == ["__init__", "x"]


def test_a_single_file_in_no_package_is_its_own_module(tmp_path: Path) -> None:
    assert modules(tmp_path, names("folder/bad.py"), "folder/bad.py") == {"folder/bad.py": "bad"}
