"""Definitions: functions, lambdas and classes become functions of their own, and one event where they are executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ctxlint.ir.function import Formal, FormalKind, FunctionKind
from ctxlint.ir.module import Method
from ctxlint.ir.span import Span
from ctxlint.ir.value import AccessPath, Closure, Value
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.scopes import Scope, scope_of_body, walrus_targets
from ctxlint.syntax.symbols import annotation_text, decorator_text, dotted_text, is_dotted

ValueOf = Callable[[Draft, ast.expr], Value]


def define_function(body: Draft, node: ast.FunctionDef, value_of: ValueOf) -> None:
    """Evaluate decorators and defaults, then bind the function's name; its body is lowered later."""
    _evaluate_decorators(body, node.decorator_list, value_of)
    formals = _formals(body, node.args, value_of)
    index = body.module.closures.get(node)
    if index is None:
        kind: FunctionKind = "coroutine" if node.__class__.__name__ == "AsyncFunctionDef" else "function"
        draft = _reserve(body, node, _qualname(body, node.name), kind)
        draft.formals = formals
        draft.returns = annotation_text(node.returns)
        draft.decorators = tuple([decorator_text(decorator) for decorator in node.decorator_list])
        index = draft.index
        if body.kind == "class":
            body.methods.append(Method(node.name, index))
    body.emit("define", node, AccessPath(body.scope[node.name]), Closure(index))


def define_class(body: Draft, node: ast.ClassDef, value_of: ValueOf) -> None:
    """Evaluate decorators, bases and keywords, then bind the class's name; its body is lowered later, as a function."""
    _evaluate_decorators(body, node.decorator_list, value_of)
    for base in node.bases:
        if not is_dotted(base):
            value_of(body, base)
    for keyword in node.keywords:
        if not is_dotted(keyword.value):
            value_of(body, keyword.value)
    index = body.module.closures.get(node)
    if index is None:
        draft = _reserve(body, node, _qualname(body, node.name), "class")
        draft.bases = tuple([dotted_text(base) for base in node.bases])
        draft.decorators = tuple([decorator_text(decorator) for decorator in node.decorator_list])
        index = draft.index
    body.emit("define", node, AccessPath(body.scope[node.name]), Closure(index))


def define_lambda(body: Draft, node: ast.Lambda, value_of: ValueOf) -> Closure:
    """Evaluate defaults; the lambda's body is lowered later, and stands where the statement stands."""
    formals = _formals(body, node.args, value_of)
    index = body.module.closures.get(node)
    if index is None:
        body.lambdas += 1
        draft = _reserve(body, node, _qualname(body, f"<lambda{body.lambdas}>"), "lambda")
        draft.formals = formals
        draft.fixed_span = body.fixed_span or _statement_span(body)
        index = draft.index
    closure = Closure(index)
    body.emit("define", node, None, closure)
    return closure


def prepare_scope(draft: Draft) -> None:
    """Find out which names the function binds, before its body is lowered."""
    node = draft.node
    walruses = draft.module.walruses
    if draft.kind == "lambda":
        draft.scope.bind([formal.name for formal in draft.formals])
        if walruses:
            draft.scope.bind(walrus_targets([node.body], walruses))
    elif draft.kind != "module":
        scope_of_body(draft.scope, [formal.name for formal in draft.formals], node.body, walruses)


def _reserve(body: Draft, node: ast.AST, qualname: str, kind: FunctionKind) -> Draft:
    scope = Scope(body.scope if body.kind != "module" else None, body.overlay, kind == "class")
    owner = body.qualname if body.kind == "class" else ""
    draft = Draft(body.module, node, qualname, kind, owner, body.index, scope)
    body.module.closures[node] = draft.index
    body.module.pending.append(draft)
    return draft


def _qualname(body: Draft, name: str) -> str:
    return name if body.kind == "module" else f"{body.qualname}.{name}"


def _evaluate_decorators(body: Draft, decorators: list[ast.expr], value_of: ValueOf) -> None:
    for decorator in decorators:
        if not is_dotted(decorator):
            value_of(body, decorator)


def _formals(body: Draft, arguments: ast.arguments, value_of: ValueOf) -> tuple[Formal, ...]:
    """The parameters; their defaults are evaluated here, where the function is defined."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, Value] = {}
    if arguments.defaults:
        for parameter, default in zip(positional[-len(arguments.defaults):], arguments.defaults):
            defaults[parameter.arg] = value_of(body, default)
    for parameter, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if keyword_default is not None:
            defaults[parameter.arg] = value_of(body, keyword_default)
    formals: list[Formal] = []
    for parameters, kind in _groups(arguments):
        for parameter in parameters:
            formals.append(Formal(parameter.arg, kind, annotation_text(parameter.annotation), defaults.get(parameter.arg)))
    return tuple(formals)


def _groups(arguments: ast.arguments) -> Iterator[tuple[list[ast.arg], FormalKind]]:
    if arguments.posonlyargs:
        yield arguments.posonlyargs, "positional-only"
    yield arguments.args, "positional"
    if arguments.vararg is not None:
        yield [arguments.vararg], "variadic"
    if arguments.kwonlyargs:
        yield arguments.kwonlyargs, "keyword-only"
    if arguments.kwarg is not None:
        yield [arguments.kwarg], "keywords"


def _statement_span(body: Draft) -> Span:
    """Where the current statement stands; of a compound one, what stands before its body."""
    span = body.module.span_of(body.statement)
    inner = getattr(body.statement, "body", None)
    if isinstance(inner, list) and inner:
        first = body.module.span_of(inner[0])
        if (first.line, first.column) > (span.line, span.column):
            return Span(span.line, span.column, first.line, first.column)
    return span
