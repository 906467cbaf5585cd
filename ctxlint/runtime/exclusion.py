"""Changes of one object that never begin within one another.

A thread lock keeps other threads out. It does nothing against the same thread: a signal handler, a finaliser or a
callback of the journal that runs in the middle of a change would wait for itself, or, with a lock that lets its
holder in, change what the outer change has already read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading


def unless_within(change: threading.Lock, what: str) -> threading.Lock:
    """Return the lock `change` of `what` to be held for one change, or raise `RuntimeError` if it is held already.

    To be called by the holder of a reentrant lock, so that only the same thread can hold it: ``with reentrant,
    unless_within(change, "the buffer"):``. The state is a lock of the interpreter's because an interrupt cannot fall
    between the steps of entering or leaving one.
    """
    if change.locked():
        raise RuntimeError(
            f"{what} is in the middle of a change, and this call came from within it (from a signal handler, a "
            "finaliser or a callback); it would change what the outer change rests on"
        )
    return change
