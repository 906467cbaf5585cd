"""Applies fixes in passes until none is left, and takes back what does not do what it promised.

In one pass no two edits touch; what would overlap waits for the next pass, in which it is made anew for the text that is there
then. After each pass the whole program is analysed again: the finding has to be gone and nothing may have come instead, in any
file. Otherwise the file gets its first text back and is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ctxlint.diagnostic import Diagnostic, Edit, Fix
from ctxlint.fix.exact import is_exact
from ctxlint.fix.text import Refused, edited, text_of

MOST_PASSES = 10

Identity = tuple[str, str]
"""A finding across passes: its file and its fingerprint."""


class Seen(NamedTuple):
    """What an analysis says: the findings with their fixes, how often each finding of any rule occurs, and unreadable files."""

    findings: tuple[Diagnostic, ...]
    all: Counter[Identity]
    unreadable: frozenset[str]


class Applied(NamedTuple):
    """A fix that stands in the new text of its file; its edits are those of the text that pass number `turn` began with."""

    diagnostic: Diagnostic
    fix: Fix
    turn: int


class Outcome(NamedTuple):
    """The new text of each changed file, what was fixed in it, and the files that were left alone, with the reason."""

    texts: dict[str, bytes]
    applied: tuple[Applied, ...]
    taken_back: dict[str, str]


def fixed(
    first: Seen,
    look: Callable[[Mapping[str, bytes]], Seen],
    source_of: Callable[[str], bytes],
    choose: Callable[[Diagnostic], Fix | None],
) -> Outcome:
    """Apply the fixes that `choose` allows until none is left.

    `look` analyses the program with some files replaced; `source_of` gives the text of a file on the disk.
    """
    texts: dict[str, bytes] = {}
    applied: list[Applied] = []
    taken_back: dict[str, str] = {}
    seen = first
    for turn in range(MOST_PASSES):
        chosen = [each for each in _chosen(seen.findings, choose, turn) if not _files(each.fix) & taken_back.keys()]
        if not chosen:
            return _outcome(texts, applied, taken_back, source_of)
        after = dict(texts)
        for path, edits in _edits_by_file(chosen).items():
            try:
                after[path] = _edited(path, texts[path] if path in texts else source_of(path), edits)
            except Refused as refusal:
                taken_back[path] = str(refusal)
        chosen = [each for each in chosen if not _files(each.fix) & taken_back.keys()]
        before, seen = seen, look(after)
        while guilty := _guilty(before, seen, chosen):
            taken_back |= guilty
            applied = [each for each in applied if not _files(each.fix) & taken_back.keys()]
            chosen = [each for each in chosen if not _files(each.fix) & taken_back.keys()]
            after = {path: data for path, data in after.items() if path not in taken_back}
            before = _without_memory(before, first, taken_back)
            seen = look(after)
        texts = after
        applied += chosen
    left = [each for each in _chosen(seen.findings, choose, MOST_PASSES) if not _files(each.fix) & taken_back.keys()]
    for each in left:
        for path in _files(each.fix):
            taken_back[path] = f"its fixes did not come to an end in {MOST_PASSES} passes"
            texts.pop(path, None)
    applied = [each for each in applied if not _files(each.fix) & taken_back.keys()]
    return _outcome(texts, applied, taken_back, source_of)


def _outcome(
    texts: dict[str, bytes], applied: list[Applied], taken_back: dict[str, str], source_of: Callable[[str], bytes]
) -> Outcome:
    changed = {path: data for path, data in texts.items() if data != source_of(path)}
    return Outcome(changed, tuple(applied), taken_back)


def _edited(path: str, data: bytes, edits: tuple[Edit, ...]) -> bytes:
    text = text_of(path, data)
    if text is None or not is_exact(data):
        raise Refused("the file cannot be read and written again byte for byte")
    new = edited(text, edits)
    if not is_exact(new):
        raise Refused("the fixed text is no Python")
    return new


def _chosen(findings: Iterable[Diagnostic], choose: Callable[[Diagnostic], Fix | None], turn: int) -> list[Applied]:
    """The fixes of one pass: of those that touch, the first. An edit that two of them have in common is made once."""
    chosen: list[Applied] = []
    taken: dict[str, set[Edit]] = {}
    for diagnostic in findings:
        fix = choose(diagnostic)
        if fix is None or not fix.edits:
            continue
        if any(_touch(edit, other) for edit in fix.edits for other in taken.get(edit.path, ()) if edit != other):
            continue
        for edit in fix.edits:
            taken.setdefault(edit.path, set()).add(edit)
        chosen.append(Applied(diagnostic, fix, turn))
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    a, b = one.span, other.span
    return (a.line, a.column) <= (b.end_line, b.end_column) and (b.line, b.column) <= (a.end_line, a.end_column)


def _edits_by_file(chosen: Iterable[Applied]) -> dict[str, tuple[Edit, ...]]:
    found: dict[str, dict[Edit, None]] = {}
    for each in chosen:
        for edit in each.fix.edits:
            found.setdefault(edit.path, {})[edit] = None
    return {path: tuple(edits) for path, edits in found.items()}


def _files(fix: Fix) -> set[str]:
    return {edit.path for edit in fix.edits}


def _guilty(before: Seen, after: Seen, chosen: Iterable[Applied]) -> dict[str, str]:
    """The files whose fixes did something else than they promised, with what that is."""
    guilty: dict[str, str] = {}
    touched = {path for each in chosen for path in _files(each.fix)}
    for path in after.unreadable & touched:
        guilty[path] = "the fixed text cannot be analysed"
    removed = Counter((each.diagnostic.path, each.diagnostic.fingerprint) for each in chosen)
    by_identity = {(each.diagnostic.path, each.diagnostic.fingerprint): each for each in chosen}
    for identity, count in removed.items():
        if after.all[identity] > before.all[identity] - count:
            diagnostic = by_identity[identity].diagnostic
            for path in _files(by_identity[identity].fix):
                guilty[path] = f"{diagnostic.code} of line {diagnostic.span.line} is still found after its fix"
    for identity, count in after.all.items():
        if count > before.all[identity]:
            suspects = {identity[0]} if identity[0] in touched else touched
            for path in suspects:
                guilty.setdefault(path, "the fixed program has a finding that it did not have before")
    return {path: why for path, why in guilty.items() if path in touched}


def _without_memory(before: Seen, first: Seen, taken_back: Mapping[str, str]) -> Seen:
    """What was seen before the pass, with the files that got their first text back as they were at first."""
    all = Counter({identity: count for identity, count in before.all.items() if identity[0] not in taken_back})
    all.update({identity: count for identity, count in first.all.items() if identity[0] in taken_back})
    return before._replace(all=all)
