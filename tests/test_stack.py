"""What one analysis leaves behind is let go of by the next one."""

from __future__ import annotations

import gc
import weakref

import pytest

from ctxlint import stack


class Ring:
    """Something that only the search for cycles can let go of."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("worth", "kept"), [(0, False), (1 << 60, True)])
def test_what_an_analysis_left_is_let_go_of_by_the_next_one(worth: int, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "WORTH_COLLECTING", worth)
    with stack.with_room_and_no_cyclic_collection():
        left = weakref.ref(Ring())
    assert left() is not None and gc.isenabled()
    with stack.with_room_and_no_cyclic_collection():
        assert (left() is not None) == kept and not gc.isenabled()
    gc.unfreeze()
