"""A forked child neither holds what its parent holds nor takes it away."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from ctxlint.runtime import FileJournal, JournalLockedError, SQLiteJournal

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning"),
]
KINDS = pytest.mark.parametrize("kind", [FileJournal, SQLiteJournal])


def status_of_child(action):
    """Run `action` in a forked child and return its exit status; 99 for an exception."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = action()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@KINDS
def test_what_a_child_does_with_the_journal_loses_nothing_of_the_parents(kind, tmp_path):
    def in_child():
        with pytest.raises(JournalLockedError):
            journal.append(b"from the child")
        with pytest.raises(JournalLockedError):
            kind(tmp_path / "journal")
        journal.close()
        journal._connection = None  # The last reference of this object; a connection must outlive it.
        return 7

    def parent():
        # Killed at the end, so that only what is on the disk counts.
        nonlocal journal
        journal = kind(tmp_path / "journal")
        journal.append(b"1")
        assert status_of_child(in_child) == 7
        journal.append(b"2")
        os.kill(os.getpid(), signal.SIGKILL)

    journal = None
    assert status_of_child(parent) == -signal.SIGKILL
    with kind(tmp_path / "journal") as reopened:
        assert reopened.records() == (b"1", b"2")


def test_a_child_that_ends_like_a_program_leaves_the_database_alone(tmp_path):
    script = (
        "import os, signal, sys\n"
        "from ctxlint.runtime import SQLiteJournal\n"
        "journal = SQLiteJournal(sys.argv[1])\n"
        "journal.append(b'1')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "journal.append(b'2')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", script, str(tmp_path / "journal")])
    with SQLiteJournal(tmp_path / "journal") as journal:
        assert journal.records() == (b"1", b"2")


def test_a_worker_that_outlives_its_parent_does_not_hold_the_lock(tmp_path):
    ended, end = os.pipe()
    started, start = os.pipe()

    def parent():
        journal = FileJournal(tmp_path / "journal")
        journal.append(b"1")
        if os.fork() == 0:
            os.close(end)
            os.write(start, b"x")
            os.read(ended, 1)
            os._exit(0)
        os.read(started, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    assert status_of_child(parent) == -signal.SIGKILL
    try:
        with FileJournal(tmp_path / "journal") as journal:
            assert journal.records() == (b"1",)
    finally:
        for descriptor in (end, ended, start, started):
            os.close(descriptor)


def test_one_journal_that_cannot_be_given_up_does_not_keep_the_others(tmp_path, monkeypatch):
    broken, journal = FileJournal(tmp_path / "broken"), FileJournal(tmp_path / "journal")
    monkeypatch.setattr(broken, "abandon", lambda: 1 / 0)
    monkeypatch.setattr(sys, "unraisablehook", lambda report: None)
    with broken, journal:
        assert status_of_child(lambda: 7 if journal._closed else 8) == 7
        assert not journal._closed


@KINDS
def test_a_fork_while_another_thread_appends_does_not_hang_the_child(kind, tmp_path):
    journal = kind(tmp_path / "journal")
    with journal._thread_lock:  # As if another thread were in the middle of an append.
        forked = []
        thread = threading.Thread(target=lambda: forked.append(status_of_child(refused)))

        def refused():
            signal.alarm(5)
            with pytest.raises(JournalLockedError):
                journal.append(b"x")
            return 7

        thread.start()
        thread.join()
    journal.close()
    assert forked == [7]
