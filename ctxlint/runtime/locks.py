"""One lock per key, for threads and for tasks alike. `asyncio` is imported by the first ``async with``, not before."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio


class _Waiter(Protocol):
    def hand_over(self) -> None:
        """Tell the waiter that it now holds the key."""


@dataclass(eq=False, slots=True)
class _Thread:
    granted: threading.Event = field(default_factory=threading.Event)

    def hand_over(self) -> None:
        self.granted.set()


@dataclass(eq=False, slots=True)
class _Task:
    loop: asyncio.AbstractEventLoop
    granted: asyncio.Future[None]

    def hand_over(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            # The waiter's loop was closed under it: it will never run again, so the key passes to the next.
            raise _Gone from None

    def _wake(self) -> None:
        if not self.granted.done():
            self.granted.set_result(None)


class _Gone(Exception):
    """The waiter cannot take the key any more."""


@dataclass(slots=True)
class _Holding:
    owner: object
    waiters: deque[tuple[_Waiter, object]] = field(default_factory=deque)


class KeyedLocks:
    """A family of locks by key; a key that nobody holds or awaits takes no memory."""

    def __init__(self) -> None:
        self._held: dict[Hashable, _Holding] = {}
        self._guard = threading.Lock()

    def lock(self, key: Hashable) -> KeyedLock:
        """Return the lock of `key`, to be used with ``with`` in threads and with ``async with`` in tasks."""
        return KeyedLock(self, key)

    def _take_or_queue(self, key: Hashable, owner: object, waiter: _Waiter) -> bool:
        """Take the key and return True, or put `waiter` in line, first come first served."""
        with self._guard:
            holding = self._held.get(key)
            if holding is None:
                self._held[key] = _Holding(owner)
                return True
            if holding.owner == owner or _would_stop_its_holder(holding.owner, waiter):
                raise RuntimeError(f"lock of {key!r} is already held here; waiting for it would never end")
            holding.waiters.append((waiter, owner))
            return False

    def _give(self, key: Hashable) -> None:
        with self._guard:
            holding = self._held[key]
            while holding.waiters:
                waiter, holding.owner = holding.waiters.popleft()
                try:
                    waiter.hand_over()
                except _Gone:
                    continue
                return
            del self._held[key]

    def _withdraw(self, key: Hashable, waiter: _Waiter) -> None:
        """Leave the line, or, when the key was handed over in the same moment, pass it on."""
        with self._guard:
            waiters = self._held[key].waiters
            for place in waiters:
                if place[0] is waiter:
                    waiters.remove(place)
                    return
        self._give(key)


def _would_stop_its_holder(holder: object, waiter: _Waiter) -> bool:
    """Say whether a thread is about to wait for a task that only this very thread can run."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(waiter, _Thread) or not isinstance(holder, asyncio.Task):
        return False
    return holder.get_loop() is asyncio._get_running_loop()


class KeyedLock:
    """The lock of one key. Threads and tasks, of any loop, exclude one another; none may take it twice."""

    def __init__(self, family: KeyedLocks, key: Hashable) -> None:
        self._family = family
        self._key = key

    def __enter__(self) -> None:
        waiter = _Thread()
        if not self._family._take_or_queue(self._key, threading.get_ident(), waiter):
            try:
                waiter.granted.wait()
            except BaseException:
                self._family._withdraw(self._key, waiter)
                raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._family._give(self._key)

    async def __aenter__(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        waiter = _Task(loop, loop.create_future())
        if not self._family._take_or_queue(self._key, asyncio.current_task(), waiter):
            try:
                await waiter.granted
            except BaseException:
                self._family._withdraw(self._key, waiter)
                raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._family._give(self._key)


_PROCESS_WIDE = KeyedLocks()


def keyed_lock(key: Hashable) -> KeyedLock:
    """Return the process-wide lock of `key`: ``with keyed_lock(k):`` or ``async with keyed_lock(k):``.

    Hold it from the read of what `key` stands for to the write; two holds are no guard.
    ``with`` blocks the whole event loop when used in a task; use ``async with`` there.
    Taking a key that the same thread or task already holds, or with ``with`` one that a task of the same event loop
    holds, is a `RuntimeError`, not a deadlock.
    """
    return _PROCESS_WIDE.lock(key)
