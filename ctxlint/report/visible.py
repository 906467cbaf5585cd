"""Signs of the code under analysis that would act on whoever shows them: control codes, ends of lines, turned text."""

from __future__ import annotations

import unicodedata

_TURNS_TEXT = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str, kept: str = "\t") -> str:
    """Return `text` with such signs written out as Python writes them, except those of `kept`."""
    if text.isprintable():
        return text
    return "".join(sign.encode("unicode_escape").decode() if _acts(sign) and sign not in kept else sign for sign in text)


def _acts(sign: str) -> bool:
    return sign in _TURNS_TEXT or unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
