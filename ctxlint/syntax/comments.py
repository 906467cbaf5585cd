"""Suppression comments, read from the text alone.

    # noqa: CTX101[, CTX302] [-- reason]        hides these codes on its statement
    # ctxlint: ignore[CTX101] [-- reason]       the same
    # ctxlint: disable[CTX101] [-- reason]      hides them from here to the `enable[…]` (or the end of the file)
    # ctxlint: file-ignore[CTX101] [-- reason]  hides them in the whole file

Codes are mandatory: a bare `# noqa` is another tool's and hides nothing here.
A comment that addresses this program and cannot be understood is `malformed` and hides nothing.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

import msgspec

from ctxlint.ir.span import Span

SuppressionKind = Literal["noqa", "ignore", "disable", "enable", "file-ignore", "malformed"]
KINDS: tuple[SuppressionKind, ...] = ("ignore", "disable", "enable", "file-ignore")


class Suppression(msgspec.Struct, frozen=True):
    """One directive. `span` is the region of the comment which holds it, `line` its line.

    `codes` are in upper case and not checked against the rules that exist; a word that looks like a rule's name stays as it is.
    Of a malformed directive there are none, and `reason` says what is wrong with it.
    """

    kind: SuppressionKind
    codes: tuple[str, ...]
    reason: str
    line: int
    span: Span


class _Malformed(Exception):
    """What is wrong with a directive of ours."""


PREFIXES = ("CTX",)
"""What the codes of the built-in rules begin with; a user's policies add their own."""

_DIRECTIVE = re.compile(r"#\s*(?:(?P<noqa>noqa)(?![\w-])|(?P<ours>ctxlint\s*:))", re.IGNORECASE)
_CODE = re.compile(r"([A-Za-z]+)[0-9]+\Z")
_NAME = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*\Z")
_FOREIGN_CODE = re.compile(r"[A-Za-z][A-Za-z0-9-]*[0-9]\Z|[a-z]+(?:-[a-z]+)+\Z")
_SEPARATOR = re.compile(r"[,\s]+")
_REASON = re.compile(r"\s--(?:\s|\Z)|\A--(?:\s|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n")
_STRING_OR_COMMENT = re.compile(
    r"""
      (?P<comment>\#[^\r\n]*)
    | \"\"\"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*\"\"\"
    | '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
    | \"[^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*\"
    | '[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'
    """,
    re.VERBOSE | re.DOTALL,
)


def suppressions(source: str, prefixes: tuple[str, ...] = PREFIXES, names: Collection[str] = ()) -> tuple[Suppression, ...]:
    """Every directive of a file, in the order of the text. It never raises.

    `prefixes` says which codes behind a `noqa` are this program's, and `names` which names of rules; all others are other
    tools'. Text without a directive costs a search.
    """
    if not _may_hold_directive(source, prefixes, names):
        return ()
    ours = _Ours(prefixes, frozenset(names))
    return tuple(found for line, column, text in comments(source) for found in _directives(line, column, text, ours))


class _Ours(NamedTuple):
    """What this program's codes begin with, and the names of its rules."""

    prefixes: tuple[str, ...]
    names: frozenset[str]

    def has(self, word: str) -> bool:
        match = _CODE.match(word)
        return word in self.names or match is not None and match[1].upper() in self.prefixes


def _may_hold_directive(source: str, prefixes: tuple[str, ...], names: Collection[str]) -> bool:
    folded = source.lower()
    if "ctxlint" in folded:
        return True
    ours = "|".join((*(prefix.lower() for prefix in prefixes), *names))
    return "noqa" in folded and re.search(rf"noqa\s*:[^\r\n]*(?:{ours})", folded) is not None


def comments(source: str) -> Iterator[tuple[int, int, str]]:
    """Line, column (both from 1) and text of every comment."""
    try:
        return iter(_tokenized_comments(source))
    except (tokenize.TokenError, SyntaxError):
        return _scanned_comments(source)


def _tokenized_comments(source: str) -> list[tuple[int, int, str]]:
    # The tokenizer's idea of a line must not depend on what `io` makes of a carriage return.
    reader = io.StringIO(_LINE_END.sub("\n", source), newline="\n").readline
    tokens = tokenize.generate_tokens(reader)
    return [(*_from_one(token.start), token.string) for token in tokens if token.type == tokenize.COMMENT]


