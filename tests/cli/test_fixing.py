"""`--fix`, `--diff` and `vendor`, from the command line on."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ctxlint.cli.main import main

FAULTY = b'''\
import json
from pathlib import Path


def save(state: dict) -> None:
    with open(Path("state.json"), "w") as stream:  # kept
        json.dump(state, stream)


def load() -> dict:
    return json.loads(Path("state.json").read_text())
'''
FIXED = FAULTY.replace(
    b'    with open(Path("state.json"), "w") as stream:  # kept\n        json.dump(state, stream)\n',
    b'    atomic_write(Path("state.json"), json.dumps(state))  # kept\n',
).replace(b"from pathlib import Path\n", b"from pathlib import Path\n\nfrom ctxlint.runtime import atomic_write\n")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one finding that depends on ctxlint; it is the working directory."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\ndependencies = ["ctxlint>=0.1"]\n[tool.ctxlint]\nmin-confidence = "low"\n')
    (tmp_path / "agent.py").write_bytes(FAULTY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*words: str) -> int:
    return main(["check", "--no-cache", "-q", "--color", "never", *words])


def test_fix_rewrites_the_file_and_reports_what_is_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod(project / "agent.py", 0o640)
    assert check("--fix", ".") == 0
    assert (project / "agent.py").read_bytes() == FIXED
    assert stat.S_IMODE((project / "agent.py").stat().st_mode) == 0o640
    assert capsys.readouterr().out == ""
    assert check("--fix", ".") == 0 and (project / "agent.py").read_bytes() == FIXED


def test_diff_writes_nothing_and_can_be_applied(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--diff", ".") == 1
    diff = capsys.readouterr().out
    assert (project / "agent.py").read_bytes() == FAULTY
    subprocess.run(["git", "apply", "-p0"], input=diff, text=True, check=True, timeout=20)
    assert (project / "agent.py").read_bytes() == FIXED
    assert check("--diff", ".") == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "fixes"),
    [
        ((), True),
        (("--unfixable", "CTX105"), False),
        (("--fixable", "CTX101"), False),
        (("--fixable", "CTX1"), True),
        (("--config", 'extend-unsafe-fixes=["CTX105"]'), False),
        (("--config", 'extend-unsafe-fixes=["CTX105"]', "--unsafe-fixes"), True),
        (("--ignore", "CTX105"), False),
    ],
)
def test_what_may_be_fixed_is_for_the_project_to_say(project: Path, words: tuple[str, ...], fixes: bool) -> None:
    assert check("--fix-only", *words, ".") == 0
    assert ((project / "agent.py").read_bytes() == FIXED) == fixes


def test_without_the_runtime_in_the_project_the_fix_is_unsafe(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.ctxlint]\nmin-confidence = "low"\n')
    assert check("--fix", ".") == 1 and (project / "agent.py").read_bytes() == FAULTY
    assert check("--fix", "--unsafe-fixes", ".") == 0 and (project / "agent.py").read_bytes() == FIXED


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n"])
def test_every_byte_outside_of_the_edit_stays(project: Path, ending: bytes, mark: bytes) -> None:
    odd = b'NAME = "\xe9"\n' if b"latin" in mark else 'NAME = "é\u2028"\t\n\x0c\n'.encode()

    def written(text: bytes) -> bytes:
        lines = mark + text.replace(b"\n\n\ndef load", b"\n\n\n" + odd + b"def load")
        return lines.replace(b"\n", ending)

    (project / "agent.py").write_bytes(written(FAULTY))
    assert check("--fix", ".") == 0
    assert (project / "agent.py").read_bytes() == written(FIXED)


def test_standard_input_comes_back_fixed(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ctxlint", "check", "--no-cache", "-q", "--fix", "--stdin-filename", "agent.py", "-"],
        input=FAULTY, capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}, check=False)
    assert done.stdout == FIXED


def test_json_and_sarif_carry_the_edits(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("--output-format", "json", ".")
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["fix"]["applicability"] == "safe"
    assert any("atomic_write(Path" in edit["content"] for edit in finding["fix"]["edits"])
    check("--output-format", "sarif", ".")
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["fixes"][0]["artifactChanges"][0]["replacements"]


def test_an_unused_suppression_is_removed(project: Path) -> None:
    (project / "agent.py").write_bytes(FIXED.replace(b"# kept", b"# noqa: CTX105"))
    assert check("--fix", ".") == 0
    assert (project / "agent.py").read_bytes() == FIXED.replace(b"  # kept", b"")


def test_the_runtime_can_be_vendored_and_serves_what_is_fixed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mine").mkdir()
    (project / "mine" / "__init__.py").touch()
    assert main(["vendor", "mine/kept"]) == 0
    assert main(["vendor", "mine/kept"]) == 0
    assert 'runtime-module = "mine.kept"' in capsys.readouterr().out
    assert main(["vendor", "agent.py"]) == 2
    assert check("--fix", "--config", 'runtime-module="mine.kept"', "agent.py") == 0
    code = "import agent, sys; agent.save({'a': 1}); assert agent.load() == {'a': 1}; assert 'ctxlint' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=20, cwd=project)


@pytest.mark.parametrize("place", ["config", "project", "nothing"])
def test_what_to_leave_out_is_named_from_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    (tmp_path / "app" / "src").mkdir(parents=True)
    if place != "nothing":
        (tmp_path / "app" / "pyproject.toml").write_text("[tool.ctxlint]\n" if place == "config" else "[project]\n")
    monkeypatch.chdir(tmp_path / "app" / "src" if place == "config" else tmp_path)
    assert main(["vendor", str(tmp_path / "app" / "src" / "kept")]) == 0
    named = {"config": "src/kept", "project": "src/kept", "nothing": "app/src/kept"}[place]
    assert f'extend-exclude = ["{named}"]' in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_a_file_with_two_names_is_fixed_once(project: Path) -> None:
    (project / "again.py").symlink_to("agent.py")
    assert main(["check", "--fix", "--no-cache"]) == 0
    assert (project / "agent.py").read_bytes() == FIXED and (project / "again.py").is_symlink()


def test_the_summary_counts_what_the_settings_let_be_fixed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def summary(*words: str) -> str:
        assert main(["check", "--no-cache", "--output-format", "concise", ".", *words]) == 1
        return capsys.readouterr().err.splitlines()[0].partition("CTX105")[2]

    assert summary() == "; 1 fixable with --fix"
    assert summary("--unfixable", "CTX1") == ""
    (project / "pyproject.toml").write_text("[tool.ctxlint]\n")
    assert summary() == "; 1 fixable with --fix --unsafe-fixes"
    assert summary("--config", "unsafe-fixes=true") == "; 1 fixable with --fix"


def test_what_a_comparison_knows_is_neither_fixed_nor_forgotten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "create", "."]) == 0
    capsys.readouterr()
    assert main(["check", "--no-cache", "--fix", "--baseline", "ctxlint-baseline.jsonl", "."]) == 0
    assert (project / "agent.py").read_bytes() == FAULTY
    assert capsys.readouterr().out.startswith("0 introduced, 1 accepted by the baseline (compared with ctxlint-baseline.jsonl)\n")


def test_a_path_that_looks_like_an_option_is_told_how_to_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "-x.py").touch()
    assert main(["check", "-x.py"]) == 2
    assert f"`.{os.sep}-x.py`" in capsys.readouterr().err
