"""What users get wrong, and what hostile input looks like: refused by name, never half done."""

from __future__ import annotations

import asyncio
import copy
import pickle
import signal
import sys
import threading

import pytest

from ctxlint.runtime import (
    ContextStore,
    FileJournal,
    JournalCorruptError,
    JournalLockedError,
    MemoryJournal,
    MonitorFailure,
    Reason,
    RewriteBuffer,
    RollbackIntegrityError,
    SQLiteJournal,
    StaleBaseError,
    atomic_write,
    compare_and_set,
    durable_append,
    keyed_lock,
    recover,
    write_ahead,
)
from ctxlint.runtime.files import OSFiles
from ctxlint.runtime.monitor import monitor_attributes

HALVES = ("\ud83d", "\ude00")
"""Two lone surrogates, as a stream cut in the wrong place delivers them; as escapes in JSON they are one character."""


def journal_of(*records):
    journal = MemoryJournal()
    for record in records:
        journal.append(record)
    return journal


def within(seconds, action):
    """Run `action` in a thread and return its result, or its refusal; fail when it hangs."""
    results = []

    def run():
        try:
            results.append(action())
        except RuntimeError as refusal:
            results.append(refusal)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert results, "it hangs"
    return results[0]


def test_halves_of_a_character_survive_recovery_of_a_buffer():
    journal = MemoryJournal()
    buffer = RewriteBuffer("".join(HALVES), journal=journal)
    buffer.splice(2, 0, "".join(HALVES) + "\U0001f600")
    buffer.splice(1, 1, HALVES[0])
    recovered = recover(journal)
    assert recovered.content == buffer.content and len(recovered.content) == 5
    recovered.rollback(2)
    assert recovered.content == "".join(HALVES)


def test_halves_of_a_character_survive_recovery_of_a_store():
    journal = MemoryJournal()
    store = ContextStore({HALVES[0]: ""}, journal=journal)
    for half in HALVES:
        store.append(HALVES[0], half)
    assert ContextStore.recover(journal).snapshot().regions == {HALVES[0]: "".join(HALVES)}


def test_entries_with_escapes_are_read():
    journal = journal_of(b'{"op":"base","content":"\\u00e9","overlap":"allow"}')
    assert recover(journal).content == "é"


@pytest.mark.parametrize(
    "entry",
    [
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"op":"other"}',
        b'{"op":"rollback","count":"x","digest":""}',
        b'{"op":"selective","index":3,"digest":""}',
        b'{"op":"splice","offset":0}',
        b'{"op":"splice","offset":null,"removed":{"a":1}}',
    ],
)
def test_entries_of_something_else_are_refused_by_name(entry):
    base = b'{"op":"base","content":"a","overlap":"allow"}'
    with pytest.raises(JournalCorruptError) as caught:
        recover(journal_of(base, entry))
    assert caught.value.reason is Reason.JOURNAL_CORRUPT


@pytest.mark.parametrize("entry", [b'{"op":"base"}', b'{"op":"base","content":5,"overlap":"allow"}', b"{}"])
def test_a_base_of_something_else_is_refused_by_name(entry):
    with pytest.raises(JournalCorruptError):
        recover(journal_of(entry))


@pytest.mark.parametrize(
    "entry",
    [
        b"{}",
        b"[" * 100_000,
        b'{"revision":0,"regions":[1],"digest":""}',
        b'{"revision":0,"regions":{"a":1},"digest":""}',
        b'{"revision":"x","regions":{},"digest":""}',
    ],
)
def test_entries_that_no_store_wrote_are_refused_by_name(entry):
    with pytest.raises(JournalCorruptError):
        ContextStore.recover(journal_of(entry))


@pytest.mark.parametrize("kind", [FileJournal, SQLiteJournal])
def test_a_file_of_something_else_is_named_as_damaged(kind, tmp_path):
    path = tmp_path / "notes"
    path.write_bytes(b"not a journal" * 500)
    with pytest.raises(JournalCorruptError, match="notes"):
        kind(path)
    path.unlink()
    kind(path).close()  # The refusal has let go of its lock.


