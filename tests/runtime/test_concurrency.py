"""Threads and tasks hammer one store; no update is lost."""

from __future__ import annotations

import asyncio

from ctxlint.runtime import ContextStore, FileJournal, MemoryJournal, RewriteBuffer, recover

from .test_guards import run_threads

MANY = 100_000


def increment(tx):
    tx.write("n", str(int(tx.read("n")) + 1))


def test_threads_lose_no_update():
    store = ContextStore({"n": "0", "log": ""}, journal=MemoryJournal())

    def work(name):
        for _ in range(100):
            store.update(increment, attempts=MANY)
            store.append("log", name)

    run_threads([lambda name=name: work(name) for name in "abcd"])
    regions = store.snapshot().regions
    assert regions["n"] == "400"
    assert sorted(regions["log"]) == sorted("abcd" * 100)
    assert store.revision == 800


def test_tasks_lose_no_update():
    store = ContextStore({"n": "0"})

    async def author(tx):
        read = int(tx.read("n"))
        await asyncio.sleep(0)
        tx.write("n", str(read + 1))

    async def work():
        for _ in range(20):
            await store.update_async(author, attempts=MANY)

    async def main():
        await asyncio.gather(*(work() for _ in range(10)))

    asyncio.run(main())
    assert store.snapshot().regions["n"] == "200"


def test_threads_and_loops_lose_no_update_together(tmp_path):
    with FileJournal(tmp_path / "journal") as journal:
        store = ContextStore({"n": "0"}, journal=journal)

        async def author(tx):
            increment(tx)
            await asyncio.sleep(0)

        async def tasks():
            async def work():
                for _ in range(10):
                    await store.update_async(author, attempts=MANY)

            await asyncio.gather(*(work() for _ in range(3)))

        def thread():
            for _ in range(20):
                store.update(increment, attempts=MANY)

        run_threads([lambda: asyncio.run(tasks()), lambda: asyncio.run(tasks()), thread, thread])
        assert store.snapshot().regions["n"] == "100"
        assert ContextStore.recover(journal).snapshot() == store.snapshot()


def test_without_the_check_updates_are_lost():
    """The same load on a plain mapping loses updates, so the tests above can fail."""
    cells = {"n": 0}

    async def work():
        for _ in range(20):
            read = cells["n"]
            await asyncio.sleep(0)
            cells["n"] = read + 1

    async def main():
        await asyncio.gather(*(work() for _ in range(10)))

    asyncio.run(main())
    assert cells["n"] < 200


def test_threads_share_a_buffer():
    journal = MemoryJournal()
    buffer = RewriteBuffer("", journal=journal)

    def work(letter):
        for _ in range(50):
            buffer.splice(0, 0, letter)

    run_threads([lambda letter=letter: work(letter) for letter in "abcd"])
    assert sorted(buffer.content) == sorted("abcd" * 50)
    again = recover(journal)
    again.rollback(200)
    assert again.content == ""


def test_threads_share_a_journal(tmp_path):
    with FileJournal(tmp_path / "journal") as journal:

        def work(letter):
            for number in range(25):
                journal.append(f"{letter}{number}".encode())

        run_threads([lambda letter=letter: work(letter) for letter in "ab"])
        records = journal.records()
    for letter in (b"a", b"b"):
        assert [record for record in records if record[:1] == letter] == [b"%s%d" % (letter, n) for n in range(25)]