def _from_one(position: tuple[int, int]) -> tuple[int, int]:
    return position[0], position[1] + 1


def _scanned_comments(source: str) -> Iterator[tuple[int, int, str]]:
    """The comments of a text which the running interpreter's tokenizer does not know: what stands outside strings."""
    source = _LINE_END.sub("\n", source)
    line, line_start = 1, 0
    for match in _STRING_OR_COMMENT.finditer(source):
        line += source.count("\n", line_start, match.start())
        line_start = source.rfind("\n", 0, match.start()) + 1
        if match.group("comment"):
            yield line, match.start() - line_start + 1, match.group()


def _directives(line: int, column: int, comment: str, ours: _Ours) -> Iterator[Suppression]:
    """The directives of one comment: each reaches to the next one."""
    starts = list(_DIRECTIVE.finditer(comment))
    for match, following in zip(starts, [*starts[1:], None]):
        end = following.start() if following is not None else len(comment)
        text = comment[match.end() : end].rstrip()
        span = Span(line, column + match.start(), line, column + match.end() + len(text))
        try:
            kind: SuppressionKind
            if match["ours"]:
                kind, codes, reason = _own(text)
            else:
                kind, (codes, reason) = "noqa", _noqa(text, ours)
        except _Malformed as error:
            yield Suppression("malformed", (), str(error), line, span)
        else:
            if codes:
                yield Suppression(kind, codes, reason, line, span)


def _noqa(text: str, ours: _Ours) -> tuple[tuple[str, ...], str]:
    """Our codes behind `noqa` and the reason; none if there are only other tools' codes, or none at all."""
    if not text.lstrip().startswith(":"):
        return (), ""
    listed, reason = _split_reason(text.lstrip()[1:].strip())
    words = [word for word in _SEPARATOR.split(listed) if word]
    codes: list[str] = []
    for word in words:
        if ours.has(word):
            codes.append(word if word in ours.names else word.upper())
        elif word.startswith(ours.prefixes):
            raise _Malformed(f"`{word}` is not a code; codes look like {ours.prefixes[0]}101")
        elif not _FOREIGN_CODE.match(word):
            break  # What follows is prose, as other tools allow.
    behind = [word for word in words if word not in ours.names and ours.has(word) and word.upper() not in codes]
    if behind:
        # It would silently hide nothing.
        raise _Malformed(f"`{behind[0]}` stands behind the end of the list; begin a reason with ` -- `")
    return tuple(codes), reason


def _own(text: str) -> tuple[SuppressionKind, tuple[str, ...], str]:
    match = re.match(r"\s*(?P<kind>[\w-]*)\s*(?P<rest>.*)", text, re.DOTALL)
    assert match is not None
    kind = next((each for each in KINDS if each == match["kind"].lower()), None)
    if kind is None:
        raise _Malformed(f"`{match['kind']}` is no directive; there are {', '.join(KINDS)}")
    listed = re.match(r"\[(?P<codes>[^\]]*)\](?P<rest>.*)", match["rest"], re.DOTALL)
    if listed is None:
        raise _Malformed(f"`{kind}` needs codes in brackets: `{kind}[CODE]`")
    words = [word.strip() for word in listed["codes"].split(",")]
    if words == [""]:
        raise _Malformed(f"`{kind}[]` names no code")
    for word in words:
        if not _CODE.match(word) and not _NAME.match(word):
            raise _Malformed(f"`{word}` is not a code; codes are letters and digits, separated by commas")
    rest, reason = _split_reason(listed["rest"].strip())
    if rest and not rest.startswith("#"):
        raise _Malformed(f"`{rest}` follows the codes; begin a reason with ` -- `")
    return kind, tuple(word.upper() if _CODE.match(word) else word for word in words), reason


def _split_reason(text: str) -> tuple[str, str]:
    """The text before and behind ` -- `."""
    match = _REASON.search(text)
    return (text, "") if match is None else (text[: match.start()].rstrip(), text[match.end() :].strip())
