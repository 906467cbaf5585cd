"""Verdicts that stand in the fixtures themselves, as comments on the lines they speak of.

`# expect: CTX101` demands a finding of that rule on this line, `# expect: CTX101@high` one of at least that confidence,
`# expect: CTX101, CTX103` one of each. `# expect-missing: CTX101` admits that the finding is not made yet,
`# expect-spurious: CTX101` that one is made which is wrong. A line without a mark demands silence.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

Confidence = Literal["high", "medium", "low"]
Kind = Literal["expect", "expect-missing", "expect-spurious"]

CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")

_BEGINS = re.compile(r"#\s*expect")
_MARK = re.compile(r"# (expect|expect-missing|expect-spurious): (\S+(?:, \S+)*)")
_RULE = re.compile(r"([A-Z]+[0-9]+)(?:@(high|medium|low))?")


class MarkError(ValueError):
    """A comment that begins like a mark and is none."""


@dataclass(frozen=True)
class Mark:
    """A verdict on one line; `confidence` is the least that is demanded."""

    path: Path
    line: int
    code: str
    confidence: Confidence = "low"
    kind: Kind = "expect"


@dataclass(frozen=True)
class Finding:
    """What the analyzer said of one line."""

    path: Path
    line: int
    code: str
    confidence: Confidence = "high"
    message: str = ""


def marks_of(path: Path) -> tuple[Mark, ...]:
    """Return the marks of one file, in the order of its lines; raise MarkError for one that cannot be read."""
    return tuple(_marks(path, path.read_text(encoding="utf-8")))


def marks_within(root: Path) -> tuple[Mark, ...]:
    """Return the marks of a file, or of all Python files of a folder."""
    paths = [root] if root.is_file() else sorted(root.rglob("*.py"))
    return tuple(mark for path in paths for mark in marks_of(path))


def _marks(path: Path, text: str) -> Iterator[Mark]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or not _BEGINS.match(token.string):
            continue
        mark = _MARK.fullmatch(token.string)
        rules = [_RULE.fullmatch(word) for word in mark[2].split(", ")] if mark else [None]
        for rule in rules:
            if mark is None or rule is None:
                raise MarkError(f"{path}:{token.start[0]}: not a mark: {token.string}")
            confidence = cast(Confidence, rule[2] or "low")
            yield Mark(path, token.start[0], rule[1], confidence, cast(Kind, mark[1]))


def disagreements(marks: Iterable[Mark], findings: Iterable[Finding]) -> list[str]:
    """Return a sentence for each line on which marks and findings differ, in the order of the lines.

    A mark stands for one finding: a second one of the same rule on the same line is spurious.
    """
    marked = {(mark.path, mark.line, mark.code): mark for mark in marks}
    made = list(findings)
    counts = Counter((finding.path, finding.line, finding.code) for finding in made)
    surest = _surest(made)
    said: list[tuple[Path, int, str]] = []

    for place, mark in marked.items():
        problem = _about_mark(mark, surest.get(place))
        if problem:
            said.append((mark.path, mark.line, problem))
    for place, finding in surest.items():
        problem = _about_finding(finding, marked.get(place), counts[place])
        if problem:
            said.append((finding.path, finding.line, problem))
    return [f"{path}:{line}: {problem}\n    {_source(path, line)}" for path, line, problem in sorted(said)]


def _about_mark(mark: Mark, finding: Finding | None) -> str:
    if mark.kind == "expect-missing":
        if finding is not None:
            return f"found at last, {mark.code} is no longer missing: make the mark an `expect`"
    elif finding is None:
        if mark.kind == "expect":
            return f"missed {mark.code}"
        return f"spurious {mark.code} is gone: take the mark away"
    elif CONFIDENCES.index(finding.confidence) > CONFIDENCES.index(mark.confidence):
        return f"{mark.code} has {finding.confidence} confidence, at least {mark.confidence} is expected"
    return ""


def _about_finding(finding: Finding, mark: Mark | None, count: int) -> str:
    if mark is None:
        return f"spurious {finding.code} [{finding.confidence}] {finding.message}"
    if count > 1:
        return f"{finding.code} is reported {count} times"
    return ""


def _surest(findings: Iterable[Finding]) -> Mapping[tuple[Path, int, str], Finding]:
    found: dict[tuple[Path, int, str], Finding] = {}
    for finding in sorted(findings, key=lambda one: CONFIDENCES.index(one.confidence)):
        found.setdefault((finding.path, finding.line, finding.code), finding)
    return found


def _source(path: Path, line: int) -> str:
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else "<no such line>"