def test_equal_is_not_the_same():
    buffer = RewriteBuffer((1, "x", 0.0))
    buffer.absorb((True, "x", -0.0))
    assert repr(buffer.content) == "(True, 'x', -0.0)"
    buffer.rollback()
    assert repr(buffer.content) == "(1, 'x', 0.0)"


def test_b7_the_later_of_two_equal_splices_is_meant():
    buffer = RewriteBuffer("ab")
    buffer.replace("a", "x")
    buffer.replace("x", "a")
    buffer.rollback_only(buffer.replace("a", "x"))
    assert buffer.content == "ab" and len(buffer.log) == 2


@pytest.mark.parametrize("data", [3, [1, 2], {1: 2}, None])
def test_only_text_and_bytes_are_written(data, tmp_path):
    path = tmp_path / "state"
    path.write_text("precious")
    with pytest.raises(TypeError):
        atomic_write(path, data)
    with pytest.raises(TypeError):
        durable_append(path, data)
    assert path.read_text() == "precious"
    with FileJournal(tmp_path / "f") as file, SQLiteJournal(tmp_path / "s") as database:
        for journal in (MemoryJournal(), file, database):
            with pytest.raises(TypeError):
                journal.append(data)
            assert journal.records() == ()


class AsyncJournal(MemoryJournal):
    async def append(self, record):
        super().append(record)


@pytest.mark.filterwarnings("error")
def test_b1_an_append_that_is_still_to_be_awaited_has_recorded_nothing():
    messages = []
    with pytest.raises(TypeError, match="nothing is recorded yet"):
        write_ahead(AsyncJournal(), b"record", lambda: messages.append("x"))
    assert messages == []
    with pytest.raises(RollbackIntegrityError) as caught:
        RewriteBuffer("a", journal=AsyncJournal())
    assert caught.value.reason is Reason.NOT_COMMITTED


@pytest.mark.filterwarnings("error")
def test_an_author_that_is_still_to_be_awaited_has_written_nothing():
    store = ContextStore({"a": ""})

    async def author(transaction):
        transaction.write("a", "1")

    with pytest.raises(TypeError, match="use update_async"):
        store.update(author)
    assert store.revision == 0
    asyncio.run(store.update_async(author))
    assert store.snapshot().regions == {"a": "1"}


def test_a_cancelled_author_writes_nothing():
    store = ContextStore({"a": ""})

    async def main():
        async def author(transaction):
            transaction.write("a", "1")
            await asyncio.sleep(60)

        task = asyncio.create_task(store.update_async(author))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert store.revision == 0


def test_a_refused_edit_is_not_part_of_the_transaction():
    store = ContextStore({"a": "1"})
    with store.transaction() as transaction:
        with pytest.raises(TypeError):
            transaction.append("a", 5)
        transaction.append("a", "2")
    assert store.snapshot().regions == {"a": "12"}


def test_a3_the_probe_is_not_taken_for_the_content():
    store = ContextStore({"a": "\0"})
    store.rollback(store.append("a", "\0"))
    assert store.snapshot().regions == {"a": "\0"}


class Calling(MemoryJournal):
    """A journal with a callback that runs while a record is being written."""

    def __init__(self):
        super().__init__()
        self.callback = None

    def append(self, record):
        if self.callback is not None:
            self.callback()
        super().append(record)


