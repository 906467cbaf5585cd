"""A folder of records by key, which any number of processes read and write at once.

A record is whole or it is not there: it is written beside its place and moved into it, and a checksum tells one that was
damaged later, which then counts as missing.
Nothing in a record is code, so a folder from elsewhere can be wrong, but cannot run anything.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ctxlint.store.committed import is_committed

LARGEST_FOLDER = 512 * 1024 * 1024
"""Bytes; a folder that grew larger loses its oldest records until it is half as large."""

_MAGIC = b"ctxlint record 1\n"
_DIGEST = 16
_PART = (".", ".part")
"""How the name of a file begins and ends that is still being written."""
_MARK = "# Written by ctxlint."
_IGNORE_FILE = f"{_MARK}\n*\n"


class Folder:
    """The records under one folder; it is made when the first record is written."""

    def __init__(self, path: Path, largest: int = LARGEST_FOLDER) -> None:
        self.path = path
        self._largest = largest
        self._is_made = False
        self._is_committed: bool | None = None

    @property
    def is_committed(self) -> bool:
        """Whether the records came with the code; such a folder has none that are believed."""
        if self._is_committed is None:
            self._is_committed = is_committed(os.path.abspath(self.path))
        return self._is_committed

    @property
    def is_foreign(self) -> bool:
        """Whether the folder holds things but was not begun by ctxlint: records would lie among what is somebody else's."""
        try:
            return any(not _is_half_written(path.name) for path in self.path.iterdir()) and not self._is_marked()
        except OSError:                         # missing, or nothing that could be written to
            return False

    def _is_marked(self) -> bool:
        try:
            return (self.path / ".gitignore").read_text(encoding="utf-8").startswith(_MARK)
        except (OSError, UnicodeDecodeError):
            return False

    def get(self, kind: str, key: str) -> bytes | None:
        """The record's content; None when there is none, or when it was damaged, cannot be read or came with the code."""
        if self.is_committed:
            return None
        try:
            data = self._place(kind, key).read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + _DIGEST
        content = data[start:]
        intact = data[: len(_MAGIC)] == _MAGIC and data[len(_MAGIC) : start] == _checksum(content)
        return content if intact else None

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Write the record, or replace it; raise OSError when the folder cannot be written."""
        self._make()
        place = self._place(kind, key)
        place.parent.mkdir(parents=True, exist_ok=True)
        # Not flushed to the disk: a record that a crash tears is missing, which costs time and loses nothing.
        _moved_into(place, _MAGIC + _checksum(content) + content)

    def prune(self) -> None:
        """Remove the oldest records of a folder that has grown too large, and what killed runs left half written.

        A folder that ctxlint has not begun itself is left alone.
        """
        if not self._is_marked():
            return
        found = sorted(self._records())
        total = sum([size for _, size, _ in found])
        if total <= self._largest:
            return
        for _, size, place in found:
            if total <= self._largest // 2:
                break
            try:
                place.unlink()
            except FileNotFoundError:       # another run was faster
                pass
            total -= size

    def _records(self) -> Iterator[tuple[int, int, Path]]:
        for place in self.path.glob("*/*/*"):
            try:
                status = place.stat()
            except FileNotFoundError:       # another run has removed or renamed it
                continue
            yield status.st_mtime_ns, status.st_size, place

    def _place(self, kind: str, key: str) -> Path:
        return self.path / kind / key[:2] / key[2:]

    def _make(self) -> None:
        """Make the folder, with a file that keeps version control away from it."""
        if self._is_made:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        ignore = self.path / ".gitignore"
        if not ignore.exists():         # whole or not there: it is by what the folder is known again
            _moved_into(ignore, _IGNORE_FILE.encode(), 0o644)    # others who share the folder look at it, too
        self._is_made = True


def _moved_into(place: Path, data: bytes, mode: int = 0o600) -> None:
    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=_PART[0], suffix=_PART[1])
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise


def _is_half_written(name: str) -> bool:
    return name.startswith(_PART[0]) and name.endswith(_PART[1])


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
