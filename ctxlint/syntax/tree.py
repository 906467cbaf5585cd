"""LibCST's tree in the words of the standard `ast`, through one table of shapes.

LibCST parses the syntax of every Python version, whatever interpreter runs, and keeps each byte of the file; `ast` is the
vocabulary which the lowering understands.
Structure comes from LibCST, positions from the standard parser where it accepts the file (`place.align`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import libcst as cst

from ctxlint.syntax import literals
from ctxlint.syntax import vocabulary as ast
from ctxlint.syntax.depth import TooDeep, nesting, with_room
from ctxlint.syntax.place import Computed, Place, TreeMismatch, align, later
from ctxlint.syntax.tree_expressions import arguments, deleted, dotted, expression, optional, parameters, stored
from ctxlint.syntax.tree_operators import BINARY
from ctxlint.syntax.tree_patterns import pattern

__all__ = ["TooDeep", "TreeMismatch", "concrete", "parse"]


def parse(source: bytes) -> ast.Module:
    """The tree of a file.

    SyntaxError, with its line, if it is no Python (TooDeep if it is too large or nests too deeply to be parsed safely);
    TreeMismatch if the standard parser sees another structure, or LibCST has a node which the table does not know.
    """
    if nesting(source).deep:
        return with_room(_parse, source)
    try:
        return _parse(source)
    except RecursionError:
        return with_room(_parse, source)


def concrete(statement: ast.stmt) -> cst.CSTNode:
    """The LibCST node of a statement of a tree made by `parse`; of a simple statement, the node without its line."""
    node: cst.CSTNode = statement.__dict__["cst"]
    return node


def _parse(source: bytes) -> ast.Module:
    module = _parse_concrete(source)
    reference = _standard_tree(source)
    at: Place = later if reference is not None else Computed(module)
    try:
        made = ast.Module(body=block(module, at), type_ignores=[])
    except ValueError as error:
        raise SyntaxError(str(error), (None, 1, 1, None)) from error
    except KeyError as error:
        raise TreeMismatch(f"the table of shapes has no row for {error}") from error
    if reference is not None:
        align(made, reference)
    return made


def _parse_concrete(source: bytes) -> cst.Module:
    try:
        return cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        raise SyntaxError(error.message, (None, error.raw_line, error.raw_column + 1, None)) from error
    except SyntaxError as error:
        error.lineno = error.lineno or 1
        raise
    except cst.CSTLogicError as error:
        # Adjacent template strings are the one case known.
        raise SyntaxError(f"LibCST cannot represent this file: {error}", (None, 1, 1, None)) from error
    except (UnicodeError, LookupError) as error:
        raise SyntaxError(f"the text is not in its declared encoding: {error}", (None, 1, 1, None)) from error


def _standard_tree(source: bytes) -> ast.Module | None:
    """The standard parser's tree, or None if the running interpreter does not accept the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def block(node: cst.CSTNode, at: Place) -> list[ast.stmt]:
    """The statements of a module, of an indented block or behind a colon."""
    made: list[ast.stmt] = []
    assert isinstance(node, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite))
    for each in node.body:
        if isinstance(each, cst.SimpleStatementLine):
            made.extend(statement(small, at) for small in each.body)
        else:
            made.append(statement(each, at))
    return made


def statement(node: cst.CSTNode, at: Place) -> ast.stmt:
    """The statement `node`, which it keeps as `cst`."""
    made = STATEMENTS[node.__class__](node, at)
    at(made, node)
    made.__dict__["cst"] = node
    return made


def _body_of(node: cst.Else | cst.Finally | None, at: Place) -> list[ast.stmt]:
    return [] if node is None else block(node.body, at)


def _expression_statement(node: cst.Expr, at: Place) -> ast.stmt:
    return ast.Expr(value=expression(node.value, at))


def _pass(node: cst.Pass, at: Place) -> ast.stmt:
    return ast.Pass()


def _break(node: cst.Break, at: Place) -> ast.stmt:
    return ast.Break()


def _continue(node: cst.Continue, at: Place) -> ast.stmt:
    return ast.Continue()