@pytest.mark.parametrize("within_it", ["splice", "replace", "absorb", "rollback", "checkpoint", "compact"])
def test_b1_a_change_within_a_change_of_a_buffer_is_refused(within_it):
    journal = Calling()
    buffer = RewriteBuffer("ab", journal=journal)
    buffer.splice(0, 0, "c")
    arguments = {"splice": (0, 0, "x"), "replace": ("a", "x"), "absorb": ("x",)}.get(within_it, ())
    journal.callback = lambda: getattr(buffer, within_it)(*arguments)
    with pytest.raises(RollbackIntegrityError) as caught:
        buffer.splice(1, 0, "d")
    assert isinstance(caught.value.__cause__, RuntimeError) and "from within it" in str(caught.value.__cause__)
    assert caught.value.reason is Reason.NOT_COMMITTED and buffer.content == "cab"
    journal.callback = None
    buffer.splice(0, 0, "d")
    assert recover(journal).content == buffer.content == "dcab"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers that interrupt here")
def test_b1_a_signal_handler_cannot_slip_a_change_into_another():
    journal = MemoryJournal()
    buffer = RewriteBuffer("x" * 100_000, journal=journal)
    inside = []

    def handler(*_):
        try:
            buffer.splice(0, 0, "S")
        except RuntimeError as refusal:
            inside.append(refusal)

    previous = signal.signal(signal.SIGALRM, handler)
    try:
        for step in range(500):
            signal.setitimer(signal.ITIMER_REAL, 0.00002 * (step % 25 + 1))
            buffer.splice(0, 0, "m")
            if len(inside) > 5:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert inside
    assert recover(journal).content == buffer.content
    assert buffer.content.count("m") == step + 1


def test_a_commit_within_a_commit_is_refused_and_does_not_hang():
    journal = Calling()
    store = ContextStore({"a": ""}, journal=journal)
    journal.callback = lambda: store.write("b", "x")
    refusal = within(5, lambda: store.write("a", "1"))
    assert isinstance(refusal, RollbackIntegrityError) and isinstance(refusal.__cause__, RuntimeError)
    journal.callback = None
    store.write("a", "2")
    assert ContextStore.recover(journal).snapshot().regions == {"a": "2"}


def test_compare_and_set_may_set_another_cell_but_not_the_same_again():
    derived = {}

    class Deriving(dict):
        def __setitem__(self, key, value):
            compare_and_set(derived if key == "a" else self, key, None, value)
            super().__setitem__(key, value)

    cells = Deriving()
    assert within(5, lambda: compare_and_set(cells, "a", None, 1)) is None
    assert (cells, derived) == ({"a": 1}, {"a": 1})
    assert isinstance(within(5, lambda: compare_and_set(cells, "b", None, 1)), RuntimeError)
    assert "b" not in cells


def test_a_thread_does_not_wait_for_a_task_that_only_it_can_run():
    async def main():
        async def hold():
            async with keyed_lock("held by a task"):
                await asyncio.sleep(0.05)

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        try:
            with pytest.raises(RuntimeError, match="already held"), keyed_lock("held by a task"):
                pass
        finally:
            await holder
        with keyed_lock("held by a task"):
            return "free again"

    assert within(5, lambda: asyncio.run(main())) == "free again"


