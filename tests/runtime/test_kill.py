"""kill -9 in the middle of rewriting, again and again: nothing acknowledged is lost.

CTXLINT_KILL_CYCLES=1000 makes it a long test; 24 is the default.
"""

from __future__ import annotations

import os
import sys

import pytest

from ctxlint.runtime import FileJournal, killing, recover
from ctxlint.runtime.killing import kill_repeatedly

from . import kill_worker

CYCLES = int(os.environ.get("CTXLINT_KILL_CYCLES", "24"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("kind", ["file", "sqlite"])
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(kind, tmp_path):
    arguments = [kind, str(tmp_path / "journal"), str(tmp_path / "states")]
    command = [sys.executable, kill_worker.__file__, *arguments]
    cycles = -(-CYCLES // 2)
    assert kill_repeatedly(command, lambda: kill_worker.check(*arguments), cycles=cycles) == cycles


def test_the_check_notices_a_lost_change(tmp_path):
    arguments = ["file", str(tmp_path / "journal"), str(tmp_path / "states")]
    command = [sys.executable, kill_worker.__file__, *arguments]
    kill_repeatedly(command, lambda: kill_worker.check(*arguments), cycles=1, longest=0.2)
    with FileJournal(arguments[1]) as journal:
        buffer = recover(journal)
        buffer.splice(0, 0, "a change nobody acknowledged")
    with pytest.raises(AssertionError, match="acknowledged changes"):
        kill_worker.check(*arguments)


def test_a_program_that_ends_by_itself_is_an_error():
    with pytest.raises(RuntimeError, match="status 3: broken"):
        kill_repeatedly(
            [sys.executable, "-c", "import sys; sys.stderr.write('broken'); sys.exit(3)"], lambda: None, longest=1
        )


def test_a_program_that_never_came_to_its_work_is_an_error():
    """Its output ends a moment before it does; killed in that moment it would pass for one that was at work."""
    with pytest.raises(RuntimeError, match="status 0"):
        kill_repeatedly(
            [sys.executable, "-c", "import os, time; os.close(1); time.sleep(0.1)"], lambda: None, longest=0
        )


def test_a_program_that_says_nothing_does_not_hang_the_test(monkeypatch):
    monkeypatch.setattr(killing, "PATIENCE", 0.3)
    with pytest.raises(RuntimeError, match="ended by itself with status"):
        kill_repeatedly([sys.executable, "-c", "import time; time.sleep(60)"], lambda: None)
