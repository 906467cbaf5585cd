"""What writes a whole file in one step: the program's own function, or that of the runtime."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.fix.rewriting import Place

_OPERANDS = (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.JoinedStr)


class Writer(NamedTuple):
    """What the file calls the function, and how that differs from the runtime's.

    `encodes` when a text is given to it as the bytes that this is in UTF-8, `makes_path` what makes of the path what it
    takes, `asks_encoding` when it has to be told UTF-8, too.
    """

    name: str
    encodes: bool = False
    makes_path: str = ""
    asks_encoding: bool = False

    def arguments(self, path: str, content: str, encoding: Sequence[str]) -> list[str]:
        """What the function is given."""
        before, behind = self.around(content)
        return [self.path(path), f"{before}{content}{behind}", *self.encoding(encoding)]

    def path(self, code: str) -> str:
        """The argument that the path becomes."""
        written_out = isinstance(_parsed(code), (ast.Constant, ast.JoinedStr))
        return f"{self.makes_path}({code})" if self.makes_path and not (written_out and self.makes_path == "str") else code

    def around(self, code: str) -> tuple[str, str]:
        """What comes before and behind the code of a content that becomes an argument."""
        if not self.encodes:
            return "", ""
        return ("", ".encode()") if isinstance(_parsed(code), _OPERANDS) else ("(", ").encode()")

    def encoding(self, needed: Sequence[str]) -> Sequence[str]:
        """The argument that names the encoding, if one does; nothing is `needed` for UTF-8."""
        return needed or (['encoding="utf-8"'] if self.asks_encoding else [])


def writer_of(place: Place, binary: bool, encoding: Sequence[str], *, has_path: bool) -> Writer:
    """The program's own function, if it has one that can be given this content; `encoding` is empty when it is UTF-8, and the
    file is known by an object rather than by a text when it `has_path`.
    """
    helpers = [helper.split(":") for helper in place.fact("helpers").split()]
    for taken in () if encoding else ("bytes",) if binary else ("str", "bytes"):
        for module, name, content, path, asked in helpers:
            if content != taken or not module and (name in place.names.imports or place.names.bindings_of(name) != 1):
                continue
            makes = "str" if path == "str" else place.imported("pathlib", "Path") if path == "Path" and not has_path else ""
            return Writer(place.imported(module, name) if module else name, content == "bytes" and not binary, makes, bool(asked))
    return Writer(place.from_runtime("atomic_write"))


def _parsed(code: str) -> ast.expr:
    return ast.parse(f"({code})", mode="eval").body
