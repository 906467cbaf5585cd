"""From the bytes of a file to the words of the analysis."""

from __future__ import annotations

from ctxlint.ir.module import Module
from ctxlint.syntax.lower import lower
from ctxlint.syntax.read import LARGEST_FILE, Problem, read


def load(source: bytes, largest: int = LARGEST_FILE) -> Module | Problem:
    """Read and lower a file; what stands in it never raises."""
    reading = read(source, largest)
    if isinstance(reading, Problem):
        return reading
    try:
        return lower(reading.tree, reading.source)
    except RecursionError:
        return Problem("too-deep", "expressions are nested too deeply to be analysed")
