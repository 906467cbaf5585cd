"""What a journal promises, and the journal that lives in memory."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Protocol

from .errors import JournalError, JournalFullError, JournalLockedError, Reason, RollbackIntegrityError
from .exclusion import unless_within
from .files import as_bytes
from .finished import require_finished


class Journal(Protocol):
    """A sequence of records that outlives what it protects.

    Laws, to which the tests hold every implementation:

    1. When `append` returns, the record is as durable as the journal is, behind all earlier ones.
    2. When `append` raises an `Exception`, the record is not in the journal and never will be.
       A journal that cannot make sure of that refuses every later append (reason journal-failed) until it is reopened.
    3. No record is ever dropped, reordered or changed, except by `rotate`.
    4. `rotate` is all or nothing: after it, or after a crash within it, `records` are the old ones or the new ones.
    """

    def append(self, record: bytes) -> None:
        """Make `record` durable, or raise."""
        ...

    def records(self) -> tuple[bytes, ...]:
        """Return all records, oldest first."""
        ...

    def rotate(self, records: Iterable[bytes]) -> None:
        """Replace all records by `records`, atomically."""
        ...


_WRITERS: weakref.WeakValueDictionary[int, object] = weakref.WeakValueDictionary()
"""Who writes to a journal, by its `id`; a writer holds its journal, so no other journal has that number meanwhile."""


def require_usable(path: str, process: int, closed: bool, failure: BaseException | None) -> None:
    """Refuse the use of a journal that another process opened, that was closed, or of which a failure left doubt."""
    if process != os.getpid():
        raise JournalLockedError(
            f"{path} was opened by process {process}; open it anew after a fork", reason=Reason.JOURNAL_LOCKED
        )
    if closed:
        raise JournalError(f"{path} is closed", reason=Reason.JOURNAL_CLOSED)
    if failure is not None:
        raise JournalError(f"{path} is in doubt after {failure!r}; reopen it", reason=Reason.JOURNAL_FAILED) from failure


def claim(journal: Journal, writer: object) -> None:
    """Make `writer` the one buffer or store that writes to `journal`; whoever did before is refused from here on."""
    _WRITERS[id(journal)] = writer


def append_or_refuse(journal: Journal, record: bytes, writer: object, known: int) -> None:
    """Append `record` behind the `known` ones, or refuse the change it was to precede; the failure is the cause.

    Raises `RollbackIntegrityError`: inverse-not-committed, or in-doubt when the record is there all the same.
    """
    append: Callable[[bytes], object] = journal.append
    try:
        require_claim(journal, writer)
        require_finished(append(record), "append", "the record is not written before it is awaited")
    except Exception as failure:
        if _WRITERS.get(id(journal)) is writer and holds_other_than(journal, known):
            raise RollbackIntegrityError(
                "the append was interrupted when its record had reached the journal; recover(journal) settles it",
                reason=Reason.IN_DOUBT,
            ) from failure
        raise RollbackIntegrityError(
            "inverse record not committed; refusing in-place rewrite (buffer must not outrun its undo log)",
            reason=Reason.NOT_COMMITTED,
        ) from failure


def holds_other_than(journal: Journal, known: int) -> bool:
    """Say whether a journal whose operation raised has another number of records than before it.

    No journal can rule that out: a signal handler's exception (the usual timeout) may be raised behind its last step.
    """
    try:
        return len(journal.records()) != known
    except JournalError:
        return False  # It is closed or in doubt itself, and takes no more records until it is reopened and recovered.


def require_claim(journal: Journal, writer: object) -> None:
    """Refuse a writer whose records would follow those of another: together they would describe neither."""
    if _WRITERS.get(id(journal)) is not writer:
        raise JournalLockedError(
            "the journal was recovered into another buffer or store, which writes to it now",
            reason=Reason.JOURNAL_LOCKED,
        )


class MemoryJournal:
    """A journal as durable as the process. Bounded by refusing, never by dropping.

    `capacity` is the largest number of records, None for no bound.
    """

    def __init__(self, capacity: int | None = None) -> None:
        if capacity is not None and capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self._capacity = capacity
        self._records: list[bytes] = []
        self._lock = threading.RLock()
        self._change = threading.Lock()

    def append(self, record: bytes) -> None:
        with self._lock, unless_within(self._change, "the journal"):
            self._require_room(len(self._records) + 1)
            self._records.append(as_bytes(record))

    def records(self) -> tuple[bytes, ...]:
        with self._lock, unless_within(self._change, "the journal"):
            return tuple(self._records)

    def rotate(self, records: Iterable[bytes]) -> None:
        fresh = [as_bytes(record) for record in records]
        with self._lock, unless_within(self._change, "the journal"):
            self._require_room(len(fresh))
            self._records = fresh

    def _require_room(self, count: int) -> None:
        if self._capacity is not None and count > self._capacity:
            raise JournalFullError(
                f"journal holds at most {self._capacity} records; rotate it, nothing was dropped",
                reason=Reason.JOURNAL_FULL,
            )
