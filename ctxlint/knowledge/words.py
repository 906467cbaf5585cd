"""Name hints: which identifiers are likely to name what. They order the search and break ties, and prove nothing."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import msgspec

from ctxlint.knowledge.places import rules_folder
from ctxlint.knowledge.toml import read_toml, typed

WordSet = frozenset[str]


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words by what they hint at; each is one part of an identifier, in lower case and singular."""

    cells: WordSet
    journals: WordSet
    snapshots: WordSet
    recovery: WordSet
    telemetry: WordSet
    caches: WordSet
    temporary: WordSet
    versions: WordSet
    expectations: WordSet
    reads: WordSet
    writes: WordSet
    appends: WordSet
    deletes: WordSet
    acknowledgements: WordSet
    expiries: WordSet
    dependencies: WordSet
    looks: WordSet
    identities: WordSet
    effects: WordSet


def load_words(path: Path | None = None) -> Words:
    """Return the hints of `rules/words.toml`."""
    file = path or rules_folder() / "words.toml"
    return typed(Words, read_toml(file), str(file))


def parts(identifier: str) -> tuple[str, ...]:
    """Split an identifier into its words, in lower case and without a plural `s`: `_undoLog2` → `undo`, `log`."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)
    return tuple(_singular(word.lower()) for word in words)


@functools.cache
def hints(identifier: str, words: WordSet) -> bool:
    """Whether a part of `identifier`, or two neighbouring parts written together, is one of `words`."""
    split = parts(identifier)
    joined = {first + second for first, second in zip(split, split[1:])}
    return not words.isdisjoint(split) or not words.isdisjoint(joined)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word
