"""How deep a file nests, before a parser sees it, and a thread with room for what is deep but legal.

LibCST's native parser overflows its stack on extreme nesting, which ends the process, and needs time that is quadratic in
the length of a chain of operators and exponential in the nesting of `match` patterns.
Measured with LibCST 1.9 on the usual stack of 8 MiB: 800 brackets parse and 1,600 kill the process (about 10 KiB a level);
2,000 chained terms take 1 to 5 s; a pattern of 10 nested tuples takes 2 s, one of 15 more than 6.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from typing import NamedTuple, TypeVar

LARGEST = 3_000_000
"""Bytes of the largest file that LibCST reads."""

_TOKENS = 500_000  # Each takes up to 2 KiB of memory in LibCST's tree.

_BRACKETS = 200  # CPython's own tokenizer accepts no more.
_CHAIN = 2_000
_ADJACENT_STRINGS = 5_000  # LibCST itself gives up at about as many.
_PATTERN_BRACKETS = 8
_ROOMY = 50  # Levels that fit every stack and the default recursion limit, whoever calls.
_STACK_BYTES = 512 << 20
_RECURSION_LIMIT = 100_000

_TOKEN = re.compile(
    rb"""
      (?P<newline>\n|\r\n?)
    | \#[^\r\n]*
    | \\(?:\r\n?|\n)
    | (?P<string>[rRbBuUfFtT]{0,2}(?:
          \"\"\"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*\"\"\"
        | '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
        | \"[^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*\"
        | '[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'))
    | (?P<word>[A-Za-z_\x80-\xff][\w\x80-\xff]*)
    | [0-9][\w.]*
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<comma>,)
    | (?P<semicolon>;)
    | (?P<operator>\*\*|//|<<|>>|[-+*/%@&|^~.])
    """,
    re.VERBOSE | re.DOTALL,
)
_NESTING_WORDS = frozenset({b"and", b"or", b"not", b"if", b"else", b"for", b"in", b"lambda", b"await", b"yield"})
_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))

_one_at_a_time = threading.Lock()
_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


class TooDeep(SyntaxError):
    """The file nests deeper, or is larger, than LibCST can be trusted with."""


class Nesting(NamedTuple):
    """An upper bound of the levels of the deepest expression or `elif` chain, and the line where it stands."""

    levels: int
    line: int

    @property
    def deep(self) -> bool:
        """Whether the file wants the room that `with_room` gives."""
        return self.levels > _ROOMY


def nesting(source: bytes) -> Nesting:
    """How deep the file nests; TooDeep (a SyntaxError with the line) if it must not be parsed by LibCST at all."""
    if len(source) > LARGEST:
        raise TooDeep(f"the file is too large: {len(source):,} bytes, at most {LARGEST:,} are read", (None, 1, 1, None))
    levels, position, excess = _scan(source)
    line = source.count(b"\n", 0, position) + 1
    if excess:
        raise TooDeep(f"more than LibCST can be trusted with: {excess}", (None, line, 1, None))
    return Nesting(levels, line)


def with_room(function: Callable[[_Argument], _Result], argument: _Argument) -> _Result:
    """The result of `function(argument)`, or its exception, computed in a thread with a large stack and recursion limit.

    One call at a time: the recursion limit and the stack size of new threads belong to the whole process.
    A call from within such a thread has that room already.
    """
    if isinstance(threading.current_thread(), _RoomyThread):
        return function(argument)
    results: list[_Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function(argument))
        except BaseException as error:
            errors.append(error)

    with _one_at_a_time:
        limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
        try:
            sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
            thread = _RoomyThread(target=run)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]


class _RoomyThread(threading.Thread):
    """A thread that `with_room` started."""


def _scan(source: bytes) -> tuple[int, int, str]:
    """The deepest level, where it is, and why it is too deep (or nothing).

    A level is an open bracket, or an operator, word, call or run of strings since the last comma of its bracket: the tree of
    an expression is hardly ever deeper than the sum over all open brackets (parameters of nested lambdas hide some).
    """
    chains = [0]  # of each open bracket
    levels = deepest = position = adjacent = 0
    first, in_case, line_start = True, False, 0
    elifs: dict[int, int] = {}  # column of the `if` → length of its chain
    for count, match in enumerate(_TOKEN.finditer(source)):
        kind = match.lastgroup
        start = match.start()
        if count > _TOKENS:
            return levels, start, f"over {_TOKENS:,} tokens"
        if kind == "newline":
            line_start = match.end()
            if len(chains) == 1:
                chains[0] = levels = 0
                first = True
            continue
        if kind is None:
            first = first and source[start] in b"#\\"
            continue
        adjacent = adjacent + 1 if kind == "string" else 0
        if kind == "word":
            word = match.group()
            if first:
                first, in_case = False, word == b"case"
                levels += _elif_chain(elifs, start - line_start, word)
            elif word not in _NESTING_WORDS:
                continue
            else:
                chains[-1] += 1
                levels += 1
        elif kind == "open":
            chains.append(0)
            levels += 1
            if len(chains) - 1 > _BRACKETS:
                return levels, start, f"over {_BRACKETS} open brackets"
            if in_case and len(chains) - 1 > _PATTERN_BRACKETS:
                return levels, start, f"over {_PATTERN_BRACKETS} open brackets in a pattern"
        elif kind == "close":
            if len(chains) > 1:
                levels -= chains.pop()
                chains[-1] += 1  # The bracket becomes a link of the chain it stands in: `a.b()[c]`.
        elif kind == "comma":
            levels -= chains[-1]
            chains[-1] = 0
        elif kind == "semicolon":
            levels -= chains[-1]
            chains[-1], first = 0, True
        elif kind == "string":
            inner = _inside(match.group())
            if inner + len(chains) - 1 > _BRACKETS:
                return levels + inner, start, f"over {_BRACKETS} open brackets in a formatted string"
            if adjacent > _ADJACENT_STRINGS:
                return levels, start, f"over {_ADJACENT_STRINGS:,} adjacent strings"
            if adjacent == 1:
                chains[-1] += 1
                levels += 1
            deepest = max(deepest, levels + inner + adjacent - 1)
        else:
            chains[-1] += 1
            levels += 1
        first = first and kind == "semicolon"
        if levels > deepest:
            deepest, position = levels, start
        if levels > _CHAIN:
            return levels, start, f"over {_CHAIN:,} chained operators"
    return deepest, position, ""


def _elif_chain(elifs: dict[int, int], column: int, word: bytes) -> int:
    """The length of the `elif` chain which a statement that begins with `word` continues."""
    for deeper in [each for each in elifs if each > column]:
        del elifs[deeper]
    if word == b"elif":
        elifs[column] = elifs.get(column, 0) + 1
        return elifs[column]
    if word != b"else":
        elifs.pop(column, None)
    return 0


def _inside(literal: bytes) -> int:
    """How many brackets are open at once in a formatted or template string: they hold expressions."""
    quote = min(place for place in (literal.find(b"'"), literal.find(b'"')) if place >= 0)
    if not set(literal[:quote].lower()) & set(b"ft"):
        return 0
    open_now = most = 0
    for bracket in literal.translate(None, _NOT_BRACKETS):
        open_now += 1 if bracket in b"([{" else -1
        most = max(most, open_now)
    return most
