"""Under which limits of the interpreter a whole program is looked at."""

from __future__ import annotations

import gc
import sys

RECURSION_LIMIT = 4000
"""Frames: `calls.memo.DEEPEST` questions of some fifty frames each fit in, and the stack of a main thread holds them."""


WORTH_COLLECTING = 500_000
"""With fewer objects left by earlier analyses, some 100 MB, looking for those that nobody needs takes longer than it is worth."""


class with_room_and_no_cyclic_collection:
    """Looking for reference cycles costs a third of the time while an analysis grows, and finds none: all of it is needed.

    What an analysis leaves behind is set aside when it ends, as a process seldom makes another one; the next one lets it go.

    A chain of questions about types nests deeper than the interpreter allows by default; it is bounded by itself
    (`calls.memo.DEEPEST`).
    """

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        if gc.get_freeze_count() > WORTH_COLLECTING:
            gc.unfreeze()
            gc.collect()
        self._limit = sys.getrecursionlimit()
        gc.disable()
        sys.setrecursionlimit(max(self._limit, RECURSION_LIMIT))

    def __exit__(self, *exception: object) -> None:
        sys.setrecursionlimit(self._limit)
        if self._was_enabled:
            # What lives now would all be looked through once more, which takes as long as lowering it.
            gc.freeze()
            gc.enable()
