"""What writes a whole file in one step: the program's own function, or that of the runtime."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.fix.rewriting import Place

_OPERANDS = (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.JoinedStr)


class Writer(NamedTuple):
    """What the file calls the function, and whether it takes a text as the bytes that this is in UTF-8."""

    name: str
    encodes: bool = False

    def content(self, code: str) -> str:
        """The argument that a content becomes."""
        before, behind = self.around(code)
        return f"{before}{code}{behind}"

    def around(self, code: str) -> tuple[str, str]:
        """What comes before and behind the code of a content that becomes an argument."""
        if not self.encodes:
            return "", ""
        return ("", ".encode()") if isinstance(ast.parse(f"({code})", mode="eval").body, _OPERANDS) else ("(", ").encode()")


def writer_of(place: Place, binary: bool, encoding: Sequence[str]) -> Writer:
    """The program's own function, if it has one that can be given this content; `encoding` is empty when it is UTF-8."""
    helpers = [helper.split(":") for helper in place.fact("helpers").split()]
    for taken in () if encoding else ("bytes",) if binary else ("str", "bytes"):
        for module, name, content in helpers:
            if content != taken:
                continue
            if module:
                return Writer(place.imported(module, name), content == "bytes" and not binary)
            if name not in place.names.imports and place.names.bindings_of(name) == 1:
                return Writer(name, content == "bytes" and not binary)
    return Writer(place.from_runtime("atomic_write"))
