"""What only a process of its own can show: start-up, pipes, the module as a program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("libcst", "networkx", "sarif_om", "ctxlint.syntax", "ctxlint.engine")


def ctxlint(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "ctxlint", *words], cwd=cwd, capture_output=True, text=True, timeout=60)


def imported_by(*words: str) -> set[str]:
    """Return the modules that are loaded after a command ran."""
    code = f"import sys, json; from ctxlint.cli.main import main; main({list(words)!r}); json.dump(sorted(sys.modules), sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return set(json.loads(done.stderr[done.stderr.index("["):]))


def test_the_module_is_the_program() -> None:
    done = ctxlint("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ctxlint 0.")


@pytest.mark.parametrize("words", [("--version",), ("check", "--help"), ("rules",), ("explain", "CTX001")])
def test_what_analyses_nothing_starts_without_the_tree_libraries(words: tuple[str, ...]) -> None:
    assert imported_by(*words).isdisjoint(HEAVY)


def test_a_reader_that_goes_away_is_no_crash() -> None:
    command = f"{sys.executable} -m ctxlint explain CTX101 CTX103 CTX105 CTX302 | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("# ")
    assert done.stderr == ""


def test_names_that_the_terminal_cannot_show_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "größe.py").touch()
    done = subprocess.run([sys.executable, "-m", "ctxlint", "check", "--show-files", str(tmp_path)], cwd=ROOT,
                          capture_output=True, timeout=60, env={"PYTHONIOENCODING": "ascii", "PATH": ""})
    assert done.returncode == 0
    assert rb"gr\xf6\xdfe.py" in done.stdout
