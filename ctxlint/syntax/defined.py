"""The names of the functions and classes that a module defines, wherever in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ctxlint.syntax.read import Problem, read


def defined(source: bytes) -> frozenset[str] | None:
    """Return the dotted names of the functions and classes of a module; None when it cannot be read."""
    reading = read(source)
    return None if isinstance(reading, Problem) else frozenset(_names(reading.tree))


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
