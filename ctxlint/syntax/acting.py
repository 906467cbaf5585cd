"""Which expressions do more than read, and so need blocks of their own where they may not be evaluated."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_ACTING: frozenset[type] = frozenset({
    ast.Await, ast.Call, ast.DictComp, ast.GeneratorExp, ast.ListComp, ast.NamedExpr, ast.SetComp, ast.Yield,
    ast.YieldFrom,
})
_SUSPENDING: frozenset[type] = frozenset({ast.Await, ast.Yield, ast.YieldFrom})
_LEAVES: frozenset[type] = frozenset({ast.Name, ast.Constant})


def acts(node: ast.expr) -> bool:
    """Whether evaluating the expression does more than read."""
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        kind = each.__class__
        if kind in _ACTING:
            return True
        if isinstance(each, ast.Attribute):
            pending.append(each.value)
        elif isinstance(each, ast.Lambda):
            # The body comes later, the defaults come now.
            pending.extend(each.args.defaults)
            pending.extend([default for default in each.args.kw_defaults if default is not None])
        elif kind not in _LEAVES:
            pending.extend(ast.iter_child_nodes(each))
    return False


def suspends(node: ast.expr) -> bool:
    """Whether others can run while the expression is evaluated."""
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        if each.__class__ in _SUSPENDING or (isinstance(each, ast.comprehension) and each.is_async):
            return True
        if not isinstance(each, ast.Lambda):
            pending.extend(ast.iter_child_nodes(each))
    return False


def any_acts(nodes: Sequence[ast.expr]) -> bool:
    """Whether evaluating one of the expressions does more than read."""
    return any(acts(node) for node in nodes)
