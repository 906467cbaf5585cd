"""Crashes and failures at every operation, and proof that the simulated disk finds programs that do not sync."""

from __future__ import annotations

import errno
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlint.runtime import (
    ContextStore,
    FileJournal,
    JournalError,
    Reason,
    RewriteBuffer,
    RollbackIntegrityError,
    atomic_write,
    compare_and_write,
    digest,
    durable_append,
    recover,
)
from ctxlint.runtime.faults import CrashTestFailure, SimulatedCrash, SimulatedDisk, crash_everywhere, fail_everywhere

RECORDS = [b"a" * 40, b"b", b"", b"c" * 100]
JOURNAL = "/disk/journal"


def append_all(disk, acknowledge):
    with FileJournal(JOURNAL, files=disk) as journal:
        for record in RECORDS:
            journal.append(record)
            acknowledge(record)


def nothing_acknowledged_is_lost(disk, acknowledged):
    with FileJournal(JOURNAL, files=disk) as journal:
        found = list(journal.records())
        assert found[: len(acknowledged)] == acknowledged
        assert found == RECORDS[: len(found)], "and nothing appears that was never written"
        journal.append(b"life goes on")
    with FileJournal(JOURNAL, files=disk) as journal:
        assert journal.records() == (*found, b"life goes on")


def test_a_file_journal_survives_a_crash_at_every_operation():
    assert crash_everywhere(append_all, nothing_acknowledged_is_lost, images=24) >= 12


def test_a_file_journal_survives_disk_full_and_io_errors_and_short_writes_everywhere():
    assert fail_everywhere(append_all, nothing_acknowledged_is_lost) >= 36


def test_a_program_that_goes_on_after_a_failed_append_loses_nothing():
    def program(disk, acknowledge):
        with FileJournal(JOURNAL, files=disk) as journal:
            for record in RECORDS:
                try:
                    journal.append(record)
                except OSError:
                    continue
                acknowledge(record)

    def check(disk, acknowledged):
        with FileJournal(JOURNAL, files=disk) as journal:
            assert list(journal.records()) == acknowledged

    fail_everywhere(program, check)


@pytest.mark.parametrize("survives", [False, True])
def test_what_a_killed_process_left_in_the_cache_is_made_durable_before_it_is_built_upon(survives):
    """Killed at any operation, started again, and only then the power fails."""
    length = 0
    for number in range(1, 100):
        disk = SimulatedDisk(faults={number: "crash"})
        first: list[bytes] = []
        try:
            append_all(disk, first.append)
        except SimulatedCrash:
            disk.restart()
        else:
            break
        with FileJournal(JOURNAL, files=disk) as journal:
            found = journal.records()
            journal.append(b"second life")
        with FileJournal(JOURNAL, files=disk.crash(lambda: survives)) as journal:
            assert journal.records() == (*found, b"second life")
        assert list(found[: len(first)]) == first
        length = number
    assert length >= 12


def test_what_was_only_read_back_after_a_kill_is_durable_too():
    disk = SimulatedDisk()
    journal = FileJournal(JOURNAL, files=disk)
    disk._faults[len(disk.log) + 2] = "crash"
    with pytest.raises(SimulatedCrash):
        journal.append(b"written and not synchronised")
    disk.restart()
    with FileJournal(JOURNAL, files=disk) as journal:
        found = journal.records()
    with FileJournal(JOURNAL, files=disk.crash(lambda: False)) as journal:
        assert journal.records() == found == (b"written and not synchronised",)


def test_rotation_is_all_or_nothing():
    def program(disk, acknowledge):
        with FileJournal(JOURNAL, files=disk) as journal:
            journal.append(b"old")
            acknowledge(b"old")
            journal.rotate([b"new", b"er"])
            acknowledge(b"rotated")
            journal.append(b"est")
            acknowledge(b"est")

    def check(disk, acknowledged):
        with FileJournal(JOURNAL, files=disk) as journal:
            found = journal.records()
        allowed = {
            0: [(), (b"old",)],
            1: [(b"old",), (b"new", b"er")],
            2: [(b"new", b"er"), (b"new", b"er", b"est")],
            3: [(b"new", b"er", b"est")],
        }
        assert found in allowed[len(acknowledged)]

    crash_everywhere(program, check, images=24)
    fail_everywhere(program, check)


def test_an_append_that_could_not_be_cut_off_closes_the_journal():
    disk = SimulatedDisk()
    journal = FileJournal(JOURNAL, files=disk)
    journal.append(b"first")
    disk._faults.update({len(disk.log) + n: OSError(errno.EIO, "broken") for n in (2, 3)})
    with pytest.raises(JournalError) as caught:
        journal.append(b"second")
    assert caught.value.reason is Reason.JOURNAL_FAILED
    with pytest.raises(JournalError) as caught:
        journal.append(b"third")
    assert caught.value.reason is Reason.JOURNAL_FAILED
    journal.close()
    FileJournal(JOURNAL, files=disk).append(b"third")


