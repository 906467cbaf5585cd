"""Where something stands in a source text."""

from __future__ import annotations

import msgspec


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False, order=True):
    """A region of one file: lines and columns count from 1, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(1, 1, 1, 1)
