"""By what a finding is known again in another revision, or in a baseline.

A fingerprint says code, function and chain of operations.
When a function was renamed or went to another class, or its variables were renamed, its fingerprint is another one; then it is
known by what it does. But only what is gone from its old place can have moved, and only to where it was not before: a function
that stands where it stood is matched with itself alone, so that no repair pays for a fault elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.gate.fingerprints import fingerprint


class Identity(msgspec.Struct, frozen=True):
    """What is remembered of a finding. `path` is in the form of those it is compared with; `line` is its source line, if known."""

    code: str
    path: str
    symbol: str
    fingerprint: str
    body: str = ""
    line: str = ""


class Moves(msgspec.Struct, frozen=True):
    """Whether the function of a known finding is gone from its place, and whether that of a finding was not at its own before."""

    gone: Callable[[Identity], bool]
    came: Callable[[Diagnostic, str], bool]


def matched(
    found: Sequence[Diagnostic], places: Sequence[str], known: Sequence[Identity], moves: Moves
) -> list[int | None]:
    """Return for each finding which of `known` it is, or None; none of `known` is taken twice.

    `places` are the paths of the findings as `known` would have them. The surest match comes first: the same fingerprint at
    the same line of the same file, in the same file, anywhere; then the same operations in a function of the same name
    elsewhere, then in one that does the same (with other variables, perhaps), then a function elsewhere that does the same
    with other names around it. What stands in another place is only matched when the one is gone and the other came.
    """
    partners: list[int | None] = [None] * len(found)
    free = dict.fromkeys(range(len(known)))
    symbols: dict[tuple[str, str], dict[str, None]] = {}
    for one in known:
        symbols.setdefault((one.code, _last(one.symbol)), {})[one.symbol] = None
    for level in _LEVELS:
        if not free or None not in partners:
            break
        waiting: dict[Hashable, list[int]] = {}
        for number in free:
            if known[number].body or not level.needs_body:
                waiting.setdefault(level.known(known[number]), []).append(number)
        for at, finding in enumerate(found):
            if partners[at] is None and (finding.body or not level.needs_body):
                asked = _Asked(finding, places[at], tuple(symbols.get((finding.code, _last(finding.symbol)), ())), moves)
                partner = partners[at] = _taken(level, asked, waiting, known)
                if partner is not None:
                    free.pop(partner)
    return partners


class _Asked(msgspec.Struct, frozen=True):
    """A finding that is sought: its path as the known ones have it, and their functions that have its function's last name."""

    finding: Diagnostic
    place: str
    symbols: tuple[str, ...]
    moves: Moves

    def may_be(self, known: Identity) -> bool:
        """Whether both are of one rule and one function: it stands where it stood, or has moved."""
        if self.finding.code != known.code:
            return False
        if (self.place, self.finding.symbol) == (known.path, known.symbol):
            return True
        return self.moves.came(self.finding, self.place) and self.moves.gone(known)


class _Level(msgspec.Struct, frozen=True):
    """Keys of which one is equal for what may be one finding, and what must hold besides."""

    known: Callable[[Identity], Hashable]
    found: Callable[[_Asked], Iterable[Hashable]]
    allows: Callable[[_Asked, Identity], bool] = lambda asked, known: True
    needs_body: bool = False


def _taken(
    level: _Level, asked: _Asked, waiting: dict[Hashable, list[int]], known: Sequence[Identity]
) -> int | None:
    """The first of those waiting under a key of the finding that may be it; it waits no longer."""
    for key in level.found(asked):
        candidates = waiting.get(key, [])
        for position, number in enumerate(candidates):
            if level.allows(asked, known[number]) and asked.may_be(known[number]):
                return candidates.pop(position)
    return None


def source_line(finding: Diagnostic) -> str:
    """The source line of a finding without its blanks and without what follows a `#`: that of the step at its place, or nothing."""
    step = next((step for step in finding.flow if step.path == finding.path and step.span.line == finding.span.line), None)
    return "".join(step.source.partition("#")[0].split()) if step is not None else ""


def _in_namesakes(asked: _Asked) -> Iterator[str]:
    """The fingerprints that the finding would have in the functions of its function's last name: the same operations there."""
    for symbol in asked.symbols:
        yield fingerprint(msgspec.structs.replace(asked.finding, symbol=symbol))


def _elsewhere(asked: _Asked, known: Identity) -> bool:
    return asked.finding.symbol != known.symbol or asked.place != known.path


def _what_it_does(body: str) -> str:
    """The half of the digest that says nothing of the operations."""
    return body[: len(body) // 2]


def _last(symbol: str) -> str:
    return symbol.rpartition(".")[2]


_LEVELS: tuple[_Level, ...] = (
    _Level(
        lambda one: (one.fingerprint, one.path, one.line),
        lambda asked: ((asked.finding.fingerprint, asked.place, source_line(asked.finding)),)),
    _Level(lambda one: (one.fingerprint, one.path), lambda asked: ((asked.finding.fingerprint, asked.place),)),
    _Level(lambda one: one.fingerprint, lambda asked: (asked.finding.fingerprint,)),
    _Level(lambda one: one.fingerprint, _in_namesakes),
    _Level(
        lambda one: (one.code, one.body), lambda asked: ((asked.finding.code, asked.finding.body),), needs_body=True),
    _Level(
        lambda one: (one.code, _what_it_does(one.body)),
        lambda asked: ((asked.finding.code, _what_it_does(asked.finding.body)),), _elsewhere, needs_body=True),
)


def identities(findings: Iterable[Diagnostic]) -> Iterator[Identity]:
    """What is remembered of findings, at their own paths."""
    for one in findings:
        yield Identity(one.code, one.path, one.symbol, one.fingerprint, one.body, source_line(one))
