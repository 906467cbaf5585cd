"""Changes of one object that never begin within one another.

A thread lock keeps other threads out. It does nothing against the same thread: a signal handler, a finaliser or a
callback of the journal that runs in the middle of a change would wait for itself, or, with a lock that lets its
holder in, change what the outer change has already read.
"""

from __future__ import annotations

from types import TracebackType


class OneChange:
    """``with lock, one_change:`` refuses by `RuntimeError` what the holder of the reentrant `lock` begins within it.

    Entering and leaving make no call, so that no interrupt falls between their steps.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._under_way = False

    def __enter__(self) -> None:
        if self._under_way:
            raise RuntimeError(
                f"{self._what} is in the middle of a change, and this call came from within it (from a signal "
                "handler, a finaliser or a callback); it would change what the outer change rests on"
            )
        self._under_way = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._under_way = False
