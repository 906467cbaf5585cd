"""The same command again: what it wrote is written once more, until anything that it asked about has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlint.cli import repeated
from ctxlint.cli.main import main
from ctxlint.store.runs import packed_run, unpacked_run

ROOT = Path(__file__).parent.parent.parent
UNNEEDED = ("msgspec", "tomli", "pathspec", "pathlib", "argparse", "typing", "json", "hashlib", "ctxlint.engine", "ctxlint.cli.check")
CLEAN = "def load() -> dict:\n    return {}\n"
FAULTY = '''
import json


def save(state: dict) -> None:
    with open("state.json", "w") as stream:
        json.dump(state, stream)


def load() -> dict:
    with open("state.json") as stream:
        return json.load(stream)
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a folder, with a package, a link, a policy, an environment and a folder that is left out."""
    project = tmp_path / "work"
    for name, text in {
        "pyproject.toml": "[tool.ctxlint]\nmodel-paths = ['models.toml']\n",
        "models.toml": 'library = "x"\n',
        ".gitignore": "ignored.py\n",
        ".git/HEAD": "",
        "ignored.py": CLEAN,
        "package/__init__.py": "",
        "package/agent.py": FAULTY,
        "build/generated.py": CLEAN,
        "environment/pyvenv.cfg": "",
        "environment/library.py": CLEAN,
        "notes/readme.txt": "",
    }.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (project / "link.py").symlink_to("elsewhere.py")
    monkeypatch.chdir(project)
    # Files that are younger than the process may change again within the same tick; these are to count as settled.
    monkeypatch.setattr(repeated, "STARTED", time.time_ns() + 10_000_000_000)
    return project


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    return ["--cache-dir", str(tmp_path / "cache"), "--preview", "--min-confidence", "low", "."]


def test_what_was_written_is_written_again(project: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert repeated.repeated(words) is None
    status = main(words)
    first = capsys.readouterr()
    assert "agent.py" in first.out and status == 1
    assert repeated.repeated(words) == status
    assert capsys.readouterr() == first


def _rewritten_with_the_same_time(project: Path) -> None:
    file = project / "package" / "agent.py"
    status = file.stat()
    file.write_text(FAULTY.replace("state.json", "stats.json"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "text": lambda project: (project / "package" / "agent.py").write_text(CLEAN),
    "text of the same size and time": _rewritten_with_the_same_time,
    "new file": lambda project: (project / "notes" / "new.py").write_text(CLEAN),
    "removed file": lambda project: (project / "package" / "agent.py").unlink(),
    "renamed file": lambda project: (project / "package" / "agent.py").rename(project / "package" / "other.py"),
    "removed package": lambda project: (project / "package" / "__init__.py").unlink(),
    "new folder": lambda project: shutil.copytree(project / "package", project / "copied"),
    "target of a link": lambda project: (project / "elsewhere.py").write_text(CLEAN),
    "ignore file": lambda project: (project / ".gitignore").write_text(""),
    "new ignore file": lambda project: (project / "package" / ".gitignore").write_text("agent.py\n"),
    "ignore file above": lambda project: (project.parent / ".git").mkdir(),
    "private ignore file": lambda project: ((project / ".git" / "info").mkdir(), (project / ".git" / "info" / "exclude").write_text("package\n")),
    "no work tree": lambda project: shutil.rmtree(project / ".git"),
    "package in a folder left out": lambda project: (project / "build" / "__init__.py").write_text(""),
    "no environment": lambda project: (project / "environment" / "pyvenv.cfg").unlink(),
    "configuration": lambda project: (project / "pyproject.toml").write_text("[tool.ctxlint]\nignore = ['CTX1']\n"),
    "nearer configuration": lambda project: (project / "ctxlint.toml").write_text("ignore = ['CTX1']\n"),
    "model": lambda project: (project / "models.toml").write_text('library = "y"\n'),
    "package around": lambda project: (project.parent / "__init__.py").write_text(""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_noticed(project: Path, words: list[str], change: str) -> None:
    status = main(words)
    assert repeated.repeated(words) == status
    CHANGES[change](project)
    assert repeated.repeated(words) is None


def test_what_does_not_matter_is_not_noticed(project: Path, words: list[str]) -> None:
    status = main(words)
    (project / "ignored.py").write_text("x = 1\n")
    (project / "build" / "more.py").write_text(CLEAN)
    (project / "notes" / "readme.txt").write_text("changed")
    (project / ".git" / "HEAD").write_text("changed")
    assert repeated.repeated(words) == status


def test_other_words_are_another_command(project: Path, words: list[str]) -> None:
    main(words)
    assert repeated.repeated([*words, "--exit-zero"]) is None
    for option in ("-v", "--show-files", "--output-file=report", "--no-cache", "--stdin-filename", "--not-an-option"):
        main([*words, option])
        assert repeated.repeated([*words, option]) is None


def test_a_file_younger_than_the_run_is_not_trusted(project: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated, "STARTED", time.time_ns())
    main(words)
    assert repeated.repeated(words) is None


def test_damaged_records_are_no_records(project: Path, words: list[str]) -> None:
    main(words)
    (record,) = (project.parent / "cache" / "runs").glob("*/*")
    whole = record.read_bytes()
    for position in range(0, len(whole), 97):
        record.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        # What the folder writes before a record is not looked at: the record has a checksum of its own.
        assert (repeated.repeated(words) is None) == (position > 33)
        record.write_bytes(whole[:position])
        assert repeated.repeated(words) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owner")
def test_a_record_of_somebody_else_is_not_believed(project: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    status = main(words)
    assert repeated.repeated(words) == status
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert repeated.repeated(words) is None


def test_a_record_holds_any_text() -> None:
    record = packed_run("key \udc80", {"a\udcff": (1, 2, 3, 4)}, {"ü": -1}, ["=out \ud800", "!err"], 2)
    files, kinds, state, status, texts = unpacked_run(record, "key \udc80") or ([], [], b"", 0, [])
    assert (files, kinds, status, texts) == (["a\udcff"], ["ü"], 2, ["=out \ud800", "!err"])
    assert unpacked_run(record, "other key") is None


def test_such_a_run_loads_next_to_nothing(project: Path, words: list[str]) -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); from ctxlint.cli.main import main; "
            f"main({words!r}); sys.stderr.write(' '.join(sys.modules))")
    time.sleep(0.1)
    loaded = [set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stderr.split())
              for _ in range(2)]
    assert loaded[0].issuperset(UNNEEDED)
    assert loaded[1].isdisjoint(UNNEEDED)
