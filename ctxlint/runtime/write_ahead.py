"""Small orders of steps that fixed code calls instead of spelling them out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, MutableMapping
from typing import Protocol, TypeVar

from .digests import digest
from .durable import atomic_write
from .errors import ConflictError, Reason, RollbackIntegrityError
from .files import OS_FILES, Files, read_all
from .finished import require_finished
from .locks import keyed_lock

Record_contra = TypeVar("Record_contra", contravariant=True)
Key = TypeVar("Key")
Value = TypeVar("Value")


class Appendable(Protocol[Record_contra]):
    """Anything that takes records: a `Journal`, a list, a store of one's own."""

    def append(self, record: Record_contra, /) -> object: ...


def write_ahead(journal: Appendable[Record_contra], record: Record_contra, mutate: Callable[[], Value]) -> Value:
    """Commit `record`, then call `mutate` and return what it returns.

    When the append raises, so does this, and nothing was mutated; nor when it returns something to await, which is a
    `TypeError`.
    When `mutate` raises, the record stands without its mutation: whoever replays the journal must find out whether
    the mutation is there, as after a crash between the two. `verified_restore` does.
    """
    require_finished(journal.append(record), "append", "nothing is recorded yet, and nothing was mutated")
    return mutate()


def verified_restore(
    read: Callable[[], Value], write: Callable[[Value], object], *, before: Value, after_digest: str
) -> bool:
    """Write the before-image back if the present content is still the after-image, and check that it arrived.

    `after_digest` is the `digest` of what the mutation left behind. Returns False, writing nothing, when the
    before-image is already there: the mutation never happened or was taken back.
    Raises `RollbackIntegrityError`: anchor-mismatch when the content is neither (someone wrote in between),
    digest-mismatch when the before-image does not read back.
    No other writer may come between the read and the write: hold their lock.
    """
    present, wanted = digest(read()), digest(before)
    if present == wanted:
        return False
    if present != after_digest:
        raise RollbackIntegrityError(
            "anchor mismatch: the content is not what the mutation left, restoring would overwrite another change",
            reason=Reason.ANCHOR_MISMATCH,
        )
    write(before)
    if digest(read()) != wanted:
        raise RollbackIntegrityError(
            "the restored content does not read back as the before-image", reason=Reason.DIGEST_MISMATCH
        )
    return True


_COMPARING = threading.RLock()
_UNDER_WAY: list[tuple[object, object]] = []
"""The cells, by container and key, that a call of `compare_and_set` is just replacing; one inside another at most."""


def compare_and_set(cells: MutableMapping[Key, Value], key: Key, expected_digest: str | None, value: Value) -> None:
    """Set ``cells[key]`` if the value there still has the `digest` it had when it was read; None means absent.

    A digest, because a reference to a mutable value changes along with it and compares equal to itself.
    Raises `ConflictError` (value-drift) and leaves the value alone. Atomic among calls of this function; a call for
    the same cell from within one, as by a signal handler, is a `RuntimeError`.
    """
    with _COMPARING:
        if any(known is cells and other == key for known, other in _UNDER_WAY):
            raise RuntimeError(f"{key!r} is just being compared and set; this call came from within that one")
        _UNDER_WAY.append((cells, key))
        try:
            present = digest(cells[key]) if key in cells else None
            _require_unchanged(present, expected_digest, str(key))
            cells[key] = value
        finally:
            _UNDER_WAY.pop()


def compare_and_write(
    path: str | os.PathLike[str], expected_digest: str | None, data: str | bytes, *, files: Files = OS_FILES
) -> None:
    """Replace a file as `atomic_write` does if its bytes still have the digest they had when they were read.

    `expected_digest` is the `digest` of the bytes; None means that there was no file.
    Raises `ConflictError` (value-drift). Writers that call this function exclude one another, between processes by
    ``<path>.lock``; others are noticed only if they wrote before the comparison.
    """
    target = files.real_path(os.path.abspath(os.fspath(path)))
    with keyed_lock(("ctxlint.compare_and_write", target)):
        lock = files.open(target + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            files.lock(lock, wait=True)
            _require_unchanged(_file_digest(target, files), expected_digest, target)
            atomic_write(target, data, files=files)
        finally:
            files.close(lock)


def _file_digest(path: str, files: Files) -> str | None:
    try:
        descriptor = files.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return digest(read_all(files, descriptor))
    finally:
        files.close(descriptor)


def _require_unchanged(present: str | None, expected: str | None, name: str) -> None:
    if present != expected:
        raise ConflictError(
            f"{name} is no longer what was read: expected {expected}, found {present}",
            reason=Reason.VALUE_DRIFT,
            regions=[name],
        )
