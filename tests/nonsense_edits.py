"""Where the names of a text stand, byte by byte, and how they are replaced without moving a line."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["plain", "attribute"]

_MARK = re.compile(r"# expect")


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    new: bytes


@dataclass(frozen=True)
class Use:
    """A place where a name stands: a field of a node (and its position in a list), and what the name may be."""

    node: ast.AST
    field: str
    index: int
    role: Role
    name: str
    own: bool | None


class Source:
    """A text whose nodes' positions are offsets of bytes."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self._lines = [0]
        for line in self.data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def start(self, node: Any) -> int:
        return self._lines[int(node.lineno) - 1] + int(node.col_offset)

    def end(self, node: Any) -> int:
        return self._lines[int(node.end_lineno) - 1] + int(node.end_col_offset)

    def at(self, line: int, column: int) -> int:
        """Return the offset of a place that tokenize gives, which counts characters."""
        begin = self._lines[line - 1]
        text = self.data[begin:].decode().splitlines()[0] if self.data[begin:] else ""
        return begin + len(text[:column].encode())

    def edit(self, use: Use, new: str) -> Edit:
        old = use.name.encode()
        start = self._place(use, old)
        if self.data[start : start + len(old)] != old:
            raise AssertionError(f"{use.name} is not where {type(use.node).__name__}.{use.field} says")
        return Edit(start, start + len(old), new.encode())

    def _place(self, use: Use, old: bytes) -> int:
        node: Any = use.node
        if use.field in ("id", "arg") or (isinstance(node, ast.alias) and use.field == "name"):
            return self.start(node)
        if use.field in ("attr", "asname"):
            return self.end(node) - len(old)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return self._after(rb"(?:async\s+)?(?:def|class)\s+", self.start(node))
        if isinstance(node, ast.ImportFrom):
            begin = self._after(rb"from\s+\.*", self.start(node))
            return begin + sum(len(part) + 1 for part in (node.module or "").split(".")[: use.index])
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            words = list(re.finditer(rb"[^\W\d]\w*", self.data[self.start(node) : self.end(node)]))
            return self.start(node) + words[use.index + 1].start()
        if isinstance(node, ast.ExceptHandler):
            return self._after(rb"\s*\)?\s*as\s+", self.end(node.type))
        if isinstance(node, ast.MatchClass):
            begin = self.start(node.kwd_patterns[use.index])
            return begin - len(re.search(rb"\w+\s*=\s*\Z", self.data[:begin])[0])  # type: ignore[index]
        if isinstance(node, ast.MatchStar):
            return self._after(rb"\*\s*", self.start(node))
        if isinstance(node, ast.MatchMapping):
            return self.data.rindex(old, self.start(node), self.end(node))
        return self.end(node) - len(old)

    def _after(self, pattern: bytes, start: int) -> int:
        found = re.compile(pattern).match(self.data, start)
        assert found is not None
        return found.end()

    def replaced(self, node: Any, new: str) -> Edit:
        """Replace a node, keeping the number of lines."""
        start, end = self.start(node), self.end(node)
        return Edit(start, end, new.encode() + b"\n" * self.data[start:end].count(b"\n"))

    def edited(self, edits: list[Edit]) -> str:
        data = self.data
        for edit in sorted(edits, key=lambda one: one.start, reverse=True):
            data = data[: edit.start] + edit.new + data[edit.end :]
        return "\n".join(line.rstrip() for line in data.decode().split("\n"))


def docstrings(tree: ast.Module, source: Source) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                yield source.replaced(first, "..." if len(node.body) == 1 and not isinstance(node, ast.Module) else "")


def comments(text: str, source: Source) -> Iterator[Edit]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _MARK.match(token.string):
            start = source.at(*token.start)
            yield Edit(start, start + len(token.string.encode()), b"")
