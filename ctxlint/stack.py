"""Under which limits of the interpreter a whole program is looked at."""

from __future__ import annotations

import gc
import sys

RECURSION_LIMIT = 4000
"""Frames: `calls.memo.DEEPEST` questions of some fifty frames each fit in, and the stack of a main thread holds them."""


class with_room_and_no_cyclic_collection:
    """Nothing in the analysis makes reference cycles, and looking for them costs a third of the time.

    A chain of questions about types nests deeper than the interpreter allows by default; it is bounded by itself
    (`calls.memo.DEEPEST`).
    """

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        self._limit = sys.getrecursionlimit()
        gc.disable()
        sys.setrecursionlimit(max(self._limit, RECURSION_LIMIT))

    def __exit__(self, *exception: object) -> None:
        sys.setrecursionlimit(self._limit)
        if self._was_enabled:
            # What lives now would all be looked through once more, which takes as long as lowering it.
            gc.freeze()
            gc.enable()
