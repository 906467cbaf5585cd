"""Findings that were there before the gate was: a file of them, one JSON object a line, sorted, so that git can merge it.

An entry accepts `count` equal findings of one function. It only ever shrinks by itself: what is accepted is chosen by people.
A file that cannot be read accepts nothing and ends the run, since an empty baseline would only look like one.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.errors import UsageError
from ctxlint.gate.functions import Functions
from ctxlint.gate.identity import Identity, Moves, matched
from ctxlint.knowledge.codes import which_code
from ctxlint.knowledge.rules import Rule

NEVER_ACCEPTED = ("CTX003", "CTX004")
"""What was not analysed, and what is wrong with the baseline itself."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """`count` findings that are accepted. `path` is relative to the folder of the baseline, `date` the day of acceptance."""

    code: str
    path: str
    symbol: str
    fingerprint: str
    body: str = ""
    count: int = 1
    reason: str = ""
    date: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """For each finding the number of the entry that accepts it, and how many findings each entry accepts that are there."""

    findings: tuple[Diagnostic, ...]
    accepting: tuple[int | None, ...]
    used: Counter[int]


class Baseline(msgspec.Struct, frozen=True):
    """The entries of a file and the lines they stand on."""

    file: Path
    entries: tuple[Entry, ...]
    lines: tuple[int, ...]

    @property
    def folder(self) -> Path:
        """What the paths of the entries are relative to."""
        return self.file.parent


def read_baseline(file: Path) -> Baseline:
    """Return the entries of a baseline in the order of its lines; raise UsageError when it is missing or damaged.

    Of two entries for the same findings, as a merge may leave them, the larger count stands.
    """
    try:
        lines = file.read_bytes().split(b"\n")
    except FileNotFoundError as error:
        raise UsageError(f"{file}: there is no such baseline; `ctxlint baseline create` writes one") from error
    except OSError as error:
        raise UsageError(f"{file}: the baseline cannot be read: {error.strerror}") from error
    found: dict[tuple[str, ...], tuple[Entry, int]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() or number < len(lines):
            entry = _entry(line, f"{file}:{number}")
            key = (entry.code, entry.path, entry.symbol, entry.fingerprint, entry.body)
            if key not in found or found[key][0].count < entry.count:
                found[key] = (entry, number)
    return Baseline(file, tuple(entry for entry, _ in found.values()), tuple(number for _, number in found.values()))


def _entry(line: bytes, where: str) -> Entry:
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")):
        raise UsageError(f"{where}: the baseline is damaged: a merge left its conflict here; keep the lines of both sides")
    try:
        entry = msgspec.convert(json.loads(line), Entry)
    except (ValueError, RecursionError) as error:       # a wrong type, no JSON, or no text
        raise UsageError(f"{where}: the baseline is damaged: {error}; restore it from git, "
                         "or remove the line and run `ctxlint baseline update`") from error
    if entry.count < 1:
        raise UsageError(f"{where}: the baseline is damaged: `count` is {entry.count}, not 1 or more")
    empty = next((name for name in ("code", "path", "symbol", "fingerprint") if not getattr(entry, name)), None)
    if empty is not None:
        raise UsageError(f"{where}: the baseline is damaged: `{empty}` is empty")
    if entry.date and not _is_day(entry.date):
        raise UsageError(f"{where}: the baseline is damaged: `date` is {entry.date!r}, not a day like 2026-01-31")
    return entry


def require_rules(baseline: Baseline, rules: Mapping[str, Rule]) -> None:
    """Raise UsageError for an entry whose code is that of no rule: what it was to accept is not known."""
    for entry, line in zip(baseline.entries, baseline.lines):
        if entry.code not in rules:
            raise UsageError(f"{baseline.file}:{line}: no rule is called `{entry.code}`{which_code(entry.code, rules)}; "
                             "restore the line from git, name the rule's file in `rule-paths`, or remove the line")


def _is_day(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and datetime.date.fromisoformat(text))
    except ValueError:
        return False


def baseline_text(entries: Iterable[Entry]) -> str:
    """Return the text of a baseline: one object a line, in order of code, path, symbol and fingerprint."""
    return "".join(json.dumps(msgspec.to_builtins(entry)) + "\n" for entry in sorted(_merged(entries)))


def compared(
    findings: Sequence[Diagnostic], entries: Sequence[Entry], folder: Path, present: Functions
) -> Comparison:
    """Match findings with entries, whose paths are relative to `folder`; earlier findings are matched first."""
    accepted = {(entry.path, entry.symbol) for entry in entries}
    moves = Moves(
        gone=lambda known: not present.has(os.path.normpath(folder / known.path), known.symbol),
        came=lambda finding, place: (place, finding.symbol) not in accepted)
    owners: list[int] = []
    known: list[Identity] = []
    for number, entry in enumerate(entries):
        identity = Identity(entry.code, entry.path, entry.symbol, entry.fingerprint, entry.body)
        for _ in range(min(entry.count, len(findings))):
            owners.append(number)
            known.append(identity)
    partners = matched(findings, [relative(one.path, folder) for one in findings], known, moves)
    accepting = tuple(owners[partner] if partner is not None else None for partner in partners)
    return Comparison(tuple(findings), accepting, Counter(number for number in accepting if number is not None))


def accepted_now(
    findings: Iterable[Diagnostic], folder: Path, reason: str, date: str
) -> tuple[Entry, ...]:
    """Return entries that accept the findings."""
    counts = Counter(
        (one.code, relative(one.path, folder), one.symbol, one.fingerprint, one.body)
        for one in findings if one.code not in NEVER_ACCEPTED)
    return tuple(Entry(*key, count=count, reason=reason, date=date) for key, count in sorted(counts.items()))


def moved_along(entries: Sequence[Entry], comparison: Comparison, judged: Collection[int], folder: Path) -> tuple[Entry, ...]:
    """Return the entries as the findings that they accept are now: at their new places, and only as many as there are.

    Entries that could not be judged stay as they are.
    """
    moved = tuple(
        msgspec.structs.replace(fresh, reason=entries[number].reason, date=entries[number].date)
        for one, number in zip(comparison.findings, comparison.accepting) if number is not None and number in judged
        for fresh in accepted_now((one,), folder, "", ""))
    return (*moved, *(entry for number, entry in enumerate(entries) if number not in judged))


def without_stale(entries: Sequence[Entry], comparison: Comparison, judged: Collection[int]) -> tuple[Entry, ...]:
    """Return the entries with the counts that are used; those that could not be judged stay as they are."""
    return tuple(
        msgspec.structs.replace(entry, count=comparison.used[number] if number in judged else entry.count)
        for number, entry in enumerate(entries) if number not in judged or comparison.used[number])


def relative(path: str, folder: Path) -> str:
    """The path as a baseline in `folder` writes it."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:      # on another drive
        return path.replace(os.sep, "/")


def _merged(entries: Iterable[Entry]) -> list[Entry]:
    """Entries for equal findings as one that counts them."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        key = (entry.code, entry.path, entry.symbol, entry.fingerprint, entry.body, entry.reason, entry.date)
        before = found.get(key)
        found[key] = msgspec.structs.replace(entry, count=entry.count + before.count) if before else entry
    return list(found.values())
