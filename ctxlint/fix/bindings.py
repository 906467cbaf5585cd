"""Which names a piece of code uses, binds or changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst


def subtree(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """A node and everything below it."""
    found = [node]
    for each in found:
        found.extend(each.children)
    return found


def targets_of(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What a node itself binds or changes: the targets of an assignment or a loop; of a definition or an import all of it."""
    if isinstance(node, cst.Assign):
        return [target.target for target in node.targets]
    if isinstance(node, (cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr, cst.CompFor)):
        return [node.target]
    if isinstance(node, cst.AsName):
        return [node.name]
    if isinstance(node, (cst.Del, cst.Global, cst.Nonlocal, cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom)):
        return [node]
    return []


def names_in(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """Every name that occurs as a variable."""
    return frozenset(each.value for node in nodes for each in subtree(node) if isinstance(each, cst.Name))


def bound_in(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The names that the nodes may bind or change through an item or attribute."""
    return frozenset().union(*(names_in(targets_of(each)) for node in nodes for each in subtree(node)))
