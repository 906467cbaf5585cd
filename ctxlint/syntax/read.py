"""Bytes to a tree: the standard parser first, LibCST for syntax that the running interpreter does not know.

A file that cannot be read is a problem, which is a value; nothing in a file makes these functions raise.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from typing import Literal, NamedTuple

import msgspec

from ctxlint.syntax.depth import TooDeep, with_room

LARGEST_FILE = 8 * 1024 * 1024
"""Bytes; larger files are generated tables, and their trees need gigabytes."""

ProblemKind = Literal["syntax", "encoding", "too-large", "too-deep"]


class Problem(msgspec.Struct, frozen=True):
    """Why a file cannot be analysed, and the line where that shows (1 when no line does)."""

    kind: ProblemKind
    message: str
    line: int = 1


class Reading(NamedTuple):
    """The tree of a module, and the text it was read from (without a byte order mark)."""

    tree: ast.Module
    source: str


def read(source: bytes, largest: int = LARGEST_FILE) -> Reading | Problem:
    """Parse a module; syntax newer than the interpreter is left to LibCST."""
    if len(source) > largest:
        return Problem("too-large", f"the file has {len(source)} bytes, more than the {largest} that are read")
    text = decode(source)
    if isinstance(text, Problem):
        return text
    try:
        return Reading(_parse_with_room(text), text)
    except SyntaxError as error:
        return _read_newer_syntax(source, text, error)
    except UnicodeEncodeError as error:
        return Problem("encoding", f"the text holds {error.object[error.start]!r}, which is half a character")
    except ValueError as error:
        return Problem("syntax", str(error))
    except (RecursionError, MemoryError):
        return _too_deep()


def decode(source: bytes) -> str | Problem:
    """The text of a file in its declared encoding (PEP 263: byte order mark, cookie in the first two lines, UTF-8)."""
    try:
        return source.decode(encoding(source))
    except SyntaxError as error:
        return Problem("encoding", error.msg)
    except UnicodeDecodeError as error:
        return Problem("encoding", f"byte {source[error.start]:#04x} is not {error.encoding}: {error.reason}",
                       source.count(b"\n", 0, error.start) + 1)
    except (LookupError, UnicodeError) as error:
        return Problem("encoding", str(error))


def encoding(source: bytes) -> str:
    """The declared encoding of a file that `decode` reads."""
    if source.startswith(b"\xef\xbb\xbf") or any(b"coding" in line for line in source.split(b"\n", 2)[:2]):
        return tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    return "utf-8"


def _parse_with_room(text: str) -> ast.Module:
    try:
        return _parse(text)
    except RecursionError:
        return with_room(_parse, text)


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        # Invalid escapes and the like are not this program's business.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _read_newer_syntax(source: bytes, text: str, refusal: SyntaxError) -> Reading | Problem:
    """Ask LibCST, which knows newer syntax; a file that neither knows has the standard parser's message."""
    # LibCST takes a quarter of a second to import, and few runs need it here.
    from ctxlint.syntax.tree import TreeMismatch, parse

    try:
        return Reading(parse(source), text)
    except TooDeep as error:
        return Problem("too-deep", error.msg, error.lineno or 1)
    except SyntaxError:
        return Problem("syntax", refusal.msg, refusal.lineno or 1)
    except TreeMismatch as error:
        return Problem("syntax", str(error))
    except (RecursionError, MemoryError):
        return _too_deep()


def _too_deep() -> Problem:
    return Problem("too-deep", "expressions or statements are nested too deeply to be read")
