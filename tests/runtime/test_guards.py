"""What fixes call: digests, write-ahead, comparison, restore, locks, tasks."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import sys
import threading
import time
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlint.runtime import (
    ConflictError,
    KeyedLocks,
    MemoryJournal,
    Reason,
    RollbackIntegrityError,
    compare_and_set,
    compare_and_write,
    digest,
    keyed_lock,
    tracked_task,
    verified_restore,
    write_ahead,
)

from .failing import FailingJournal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)


def plain(value):
    """An independent injective rendering to compare the digest with."""
    if isinstance(value, list):
        return ["list", [plain(item) for item in value]]
    if isinstance(value, dict):
        return ["dict", sorted(([key, plain(item)] for key, item in value.items()), key=lambda pair: pair[0])]
    return [
        type(value).__name__,
        value.hex() if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass").hex(),
    ]


@settings(deadline=None)
@given(VALUES, VALUES)
def test_digests_are_equal_exactly_when_the_values_are(left, right):
    same = json.dumps(plain(left)) == json.dumps(plain(right))
    assert (digest(left) == digest(right)) is same


def test_the_digest_is_not_that_of_a_concatenation():
    assert (
        len(
            {
                digest("ab", "c"),
                digest("a", "bc"),
                digest(("ab", "c")),
                digest("abc"),
                digest(b"abc"),
                digest(["ab", "c"], ()),
            }
        )
        == 6
    )
    assert digest(1) != digest("1") != digest(True) != digest(1.0)
    assert digest([1, {"b": {2, 3}, "a": None}]) == digest((1, {"a": None, "b": frozenset({3, 2})}))


def test_the_digest_is_full_and_its_encoding_is_fixed():
    assert digest("é") == hashlib.sha256(b"l1:s2:\xc3\xa9").hexdigest()
    assert digest("\ud800") and digest(-5, 1.5) == hashlib.sha256(b"l2:i2:-5d3:1.5").hexdigest()


def test_no_identity_is_guessed():
    with pytest.raises(TypeError, match="object"):
        digest(object())


def test_write_ahead_records_first():
    journal, state = MemoryJournal(), []
    assert write_ahead(journal, b"record", lambda: state.append(journal.records()) or "done") == "done"
    assert state == [(b"record",)]


def test_write_ahead_mutates_nothing_when_the_record_is_refused():
    state = []
    with pytest.raises(OSError, match="no space"):
        write_ahead(FailingJournal(1), b"record", lambda: state.append(1))
    assert state == []
    undo: list[str] = []
    with pytest.raises(ZeroDivisionError):
        write_ahead(undo, "the record stands", lambda: 1 / 0)
    assert undo == ["the record stands"]


class Cell:
    def __init__(self, value):
        self.value = value

    def read(self):
        return self.value

    def write(self, value):
        self.value = value


def test_verified_restore_restores_only_the_after_image():
    cell = Cell("after")
    assert verified_restore(cell.read, cell.write, before="before", after_digest=digest("after")) is True
    assert cell.value == "before"
    assert verified_restore(cell.read, cell.write, before="before", after_digest=digest("after")) is False
    cell.value = "someone else's"
    with pytest.raises(RollbackIntegrityError) as caught:
        verified_restore(cell.read, cell.write, before="before", after_digest=digest("after"))
    assert caught.value.reason is Reason.ANCHOR_MISMATCH and cell.value == "someone else's"


def test_verified_restore_reads_back():
    cell = Cell("after")
    with pytest.raises(RollbackIntegrityError) as caught:
        verified_restore(cell.read, lambda value: None, before="before", after_digest=digest("after"))
    assert caught.value.reason is Reason.DIGEST_MISMATCH


def test_compare_and_set_compares_with_what_was_read():
    cells = {"plan": ["a"]}
    seen = digest(cells["plan"])
    compare_and_set(cells, "plan", seen, ["a", "b"])
    with pytest.raises(ConflictError) as caught:
        compare_and_set(cells, "plan", seen, ["lost"])
    assert caught.value.reason is Reason.VALUE_DRIFT and caught.value.regions == ("plan",)
    compare_and_set(cells, "new", None, [1])
    with pytest.raises(ConflictError):
        compare_and_set(cells, "new", None, [2])
    assert cells == {"plan": ["a", "b"], "new": [1]}


def test_compare_and_set_notices_mutation_in_place():
    cells = {"plan": ["a"]}
    read = cells["plan"]
    seen = digest(read)
    cells["plan"].append("by someone else")
    with pytest.raises(ConflictError):
        compare_and_set(cells, "plan", seen, [*read, "mine"])


def test_compare_and_write(tmp_path):
    path = tmp_path / "state"
    compare_and_write(path, None, "one")
    compare_and_write(path, digest(b"one"), b"two")
    for stale in (None, digest(b"one")):
        with pytest.raises(ConflictError):
            compare_and_write(path, stale, "lost")
    assert path.read_text() == "two"


def test_threads_lose_no_update_through_compare_and_write(tmp_path):
    path = tmp_path / "count"
    path.write_bytes(b"0")

    def add():
        for _ in range(5):
            while True:
                seen = path.read_bytes()
                try:
                    compare_and_write(path, digest(seen), str(int(seen) + 1))
                    break
                except ConflictError:
                    continue

    run_threads([add] * 4)
    assert path.read_bytes() == b"20"


def run_threads(functions):
    failures = []

    def guarded(function):
        try:
            function()
        except BaseException as failure:  # noqa: BLE001 -- raised again by the thread that started these
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def test_keyed_lock_excludes_threads():
    counter = {"n": 0}

    def add():
        for _ in range(200):
            with keyed_lock(("counter", 1)):
                read = counter["n"]
                time.sleep(0)
                counter["n"] = read + 1

    run_threads([add] * 4)
    assert counter["n"] == 800


def test_keyed_lock_excludes_tasks_and_threads_from_one_another():
    locks, counter = KeyedLocks(), {"n": 0}

    async def add_in_task():
        for _ in range(50):
            async with locks.lock("k"):
                read = counter["n"]
                await asyncio.sleep(0)
                counter["n"] = read + 1

    async def several():
        await asyncio.gather(*(add_in_task() for _ in range(4)))

    def add_in_thread():
        for _ in range(50):
            with locks.lock("k"):
                read = counter["n"]
                time.sleep(0)
                counter["n"] = read + 1

    run_threads([lambda: asyncio.run(several()), lambda: asyncio.run(several()), add_in_thread, add_in_thread])
    assert counter["n"] == 500
    assert locks._held == {}


def test_other_keys_do_not_wait():
    with keyed_lock("a"), keyed_lock("b"):
        pass


def test_taking_a_key_twice_is_an_error_and_not_a_deadlock():
    with keyed_lock("twice"), pytest.raises(RuntimeError, match="already held"), keyed_lock("twice"):
        pass

    async def in_task():
        async with keyed_lock("twice"):
            with pytest.raises(RuntimeError, match="already held"):
                async with keyed_lock("twice"):
                    pass

    asyncio.run(in_task())


def test_a_cancelled_waiter_does_not_keep_the_key():
    locks = KeyedLocks()

    async def hold():
        async with locks.lock("k"):
            await asyncio.sleep(0)

    async def main():
        for ticks in range(6):
            async with locks.lock("k"):
                waiter = asyncio.create_task(hold())
                behind = asyncio.create_task(hold())
                await asyncio.sleep(0)
            for _ in range(ticks):
                await asyncio.sleep(0)
            waiter.cancel()
            await asyncio.wait_for(behind, 5)
            await asyncio.gather(waiter, return_exceptions=True)

    asyncio.run(main())
    assert locks._held == {}


def test_a_waiter_cancelled_in_the_line_leaves_it():
    locks = KeyedLocks()

    async def take():
        async with locks.lock("k"):
            pass

    async def main():
        async with locks.lock("k"):
            waiting = [asyncio.create_task(take()) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            waiting[1].cancel()
            await asyncio.sleep(0)
        await asyncio.wait_for(waiting[2], 5)
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(main())
    assert locks._held == {}


def test_the_line_is_first_come_first_served():
    locks, order = KeyedLocks(), []

    async def take(number):
        async with locks.lock("k"):
            order.append(number)
            await asyncio.sleep(0)

    async def main():
        async with locks.lock("k"):
            tasks = [asyncio.create_task(take(number)) for number in range(5)]
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert order == [0, 1, 2, 3, 4]


async def fails():
    await asyncio.sleep(0)
    raise OSError("the record was not written")


def test_a_tracked_task_reports_its_failure_at_once():
    async def main():
        reported = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        task = tracked_task(fails(), name="persist")
        del task
        for _ in range(4):
            gc.collect()
            await asyncio.sleep(0)
        return reported

    (context,) = asyncio.run(main())
    assert isinstance(context["exception"], OSError) and "persist" in context["message"]


def test_a_tracked_task_is_kept_when_nothing_else_holds_it():
    async def main():
        futures, done = [], []

        async def work():
            future = asyncio.get_running_loop().create_future()
            futures.append(weakref.ref(future))
            await future
            done.append(1)

        tracked_task(work())
        await asyncio.sleep(0)
        gc.collect()
        future = futures[0]()
        assert future is not None, "the task was collected"
        future.set_result(None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return done

    assert asyncio.run(main()) == [1]


def test_a_tracked_task_hands_its_failure_over_and_to_who_awaits_it():
    async def main():
        failures = []
        task = tracked_task(fails(), on_failure=failures.append)
        with pytest.raises(OSError, match="not written"):
            await task
        await asyncio.sleep(0)
        done = tracked_task(asyncio.sleep(0, "value"), on_failure=failures.append)
        assert await done == "value"
        return failures

    assert [type(failure) for failure in asyncio.run(main())] == [OSError]


def test_a_tracked_task_that_dies_with_its_loop_is_reported():
    failures = []

    async def main():
        tracked_task(asyncio.sleep(60), on_failure=failures.append, name="save")
        await asyncio.sleep(0)

    asyncio.run(main())
    assert [type(failure) for failure in failures] == [asyncio.CancelledError]


def test_tracked_task_needs_a_running_loop():
    work = fails()
    with pytest.raises(RuntimeError, match="no running event loop"):
        tracked_task(work)
    work.close()
    assert sys.modules["ctxlint.runtime.tasks"]._RUNNING == set()