def _assign(node: cst.Assign, at: Place) -> ast.stmt:
    targets = [stored(each.target, at) for each in node.targets]
    return ast.Assign(targets=targets, value=expression(node.value, at), type_comment=None)


def _annotated_assign(node: cst.AnnAssign, at: Place) -> ast.stmt:
    return ast.make(
        ast.AnnAssign,
        target=stored(node.target, at),
        annotation=expression(node.annotation.annotation, at),
        value=optional(node.value, at),
        simple=int(isinstance(node.target, cst.Name) and not node.target.lpar),
    )


def _augmented_assign(node: cst.AugAssign, at: Place) -> ast.stmt:
    target = stored(node.target, at)
    assert isinstance(target, (ast.Name, ast.Attribute, ast.Subscript))
    return ast.AugAssign(target=target, op=BINARY[node.operator.__class__], value=expression(node.value, at))


def _delete(node: cst.Del, at: Place) -> ast.stmt:
    if isinstance(node.target, cst.Tuple) and not node.target.lpar:
        return ast.Delete(targets=[deleted(each.value, at) for each in node.target.elements])
    return ast.Delete(targets=[deleted(node.target, at)])


def _return(node: cst.Return, at: Place) -> ast.stmt:
    return ast.Return(value=optional(node.value, at))


def _raise(node: cst.Raise, at: Place) -> ast.stmt:
    cause = None if node.cause is None else expression(node.cause.item, at)
    return ast.Raise(exc=optional(node.exc, at), cause=cause)


def _assert(node: cst.Assert, at: Place) -> ast.stmt:
    return ast.Assert(test=expression(node.test, at), msg=optional(node.msg, at))


def _global(node: cst.Global, at: Place) -> ast.stmt:
    return ast.Global(names=[literals.identifier(each.name.value) for each in node.names])


def _nonlocal(node: cst.Nonlocal, at: Place) -> ast.stmt:
    return ast.Nonlocal(names=[literals.identifier(each.name.value) for each in node.names])


def _import(node: cst.Import | cst.LazyImport, at: Place) -> ast.stmt:
    return ast.Import(names=_aliases(node.names, at))


def _import_from(node: cst.ImportFrom | cst.LazyImportFrom, at: Place) -> ast.stmt:
    if isinstance(node.names, cst.ImportStar):
        star = ast.alias(name="*", asname=None)
        at(star, node.names)
        names = [star]
    else:
        names = _aliases(node.names, at)
    return ast.ImportFrom(module=dotted(node.module), names=names, level=len(node.relative))


def _aliases(nodes: Iterable[cst.ImportAlias], at: Place) -> list[ast.alias]:
    made: list[ast.alias] = []
    for node in nodes:
        alias = ast.alias(name=dotted(node.name) or "", asname=_bound_name(node.asname))
        at(alias, node.name, node.asname.name if node.asname is not None else None)
        made.append(alias)
    return made


def _bound_name(node: cst.AsName | None) -> str | None:
    return None if node is None else dotted(node.name)


def _type_alias(node: cst.TypeAlias, at: Place) -> ast.stmt:
    name, value = stored(node.name, at), expression(node.value, at)
    type_params = _type_parameters(node.type_parameters, at)
    return ast.make(ast.TypeAlias, name=name, type_params=type_params, value=value)


def _type_parameters(node: cst.TypeParameters | None, at: Place) -> list[ast.type_param]:
    return [] if node is None else [_type_parameter(each, at) for each in node.params]


def _type_parameter(node: cst.TypeParam, at: Place) -> ast.type_param:
    name = literals.identifier(node.param.name.value)
    default = optional(node.default, at)
    if node.star == "*" and node.default is not None:
        default = ast.make(ast.Starred, value=default, ctx=ast.Load())
        at(default, node.default)
    made: ast.type_param
    if isinstance(node.param, cst.TypeVar):
        made = ast.make(ast.TypeVar, name=name, bound=optional(node.param.bound, at), default_value=default)
    elif isinstance(node.param, cst.TypeVarTuple):
        made = ast.make(ast.TypeVarTuple, name=name, default_value=default)
    else:
        made = ast.make(ast.ParamSpec, name=name, default_value=default)
    at(made, node)
    return made


