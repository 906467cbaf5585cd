"""How checks spell stores and cells."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.terms import UNKNOWN, text_of


def store_name(effect: StoreEffect) -> str:
    """A store in words: a path's term, a table, an interface."""
    if effect.medium == "file" and effect.place != UNKNOWN:
        return text_of(effect.place)
    return min(map(_short_key, effect.keys), key=len, default="the store")


def _short_key(key: str) -> str:
    kind, _, name = key.partition(" ")
    if name:
        return f"{kind} {name.rpartition('.')[2]}"
    holder = key.partition("[")[0]
    return ".".join(holder.rsplit(".", 2)[-2:])


def short_cell(cells: tuple[str, ...]) -> str:
    """A cell in words: its class and attribute, or the module's variable."""
    return ".".join(cells[0].rsplit(".", 2)[-2:]) if cells else "the cell"
