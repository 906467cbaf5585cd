"""Modes of access: tests that say of a change that it only reads."""

from __future__ import annotations

from ctxlint.knowledge.words import parts
from ctxlint.roles.literals import TRUTH, Literal

_READING = frozenset(["read", "reader", "r", "ro", "readonly", "shared", "s", "view", "get", "select", "query", "fetch", "inspect", "look"])
_WRITING = frozenset([
    "write", "writer", "w", "rw", "exclusive", "x", "mutating", "mutate", "mutable", "update", "edit", "modify", "modified",
])


def says_reader(literal: Literal) -> bool:
    """Whether a test that comes out this way says that the object only reads: `mode == READ`, `read_only`, `not exclusive`."""
    if literal.constant == TRUTH:
        words = parts(literal.leaf.field)
        reading, writing = not _READING.isdisjoint(words), not _WRITING.isdisjoint(words)
        return reading != writing and literal.holds == reading and (writing or "only" in words or "readonly" in words or words[:1] == ("is",))
    words = parts(literal.constant.rpartition(".")[2])
    if len(words) > 2:
        return False
    return literal.holds and not _READING.isdisjoint(words) or (not literal.holds and not _WRITING.isdisjoint(words))
