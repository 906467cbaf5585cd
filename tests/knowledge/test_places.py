from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.places import checkout_folder, rules_folder
from ctxlint.knowledge.version import version


def package(root: Path) -> Path:
    (root / "ctxlint").mkdir(parents=True)
    return root / "ctxlint"


def test_a_wheel_carries_its_rules(tmp_path: Path) -> None:
    installed = package(tmp_path / "site-packages")
    (installed / "rules").mkdir()
    assert rules_folder(installed) == installed / "rules"
    with pytest.raises(ConfigurationError, match="no checkout"):
        checkout_folder(installed)


def test_a_checkout_has_them_beside_pyproject(tmp_path: Path) -> None:
    source = package(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "pyproject.toml").touch()
    assert rules_folder(source) == tmp_path / "rules"
    assert checkout_folder(source) == tmp_path


def test_an_installation_without_rules_says_where_it_looked(tmp_path: Path) -> None:
    source = package(tmp_path)
    (tmp_path / "rules").mkdir()    # some other project's folder: no pyproject.toml beside it
    with pytest.raises(ConfigurationError, match="no rule files: neither .*reinstall"):
        rules_folder(source)


def test_the_version_is_the_projects() -> None:
    text = (checkout_folder() / "pyproject.toml").read_text()
    assert f'version = "{version()}"' in text
