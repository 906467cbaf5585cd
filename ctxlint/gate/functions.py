"""Which functions a state of the files has: what still stands where it stood has not moved away, however much alike two are."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ctxlint.syntax.defined import defined


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
        names = defined(content)
        if names is None:
            self._unreadable.add(path)
        return names or frozenset()


def present_functions(sources: Mapping[str, bytes | None]) -> Functions:
    """The functions of the present: of files with a source as that says, of all others as the disk has them."""

    def content(path: str) -> bytes | None:
        source = sources.get(path)
        try:
            return source if source is not None else Path(path).read_bytes() if os.path.isfile(path) else None
        except OSError:
            return b"\0"        # it is there, and nobody can say what is in it

    return Functions(content)
