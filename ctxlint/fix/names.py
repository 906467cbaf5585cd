"""What the names of a file mean: its imports, and which names are taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Names(NamedTuple):
    """`imports` are names that the module binds by importing alone, with the dotted name behind each, `anywhere` those that
    only imports of one and the same thing bind, in whatever scope; `bound` is every name that something in the file binds,
    `used` every name that occurs.
    """

    imports: dict[str, str]
    anywhere: dict[str, str]
    bound: frozenset[str]
    used: frozenset[str]
    counts: dict[str, int]

    def bindings_of(self, name: str) -> int:
        """How many different things something in the file binds the name to."""
        return self.counts.get(name, 0)

    def qualified(self, dotted: str) -> str:
        """The dotted name with its first part replaced by what was imported under it; empty when nothing was."""
        root, dot, rest = dotted.partition(".")
        behind = self.anywhere.get(root)
        return f"{behind}{dot}{rest}" if behind is not None else ""

    def name_for(self, qualified: str) -> str:
        """A name under which the file knows something imported, as it is written there; empty when it does not."""
        for name, behind in self.imports.items():
            if behind == qualified:
                return name
        module, _, last = qualified.rpartition(".")
        return f"{found}.{last}" if module and (found := self.name_for(module)) else ""


def names_of(tree: ast.Module) -> Names:
    """The names of a file."""
    imports: dict[str, str] = {}
    anywhere: dict[str, str] = {}
    bindings: dict[str, set[str | int]] = {}
    used: set[str] = set()
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, behind in _imported(node):
                anywhere[name] = behind
                bindings.setdefault(name, set()).add(behind)        # importing the same thing twice binds it once
        for name in _bound_by(node):
            bindings.setdefault(name, set()).add(id(node))
        if isinstance(node, ast.Name):
            used.add(node.id)
        if id(node) in top and isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.update(_imported(node))
    return Names(
        {name: behind for name, behind in imports.items() if bindings.get(name) == {behind}},
        {name: behind for name, behind in anywhere.items() if bindings.get(name) == {behind}},
        frozenset(bindings),
        frozenset(used | bindings.keys()),
        {name: len(origins) for name, origins in bindings.items()},
    )


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            yield alias.name.partition(".")[0], alias.name.partition(".")[0]


def _bound_by(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds, in whatever scope."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
