"""What the text of a literal denotes, without evaluating it: no warnings, no limits of the running interpreter's parser."""

from __future__ import annotations

import io
import re
import tokenize
import unicodedata

_SIMPLE = {"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BYTES_ESCAPE = re.compile(r"\\(?:([\n\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2}))")
_TEXT_ESCAPE = re.compile(
    r"\\(?:([\n\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\})"
)
_BRACES_OR_ESCAPE = re.compile(r"(\{\{|\}\})|" + _TEXT_ESCAPE.pattern)
_NEWLINE = re.compile(r"\r\n?")


def identifier(text: str) -> str:
    """The name that `text` denotes: identifiers are compared in normal form NFKC (reference manual, 2.3)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def number(text: str) -> int | float | complex:
    """The number that `text` denotes; ValueError if it is none, or is longer than the interpreter converts."""
    text = text.replace("_", "").lower()
    if text.startswith(("0x", "0o", "0b")):
        return int(text, 0)
    if text.endswith("j"):
        return complex(0, float(text[:-1]))
    if "." in text or "e" in text:
        return float(text)
    return int(text)


def string(prefix: str, body: str) -> str:
    """The content of a text literal: `prefix` in lower case, `body` what stands between the quotes."""
    body = _NEWLINE.sub("\n", body)
    return body if "r" in prefix or "\\" not in body else _TEXT_ESCAPE.sub(_character, body)


def octets(prefix: str, body: str) -> bytes:
    """The content of a bytes literal; UnicodeEncodeError if it holds a character which is not ASCII."""
    body = _NEWLINE.sub("\n", body)
    body.encode("ascii")
    return (body if "r" in prefix or "\\" not in body else _BYTES_ESCAPE.sub(_octet, body)).encode("latin-1")


def formatted_text(prefix: str, body: str) -> str:
    """The content of the text between two replacement fields of a formatted or template string."""
    body = _NEWLINE.sub("\n", body)
    if "r" in prefix or "\\" not in body:
        return body.replace("{{", "{").replace("}}", "}")
    return _BRACES_OR_ESCAPE.sub(_brace_or_character, body)


def _character(match: re.Match[str]) -> str:
    simple, octal, hexadecimal, short, long, name = match.groups()
    return _escaped(simple, octal, hexadecimal or short or long, name)


def _brace_or_character(match: re.Match[str]) -> str:
    brace, simple, octal, hexadecimal, short, long, name = match.groups()
    return brace[0] if brace else _escaped(simple, octal, hexadecimal or short or long, name)


def _escaped(simple: str | None, octal: str | None, hexadecimal: str | None, name: str | None) -> str:
    if simple is not None:
        return _SIMPLE[simple]
    if octal is not None:
        return chr(int(octal, 8))
    if hexadecimal is not None:
        return chr(int(hexadecimal, 16))
    try:
        return unicodedata.lookup(name or "")
    except KeyError:
        raise ValueError(f"unknown Unicode character name {name!r}") from None


def _octet(match: re.Match[str]) -> str:
    simple, octal, hexadecimal = match.groups()
    if simple is not None:
        return _SIMPLE[simple]
    return chr(int(octal, 8) & 0xFF if octal is not None else int(hexadecimal, 16))


def without_comments(expression: str) -> str:
    """The text of a self-documenting expression (`f"{x = }"`), from which the standard parser leaves out comments."""
    if "#" not in expression:
        return expression
    lines = f"({expression})".split("\n")
    for token in reversed(list(tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline))):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(lines)[1:-1]