def _function(node: cst.FunctionDef, at: Place) -> ast.stmt:
    kind: type[ast.stmt] = ast.FunctionDef if node.asynchronous is None else ast.AsyncFunctionDef
    return ast.make(
        kind,
        name=literals.identifier(node.name.value),
        args=parameters(node.params, at),
        body=block(node.body, at),
        decorator_list=[expression(each.decorator, at) for each in node.decorators],
        returns=None if node.returns is None else expression(node.returns.annotation, at),
        type_comment=None,
        type_params=_type_parameters(node.type_parameters, at),
    )


def _class(node: cst.ClassDef, at: Place) -> ast.stmt:
    bases, keywords = arguments((*node.bases, *node.keywords), at)
    return ast.make(
        ast.ClassDef,
        name=literals.identifier(node.name.value),
        bases=bases,
        keywords=keywords,
        body=block(node.body, at),
        decorator_list=[expression(each.decorator, at) for each in node.decorators],
        type_params=_type_parameters(node.type_parameters, at),
    )


def _if(node: cst.If, at: Place) -> ast.stmt:
    test, body = expression(node.test, at), block(node.body, at)
    orelse = [statement(node.orelse, at)] if isinstance(node.orelse, cst.If) else _body_of(node.orelse, at)
    return ast.If(test=test, body=body, orelse=orelse)


def _while(node: cst.While, at: Place) -> ast.stmt:
    return ast.While(
        test=expression(node.test, at), body=block(node.body, at), orelse=_body_of(node.orelse, at)
    )


def _for(node: cst.For, at: Place) -> ast.stmt:
    make = ast.For if node.asynchronous is None else ast.AsyncFor
    return make(
        target=stored(node.target, at),
        iter=expression(node.iter, at),
        body=block(node.body, at),
        orelse=_body_of(node.orelse, at),
        type_comment=None,
    )


def _with(node: cst.With, at: Place) -> ast.stmt:
    make = ast.With if node.asynchronous is None else ast.AsyncWith
    items = [
        ast.withitem(
            context_expr=expression(each.item, at),
            optional_vars=None if each.asname is None else stored(each.asname.name, at),
        )
        for each in node.items
    ]
    return make(items=items, body=block(node.body, at), type_comment=None)


def _try(node: cst.Try | cst.TryStar, at: Place) -> ast.stmt:
    kind: type[ast.stmt] = ast.Try if isinstance(node, cst.Try) else ast.TryStar
    return ast.make(
        kind,
        body=block(node.body, at),
        handlers=_handlers(node.handlers, at),
        orelse=_body_of(node.orelse, at),
        finalbody=_body_of(node.finalbody, at),
    )


def _handlers(
    nodes: Sequence[cst.ExceptHandler] | Sequence[cst.ExceptStarHandler], at: Place
) -> list[ast.ExceptHandler]:
    made: list[ast.ExceptHandler] = []
    for node in nodes:
        kind, body = optional(node.type, at), block(node.body, at)
        handler = ast.ExceptHandler(type=kind, name=_bound_name(node.name), body=body)
        at(handler, node)
        made.append(handler)
    return made


def _match(node: cst.Match, at: Place) -> ast.stmt:
    return ast.Match(subject=expression(node.subject, at), cases=[_case(each, at) for each in node.cases])


def _case(node: cst.MatchCase, at: Place) -> ast.match_case:
    return ast.match_case(
        pattern=pattern(node.pattern, at), guard=optional(node.guard, at), body=block(node.body, at)
    )


STATEMENTS: dict[type[cst.CSTNode], Callable[[Any, Place], ast.stmt]] = {
    cst.Expr: _expression_statement,
    cst.Pass: _pass,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated_assign,
    cst.AugAssign: _augmented_assign,
    cst.Del: _delete,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Import: _import,
    cst.LazyImport: _import,
    cst.ImportFrom: _import_from,
    cst.LazyImportFrom: _import_from,
    cst.TypeAlias: _type_alias,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
    cst.If: _if,
    cst.While: _while,
    cst.For: _for,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
}
"""One row per LibCST statement."""
