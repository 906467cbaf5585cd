"""Comments that hide findings, and what is wrong with such comments.

A suppression names its codes.
One that is malformed hides nothing; one that hides nothing although its rule ran is unused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from ctxlint.diagnostic import Diagnostic, Edit, Fix
from ctxlint.ir.span import Span
from ctxlint.knowledge.codes import which_code
from ctxlint.knowledge.rules import Rule
from ctxlint.syntax.comments import Suppression

UNUSED, MALFORMED = "CTX001", "CTX002"


class Comments(msgspec.Struct, frozen=True):
    """The suppressions of one file, its lines, and the physical lines of the statement at a line of it."""

    path: str
    suppressions: tuple[Suppression, ...]
    lines: tuple[str, ...]
    statement_lines: Callable[[int], range]


class Outcome(msgspec.Struct, frozen=True):
    """Findings that stay, findings that a comment hides, and findings about the comments themselves."""

    shown: tuple[Diagnostic, ...]
    suppressed: tuple[Diagnostic, ...]
    notices: tuple[Diagnostic, ...]


class _Scope(msgspec.Struct, frozen=True):
    """One code of one comment, and the lines on which it hides that code."""

    comment: Suppression
    code: str
    covers: Callable[[int], bool]


def apply_suppressions(
    diagnostics: Iterable[Diagnostic],
    files: Iterable[Comments],
    rules: Mapping[str, Rule],
    ran: frozenset[str],
    require_reason: bool = False,
) -> Outcome:
    """Return what is left of `diagnostics` after the comments of `files`.

    `ran` are the codes of the rules that ran: a comment for another rule is not judged.
    """
    by_path: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_path.setdefault(diagnostic.path, []).append(diagnostic)
    shown: list[Diagnostic] = []
    suppressed: list[Diagnostic] = []
    notices: list[Diagnostic] = []
    for comments in files:
        scopes, complaints = _scopes(comments, rules, require_reason)
        notices.extend(complaints)
        used: set[int] = set()
        for diagnostic in by_path.pop(comments.path, ()):
            hiding = [number for number, scope in enumerate(scopes)
                      if scope.code == diagnostic.code and scope.covers(diagnostic.span.line)]
            used.update(hiding)
            if hiding:
                reason = next((scopes[number].comment.reason for number in hiding if scopes[number].comment.reason), "")
                suppressed.append(msgspec.structs.replace(diagnostic, excused=reason))
            else:
                shown.append(diagnostic)
        unused = [scope for number, scope in enumerate(scopes) if number not in used and scope.code in ran]
        notices.extend(_unused(comments, unused, scopes, rules[UNUSED]))
    for untouched in by_path.values():
        shown.extend(untouched)
    return Outcome(tuple(shown), tuple(suppressed), tuple(notices))


def _scopes(
    comments: Comments, rules: Mapping[str, Rule], require_reason: bool
) -> tuple[list[_Scope], list[Diagnostic]]:
    """Return where each code of each comment is hidden, and a finding for each malformed comment."""
    scopes: list[_Scope] = []
    complaints: list[Diagnostic] = []
    ordered = sorted(comments.suppressions, key=lambda comment: comment.span)
    for number, comment in enumerate(ordered):
        complaint = _complaint(comment, ordered[:number], rules, require_reason)
        if complaint:
            complaints.append(_notice(rules[MALFORMED], comments.path, comment, why=complaint))
            continue
        if comment.kind == "enable":
            continue
        for code in comment.codes:
            scopes.append(_Scope(comment, code, _cover(comment, code, ordered[number + 1 :], comments)))
    return scopes, complaints


def _complaint(
    comment: Suppression, earlier: Sequence[Suppression], rules: Mapping[str, Rule], require_reason: bool
) -> str:
    """Return what is wrong with a comment, or nothing. (The syntax room leaves out codes of other tools.)"""
    if comment.kind == "malformed":
        return comment.reason
    unknown = [code for code in comment.codes if code not in rules]
    if unknown:
        return f"`{unknown[0]}` is no rule's code{which_code(unknown[0], rules)}"
    if comment.kind == "enable":
        never = [code for code in comment.codes
                 if not any(before.kind == "disable" and code in before.codes for before in earlier)]
        return f"nothing above disables `{never[0]}`" if never else ""
    if require_reason and not comment.reason:
        return "it gives no reason (`-- why`), and this project requires one"
    return ""


def _cover(
    comment: Suppression, code: str, later: Sequence[Suppression], comments: Comments
) -> Callable[[int], bool]:
    if comment.kind == "file-ignore":
        return lambda line: True
    if comment.kind == "disable":
        end = next((other.line for other in later if other.kind == "enable" and code in other.codes), None)
        return lambda line: comment.line <= line and (end is None or line < end)
    return lambda line: comment.line in comments.statement_lines(line)


def _unused(
    comments: Comments, unused: Sequence[_Scope], scopes: Sequence[_Scope], rule: Rule
) -> Iterable[Diagnostic]:
    """Yield one finding for each comment with unused codes, unless a comment hides such findings there."""
    by_comment: dict[Span, list[_Scope]] = {}
    for scope in unused:
        if scope.code != UNUSED:
            by_comment.setdefault(scope.comment.span, []).append(scope)
    for group in by_comment.values():
        comment = group[0].comment
        if not any(scope.code == UNUSED and scope.covers(comment.line) for scope in scopes):
            unused_codes = [scope.code for scope in group]
            notice = _notice(rule, comments.path, comment, codes=", ".join(f"`{code}`" for code in unused_codes))
            yield msgspec.structs.replace(notice, fixes=(_without(comments, comment, unused_codes),))


def _without(comments: Comments, comment: Suppression, unused_codes: Sequence[str]) -> Fix:
    """Return the fix that takes the codes out of the comment, or the comment away when it names no other."""
    span = comment.span
    line = comments.lines[span.line - 1]
    start, end = span.column - 1, span.end_column - 1
    old = new = line[start:end]
    for code in unused_codes:
        new = re.sub(rf"\s*,\s*{code}\b|\b{code}\b\s*,?\s*", "", new, count=1, flags=re.IGNORECASE)
    if not re.search(r"\b[A-Za-z]+[0-9]+\b", new.partition("--")[0]):
        start = len(line[:start].rstrip())
        old, new = line[start:end], ""
    edit = Edit(comments.path, Span(span.line, start + 1, span.line, end + 1), old, new)
    return Fix("remove the codes that hide nothing", "safe", (edit,))


def _notice(rule: Rule, path: str, comment: Suppression, **facts: str) -> Diagnostic:
    return Diagnostic(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence="high",
        path=path,
        span=comment.span,
        symbol="<module>",
        message=rule.message.format(**facts),
        events=(comment.kind, *comment.codes),
    )
