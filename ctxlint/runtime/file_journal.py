"""A journal in one file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from .durable import atomic_write, cut_back
from .errors import JournalCorruptError, JournalError, JournalLockedError, Reason
from .exclusion import unless_within
from .files import OS_FILES, Files, OSFiles, as_bytes, directory_of, read_all, write_all
from .forks import abandon_in_children
from .framing import HEADER_LENGTH, SALT_LENGTH, Scan, frame, header, scan
from .journal import require_usable

if TYPE_CHECKING:
    from typing_extensions import Self


class FileJournal:
    """A journal whose records survive a power failure once `append` has returned.

    Opening creates the file if there is none, cuts a torn tail, and synchronises what it read: data that only the
    page cache holds is not acted upon.
    One writer at a time: ``<path>.lock`` is held until `close`, and by the kernel released when the process dies;
    a second writer gets `JournalLockedError`, whatever symbolic link it came by. A forked child gives the journal up
    and must open it itself, when the parent has closed it.
    A failed append is cut off again. When even that fails, or someone removed or replaced the file, the journal
    refuses (journal-failed) until it is reopened.

    Safe to call from several threads. Each append costs one synchronisation of the file.
    """

    _descriptor: int
    _salt: bytes
    _end: tuple[int, int]  # Length of the file and number of records; one value, so that no interrupt splits them.

    def __init__(self, path: str | os.PathLike[str], *, files: Files = OS_FILES) -> None:
        # What the path leads to: two names of one journal must not have two locks.
        self._path = files.real_path(os.path.abspath(os.fspath(path)))
        self._files = files
        self._thread_lock = threading.RLock()
        self._change = threading.Lock()
        self._process = os.getpid()
        self._failure: BaseException | None = None
        self._closed = False
        self._lock_descriptor = self._take_lock()
        try:
            if files.status(self._path) is None:
                atomic_write(self._path, header(os.urandom(SALT_LENGTH)), files=files)
            self._open()
        except BaseException:
            files.close(self._lock_descriptor)
            raise
        if isinstance(files, OSFiles):
            abandon_in_children(self)

    @property
    def path(self) -> str:
        """Absolute path of the file, with symbolic links resolved."""
        return self._path

    def append(self, record: bytes) -> None:
        """Make `record` durable; `OSError` or `JournalError` when it is not, and then it is not in the journal."""
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            length, sequence = self._end
            self._require_own_file(length)
            data = frame(self._salt, sequence, as_bytes(record))
            try:
                write_all(self._files, self._descriptor, data)
                self._files.sync_data(self._descriptor)
            except BaseException as failure:
                self._cut_back(failure)
                raise
            self._end = (length + len(data), sequence + 1)

    def records(self) -> tuple[bytes, ...]:
        """Read all records back from the file, verified."""
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            return self._scan().records

    def rotate(self, records: Iterable[bytes]) -> None:
        """Start the file anew with `records`; the old file stays whole until the new one is durable."""
        with self._thread_lock, unless_within(self._change, self._path):
            self._require_usable()
            salt = os.urandom(SALT_LENGTH)
            frames = [frame(salt, sequence, as_bytes(record)) for sequence, record in enumerate(records)]
            try:
                atomic_write(self._path, header(salt) + b"".join(frames), links="follow", files=self._files)
            except BaseException as failure:
                self._require_old_file(failure)
                raise
            replaced = self._descriptor
            try:
                self._open()
            except BaseException as failure:
                self._failure = failure
                raise
            self._files.close(replaced)

    def abandon(self) -> None:
        """Give up file and lock in a forked child; the parent keeps both."""
        self._thread_lock, self._change = threading.RLock(), threading.Lock()
        if not self._closed:
            self._closed = True
            self._files.close(self._descriptor)
            self._files.close(self._lock_descriptor)

    def close(self) -> None:
        """Release file and lock; closing twice is harmless."""
        with self._thread_lock, unless_within(self._change, self._path):
            if self._closed:
                return
            self._closed = True
            try:
                self._files.close(self._descriptor)
            finally:
                self._files.close(self._lock_descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_lock(self) -> int:
        # A file of its own, because rotation replaces the journal's.
        descriptor = self._files.open(self._path + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._files.lock(descriptor, wait=False)
        except BlockingIOError as held:
            self._files.close(descriptor)
            raise JournalLockedError(
                f"{self._path} is being written by another journal object or process", reason=Reason.JOURNAL_LOCKED
            ) from held
        except BaseException:
            self._files.close(descriptor)
            raise
        return descriptor

    def _open(self) -> None:
        found = self._scan()
        descriptor = self._files.open(self._path, os.O_RDWR | os.O_APPEND)
        try:
            if self._files.size(descriptor) > found.good_length:
                self._files.truncate(descriptor, found.good_length)
            self._files.sync(descriptor)
            self._files.sync_directory(directory_of(self._path))
        except BaseException:
            self._files.close(descriptor)
            raise
        self._descriptor = descriptor
        self._salt = found.salt
        self._end = (found.good_length, len(found.records))

    def _scan(self) -> Scan:
        try:
            return scan(self._read(None))
        except JournalCorruptError as damage:
            raise JournalCorruptError(f"{self._path}: {damage}", reason=damage.reason) from None

    def _read(self, size: int | None) -> bytes:
        descriptor = self._files.open(self._path, os.O_RDONLY)
        try:
            return read_all(self._files, descriptor) if size is None else self._files.read(descriptor, size)
        finally:
            self._files.close(descriptor)

    def _cut_back(self, failure: BaseException) -> None:
        try:
            cut_back(self._files, self._descriptor, self._end[0], failure)
        except BaseException:
            self._failure = failure
            raise

    def _require_own_file(self, length: int) -> None:
        """Refuse when an interrupt, or someone who ignores the lock, changed the file or put another in its place."""
        detail = None
        if not self._files.leads_to(self._path, self._descriptor):
            detail = "the file was removed or replaced"
        elif self._files.size(self._descriptor) != length:
            detail = "the file's length is not what the last append left"
        if detail is not None:
            self._failure = JournalError(detail, reason=Reason.JOURNAL_FAILED)
            self._require_usable()

    def _require_old_file(self, failure: BaseException) -> None:
        """Go on after a failed rotation only if the file is still the one we append to."""
        try:
            unchanged = self._read(HEADER_LENGTH) == header(self._salt)
        except OSError:
            unchanged = False
        if not unchanged:
            self._failure = failure

    def _require_usable(self) -> None:
        require_usable(self._path, self._process, self._closed, self._failure)
