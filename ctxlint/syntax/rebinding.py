"""Names that get another value while an expression that mentions them is still in use.

Values refer to local names without an event, so what is kept over a binding, or over a suspension, needs a word of its own.
"""

from __future__ import annotations

import ast

from ctxlint.ir.value import AccessPath, Compound, Name, Value
from ctxlint.syntax.acting import suspends
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.scopes import target_names
from ctxlint.syntax.values import mentions


def read_before(body: Draft, place: ast.expr, value: Value, following: list[ast.expr]) -> Value:
    """What the value is when it is evaluated, in front of expressions during which others can run.

    Nobody else can bind a local name meanwhile; a captured or global one is read by an event of its own.
    """
    if isinstance(value, Name) and value.scope != "local" and any(suspends(each) for each in following):
        return body.emit("read", place, AccessPath(value))
    return value


def still_meant(body: Draft, target: ast.expr, value: Value) -> Value:
    """What has the value once it is stored: the target itself, where it replaced a name that the value is made from."""
    if isinstance(target, ast.Name) and isinstance(value, (Compound, Name)) and mentions(value, {target.id}):
        return body.scope[target.id]
    return value


def keep_overwritten(body: Draft, elements: list[ast.expr], parts: list[Value]) -> None:
    """`a, b = b, a`: what a later part says of a name that an earlier target binds is kept aside first."""
    bound: set[str] = set()
    for position, element in enumerate(elements):
        if bound and mentions(parts[position], bound):
            kept = body.scope.hidden_variable(element.id if isinstance(element, ast.Name) else "item")
            body.emit("local", element, AccessPath(kept), parts[position])
            parts[position] = kept
        bound.update(target_names(element))