def test_a_thread_does_wait_for_a_task_of_another_loop():
    entered, order = threading.Event(), []

    async def hold():
        async with keyed_lock("held elsewhere"):
            entered.set()
            await asyncio.sleep(0.05)
            order.append("task")

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    assert entered.wait(5)

    async def main():
        with keyed_lock("held elsewhere"):
            order.append("thread")

    assert within(5, lambda: asyncio.run(main())) is None
    thread.join()
    assert order == ["task", "thread"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_two_names_of_a_journal_are_one_journal(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with FileJournal(tmp_path / "real"), pytest.raises(JournalLockedError):
        FileJournal(tmp_path / "link")
    with FileJournal(tmp_path / "link") as journal:
        journal.append(b"1")
        assert journal.path == str((tmp_path / "real").resolve())
    with FileJournal(tmp_path / "real") as journal:
        assert journal.records() == (b"1",)


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, "n" * 200])
def test_a_name_as_long_as_the_file_system_allows_is_written(name, tmp_path):
    atomic_write(tmp_path / name, "1")
    atomic_write(tmp_path / name, "2")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["2"]


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be removed there")
@pytest.mark.parametrize("then", ["remove", "replace"])
def test_b2_a_record_in_a_file_without_a_name_is_not_acknowledged(then, tmp_path):
    path = tmp_path / "journal"
    with FileJournal(path) as journal:
        buffer = RewriteBuffer("a", journal=journal)
        content = path.read_bytes()
        path.unlink()
        if then == "replace":
            path.write_bytes(content)
        for _ in range(2):
            with pytest.raises(RollbackIntegrityError) as caught:
                buffer.splice(0, 0, "x")
            assert caught.value.__cause__.reason is Reason.JOURNAL_FAILED
    assert buffer.content == "a"


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
@pytest.mark.parametrize("target", ["directory", "loop", "nowhere"])
def test_a_link_is_replaced_wherever_it_leads(target, tmp_path):
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to(tmp_path / target)
    atomic_write(tmp_path / "link", "x", links="replace")
    assert not (tmp_path / "link").is_symlink() and (tmp_path / "link").read_text() == "x"
    if target == "directory":
        with pytest.raises(OSError, match="no regular file"):
            atomic_write(tmp_path / target, "x", links="replace")


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_durable_append_synchronises_the_directory_in_which_the_file_appears(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "log")
    synchronised = []
    monkeypatch.setattr(OSFiles, "sync_directory", lambda self, path: synchronised.append(path))
    durable_append(tmp_path / "link", "x")
    assert synchronised == [str((tmp_path / "real").resolve())]


def test_a_journal_follows_one_buffer_only():
    journal = MemoryJournal()
    old = RewriteBuffer("a", journal=journal)
    new = recover(journal)
    new.splice(0, 0, "n")
    with pytest.raises(RollbackIntegrityError) as caught:
        old.splice(0, 0, "o")
    assert isinstance(caught.value.__cause__, JournalLockedError) and old.content == "a"
    with pytest.raises(JournalLockedError):
        old.compact()
    del old
    new.splice(0, 0, "n")
    assert recover(journal).content == new.content == "nna"
    with pytest.raises(RollbackIntegrityError):
        new.rollback()


def test_a_journal_follows_one_store_only():
    journal = MemoryJournal()
    old = ContextStore({"a": ""}, journal=journal)
    new = ContextStore.recover(journal)
    new.write("a", "new")
    with pytest.raises(RollbackIntegrityError) as caught:
        old.write("a", "old")
    assert isinstance(caught.value.__cause__, JournalLockedError)
    with pytest.raises(JournalLockedError):
        old.compact()
    assert ContextStore.recover(journal).snapshot().regions == {"a": "new"}


