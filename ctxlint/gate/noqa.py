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

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_DIRECTIVE = re.compile(rb"#\s*noqa\s*:\s*[A-Za-z]+[0-9]+(?:(?:\s*,\s*|\s+)[A-Za-z]+[0-9]+)*(?![\w-])", re.IGNORECASE)


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
    changed = _inserted(source, codes, reason)
    if changed is not None and _same_tokens(text, changed):
        return _judged(source, changed, findings, prefixes)
    return Commented(source, tuple(findings))


def _inserted(source: bytes, codes: Mapping[int, Iterable[str]], reason: str) -> bytes | None:
    """The file with the codes at the ends of lines; None when its encoding has no bytes for the reason."""
    lines = _LINES.findall(source)
    for line, wanted in codes.items():
        text = lines[line - 1]
        body = text.rstrip(b"\r\n")
        try:
            lines[line - 1] = _commented(body, ", ".join(sorted(wanted)), reason, encoding(source)) + text[len(body):]
        except UnicodeEncodeError:
            return None
    return b"".join(lines)


def _commented(line: bytes, codes: str, reason: str, encoded: str) -> bytes:
    why = f" -- {reason}".encode(encoded) if reason else b""
    there = None
    for there in _DIRECTIVE.finditer(line):
        pass    # the last one: before it there may be a string that looks like one
    if there is None:
        return line.rstrip() + f"  # noqa: {codes}".encode() + why
    rest = line[there.end():]
    return line[: there.end()] + f", {codes}".encode() + (rest if rest.strip() else why)


def _judged(source: bytes, changed: bytes, findings: Sequence[Diagnostic], prefixes: tuple[str, ...]) -> Commented:
    """The changed file if its comments hide all findings that they are for."""
    text = decode(changed)
    if not isinstance(text, str):
        return Commented(source, tuple(findings))
    hidden = {(line, code) for comment in suppressions(text, prefixes) if comment.kind in ("noqa", "ignore")
              for code in comment.codes for line in statement_lines(text)(comment.line)}
    left = tuple(one for one in findings if (_line(one), one.code) not in hidden)
    return Commented(changed, left) if len(left) < len(findings) else Commented(source, left)


def _same_tokens(text: str, changed: bytes) -> bool:
    other = decode(changed)
    return isinstance(other, str) and (tokens := _tokens(text)) is not None and tokens == _tokens(other)


def _tokens(text: str) -> list[tuple[int, str]] | None:
    """What a text says besides comments; None when the running interpreter cannot tell."""
    try:
        return [(token.type, token.string) for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
                if token.type not in (tokenize.COMMENT, tokenize.NL)]
    except (tokenize.TokenError, SyntaxError):
        return None


def _line(finding: Diagnostic) -> int:
    """The line of a finding where a comment hides it."""
    return (finding.stands or finding).span.line
