"""What nobody should have asked for ends in status 2 and a sentence that names it; nothing of anybody else's is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxlint.store.folder import Folder
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("check", ""), "an empty path"),
        (("check", "--select", ""), "no rule is named"),
        (("check", "--config", "select=[]"), "no rule is named"),
        (("check", "--add-noqa", "--fix"), "ask for one after the other"),
        (("check", "--add-noqa", "--diff"), "ask for one after the other"),
        (("init",), "init: no such file, folder or command; `ctxlint --help`"),
        (("check", "--fixable", "CTX9"), "no rule's code begins with `CTX9`"),
        (("check", "--config", "runtime-module='os;import sys'"), "key `runtime-module`"),
        (("check", "--config", "runtime-module='app.class'"), "key `runtime-module`"),
        (("check", "--cache-dir", "."), "holds other things than records"),
        (("check", "--cache-dir", ""), "holds other things than records"),
        (("check", "--cache-dir", "others"), "holds other things than records"),
    ],
)
def test_it_is_refused(project: Path, run: Run, words: tuple[str, ...], problem: str) -> None:
    (project / "others").mkdir()
    (project / "others" / "letter.txt").write_text("dear")
    from ctxlint.cli.main import main

    before = sorted(path.name for path in project.rglob("*"))
    outcome = run(*words) if "--cache-dir" not in words else None
    if outcome is None:
        done = subprocess.run([sys.executable, "-m", "ctxlint", *words], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": str(Path(main.__code__.co_filename).parents[2])})
        assert (done.returncode, problem in done.stderr) == (2, True), done.stderr
    else:
        assert (outcome.status, problem in outcome.err) == (2, True), outcome.err
    assert sorted(path.name for path in project.rglob("*")) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(project: Path, run: Run) -> None:
    os.mkfifo(project / "pipe.py")
    outcome = run("check", "pipe.py")
    assert (outcome.status, "neither a folder nor a regular file" in outcome.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "problem"), [("check . >&-", ""), ("check - <&-", "standard input is closed"), ("rules >/dev/full", "cannot be written: ")])
def test_a_closed_stream_is_no_traceback(project: Path, words: str, problem: str) -> None:
    if "/dev/full" in words and not os.path.exists("/dev/full"):
        pytest.skip("no such device here")
    root = Path(__file__).parents[2]
    done = subprocess.run(f"exec {sys.executable} -m ctxlint {words}", shell=True, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(root)})
    assert (done.returncode, "Traceback" in done.stderr, problem in done.stderr) == (2, False, True), done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_report_is_written_into_a_pipe_and_does_not_replace_it(project: Path, run: Run) -> None:
    os.mkfifo(project / "pipe")
    reader = os.open(project / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("rules", "--isolated").status == run("check", ".", "--output-file", "pipe").status == 0
        assert b"3 functions" in os.read(reader, 1000) and (project / "pipe").is_fifo()
    finally:
        os.close(reader)


def test_pruning_touches_nothing_in_a_folder_of_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "tool" / "data").mkdir(parents=True)
    letter = tmp_path / "tool" / "data" / "letter.txt"
    letter.write_text("dear" * 1000)
    Folder(tmp_path, largest=10).prune()
    assert letter.exists()
