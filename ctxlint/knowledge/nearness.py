"""Which known word an unknown one was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean `x`?)` for the known word nearest to `word`, or nothing when none is near."""
    near = nearest(word, known)
    return f" (did you mean `{near}`?)" if near is not None else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word nearest to `word`, if one is near."""
    by_folded = {candidate.casefold(): candidate for candidate in sorted(known)}
    found = difflib.get_close_matches(word.casefold(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None
