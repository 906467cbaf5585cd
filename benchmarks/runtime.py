"""What the runtime's guarantees cost, next to the plain thing without them.

    python benchmarks/runtime.py                     prints the table; status 1 when a bound is missed
    python benchmarks/runtime.py --kill-cycles 1000  kills a working process that often, half of it per journal

Each comparison is paired: both sides run alternately in one process, and the median of the ratios counts.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from ctxlint.runtime import FileJournal, MemoryJournal, RewriteBuffer, SQLiteJournal, recover
from ctxlint.runtime.killing import kill_repeatedly

TEXT = ("the quick brown fox jumps over the lazy dog. " * 1500)[: 64 * 1024]
ROUNDS = 1000
ENTRIES = 10_000
APPENDS = 100
RECORD = b"x" * 200


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def paired(ours: Callable[[], object], theirs: Callable[[], object], pairs: int) -> tuple[float, float, float]:
    """Return median seconds of both and the median of their ratios."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(pairs)]
    return (
        statistics.median(own for own, _ in times),
        statistics.median(other for _, other in times),
        statistics.median(own / other for own, other in times),
    )


def buffer_splices() -> None:
    """1,000 splices spread over the text, then 1,000 rollbacks."""
    buffer = RewriteBuffer(TEXT)
    for number in range(ROUNDS):
        buffer.splice(number * 61, 3, "four")
    for _ in range(ROUNDS):
        buffer.rollback()
    assert buffer.content == TEXT


def bare_undo_list() -> None:
    """The same on a plain undo list: a full digest before each splice and after each rollback, and nothing else."""
    content, undo = TEXT, []
    for number in range(ROUNDS):
        offset = number * 61
        undo.append((offset, content[offset : offset + 3], 4, hashlib.sha256(content.encode()).hexdigest()))
        content = content[:offset] + "four" + content[offset + 3 :]
    while undo:
        offset, removed, length, before = undo.pop()
        content = content[:offset] + removed + content[offset + length :]
        assert hashlib.sha256(content.encode()).hexdigest() == before
    assert content == TEXT


def recovery() -> float:
    journal = MemoryJournal()
    buffer = RewriteBuffer(TEXT, journal=journal)
    for number in range(ENTRIES - 1):
        buffer.splice(number * 5, 3, "four")
    assert len(journal.records()) == ENTRIES
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "journal"
        with FileJournal(path) as durable:
            durable.rotate(journal.records())

        def reopen() -> None:
            with FileJournal(path) as again:
                assert recover(again).digest == buffer.digest

        return statistics.median(seconds(reopen) for _ in range(3))


def durable_appends() -> tuple[float, float, float]:
    """Append records one by one, each durable: `FileJournal` against a bare durable insert of sqlite3.

    Beside the project rather than in the temporary directory, which may be memory, where synchronising costs nothing.
    """
    with tempfile.TemporaryDirectory(dir=ROOT) as directory:
        connection = sqlite3.connect(Path(directory) / "plain.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE records (number INTEGER PRIMARY KEY, record BLOB)")
        with FileJournal(Path(directory) / "journal") as journal:

            def ours() -> None:
                for _ in range(APPENDS):
                    journal.append(RECORD)

            def theirs() -> None:
                for _ in range(APPENDS):
                    connection.execute("INSERT INTO records (record) VALUES (?)", (RECORD,))

            ours(), theirs()
            figures = paired(ours, theirs, 9)
        connection.close()
        return figures


def sqlite_appends() -> float:
    with tempfile.TemporaryDirectory(dir=ROOT) as directory, SQLiteJournal(Path(directory) / "journal") as journal:
        return seconds(lambda: [journal.append(RECORD) for _ in range(APPENDS)])


def print_costs() -> bool:
    ours, bare, ratio = paired(buffer_splices, bare_undo_list, 5)
    print(f"1,000 splices + 1,000 rollbacks, 64 kB   {ours:7.3f} s   bare {bare:.3f} s   x {ratio:.2f}   (bound x 3)")
    recovered = recovery()
    print(f"recovery of 10,000 entries from a file   {recovered:7.3f} s   (bound 1 s)")
    append, insert, slower = durable_appends()
    print(
        f"FileJournal, durable append of 200 bytes {append / APPENDS * 1e6:7.0f} us  "
        f"sqlite {insert / APPENDS * 1e6:.0f} us   x {slower:.2f}   (bound x 2)"
    )
    print(f"SQLiteJournal, the same                  {sqlite_appends() / APPENDS * 1e6:7.0f} us")
    return ratio <= 3 and recovered < 1 and slower <= 2


def kill(cycles: int) -> None:
    sys.path.insert(0, str(ROOT / "tests" / "runtime"))
    import kill_worker

    for kind in ("file", "sqlite"):
        with tempfile.TemporaryDirectory() as directory:
            arguments = (kind, str(Path(directory) / "journal"), str(Path(directory) / "states"))
            command = [sys.executable, str(Path(__file__)), "--work", *arguments]
            changes: list[int] = []

            def check(arguments: tuple[str, str, str] = arguments, changes: list[int] = changes) -> None:
                changes.append(Path(arguments[2]).read_text().count("done"))
                kill_worker.check(*arguments)

            start = time.perf_counter()
            done = kill_repeatedly(command, check, cycles=-(-cycles // 2))
            took = time.perf_counter() - start
            print(f"{kind:6} {done} kills in {took:.0f} s, {sum(changes)} acknowledged changes, none lost", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kill-cycles", type=int, metavar="N")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        sys.path.insert(0, str(ROOT / "tests" / "runtime"))
        import kill_worker

        kill_worker.work(*options.work)
    if options.kill_cycles:
        kill(options.kill_cycles)
        return 0
    return 0 if print_costs() else 1


if __name__ == "__main__":
    raise SystemExit(main())
