"""A disk that forgets what was not synchronised, and the crash tests it makes possible.

What it models follows Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014), and for failing
synchronisations Rebello et al., "Can Applications Recover from fsync Failures?" (ATC 2020):

- at a crash each unsynchronised write survives block by block, independently of the others: whole, torn, reordered,
  or not at all;
- a new, renamed or removed name survives only with its directory synchronised; unsynchronised names survive in order;
- a write may be short; any operation may fail;
- when a synchronisation fails, what it was to write may be on the disk or not, and no later one writes it.
"""

from __future__ import annotations

import errno
import os
import posixpath
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .errors import ContextError
from .files import Status

BLOCK = 16
"""Bytes that survive or perish together; small, so that short records are torn too."""

Acknowledge = Callable[[bytes], None]
Program = Callable[["SimulatedDisk", Acknowledge], object]
Check = Callable[["SimulatedDisk", list[bytes]], object]
Fault = Literal["crash", "short"] | OSError


class SimulatedCrash(BaseException):
    """The machine is off. No handler of the program under test can do anything to the disk any more."""


class CrashTestFailure(AssertionError):
    """A check failed on what a crash or a failure left; the message says after which operation."""


@dataclass(slots=True)
class _File:
    """Content as programs see it, content on the disk, and the changes between the two."""

    visible: bytearray = field(default_factory=bytearray)
    durable: bytes = b""
    pending: list[tuple[int, bytes] | int] = field(default_factory=list)
    mode: int = 0o644
    locked_by: int | None = None

    def survive(self, choose: Callable[[], bool]) -> bytes:
        """Return what is on the disk when of each pending change `choose` decides, block by block."""
        content = bytearray(self.durable)
        for change in self.pending:
            if isinstance(change, int):
                if choose():
                    _resize(content, change)
                continue
            offset, data = change
            for start in range(0, len(data), BLOCK):
                if choose():
                    block = data[start : start + BLOCK]
                    _resize(content, max(len(content), offset + start))
                    content[offset + start : offset + start + len(block)] = block
        return bytes(content)


@dataclass(slots=True)
class _Open:
    file: _File
    flags: int
    position: int = 0


