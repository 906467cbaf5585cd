"""The answers of `discover` and `why-not`: roles and verdicts, with the facts behind them."""

from __future__ import annotations

import msgspec


class Place(msgspec.Struct, frozen=True):
    """A line of a file."""

    path: str
    line: int


class Fact(msgspec.Struct, frozen=True):
    """A sentence, where it was found (the symbol and the line), and the lines that show it."""

    text: str
    symbol: str
    at: Place
    shown_by: tuple[Place, ...] = ()


class Verdict(msgspec.Struct, frozen=True):
    """What one rule says about a line: `reported`, or the facts that kept it silent; neither if it never had it in view."""

    code: str
    name: str
    reported: str
    facts: tuple[Fact, ...]


class Explanation(msgspec.Struct, frozen=True):
    """What is on a line, as the analysis sees it, and what each rule says about it."""

    place: Place
    symbol: str
    seen: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


class Believed(msgspec.Struct, frozen=True):
    """A role in a program: a cell, a journal, an undo log, a lock; with the evidence."""

    kind: str
    name: str
    evidence: tuple[Fact, ...]
