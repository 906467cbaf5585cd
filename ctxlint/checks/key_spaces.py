"""Which entries of a store that keeps many things two operations are about, told by the keys that they are given.

One interface serves a whole program: a queue, a log and a table of who is there differ only in how their keys are made.
"""

from __future__ import annotations

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import NONE
from ctxlint.knowledge.words import hints


def in_other_spaces(analysis: Analysis, one: StoreEffect, other: StoreEffect) -> bool:
    """Whether the two operations of an interface make their keys in two ways: by two functions, or with two beginnings."""
    if one.medium != "interface" or other.medium != "interface":
        return False
    spaces = analysis.key_spaces.of(one), analysis.key_spaces.of(other)
    return bool(spaces[0] and spaces[1]) and spaces[0] != spaces[1]


def expires_by_itself(analysis: Analysis, removal: StoreEffect) -> bool:
    """Whether what is removed was only ever put there for a time: time makes good for a removal that fails."""
    space = analysis.key_spaces.of(removal) if removal.kind == "delete" and removal.medium == "interface" else ""
    kept = [
        writer.effect for writer in analysis.stores.writers(removal.keys)
        if writer.effect.medium == "interface" and writer.effect.kind in WRITES - {"delete"}
        and analysis.key_spaces.of(writer.effect) == space
    ] if space else []
    return bool(kept) and all(_has_an_end(analysis, effect) for effect in kept)


def _has_an_end(analysis: Analysis, effect: StoreEffect) -> bool:
    """Whether the operation is told for how long the entry is to be kept."""
    return any(hints(name, analysis.words.expiries) and value != NONE for name, value in analysis.key_spaces.given(effect).items())
