"""The state of the files that a run has asked about, as the system tells it without opening one.

A file that was written has another time, size or number than before; a folder in which a name came or went has another time.
Times are coarse, so a state is only taken when it is old enough that the next change must show.
This module, and what imports it when nothing has changed, loads nothing else: that is most of what such a run costs.
"""

from __future__ import annotations

import os
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    State = tuple[int, int, int, int]

FINE, COARSE = 50_000_000, 2_000_000_000
"""Nanoseconds within which two changes may bear the same time; coarse for file systems that count whole seconds."""

_MISSING = (-1, -1, -1, -1)
_PLACES = 1 << 62


def state(path: str) -> State:
    """Size, time of change of the content and of the entry, and number of a file or folder; negative when there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return _MISSING
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino % _PLACES


def kind(path: str) -> int:
    """Whether there is a file, a folder or something else; negative when there is nothing."""
    try:
        return os.stat(path).st_mode >> 12
    except (OSError, ValueError):
        return -1


def states(files: Iterable[str], kinds: Iterable[str]) -> bytes:
    """The states of files and folders, then the kinds of others, as bytes to compare."""
    found = array("q")
    extend = found.extend
    for path in files:
        extend(state(path))
    found.extend([kind(path) for path in kinds])
    return found.tobytes()


def is_old(known: State, at: int) -> bool:
    """Whether a file that was in this state then must have a later time when it is changed afterwards."""
    _, modified, changed, _ = known
    return all(time < at - (COARSE if time % 1_000_000_000 == 0 else FINE) for time in (modified, changed))
