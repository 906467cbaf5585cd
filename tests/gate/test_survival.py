"""Accepted findings stay accepted when code is reformatted, renamed and moved: a small run of `benchmarks/survival.py`."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from ctxlint.cli.main import main
from tests.gate.repositories import Repository

ROOT = Path(__file__).parent.parent.parent
WORDS = ("--select", "ALL", "--preview", "--min-confidence", "low", "--output-format", "json")
FIXTURES = ("CTX105/truncate_then_dump.py", "CTX105/write_text.py", "CTX101/order.py", "CTX103/swallowed_append.py")


def test_nothing_is_new_after_moves(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("survival", ROOT / "benchmarks" / "survival.py")
    assert spec is not None and spec.loader is not None
    survival = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(survival)
    package = repository.root / "agents"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in FIXTURES:
        shutil.copy(ROOT / "fixtures" / name, package)
    repository.commit()

    def new(*words: str) -> tuple[int, list[str]]:
        capsys.readouterr()
        status = main([*words, *WORDS])
        out = capsys.readouterr().out
        return status, [one["code"] for one in json.loads(out)] if out else []

    assert len(new(".")[1]) >= 5
    assert new("baseline", "create") == (0, [])

    def rewritten(file: Path) -> None:
        file.write_text(ast.unparse(ast.parse(file.read_text())))

    survival.each(repository.root, rewritten)
    survival.renamed(repository.root)
    survival.each(repository.root, survival.reordered)
    survival.modules_moved(repository.root)
    survival.each(repository.root, survival.functions_moved)
    survival.each(repository.root, survival.variables_renamed)
    assert new(".", "--baseline", "ctxlint-baseline.jsonl") == (0, [])
    assert new(".", "--since", "HEAD") == (0, [])
