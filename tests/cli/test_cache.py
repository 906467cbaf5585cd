"""Runs that follow one another: what is read from the cache, and what makes it stale."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
UNNEEDED = ("libcst", "networkx", "sarif_om", "ctxlint.syntax", "ctxlint.calls", "ctxlint.checks", "ctxlint.gate")

FAULTY = '''
import json
from pathlib import Path


def save(state: dict) -> None:
    with open(Path("state.json"), "w") as stream:
        json.dump(state, stream)


def load() -> dict:
    return json.loads(Path("state.json").read_text())
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one finding, which is the working directory."""
    (tmp_path / "ctxlint.toml").write_text('min-confidence = "low"\n')
    (tmp_path / "agent.py").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str, set[str]]:
    """Run `ctxlint check` in a process of its own: its exit status, its report and the modules it loaded."""
    code = (f"import sys, json; sys.path.insert(0, {str(ROOT)!r}); from ctxlint.cli.main import main; "
            f"status = main({['check', '--output-format', 'json', '-q', *words]!r}); "
            "sys.stderr.write(chr(10) + json.dumps([status, sorted(sys.modules)]))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    status, modules = json.loads(done.stderr.splitlines()[-1])
    return status, done.stdout, set(modules)


def needed(modules: set[str]) -> set[str]:
    return modules.intersection(UNNEEDED)


def test_a_run_in_which_nothing_changed_analyses_nothing(project: Path) -> None:
    first = run()
    assert first[0] == 1 and json.loads(first[1])
    assert "ctxlint.calls" in first[2]
    again = run()
    assert again[:2] == first[:2]
    assert needed(again[2]) == set()
    assert (project / ".ctxlint_cache" / ".gitignore").is_file()


@pytest.mark.parametrize("change", ["text", "new file", "setting", "flag", "policy", "name"])
def test_a_change_is_noticed(project: Path, change: str) -> None:
    before = run()
    words: tuple[str, ...] = ()
    if change == "text":
        (project / "agent.py").write_text(FAULTY + "\nsaved = save({})\n")
    elif change == "new file":
        (project / "other.py").write_text("x = 1\n")
    elif change == "setting":
        (project / "ctxlint.toml").write_text('min-confidence = "low"\nsrc = ["lib"]\n')
    elif change == "flag":
        words = ("--ignore", "CTX1")
    elif change == "policy":
        (project / "ctxlint.toml").write_text('min-confidence = "low"\nmodel-paths = ["models.toml"]\n')
        (project / "models.toml").write_text('library = "x"\n')
        run()
        (project / "models.toml").write_text('library = "y"\n')
    else:
        (project / "agent.py").rename(project / "renamed.py")
    after = run(*words)
    assert "ctxlint.calls" in after[2]
    if change == "flag":
        assert json.loads(after[1]) == []
    else:
        assert len(json.loads(after[1])) == len(json.loads(before[1]))


def test_a_change_taken_back_is_no_change(project: Path) -> None:
    first = run()
    (project / "agent.py").write_text("x = 1\n")
    assert run()[0] == 0
    (project / "agent.py").write_text(FAULTY)
    again = run()
    assert again[:2] == first[:2]
    assert needed(again[2]) == set()


def test_what_only_shows_the_report_does_not_matter(project: Path) -> None:
    run("-j", "1")
    again = run("-j", "2", "--fail-on", "never")
    assert again[0] == 0
    assert needed(again[2]) == set()


def test_without_a_cache_nothing_is_read_or_written(project: Path) -> None:
    status, report, modules = run("--no-cache")
    assert "ctxlint.calls" in modules
    assert not (project / ".ctxlint_cache").exists()
    run()
    assert run("--no-cache")[1] == report
    assert "ctxlint.calls" in run("--no-cache")[2]


def test_the_folder_is_chosen_by_flag_and_by_key(project: Path, tmp_path: Path) -> None:
    run("--cache-dir", "elsewhere")
    assert (project / "elsewhere" / ".gitignore").is_file()
    (project / "ctxlint.toml").write_text('cache-dir = "kept"\n')
    run()
    assert (project / "kept" / "reports").is_dir()
    assert not (project / ".ctxlint_cache").exists()


@pytest.mark.parametrize("damage", [b"", b"ctxlint record 1\n", b"\0" * 400])
def test_damaged_records_are_made_again(project: Path, damage: bytes) -> None:
    first = run()
    for place in (project / ".ctxlint_cache").glob("*/*/*"):
        place.write_bytes(damage)
    again = run()
    assert again[:2] == first[:2]
    assert "ctxlint.calls" in again[2]
    assert needed(run()[2]) == set()


def test_a_folder_that_cannot_be_written_is_told_and_costs_nothing_else(project: Path) -> None:
    first = run("--no-cache")
    (project / ".ctxlint_cache").write_text("a file is in the way\n")
    done = subprocess.run([sys.executable, "-m", "ctxlint", "check", "--output-format", "json"], cwd=project, env={"PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == first[:2]
    assert "cannot be written" in done.stderr


def test_the_output_does_not_depend_on_workers_or_cache(project: Path) -> None:
    for number in range(50):
        (project / f"m{number}.py").write_text(FAULTY.replace("state.json", f"state{number}.json"))
    (project / "broken.py").write_text("def (:\n")
    plain = run("--no-cache", "-j", "1")
    assert plain[0] == 2 and len(json.loads(plain[1])) > 50
    assert run("--no-cache", "-j", "3")[:2] == plain[:2]
    assert run("-j", "2")[:2] == plain[:2]
    assert run()[:2] == plain[:2]
    for place in (project / ".ctxlint_cache" / "reports").glob("*/*"):
        place.unlink()
    assert run()[:2] == plain[:2]


def test_timing_says_where_the_time_went(project: Path) -> None:
    words = [sys.executable, "-m", "ctxlint", "check", "--output-format", "json", "-q", "--timing"]
    told = [subprocess.run(words, cwd=project, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120)
            for _ in range(2)]
    rows = [line.split() for line in told[0].stderr.splitlines()]
    assert {row[2] for row in rows} == {"step", "rule", "file"} and ["file", "agent.py"] in [row[2:] for row in rows]
    assert told[1].stderr == "timing: an earlier run has made this report\n"
    assert told[0].stdout == told[1].stdout