def edit_a_buffer(disk, acknowledge):
    """Open or recover, then splice, roll back and compact; acknowledge each state that is reached."""
    with FileJournal(JOURNAL, files=disk) as journal:
        buffer = recover(journal) if journal.records() else RewriteBuffer("zero", journal=journal)
        acknowledge(buffer.content.encode())
        first = buffer.splice(4, 0, " one")
        acknowledge(buffer.content.encode())
        buffer.splice(0, 4, "0")
        acknowledge(buffer.content.encode())
        buffer.rollback_only(first)
        acknowledge(buffer.content.encode())
        buffer.compact()
        buffer.splice(0, 1, "nil")
        acknowledge(buffer.content.encode())
        buffer.rollback()
        acknowledge(buffer.content.encode())


STATES = [b"zero", b"zero one", b"0 one", b"0", b"nil", b"0"]


def buffer_is_at_or_just_after_the_last_acknowledged(disk, acknowledged):
    assert acknowledged == STATES[: len(acknowledged)]
    with FileJournal(JOURNAL, files=disk) as journal:
        if not acknowledged and not journal.records():
            return
        buffer = recover(journal)
    assert buffer.content.encode() in STATES[max(0, len(acknowledged) - 1) : len(acknowledged) + 1]
    assert buffer.digest == digest(buffer.content)


def test_a_buffer_recovers_from_a_crash_at_every_operation():
    crash_everywhere(edit_a_buffer, buffer_is_at_or_just_after_the_last_acknowledged, images=12)


def test_a_buffer_survives_failures_at_every_operation():
    fail_everywhere(edit_a_buffer, buffer_is_at_or_just_after_the_last_acknowledged)


def test_a_store_recovers_from_a_crash_at_every_operation():
    def program(disk, acknowledge):
        with FileJournal(JOURNAL, files=disk) as journal:
            store = ContextStore({"n": "0"}, journal=journal)
            for _ in range(4):
                store.update(lambda tx: tx.write("n", str(int(tx.read("n")) + 1)))
                acknowledge(store.snapshot().regions["n"].encode())
            store.compact()

    def check(disk, acknowledged):
        with FileJournal(JOURNAL, files=disk) as journal:
            if not acknowledged and not journal.records():
                return
            found = ContextStore.recover(journal).snapshot()
        assert int(found.regions["n"]) == found.revision
        assert found.revision in (len(acknowledged), len(acknowledged) + 1)

    crash_everywhere(program, check, images=12)
    fail_everywhere(program, check)


def test_a_store_whose_journal_fails_has_not_committed():
    disk = SimulatedDisk()
    store = ContextStore({"n": "0"}, journal=FileJournal(JOURNAL, files=disk))
    disk._faults[len(disk.log) + 2] = OSError(errno.ENOSPC, "disk full")
    with pytest.raises(RollbackIntegrityError) as caught:
        store.write("n", "1")
    assert caught.value.reason is Reason.NOT_COMMITTED
    assert store.revision == 0 and store.snapshot().regions == {"n": "0"}
    store.write("n", "1")
    assert store.revision == 1


def test_atomic_write_is_old_or_new():
    def program(disk, acknowledge):
        for content in (b"old" * 20, b"new"):
            atomic_write("/disk/state", content, files=disk)
            acknowledge(content)

    def check(disk, acknowledged):
        found = disk.read_file("/disk/state") if "/disk/state" in disk.paths() else None
        assert found in [[None, b"old" * 20], [b"old" * 20, b"new"], [b"new"]][len(acknowledged)]

    crash_everywhere(program, check, images=24)
    fail_everywhere(program, check)


def test_durable_append_keeps_what_it_acknowledged_and_leaves_no_half_record_before_the_next():
    lines = [b"one\n", b"two-is-longer-than-a-block\n", b"three\n"]

    def program(disk, acknowledge):
        for line in lines:
            try:
                durable_append("/disk/log", line, files=disk)
            except OSError:
                continue
            acknowledge(line)

    def check_crash(disk, acknowledged):
        found = disk.read_file("/disk/log") if "/disk/log" in disk.paths() else b""
        assert found.startswith(b"".join(acknowledged))

    def check_failure(disk, acknowledged):
        assert disk.read_file("/disk/log") == b"".join(acknowledged)

    crash_everywhere(program, check_crash, images=24)
    fail_everywhere(program, check_failure)


def test_compare_and_write_is_old_or_new():
    def program(disk, acknowledge):
        compare_and_write("/disk/state", None, b"1", files=disk)
        acknowledge(b"1")
        compare_and_write("/disk/state", digest(b"1"), b"2", files=disk)
        acknowledge(b"2")

    def check(disk, acknowledged):
        found = disk.read_file("/disk/state") if "/disk/state" in disk.paths() else None
        assert found in [[None, b"1"], [b"1", b"2"], [b"2"]][len(acknowledged)]

    crash_everywhere(program, check)
    fail_everywhere(program, check)


