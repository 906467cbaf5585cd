"""Which functions a state of the files has: what still stands where it stood has not moved away, however much alike two are."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ctxlint.discovery.files import SourceFile
from ctxlint.store.sources import source_of
from ctxlint.syntax.read import Problem, read


class Functions:
    """The functions and classes of files, each file read when it is first asked for. `content` gives None for no file."""

    def __init__(self, content: Callable[[str], bytes | None]) -> None:
        self._content = content
        self._symbols: dict[str, frozenset[str] | None] = {}
        self._unreadable: set[str] = set()

    def has(self, path: str, symbol: str) -> bool:
        """Whether a file has a function; one that cannot be read may have any."""
        if path not in self._symbols:
            self._symbols[path] = self._read(path)
        symbols = self._symbols[path]
        outer = symbol.partition("<")[0].rstrip(".")        # the module, or a lambda in what it stands in
        return symbols is not None and (not outer or path in self._unreadable or outer in symbols)

    def _read(self, path: str) -> frozenset[str] | None:
        content = self._content(path)
        if content is None:
            return None
        reading = read(content)
        if isinstance(reading, Problem):
            self._unreadable.add(path)
            return frozenset()
        return frozenset(_names(reading.tree))


def present_functions(files: Iterable[SourceFile]) -> Functions:
    """The functions of the present: of the files that are analysed as they are analysed, of others as the disk has them."""
    analysed = {file.path: file for file in files}

    def content(path: str) -> bytes | None:
        try:
            return source_of(analysed[path]) if path in analysed else Path(path).read_bytes() if os.path.isfile(path) else None
        except OSError:
            return b"\0"        # it is there, and nobody can say what is in it

    return Functions(content)


def _names(tree: ast.Module) -> Iterator[str]:
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, outer = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{outer}.{child.name}" if outer else child.name
                yield name
            if not isinstance(child, ast.expr):
                waiting.append((child, name))
