"""The one lowering: the tree of a module, from whichever reader, to the words of the analysis."""

from __future__ import annotations

import ast
from typing import cast

from ctxlint.ir.function import Function, FunctionKind
from ctxlint.ir.module import Class, Module
from ctxlint.ir.span import Span
from ctxlint.syntax.blocks import Draft, ModuleDraft
from ctxlint.syntax.definitions import prepare_scope
from ctxlint.syntax.expressions import value_of
from ctxlint.syntax.scopes import Scope, walrus_lines
from ctxlint.syntax.spans import spans_of
from ctxlint.syntax.statements import write_statements


def lower(tree: ast.Module, source: str) -> Module:
    """Lower a whole module. `source` is the decoded text that `tree` was read from, without a byte order mark.

    Raises RecursionError for expressions nested deeper than the interpreter's limit; `ctxlint.syntax.load` makes a
    problem of that.
    """
    module = ModuleDraft(spans_of(source), walrus_lines(source))
    drafts = [Draft(module, tree, "<module>", "module", "", -1, Scope(None, None, False))]
    functions: list[Function] = []
    classes: list[Class] = []
    # Functions are lowered in the order of their indices, those that a function defines behind all known ones.
    for draft in drafts:
        _write(draft)
        drafts.extend(module.pending)
        module.pending.clear()
    for draft in drafts:
        functions.append(_function(draft))
        if draft.kind == "class":
            classes.append(_class(draft))
    return Module(tuple(functions), tuple(classes), tuple(module.imports))


def _write(draft: Draft) -> None:
    prepare_scope(draft)
    if draft.kind == "lambda":
        value = value_of(draft, draft.node.body)
        draft.emit("return", draft.node.body, None, value)
    else:
        write_statements(draft, draft.node.body)


def _function(draft: Draft) -> Function:
    scope, node = draft.scope, draft.node
    blocks = draft.finish()
    return Function(
        draft.qualname,
        draft.ordinal,
        _kind(draft),
        draft.owner,
        draft.enclosing,
        draft.formals,
        draft.returns,
        draft.decorators,
        tuple(dict.fromkeys([*scope.bound, *scope.extra])),
        tuple(sorted(scope.captured)),
        tuple(draft.events),
        blocks,
        _span(draft),
        draft.kind not in ("lambda", "module", "class") and _does_nothing(node.body),
    )


def _kind(draft: Draft) -> FunctionKind:
    if draft.has_yield and draft.kind == "function":
        return "generator"
    if draft.has_yield and draft.kind == "coroutine":
        return "async-generator"
    return cast(FunctionKind, draft.kind)


def _span(draft: Draft) -> Span:
    if draft.fixed_span is not None:
        return draft.fixed_span
    if draft.kind != "module":
        return draft.module.span_of(draft.node)
    body: list[ast.stmt] = draft.node.body
    if not body:
        return Span(1, 1, 1, 1)
    last = draft.module.span_of(body[-1])
    return Span(1, 1, last.end_line, last.end_column)


def _class(draft: Draft) -> Class:
    return Class(draft.qualname, draft.bases, draft.decorators, tuple(draft.fields.values()), tuple(draft.methods),
                 draft.index, draft.module.span_of(draft.node))


def _does_nothing(statements: list[ast.stmt]) -> bool:
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            if isinstance(raised, ast.Name) and raised.id == "NotImplementedError":
                continue
        elif isinstance(statement, ast.Pass):
            continue
        return False
    return True
