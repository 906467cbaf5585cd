"""Comments that hide findings, written by the tool: `# noqa: CTX101 -- reason` at the end of the statement."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.gate.statements import statement_lines
from ctxlint.syntax.comments import suppressions
from ctxlint.syntax.read import decode, encoding

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_DIRECTIVE = re.compile(r"#\s*noqa\s*:\s*[A-Za-z]+[0-9]+(?:(?:\s*,\s*|\s+)[A-Za-z]+[0-9]+)*(?![\w-])", re.IGNORECASE)


class Commented(msgspec.Struct, frozen=True):
    """A file with comments, and the findings that got none because the file could not take one safely."""

    source: bytes
    left: tuple[Diagnostic, ...]


def with_comments(source: bytes, findings: Sequence[Diagnostic], reason: str, prefixes: tuple[str, ...]) -> Commented:
    """Return the file with a comment for each of its findings.

    A comment stands where the statement ends, so that it is never inside a string; codes join a `noqa` that is there.
    The result has the tokens of the original, and its comments hide the findings: else it is not used.
    """
    text = decode(source)
    if not isinstance(text, str):
        return Commented(source, tuple(findings))
    statement = statement_lines(text)
    codes: dict[int, set[str]] = {}
    for one in findings:
        codes.setdefault(statement(_line(one))[-1], set()).add(one.code)
    changed = _inserted(text, codes, reason)
    tokens = _tokens(text)
    try:
        encoded = changed.encode(encoding(source))
        is_safe = text.encode(encoding(source)) == source and tokens is not None and tokens == _tokens(changed)
    except UnicodeEncodeError:      # the file's encoding has no bytes for the reason
        is_safe = False
    return _judged(source, encoded, findings, prefixes) if is_safe else Commented(source, tuple(findings))


def _inserted(text: str, codes: Mapping[int, Iterable[str]], reason: str) -> str:
    """The text with the codes at the ends of lines."""
    lines = _LINES.findall(text)
    comments = _comments(text)
    for line, wanted in codes.items():
        if line <= len(lines):
            body = lines[line - 1].rstrip("\r\n")
            changed = _commented(body, comments.get(line, len(body)), ", ".join(sorted(wanted)), reason)
            lines[line - 1] = changed + lines[line - 1][len(body):]
    return "".join(lines)


def _commented(line: str, comment: int, codes: str, reason: str) -> str:
    """The line with the codes in the directive of its comment, which begins at that column, or in a comment of their own."""
    why = f" -- {reason}" if reason else ""
    there = _DIRECTIVE.search(line, comment)
    if there is None:
        return f"{line.rstrip()}  # noqa: {codes}{why}"
    rest = line[there.end():]
    return f"{line[: there.end()]}, {codes}{rest if rest.strip() else why}"


def _judged(source: bytes, changed: bytes, findings: Sequence[Diagnostic], prefixes: tuple[str, ...]) -> Commented:
    """The changed file if its comments hide all findings that they are for."""
    text = decode(changed)
    if not isinstance(text, str):
        return Commented(source, tuple(findings))
    hidden = {(line, code) for comment in suppressions(text, prefixes) if comment.kind in ("noqa", "ignore")
              for code in comment.codes for line in statement_lines(text)(comment.line)}
    left = tuple(one for one in findings if (_line(one), one.code) not in hidden)
    return Commented(changed, left) if len(left) < len(findings) else Commented(source, left)


def _tokens(text: str) -> list[tuple[int, str]] | None:
    """What a text says besides comments; None when the running interpreter cannot tell."""
    found = _all_tokens(text)
    return None if found is None else [
        (token.type, token.string) for token in found if token.type not in (tokenize.COMMENT, tokenize.NL)]


def _comments(text: str) -> dict[int, int]:
    """The columns, from 0, at which the comments of lines begin."""
    return {token.start[0]: token.start[1] for token in _all_tokens(text) or () if token.type == tokenize.COMMENT}


def _all_tokens(text: str) -> list[tokenize.TokenInfo] | None:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text, newline=None).readline))
    except (tokenize.TokenError, SyntaxError):
        return None


def _line(finding: Diagnostic) -> int:
    """The line of a finding where a comment hides it."""
    return (finding.stands or finding).span.line