@pytest.mark.parametrize("carry", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_refusals_and_commits_reach_other_processes(carry):
    refusal = StaleBaseError("m", reason=Reason.READ_SET_DRIFT, regions=["b", "a"], base_revision=1, live_revision=2)
    refusal.add = "more"
    carried = carry(refusal)
    assert type(carried) is StaleBaseError and str(carried) == "m"
    assert vars(carried) == vars(refusal) and carried.regions == ("a", "b")
    failure = carry(MonitorFailure("f", reason=Reason.MONITORED))
    assert isinstance(failure, AssertionError) and failure.args == ("f",)

    store = ContextStore({"a": "1"})
    commit = carry(store.append("a", "2"))
    assert commit.snapshot == store.snapshot()
    store.rollback(commit)
    assert store.snapshot().regions == {"a": "1"}


def test_an_object_that_cannot_be_watched_is_left_as_it_was():
    class Registered:
        def __init_subclass__(cls, *, name):
            pass

    class Agent(Registered, name="agent"):
        def __init__(self):
            self.messages, self.undo = [], []

    class ReadOnly:
        messages = property(lambda self: [])

        def __init__(self):
            self.undo = undo

    undo = []
    for owner, error in ((Agent(), TypeError), (ReadOnly(), AttributeError)):
        with pytest.raises(error):
            monitor_attributes(owner, "messages", "undo")
        assert type(owner) in (Agent, ReadOnly) and type(owner.undo) is list and type(owner.messages) is list


def test_a11_a_stored_commit_is_taken_back_after_a_recovery():
    journal = MemoryJournal()
    store = ContextStore({"a": "1\n"}, journal=journal)
    stored = pickle.dumps(store.append("a", "2\n"))
    store.append("a", "3\n")
    recovered = ContextStore.recover(journal)
    recovered.rollback(pickle.loads(stored))
    assert recovered.snapshot().regions == {"a": "1\n3\n"}


def test_a_stored_checkpoint_is_reached_after_a_recovery():
    journal = MemoryJournal()
    buffer = RewriteBuffer("a", journal=journal)
    stored = pickle.dumps(buffer.checkpoint())
    buffer.splice(0, 0, "x")
    recovered = recover(journal)
    recovered.rollback_to(pickle.loads(stored))
    assert recovered.content == "a"


class Late(MemoryJournal):
    """Raises behind its last step, as when a signal handler's timeout strikes there."""

    late = False

    def append(self, record):
        super().append(record)
        if self.late:
            raise TimeoutError("too late")

    def rotate(self, records):
        super().rotate(records)
        if self.late:
            raise TimeoutError("too late")


def test_b2_an_append_that_fails_behind_its_last_step_leaves_the_buffer_in_doubt():
    journal = Late()
    buffer = RewriteBuffer("ab", journal=journal)
    buffer.splice(0, 0, "c")
    journal.late = True
    for attempt in range(2):
        with pytest.raises(RollbackIntegrityError) as caught:
            buffer.splice(0, 0, "x")
        assert caught.value.reason is Reason.IN_DOUBT and buffer.content == "cab", attempt
    journal.late = False
    buffer = recover(journal)
    assert buffer.content == "xcab"
    journal.late = True
    with pytest.raises(TimeoutError):
        buffer.compact()
    with pytest.raises(RollbackIntegrityError) as caught:
        buffer.rollback()
    assert caught.value.reason is Reason.IN_DOUBT
    journal.late = False
    buffer = recover(journal)
    buffer.splice(0, 1, "")
    assert recover(journal).content == "cab"


def test_a_commit_whose_append_fails_behind_its_last_step_leaves_the_store_in_doubt():
    journal = Late()
    store = ContextStore({"a": "1"}, journal=journal)
    store.write("a", "2")
    journal.late = True
    for action in (lambda: store.write("a", "3"), lambda: store.write("a", "4"), store.compact):
        with pytest.raises(RollbackIntegrityError) as caught:
            action()
        assert caught.value.reason is Reason.IN_DOUBT
    journal.late = False
    store = ContextStore.recover(journal)
    assert store.snapshot().regions == {"a": "3"}
    journal.late = True
    with pytest.raises(TimeoutError):
        store.compact()
    journal.late = False
    store = ContextStore.recover(journal)
    store.write("a", "4")
    assert ContextStore.recover(journal).snapshot().regions == {"a": "4"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers that interrupt here")
@pytest.mark.parametrize("kind", [FileJournal, SQLiteJournal])
def test_b2_a_timeout_at_any_moment_leaves_what_can_be_recovered(kind, tmp_path):
    """The usual timeout is an exception that a signal handler raises wherever the program happens to be."""

    def strike(*_):
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, strike)
    struck = 0
    try:
        for life in range(8):
            with kind(tmp_path / f"journal{life}") as journal:
                buffer = RewriteBuffer("", journal=journal)
                for step in range(30):
                    try:
                        signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + (life * 30 + step) % 60))
                        try:
                            buffer.splice(0, 0, "m")
                        finally:
                            signal.setitimer(signal.ITIMER_REAL, 0)
                    except (TimeoutError, RollbackIntegrityError):
                        struck += 1
                assert recover(journal).content in (buffer.content, buffer.content + "m")
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert struck