class SimulatedDisk:
    """An in-memory `Files` with faults at chosen operations.

    `faults` maps the number of an operation, counted from 1 over all that change the disk, to what happens there:
    an `OSError` to raise, ``"short"`` for a write that writes half, ``"crash"``.
    `log` lists the operations so far. `seed` decides what of a torn write survives.
    """

    def __init__(self, *, faults: Mapping[int, Fault] | None = None, seed: int = 0) -> None:
        self._faults = dict(faults or {})
        self._random = random.Random(seed)
        self._names: dict[str, _File] = {}
        self._durable_names: dict[str, _File] = {}
        self._pending_names: list[tuple[str, _File | None, str | None]] = []
        self._open: dict[int, _Open] = {}
        self._next_descriptor = 3
        self._off = False
        self.log: list[str] = []

    def crash(self, survives: Callable[[], bool]) -> SimulatedDisk:
        """Switch the machine off and return the disk as the next start finds it; `survives` decides each block."""
        self._off = True
        names = dict(self._durable_names)
        for change in self._pending_names:
            if not survives():
                break
            _rename(names, change)
        after = SimulatedDisk(seed=self._random.randrange(2**32))
        for path, file in names.items():
            content = file.survive(survives)
            after._names[path] = after._durable_names[path] = _File(bytearray(content), content, [], file.mode)
        return after

    def restart(self) -> None:
        """Start anew after a crash of the process alone: descriptors and locks are gone, the cache is not."""
        self._off = False
        self._open.clear()
        for file in self._names.values():
            file.locked_by = None

    def read_file(self, path: str) -> bytes:
        """Return the content of a file as programs see it; `FileNotFoundError` when there is none."""
        return bytes(self._file(path).visible)

    def paths(self) -> list[str]:
        """Return all names, sorted; absolute ones, whatever they were opened by."""
        return sorted(self._names)

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        self._require_power()
        path = _absolute(path)
        file = self._names.get(path)
        if file is None:
            if not flags & os.O_CREAT:
                raise FileNotFoundError(errno.ENOENT, "no such file", path)
            self._operation("create", path)
            file = self._names[path] = _File(mode=mode & ~0o022)
            self._pending_names.append((path, file, None))
        elif flags & os.O_EXCL:
            raise FileExistsError(errno.EEXIST, "file exists", path)
        descriptor, self._next_descriptor = self._next_descriptor, self._next_descriptor + 1
        self._open[descriptor] = _Open(file, flags)
        if flags & os.O_TRUNC:
            self.truncate(descriptor, 0)
        return descriptor

    def read(self, descriptor: int, size: int) -> bytes:
        self._require_power()
        handle = self._handle(descriptor)
        data = bytes(handle.file.visible[handle.position : handle.position + size])
        handle.position += len(data)
        return data

    def write(self, descriptor: int, data: bytes) -> int:
        handle = self._handle(descriptor)
        fault = self._operation("write", str(len(data)), can_be_partial=True)
        if fault is not None:
            data = data[: self._random.randrange(len(data) + 1) if fault == "crash" else (len(data) + 1) // 2]
        offset = len(handle.file.visible) if handle.flags & os.O_APPEND else handle.position
        _resize(handle.file.visible, max(len(handle.file.visible), offset))
        handle.file.visible[offset : offset + len(data)] = data
        handle.file.pending.append((offset, data))
        handle.position = offset + len(data)
        if fault == "crash":
            self._turn_off()
        return len(data)

    def size(self, descriptor: int) -> int:
        self._require_power()
        return len(self._handle(descriptor).file.visible)

    def truncate(self, descriptor: int, size: int) -> None:
        file = self._handle(descriptor).file
        self._operation("truncate", str(size))
        if size != len(file.visible):
            _resize(file.visible, size)
            file.pending.append(size)

    def sync(self, descriptor: int) -> None:
        file = self._handle(descriptor).file
        try:
            self._operation("sync", "")
        except OSError:
            file.durable = file.survive(lambda: self._random.random() < 0.5)
            file.pending.clear()
            raise
        file.durable = file.survive(lambda: True)
        file.pending.clear()

    def sync_data(self, descriptor: int) -> None:
        self.sync(descriptor)

    def sync_directory(self, path: str) -> None:
        path = _absolute(path)
        self._operation("sync_directory", path)
        here = [change for change in self._pending_names if posixpath.dirname(change[0]) == path]
        for change in here:
            _rename(self._durable_names, change)
        self._pending_names = [change for change in self._pending_names if change not in here]

    def close(self, descriptor: int) -> None:
        self._require_power()
        handle = self._handle(descriptor)
        del self._open[descriptor]
        if handle.file.locked_by == descriptor:
            handle.file.locked_by = None

    def lock(self, descriptor: int, *, wait: bool) -> None:
        self._require_power()
        file = self._handle(descriptor).file
        if file.locked_by not in (None, descriptor):
            raise BlockingIOError(errno.EAGAIN, "locked; a simulated disk does not wait" if wait else "locked")
        file.locked_by = descriptor

    def replace(self, source: str, target: str) -> None:
        source, target = _absolute(source), _absolute(target)
        file = self._file(source)
        self._operation("replace", target)
        change = (target, file, source)
        _rename(self._names, change)
        self._pending_names.append(change)

    def unlink(self, path: str) -> None:
        path = _absolute(path)
        self._file(path)
        self._operation("unlink", path)
        _rename(self._names, (path, None, None))
        self._pending_names.append((path, None, None))

    def status(self, path: str) -> Status | None:
        self._require_power()
        file = self._names.get(_absolute(path))
        return None if file is None else Status(file.mode, 0, 0, True)

    def leads_to(self, path: str, descriptor: int) -> bool:
        self._require_power()
        return self._names.get(_absolute(path)) is self._handle(descriptor).file

    def is_link(self, path: str) -> bool:
        return False

    def real_path(self, path: str) -> str:
        return _absolute(path)

    def keep_status(self, descriptor: int, status: Status) -> None:
        file = self._handle(descriptor).file
        self._operation("keep_status", "")
        file.mode = status.mode

    def _operation(self, name: str, detail: str, *, can_be_partial: bool = False) -> Fault | None:
        """Count an operation that changes the disk and bring the fault planned for it."""
        self._require_power()
        self.log.append(f"{name} {detail}".rstrip())
        fault = self._faults.get(len(self.log))
        if isinstance(fault, OSError):
            raise fault
        if fault is None or can_be_partial:
            return fault
        if fault == "crash":
            self._turn_off()
        return None

    def _turn_off(self) -> None:
        self._off = True
        raise SimulatedCrash

    def _require_power(self) -> None:
        if self._off:
            raise SimulatedCrash

    def _file(self, path: str) -> _File:
        path = _absolute(path)
        if path not in self._names:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        return self._names[path]

    def _handle(self, descriptor: int) -> _Open:
        if descriptor not in self._open:
            raise OSError(errno.EBADF, "bad descriptor")
        return self._open[descriptor]


def crash_everywhere(program: Program, check: Check, *, images: int = 6, seed: int = 0) -> int:
    """Run `program` with a crash at each operation it makes on a disk, and one at its end; return how many crashes.

    `program(disk, acknowledge)` uses ``files=disk`` and calls `acknowledge(value)` for what it considers done.
    After each crash `check(disk, acknowledged)` runs on `images` disks that the crash may have left: one that kept
    only what was synchronised, one that kept everything, the others by chance from `seed`.
    `program` must do the same each time.
    Raises `CrashTestFailure` from what `check` raised, and `ValueError` when the program never used the disk.
    """
    crashes = _length_of(program) + 1
    for number in range(1, crashes + 1):
        for image in range(images):
            _one_fault(program, check, number, "crash", image, seed)
    return crashes


def fail_everywhere(
    program: Program, check: Check, *, errors: tuple[int, ...] = (errno.ENOSPC, errno.EIO), seed: int = 0
) -> int:
    """Do what `crash_everywhere` does with a failing operation, and with a short write, in place of the crash.

    The program goes on as it likes; an `OSError` or `ContextError` that leaves it is no failure of the test, and any
    other exception is one.
    The machine is switched off when it has ended. Returns how many faults were brought.
    """
    operations = _length_of(program)
    for number in range(1, operations + 1):
        faults: list[Fault] = [OSError(code, os.strerror(code)) for code in errors]
        for fault in [*faults, "short"]:
            for image in range(3):
                _one_fault(program, check, number, fault, image, seed)
    return operations * (len(errors) + 1)


def _length_of(program: Program) -> int:
    disk = SimulatedDisk()
    program(disk, lambda value: None)
    if not disk.log:
        raise ValueError("the program changed nothing on the disk it was given, so nothing would be tested")
    return len(disk.log)


def _one_fault(program: Program, check: Check, number: int, fault: Fault, image: int, seed: int) -> None:
    disk = SimulatedDisk(faults={number: fault}, seed=seed + number)
    acknowledged: list[bytes] = []
    try:
        program(disk, acknowledged.append)
    except (OSError, ContextError) as end:
        if fault == "crash":
            raise _failure(disk, number, fault, image, acknowledged, "the program", end) from end
    except SimulatedCrash:
        if fault != "crash":
            raise
    except Exception as end:
        raise _failure(disk, number, fault, image, acknowledged, "the program", end) from end
    chance = random.Random(f"{seed}-{number}-{image}")
    survivor = disk.crash({0: lambda: False, 1: lambda: True}.get(image, lambda: chance.random() < 0.5))
    try:
        check(survivor, acknowledged)
    except Exception as failure:
        raise _failure(disk, number, fault, image, acknowledged, "the check", failure) from failure


def _failure(
    disk: SimulatedDisk,
    number: int,
    fault: Fault,
    image: int,
    acknowledged: list[bytes],
    where: str,
    cause: Exception,
) -> CrashTestFailure:
    operation = disk.log[number - 1] if number <= len(disk.log) else "the end"
    return CrashTestFailure(
        f"{fault!r} at operation {number} ({operation}), image {image}, {len(acknowledged)} acknowledged: "
        f"{where} raised {cause!r}"
    )


def _absolute(path: str | os.PathLike[str]) -> str:
    """Return the one name under which the disk knows a file, however the program spells it."""
    return os.path.abspath(os.fspath(path))


def _rename(names: dict[str, _File], change: tuple[str, _File | None, str | None]) -> None:
    path, file, source = change
    if source is not None:
        names.pop(source, None)
    if file is None:
        names.pop(path, None)
    else:
        names[path] = file


def _resize(content: bytearray, size: int) -> None:
    if size < len(content):
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))