def unsynchronised(disk, acknowledge):
    descriptor = disk.open("/disk/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    disk.sync_directory("/disk")
    disk.write(descriptor, b"record")
    acknowledge(b"record")
    disk.sync(descriptor)


def unsynchronised_name(disk, acknowledge):
    descriptor = disk.open("/disk/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    disk.write(descriptor, b"record")
    disk.sync(descriptor)
    acknowledge(b"record")
    disk.sync_directory("/disk")


def overwritten_in_place(disk, acknowledge):
    for content in (b"record", b"record"):
        descriptor = disk.open("/disk/log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        disk.write(descriptor, content)
        disk.sync(descriptor)
        disk.sync_directory("/disk")
        acknowledge(content)


def renamed_before_synchronised(disk, acknowledge):
    descriptor = disk.open("/disk/new", os.O_WRONLY | os.O_CREAT)
    disk.write(descriptor, b"record")
    disk.replace("/disk/new", "/disk/log")
    disk.sync_directory("/disk")
    acknowledge(b"record")
    disk.sync(descriptor)


def never_synchronised(disk, acknowledge):
    """Wrong only behind its last operation."""
    descriptor = disk.open("/disk/log", os.O_WRONLY | os.O_CREAT)
    disk.write(descriptor, b"record")
    disk.close(descriptor)
    acknowledge(b"record")


@pytest.mark.parametrize(
    "program",
    [
        unsynchronised,
        unsynchronised_name,
        overwritten_in_place,
        renamed_before_synchronised,
        never_synchronised,
    ],
)
def test_the_simulated_disk_finds_programs_that_are_wrong(program):
    def check(disk, acknowledged):
        if acknowledged:
            assert disk.read_file("/disk/log") == b"record"

    with pytest.raises(CrashTestFailure, match="'crash' at operation"):
        crash_everywhere(program, check)


@pytest.mark.parametrize("test", [crash_everywhere, fail_everywhere])
def test_a_program_that_forgot_its_disk_does_not_pass(test):
    with pytest.raises(ValueError, match="nothing would be tested"):
        test(lambda disk, acknowledge: acknowledge(b"x"), lambda disk, acknowledged: None)


def test_a_program_that_a_fault_confuses_is_named_with_the_operation():
    def program(disk, acknowledge):
        try:
            atomic_write("/disk/state", b"x", files=disk)
        except OSError:
            raise KeyError("surprise") from None

    with pytest.raises(CrashTestFailure, match=r"at operation 1 \(create .*the program raised KeyError\('surprise'\)"):
        fail_everywhere(program, lambda disk, acknowledged: None)


def test_a_file_has_one_name_on_the_disk_however_it_is_spelled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    disk = SimulatedDisk()
    atomic_write("state", b"x", files=disk)
    descriptor = disk.open(tmp_path / "other" / ".." / "state", os.O_RDONLY)
    assert disk.read(descriptor, 9) == disk.read_file("./state") == b"x"
    disk.write(disk.open("new", os.O_CREAT | os.O_WRONLY), b"y")
    disk.sync_directory("./")
    disk.unlink("state")
    assert disk.paths() == [str(tmp_path / "new")]
    assert disk.crash(lambda: False).paths() == [str(tmp_path / "new"), str(tmp_path / "state")]


def test_nothing_can_be_done_after_the_crash():
    disk = SimulatedDisk(faults={2: "crash"})
    descriptor = disk.open("/a", os.O_WRONLY | os.O_CREAT)
    for action in (
        lambda: disk.write(descriptor, b"x"),
        lambda: disk.unlink("/a"),
        lambda: disk.open("/b", os.O_CREAT),
        lambda: disk.read(descriptor, 1),
        lambda: disk.close(descriptor),
    ):
        with pytest.raises(SimulatedCrash):
            action()


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=60), st.just("rotate"), st.just("reopen")), min_size=1, max_size=7),
    st.integers(0, 1000),
)
def test_random_programs_on_a_journal_lose_nothing_acknowledged(steps, seed):
    """The model is a list; the state after each acknowledged step must be found, or that of the step in flight."""
    states: list[tuple[bytes, ...]] = [()]
    for step in steps:
        last = states[-1]
        states.append(last[-1:] if step == "rotate" else last if step == "reopen" else (*last, step))

    def program(disk, acknowledge):
        journal = FileJournal(JOURNAL, files=disk)
        acknowledge(b"opened")
        for step in steps:
            if step == "reopen":
                journal.close()
                journal = FileJournal(JOURNAL, files=disk)
            elif step == "rotate":
                journal.rotate(journal.records()[-1:])
            else:
                journal.append(step)
            acknowledge(b"done")

    def check(disk, acknowledged):
        with FileJournal(JOURNAL, files=disk) as journal:
            assert journal.records() in states[max(0, len(acknowledged) - 1) : len(acknowledged) + 1]

    crash_everywhere(program, check, images=4, seed=seed)
    fail_everywhere(program, check, errors=(errno.ENOSPC,), seed=seed)
