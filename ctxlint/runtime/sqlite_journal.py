"""A journal in an SQLite database. `sqlite3` is imported when one is opened, not before."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .errors import JournalCorruptError, JournalLockedError, Reason
from .exclusion import unless_within
from .files import as_bytes
from .forks import abandon_in_children
from .journal import require_usable

if TYPE_CHECKING:
    from typing_extensions import Self


_NEVER_CLOSED: list[object] = []
"""Connections inherited from a parent. Dropping the last reference would close them."""


def _immortality() -> Callable[[object], object] | None:
    """Return what keeps an object even when the interpreter clears its modules at its end, where there is such."""
    try:
        import ctypes

        keep: Any = ctypes.pythonapi.Py_IncRef
    except (ImportError, AttributeError):
        return None
    return lambda value: keep(ctypes.py_object(value))


class SQLiteJournal:
    """A journal that leaves framing, recovery and locking to SQLite.

    The database runs in WAL mode with ``synchronous=FULL``, so a record survives a power failure once `append` has
    returned, and in exclusive locking mode, so that there is one writer; a second gets `JournalLockedError`.
    Safe to call from several threads. A forked child gives the journal up and must open it itself, when the parent
    has closed it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import sqlite3

        self._path = os.path.abspath(os.fspath(path))
        self._thread_lock = threading.RLock()
        self._change = threading.Lock()
        self._process = os.getpid()
        self._keep = _immortality()  # Here and not in the child, where an import could wait for a lock of the parent's.
        self._failure: BaseException | None = None
        self._closed = False
        self._connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._set_up()
        except BaseException as failure:
            self._connection.close()
            if isinstance(failure, sqlite3.OperationalError) and "locked" in str(failure):
                raise JournalLockedError(
                    f"{self._path} is being written by another connection", reason=Reason.JOURNAL_LOCKED
                ) from failure
            raise
        abandon_in_children(self)

    @property
    def path(self) -> str:
        """Absolute path of the database."""
        return self._path

    def append(self, record: bytes) -> None:
        """Commit `record`; `sqlite3.Error` when it is not committed, and then it is not in the journal."""
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            self._transact("INSERT INTO journal (record) VALUES (?)", [as_bytes(record)])

    def records(self) -> tuple[bytes, ...]:
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            with self._damage_named():
                rows = self._connection.execute("SELECT record FROM journal ORDER BY number").fetchall()
            return tuple(row[0] for row in rows)

    def rotate(self, records: Iterable[bytes]) -> None:
        """Replace all records in one transaction."""
        fresh = [as_bytes(record) for record in records]
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            self._transact("INSERT INTO journal (record) VALUES (?)", fresh, before="DELETE FROM journal")

    def close(self) -> None:
        """Release the database; closing twice is harmless."""
        with self._thread_lock, unless_within(self._change, self._path):
            self._closed = True
            if self._process == os.getpid():
                self._connection.close()

    def abandon(self) -> None:
        """Give up the database in a forked child, without closing it: that would end the parent's log."""
        self._thread_lock, self._change = threading.RLock(), threading.Lock()
        self._closed = True
        _NEVER_CLOSED.append(self._connection)
        if self._keep is not None:
            self._keep(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        """Turn SQLite's finding that a file is damaged, or no database, into this package's."""
        import sqlite3

        try:
            yield
        except sqlite3.DatabaseError as failure:
            if type(failure) is not sqlite3.DatabaseError:
                raise  # Its subclasses are about the operation, not about the file.
            raise JournalCorruptError(f"{self._path}: {failure}", reason=Reason.JOURNAL_CORRUPT) from failure

    def _set_up(self) -> None:
        with self._damage_named():
            self._take_over()

    def _take_over(self) -> None:
        execute = self._connection.execute
        execute("PRAGMA locking_mode=EXCLUSIVE")
        execute("PRAGMA journal_mode=WAL")
        execute("PRAGMA synchronous=FULL")
        # The first write takes the exclusive lock, which the mode then keeps.
        execute("BEGIN IMMEDIATE")
        execute("CREATE TABLE IF NOT EXISTS journal (number INTEGER PRIMARY KEY AUTOINCREMENT, record BLOB NOT NULL)")
        execute("COMMIT")

    def _transact(self, statement: str, records: list[bytes], *, before: str | None = None) -> None:
        execute = self._connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            if before is not None:
                execute(before)
            self._connection.executemany(statement, ([record] for record in records))
            execute("COMMIT")
        except BaseException as failure:
            self._roll_back(failure)
            raise

    def _roll_back(self, failure: BaseException) -> None:
        """Leave no open transaction; if that cannot be had, nothing more is appended."""
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except BaseException:
            self._failure = failure
            raise

    def _require_usable(self) -> None:
        require_usable(self._path, self._process, self._closed, self._failure)
