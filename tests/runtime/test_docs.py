"""The examples of docs/runtime.md run, each by itself, in an empty directory."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ctxlint.runtime
from ctxlint.runtime import errors

PAGE = Path(__file__).parents[2] / "docs" / "runtime.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_examples():
    assert len(EXAMPLES) > 10


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number, tmp_path, monkeypatch, capsys):
    example = EXAMPLES[number]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, f"{PAGE.name} example {number}", "exec"), {"__name__": "example"})  # noqa: S102 -- our own page
    promised = re.search(r"print\(failure\) +# (.*) \.\.\.", example)
    if promised:
        assert promised.group(1).rstrip(":") in capsys.readouterr().out


def test_the_crash_test_runs_as_a_program_of_its_own(tmp_path):
    example = next(example for example in EXAMPLES if "save_in_place" in example)
    (tmp_path / "crash_test.py").write_text(example, encoding="utf-8")
    subprocess.run([sys.executable, "crash_test.py"], cwd=tmp_path, check=True, capture_output=True)


def test_the_tree_of_errors_is_complete():
    kinds = [
        name for name, value in vars(errors).items() if isinstance(value, type) and name.endswith(("Error", "Failure"))
    ]
    assert [name for name in kinds if name not in TEXT] == []


def test_the_page_names_what_exists():
    names = set(re.findall(r"`(?:ctxlint\.runtime\.)?([a-z_]+|[A-Z][A-Za-z]+)(?:\([^`]*\))?`", TEXT))
    public = set(ctxlint.runtime.__all__)
    missing = {name for name in public if name not in TEXT}
    internal = {
        "AppendTo", "ReplaceAnchored", "SetRegion", "Edit", "Reference", "Commit", "Checkpoint", "Inverse", "Transaction",
        "KeyedLock", "KeyedLocks", "Anchor",
    }  # fmt: skip
    assert missing <= internal, f"public and not on the page: {sorted(missing - internal)}"
    assert "RewriteBuffer" in names
