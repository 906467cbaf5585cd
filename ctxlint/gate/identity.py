"""By what a finding is known again in another revision, or in a baseline.

A fingerprint says code, function and chain of operations.
When a function was renamed or went to another class, or its variables were renamed, its fingerprint is another one; then it is
known by what it does.
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


def matched(found: Sequence[Diagnostic], places: Sequence[str], known: Sequence[Identity]) -> list[int | None]:
    """Return for each finding which of `known` it is, or None; none of `known` is taken twice.

    `places` are the paths of the findings as `known` would have them. The surest match comes first: the same fingerprint at
    the same line of the same file, in the same file, anywhere; then the same operations in a function of the same name
    elsewhere, then in one that does the same (with other variables, perhaps), then a function elsewhere that does the same
    with other names around it.
    """
    partners: list[int | None] = [None] * len(found)
    free = dict.fromkeys(range(len(known)))
    for level in _LEVELS:
        if not free or None not in partners:
            break
        waiting: dict[Hashable, list[int]] = {}
        for number in free:
            key = level.known(known[number])
            if key is not None:
                waiting.setdefault(key, []).append(number)
        for at, finding in enumerate(found):
            if partners[at] is None:
                partner = partners[at] = _taken(level, finding, places[at], waiting, known)
                if partner is not None:
                    free.pop(partner)
    return partners


class _Level(msgspec.Struct, frozen=True):
    """Two keys that are equal for what may be one finding, and what must hold besides."""

    known: Callable[[Identity], Hashable | None]
    found: Callable[[Diagnostic, str], Hashable | None]
    allows: Callable[[Diagnostic, str, Identity], bool]


def _taken(
    level: _Level, finding: Diagnostic, place: str, waiting: dict[Hashable, list[int]], known: Sequence[Identity]
) -> int | None:
    """The first of those waiting under the finding's key that may be it; it waits no longer."""
    key = level.found(finding, place)
    candidates = waiting.get(key, []) if key is not None else []
    for position, number in enumerate(candidates):
        if level.allows(finding, place, known[number]):
            return candidates.pop(position)
    return None


def source_line(finding: Diagnostic) -> str:
    """The source line of a finding without its blanks: that of the step at its place, or nothing."""
    step = next((step for step in finding.flow if step.path == finding.path and step.span.line == finding.span.line), None)
    return "".join(step.source.split()) if step is not None else ""


def _always(finding: Diagnostic, place: str, known: Identity) -> bool:
    return True


def _same_operations(finding: Diagnostic, place: str, known: Identity) -> bool:
    """Whether the chains are equal, told from the fingerprint that the finding would have in the other function."""
    return fingerprint(msgspec.structs.replace(finding, symbol=known.symbol)) == known.fingerprint


def _elsewhere(finding: Diagnostic, place: str, known: Identity) -> bool:
    return finding.symbol != known.symbol or place != known.path


def _what_it_does(body: str) -> str:
    """The half of the digest that says nothing of the operations."""
    return body[: len(body) // 2]


def _last(symbol: str) -> str:
    return symbol.rpartition(".")[2]


_LEVELS: tuple[_Level, ...] = (
    _Level(
        lambda one: (one.fingerprint, one.path, one.line),
        lambda finding, place: (finding.fingerprint, place, source_line(finding)), _always),
    _Level(
        lambda one: (one.fingerprint, one.path),
        lambda finding, place: (finding.fingerprint, place), _always),
    _Level(lambda one: one.fingerprint, lambda finding, place: finding.fingerprint, _always),
    _Level(
        lambda one: (one.code, _last(one.symbol)),
        lambda finding, place: (finding.code, _last(finding.symbol)), _same_operations),
    _Level(
        lambda one: (one.code, one.body) if one.body else None,
        lambda finding, place: (finding.code, finding.body) if finding.body else None, _always),
    _Level(
        lambda one: (one.code, _what_it_does(one.body)) if one.body else None,
        lambda finding, place: (finding.code, _what_it_does(finding.body)) if finding.body else None, _elsewhere),
)


def identities(findings: Iterable[Diagnostic]) -> Iterator[Identity]:
    """What is remembered of findings, at their own paths."""
    for one in findings:
        yield Identity(one.code, one.path, one.symbol, one.fingerprint, one.body, source_line(one))
