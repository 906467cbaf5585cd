"""The fingerprint of a line that code scanning at GitHub goes by, `primaryLocationLineHash`.

The action that uploads a report fills it in where it is missing; with it in the report, other ways of uploading track
alerts as well.

It is a polynomial hash (Karp and Rabin 1987; base 37, modulo 2 to the 64th) of the hundred characters from the
beginning of the line on, whatever line they end in.
Characters are UTF-16 code units; blanks and tabs do not count, every line break counts as one line feed, and the text is
continued by an end mark and zeros.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

WINDOW = 100
BASE = 37
MODULUS = 1 << 64
END_MARK = 0xFFFF

_BLANK, _TAB, _LINE_FEED = 0x20, 0x09, 0x0A


def line_hashes(text: str) -> Mapping[int, str]:
    """Return `hash:n` of each line of `text`, by its number from 1; the line is the `n`th that has this hash.

    The empty line after a last line break is a line too.
    """
    units, begins = _units(text.replace("\r\n", "\n").replace("\r", "\n"))
    prefixes = [0]
    for unit in units:
        prefixes.append((prefixes[-1] * BASE + unit) % MODULUS)
    shift = pow(BASE, WINDOW, MODULUS)
    seen: Counter[int] = Counter()
    hashes = {}
    for number, begin in enumerate(begins, 1):
        value = (prefixes[begin + WINDOW] - prefixes[begin] * shift) % MODULUS
        seen[value] += 1
        hashes[number] = f"{value:x}:{seen[value]}"
    return hashes


def _units(text: str) -> tuple[list[int], list[int]]:
    """Return the code units that count, with end mark and padding, and the index at which each line begins."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    units: list[int] = []
    begins = [0]
    for low, high in zip(encoded[::2], encoded[1::2]):
        unit = low | high << 8
        if unit in (_BLANK, _TAB):
            continue
        units.append(unit)
        if unit == _LINE_FEED:
            begins.append(len(units))
    return [*units, END_MARK, *[0] * WINDOW], begins
