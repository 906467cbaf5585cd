"""What a forked child must not keep of the journals its parent has open.

A child inherits descriptors, and with them the lock; a parent that was killed could not be started again while a
worker lives. And an SQLite connection must not even be closed in a child: closing ends the write-ahead log under the
parent, which goes on writing into a file without a name. (https://www.sqlite.org/howtocorrupt.html, section 2.6)
"""

from __future__ import annotations

import os
import weakref
from contextlib import ExitStack
from typing import Protocol


class Inherited(Protocol):
    """An open object that a child must let go of."""

    def abandon(self) -> None:
        """Let go of everything shared with the parent, without touching what the parent uses. Runs in the child."""


_OPEN: weakref.WeakSet[Inherited] = weakref.WeakSet()


def abandon_in_children(opened: Inherited) -> None:
    """Let every child that is forked from now on abandon `opened`."""
    _OPEN.add(opened)


def _abandon_all() -> None:
    with ExitStack() as every:  # One that fails does not keep the others.
        for opened in list(_OPEN):
            every.callback(opened.abandon)
        _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_all)
