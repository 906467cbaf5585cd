"""Whether LibCST reads a file and writes the same bytes: nothing else is edited."""

from __future__ import annotations

import libcst as cst

from ctxlint.syntax.depth import nesting, with_room


def is_exact(data: bytes) -> bool:
    """Whether the file parses and its tree is the file, byte for byte."""
    try:
        if nesting(data).deep:
            return with_room(_same, data)
        return _same(data)
    except (cst.ParserSyntaxError, cst.CSTLogicError, SyntaxError, UnicodeError, LookupError, ValueError, RecursionError):
        return False


def _same(data: bytes) -> bool:
    return cst.parse_module(data).bytes == data
