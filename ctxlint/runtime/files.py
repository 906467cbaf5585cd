"""The few file operations that durability needs, as a layer that tests can replace.

The methods are those of `os`, by descriptor.
`ctxlint.runtime.faults.SimulatedDisk` is the other implementation: it forgets what was not synchronised.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Status:
    """What a replacement must keep: permission bits and ownership."""

    mode: int
    owner: int
    group: int
    regular: bool


class Files(Protocol):
    """A file system. Every method raises `OSError` as `os` does; `write` may write less than it was given."""

    def open(self, path: str, flags: int, mode: int = 0o666) -> int: ...

    def read(self, descriptor: int, size: int) -> bytes: ...

    def write(self, descriptor: int, data: bytes) -> int: ...

    def size(self, descriptor: int) -> int: ...

    def truncate(self, descriptor: int, size: int) -> None: ...

    def sync(self, descriptor: int) -> None:
        """Return when content and metadata of the file are on stable storage."""

    def sync_data(self, descriptor: int) -> None:
        """Return when the content, and the length needed to read it back, are on stable storage."""

    def sync_directory(self, path: str) -> None:
        """Return when the names in a directory are on stable storage."""

    def close(self, descriptor: int) -> None: ...

    def lock(self, descriptor: int, *, wait: bool) -> None:
        """Hold the file exclusively until the descriptor is closed; `BlockingIOError` when it is held."""

    def replace(self, source: str, target: str) -> None: ...

    def unlink(self, path: str) -> None: ...

    def status(self, path: str) -> Status | None:
        """Describe what `path` leads to, following links; None when there is nothing."""

    def leads_to(self, path: str, descriptor: int) -> bool:
        """Say whether `path` is still a name of the open file, and not of another one or of none."""

    def is_link(self, path: str) -> bool: ...

    def real_path(self, path: str) -> str: ...

    def keep_status(self, descriptor: int, status: Status) -> None:
        """Give an open file the ownership and the mode of another one."""


class OSFiles:
    """The file system of the operating system."""

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        return os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), mode)

    def read(self, descriptor: int, size: int) -> bytes:
        return os.read(descriptor, size)

    def write(self, descriptor: int, data: bytes) -> int:
        return os.write(descriptor, data)

    def size(self, descriptor: int) -> int:
        return os.fstat(descriptor).st_size

    def truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        if sys.platform == "darwin":
            # Darwin's fsync stops at the drive's cache.
            import fcntl

            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def sync_data(self, descriptor: int) -> None:
        if sys.platform == "linux":
            os.fdatasync(descriptor)
        else:
            self.sync(descriptor)

    def sync_directory(self, path: str) -> None:
        if sys.platform == "win32":
            return  # Windows cannot open directories; NTFS journals its names itself.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def lock(self, descriptor: int, *, wait: bool) -> None:
        if sys.platform == "win32":
            import msvcrt

            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except PermissionError as held:
                raise BlockingIOError(*held.args) from held
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))

    def replace(self, source: str, target: str) -> None:
        os.replace(source, target)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def status(self, path: str) -> Status | None:
        try:
            found = os.stat(path)
        except FileNotFoundError:
            return None
        return Status(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, stat.S_ISREG(found.st_mode))

    def leads_to(self, path: str, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.stat(path), os.fstat(descriptor))
        except FileNotFoundError:
            return False

    def is_link(self, path: str) -> bool:
        return os.path.islink(path)

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def keep_status(self, descriptor: int, status: Status) -> None:
        if sys.platform == "win32":
            return  # Ownership is inherited from the directory there, and there are no mode bits to keep.
        present = os.fstat(descriptor)
        if (present.st_uid, present.st_gid) != (status.owner, status.group):
            os.fchown(descriptor, status.owner, status.group)
        os.fchmod(descriptor, status.mode)  # After the owner: changing the owner clears set-id bits.


OS_FILES: Files = OSFiles()


def as_bytes(data: object) -> bytes:
    """Return bytes-like `data` as bytes; `TypeError` for a number, of which `bytes` would make that many zeros."""
    return bytes(memoryview(data))  # type: ignore[arg-type]


def write_all(files: Files, descriptor: int, data: bytes) -> None:
    """Write all of `data`, however short the single writes are."""
    rest = memoryview(data)
    while rest:
        rest = rest[files.write(descriptor, bytes(rest)) :]


def read_all(files: Files, descriptor: int) -> bytes:
    """Read from where the descriptor stands to the end."""
    parts = []
    while part := files.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def directory_of(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))
