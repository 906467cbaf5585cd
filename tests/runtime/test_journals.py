"""Every journal is held to the laws of the protocol."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys

import pytest

from ctxlint.runtime import (
    FileJournal,
    JournalCorruptError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    MemoryJournal,
    Reason,
    RewriteBuffer,
    SQLiteJournal,
    recover,
)
from ctxlint.runtime.framing import HEADER_LENGTH, frame, scan

DURABLE = [FileJournal, SQLiteJournal]


@pytest.fixture(params=[MemoryJournal, *DURABLE])
def journal(request, tmp_path):
    if request.param is MemoryJournal:
        yield MemoryJournal()
        return
    with request.param(tmp_path / "journal") as opened:
        yield opened


def test_records_come_back_in_order(journal):
    records = [b"", b"one", b"\x00" * 100, bytes(range(256)) * 10, b"CTXF"]
    for record in records:
        journal.append(record)
    assert journal.records() == tuple(records)


def test_rotation_replaces_everything_and_appends_go_on(journal):
    journal.append(b"old")
    journal.rotate([b"new", b"er"])
    journal.append(b"est")
    assert journal.records() == (b"new", b"er", b"est")


def test_a_rotation_that_fails_changes_nothing(journal):
    journal.append(b"old")

    def failing():
        yield b"new"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        journal.rotate(failing())
    with pytest.raises(TypeError):
        journal.rotate([b"new", "text is no record"])
    journal.append(b"next")
    assert journal.records() == (b"old", b"next")


@pytest.mark.parametrize("kind", DURABLE)
def test_records_survive_reopening(kind, tmp_path):
    with kind(tmp_path / "journal") as journal:
        buffer = RewriteBuffer("one", journal=journal)
        buffer.splice(0, 3, "two")
    with kind(tmp_path / "journal") as journal:
        again = recover(journal)
        again.rollback()
        assert again.content == "one"
    with kind(tmp_path / "journal") as journal:
        assert recover(journal).content == "one"


@pytest.mark.parametrize("kind", DURABLE)
def test_there_is_one_writer(kind, tmp_path):
    with kind(tmp_path / "journal"):
        with pytest.raises(JournalLockedError) as caught:
            kind(tmp_path / "journal")
        assert caught.value.reason is Reason.JOURNAL_LOCKED
        script = f"from ctxlint.runtime import {kind.__name__}; {kind.__name__}({str(tmp_path / 'journal')!r})"
        other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert "JournalLockedError" in other.stderr
    kind(tmp_path / "journal").close()


@pytest.mark.parametrize("kind", DURABLE)
def test_a_closed_journal_refuses(kind, tmp_path):
    journal = kind(tmp_path / "journal")
    journal.close()
    journal.close()
    for action in (lambda: journal.append(b"x"), journal.records, lambda: journal.rotate([])):
        with pytest.raises(JournalError) as caught:
            action()
        assert caught.value.reason is Reason.JOURNAL_CLOSED


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", DURABLE)
def test_a_forked_child_must_open_its_own(kind, tmp_path):
    with kind(tmp_path / "journal") as journal:
        child = os.fork()
        if child == 0:
            try:
                journal.append(b"from the child")
            except JournalError as refusal:
                os._exit(7 if refusal.reason is Reason.JOURNAL_LOCKED else 8)
            os._exit(9)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        journal.append(b"from the parent")
        assert journal.records() == (b"from the parent",)


def test_memory_is_bounded_by_refusing():
    journal = MemoryJournal(capacity=2)
    journal.append(b"1")
    journal.append(b"2")
    with pytest.raises(JournalFullError) as caught:
        journal.append(b"3")
    assert caught.value.reason is Reason.JOURNAL_FULL
    assert journal.records() == (b"1", b"2")
    with pytest.raises(JournalFullError):
        journal.rotate([b"1", b"2", b"3"])
    with pytest.raises(ValueError, match="capacity"):
        MemoryJournal(capacity=0)


def written(tmp_path, *records: bytes):
    path = tmp_path / "journal"
    with FileJournal(path) as journal:
        for record in records:
            journal.append(record)
    return path


def test_a_torn_tail_is_cut_at_every_length(tmp_path):
    path = written(tmp_path, b"first", b"second")
    whole = path.read_bytes()
    last = len(whole) - len(frame(b"s" * 16, 1, b"second"))
    for length in range(last, len(whole)):
        path.write_bytes(whole[:length])
        with FileJournal(path) as journal:
            assert journal.records() == (b"first",)
            journal.append(b"third")
            assert journal.records() == (b"first", b"third")


def test_every_flipped_byte_is_noticed(tmp_path):
    """In the last frame it looks like a torn tail; anywhere before it, an acknowledged record is damaged."""
    path = written(tmp_path, b"first", b"second")
    whole = path.read_bytes()
    last = len(whole) - len(frame(b"s" * 16, 1, b"second"))
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        if position >= last:
            assert scan(bytes(damaged)).records == (b"first",)
        else:
            with pytest.raises(JournalCorruptError):
                scan(bytes(damaged))


def test_zeros_and_quoted_frames_are_no_records(tmp_path):
    path = written(tmp_path, b"first")
    whole = path.read_bytes()
    assert scan(whole + bytes(100)).records == (b"first",)
    quoted = written(tmp_path, whole[HEADER_LENGTH:] + b"torn").read_bytes()
    assert scan(quoted[:-1]).records == (b"first",)


def test_an_older_frame_and_one_of_another_file_are_no_next_record(tmp_path):
    whole = written(tmp_path, b"first").read_bytes()
    salt = whole[8:24]
    assert scan(whole + frame(salt, 1, b"next")).records == (b"first", b"next")
    for sequence, used in ((0, salt), (1, b"another file's s")):
        assert scan(whole + frame(used, sequence, b"next")).records == (b"first",)


@pytest.mark.parametrize("content", [b"", b"not a journal", b"CTXJRNL1"])
def test_a_file_that_is_no_journal_is_not_taken_for_an_empty_one(tmp_path, content):
    (tmp_path / "journal").write_bytes(content)
    with pytest.raises(JournalCorruptError):
        FileJournal(tmp_path / "journal")
    assert (tmp_path / "journal").read_bytes() == content


def test_a_writer_that_ignores_the_lock_is_noticed(tmp_path):
    with FileJournal(tmp_path / "journal") as journal:
        journal.append(b"first")
        with open(journal.path, "ab") as other:
            other.write(b"intruder")
        for _ in range(2):
            with pytest.raises(JournalError) as caught:
                journal.append(b"second")
            assert caught.value.reason is Reason.JOURNAL_FAILED


def test_rotation_keeps_the_mode(tmp_path):
    with FileJournal(tmp_path / "journal") as journal:
        os.chmod(journal.path, 0o640)
        journal.rotate([b"x"])
        assert os.stat(journal.path).st_mode & 0o777 == 0o640


def test_an_sqlite_failure_leaves_no_open_transaction(tmp_path):
    with SQLiteJournal(tmp_path / "journal") as journal:
        journal.append(b"first")
        limit = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count={limit}")
        with pytest.raises(sqlite3.OperationalError):
            journal.append(b"x" * 100_000)
        journal._connection.set_authorizer(lambda action, *_: int(action == sqlite3.SQLITE_INSERT))
        with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
            journal.append(b"refused within the transaction")
        journal._connection.set_authorizer(lambda *_: sqlite3.SQLITE_OK)
        journal.append(b"second")
        assert journal.records() == (b"first", b"second")
