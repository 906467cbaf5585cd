"""The shapes of expressions: LibCST node → node of the vocabulary. No semantics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import libcst as cst

from ctxlint.syntax import literals
from ctxlint.syntax import vocabulary as ast
from ctxlint.syntax.place import Place
from ctxlint.syntax.tree_operators import BINARY, BOOLEAN, COMPARISONS, UNARY

_LOAD, _STORE, _DELETE = ast.Load(), ast.Store(), ast.Del()
_DEBUG_CONVERSION = ord("r")
_NO_CONVERSION = -1


def expression(node: cst.CSTNode, at: Place) -> ast.expr:
    """The expression `node`, read."""
    made = EXPRESSIONS[node.__class__](node, at)
    at(made, node)
    return made


def stored(node: cst.CSTNode, at: Place) -> ast.expr:
    """The expression `node` as a target of an assignment."""
    made = expression(node, at)
    _set_context(made, _STORE)
    return made


def deleted(node: cst.CSTNode, at: Place) -> ast.expr:
    """The expression `node` as a target of `del`."""
    made = expression(node, at)
    _set_context(made, _DELETE)
    return made


def optional(node: cst.CSTNode | None, at: Place) -> ast.expr | None:
    """The expression `node`, or None."""
    return None if node is None else expression(node, at)


def arguments(nodes: Iterable[cst.Arg], at: Place) -> tuple[list[ast.expr], list[ast.keyword]]:
    """The positional and the keyword arguments of a call or of a class statement."""
    positional: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    for node in nodes:
        value = expression(node.value, at)
        if node.star == "*":
            positional.append(_placed(ast.Starred(value=value, ctx=_LOAD), at, node))
        elif node.star == "**" or node.keyword is not None:
            name = None if node.keyword is None else literals.identifier(node.keyword.value)
            keyword = ast.keyword(arg=name, value=value)
            at(keyword, node)
            keywords.append(keyword)
        else:
            positional.append(value)
    return positional, keywords


def parameters(node: cst.Parameters, at: Place) -> ast.arguments:
    """The parameters of a function or lambda."""
    ordinary = (*node.posonly_params, *node.params)
    return ast.arguments(
        posonlyargs=[_parameter(each, at) for each in node.posonly_params],
        args=[_parameter(each, at) for each in node.params],
        vararg=_parameter(node.star_arg, at) if isinstance(node.star_arg, cst.Param) else None,
        kwonlyargs=[_parameter(each, at) for each in node.kwonly_params],
        kw_defaults=[optional(each.default, at) for each in node.kwonly_params],
        kwarg=_parameter(node.star_kwarg, at) if node.star_kwarg is not None else None,
        defaults=[expression(each.default, at) for each in ordinary if each.default is not None],
    )


def dotted(node: cst.CSTNode | None) -> str | None:
    """The text of the dotted name of an imported module, or None."""
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(literals.identifier(node.attr.value))
        node = node.value
    if isinstance(node, cst.Name):
        names.append(literals.identifier(node.value))
    return ".".join(reversed(names)) if names else None


def _placed(made: ast.expr, at: Place, first: cst.CSTNode, last: cst.CSTNode | None = None) -> ast.expr:
    at(made, first, last)
    return made


def _set_context(made: ast.expr, context: ast.expr_context) -> None:
    if isinstance(made, (ast.Name, ast.Attribute, ast.Subscript)):
        made.ctx = context
    elif isinstance(made, ast.Starred):
        made.ctx = context
        _set_context(made.value, context)
    elif isinstance(made, (ast.Tuple, ast.List)):
        made.ctx = context
        for element in made.elts:
            _set_context(element, context)


def _parameter(node: cst.Param, at: Place) -> ast.arg:
    annotation = None if node.annotation is None else expression(node.annotation.annotation, at)
    made = ast.arg(arg=literals.identifier(node.name.value), annotation=annotation, type_comment=None)
    at(made, node.name, node.annotation or node.name)
    return made


def _name(node: cst.Name, at: Place) -> ast.expr:
    if node.value in _NAMED_CONSTANTS:
        return ast.Constant(value=_NAMED_CONSTANTS[node.value], kind=None)
    return ast.Name(id=literals.identifier(node.value), ctx=_LOAD)


def _ellipsis(node: cst.Ellipsis, at: Place) -> ast.expr:
    return ast.Constant(value=..., kind=None)


def _number(node: cst.Integer | cst.Float | cst.Imaginary, at: Place) -> ast.expr:
    return ast.Constant(value=literals.number(node.value), kind=None)


def _attribute(node: cst.Attribute, at: Place) -> ast.expr:
    return ast.Attribute(value=expression(node.value, at), attr=literals.identifier(node.attr.value), ctx=_LOAD)


def _subscript(node: cst.Subscript, at: Place) -> ast.expr:
    return ast.Subscript(value=expression(node.value, at), slice=_slices(node.slice, at), ctx=_LOAD)


def _slices(nodes: Sequence[cst.SubscriptElement], at: Place) -> ast.expr:
    """One index, or the tuple which several ones, a trailing comma or an unpacked one make."""
    last = nodes[-1]
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    unpacked = isinstance(last.slice, cst.Index) and last.slice.star is not None
    elements = [_slice(each.slice, at) for each in nodes]
    if len(nodes) == 1 and comma is None and not unpacked:
        return elements[0]
    made = ast.Tuple(elts=elements, ctx=_LOAD)
    return _placed(made, at, nodes[0].slice, comma or last.slice)


def _slice(node: cst.BaseSlice, at: Place) -> ast.expr:
    if isinstance(node, cst.Slice):
        lower, upper, step = optional(node.lower, at), optional(node.upper, at), optional(node.step, at)
        return _placed(ast.Slice(lower=lower, upper=upper, step=step), at, node)
    assert isinstance(node, cst.Index)
    value = expression(node.value, at)
    return value if node.star is None else _placed(ast.Starred(value=value, ctx=_LOAD), at, node)


def _call(node: cst.Call, at: Place) -> ast.expr:
    function = expression(node.func, at)
    positional, keywords = arguments(node.args, at)
    return ast.Call(func=function, args=positional, keywords=keywords)


def _await(node: cst.Await, at: Place) -> ast.expr:
    return ast.Await(value=expression(node.expression, at))


def _yield(node: cst.Yield, at: Place) -> ast.expr:
    if isinstance(node.value, cst.From):
        return ast.YieldFrom(value=expression(node.value.item, at))
    return ast.Yield(value=optional(node.value, at))


def _lambda(node: cst.Lambda, at: Place) -> ast.expr:
    return ast.Lambda(args=parameters(node.params, at), body=expression(node.body, at))


def _conditional(node: cst.IfExp, at: Place) -> ast.expr:
    return ast.IfExp(
        test=expression(node.test, at), body=expression(node.body, at), orelse=expression(node.orelse, at)
    )


def _walrus(node: cst.NamedExpr, at: Place) -> ast.expr:
    return ast.make(ast.NamedExpr, target=stored(node.target, at), value=expression(node.value, at))


def _unary(node: cst.UnaryOperation, at: Place) -> ast.expr:
    return ast.UnaryOp(op=UNARY[node.operator.__class__], operand=expression(node.expression, at))


def _binary(node: cst.BinaryOperation, at: Place) -> ast.expr:
    left, right = expression(node.left, at), expression(node.right, at)
    return ast.BinOp(left=left, op=BINARY[node.operator.__class__], right=right)


def _boolean(node: cst.BooleanOperation, at: Place) -> ast.expr:
    """`a and b and c` nests to the left in LibCST and is one flat node in the vocabulary, unless parenthesised."""
    operator = node.operator.__class__
    operands: list[cst.BaseExpression] = [node.right]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and left.operator.__class__ is operator and not left.lpar:
        operands.append(left.right)
        left = left.left
    operands.append(left)
    return ast.BoolOp(op=BOOLEAN[operator], values=[expression(each, at) for each in reversed(operands)])


def _comparison(node: cst.Comparison, at: Place) -> ast.expr:
    return ast.Compare(
        left=expression(node.left, at),
        ops=[COMPARISONS[each.operator.__class__] for each in node.comparisons],
        comparators=[expression(each.comparator, at) for each in node.comparisons],
    )


def _tuple(node: cst.Tuple, at: Place) -> ast.expr:
    return ast.Tuple(elts=_elements(node.elements, at), ctx=_LOAD)


def _list(node: cst.List, at: Place) -> ast.expr:
    return ast.List(elts=_elements(node.elements, at), ctx=_LOAD)


def _set(node: cst.Set, at: Place) -> ast.expr:
    return ast.Set(elts=_elements(node.elements, at))


def _elements(nodes: Iterable[cst.BaseElement], at: Place) -> list[ast.expr]:
    return [expression(each.value if isinstance(each, cst.Element) else each, at) for each in nodes]


def _starred(node: cst.StarredElement, at: Place) -> ast.expr:
    return ast.Starred(value=expression(node.value, at), ctx=_LOAD)


def _dict(node: cst.Dict, at: Place) -> ast.expr:
    keys = [expression(each.key, at) if isinstance(each, cst.DictElement) else None for each in node.elements]
    return ast.Dict(keys=keys, values=[expression(each.value, at) for each in node.elements])


def _generator(node: cst.GeneratorExp, at: Place) -> ast.expr:
    return ast.GeneratorExp(elt=expression(node.elt, at), generators=_generators(node.for_in, at))


def _list_comprehension(node: cst.ListComp, at: Place) -> ast.expr:
    return ast.ListComp(elt=expression(node.elt, at), generators=_generators(node.for_in, at))


def _set_comprehension(node: cst.SetComp, at: Place) -> ast.expr:
    return ast.SetComp(elt=expression(node.elt, at), generators=_generators(node.for_in, at))


def _dict_comprehension(node: cst.DictComp, at: Place) -> ast.expr:
    key, value = expression(node.key, at), expression(node.value, at)
    return ast.DictComp(key=key, value=value, generators=_generators(node.for_in, at))


def _generators(node: cst.CompFor | None, at: Place) -> list[ast.comprehension]:
    made: list[ast.comprehension] = []
    while node is not None:
        made.append(
            ast.comprehension(
                target=stored(node.target, at),
                iter=expression(node.iter, at),
                ifs=[expression(each.test, at) for each in node.ifs],
                is_async=int(node.asynchronous is not None),
            )
        )
        node = node.inner_for_in
    return made


def _string(node: cst.SimpleString | cst.FormattedString | cst.ConcatenatedString, at: Place) -> ast.expr:
    """Adjacent literals are one constant, or one formatted string whose neighbouring texts are merged."""
    literal: list[cst.CSTNode] = []
    rest: cst.CSTNode = node
    while isinstance(rest, cst.ConcatenatedString):
        literal.append(rest.left)
        rest = rest.right
    literal.append(rest)
    first = literal[0]
    if isinstance(first, cst.SimpleString) and "b" in first.prefix:
        return ast.Constant(value=b"".join(_octets(each) for each in literal), kind=None)
    kind = "u" if isinstance(first, cst.SimpleString) and first.prefix == "u" else None
    if all(isinstance(each, cst.SimpleString) for each in literal):
        return ast.Constant(value="".join(_text(each) for each in literal), kind=kind)
    pieces: list[str | ast.expr] = []
    for each in literal:
        if isinstance(each, (cst.FormattedString, cst.TemplatedString)):
            pieces.extend(_fields(each.parts, each.prefix, at))
        else:
            pieces.append(_text(each))
    values = _merged(pieces, node, at)
    if any(isinstance(each, cst.TemplatedString) for each in literal):
        return ast.make(ast.TemplateStr, values=values)
    return ast.JoinedStr(values=values)


def _octets(node: cst.CSTNode) -> bytes:
    if isinstance(node, cst.SimpleString) and "b" in node.prefix:
        return literals.octets(node.prefix, node.raw_value)
    raise ValueError("cannot mix bytes and nonbytes literals")


def _text(node: cst.CSTNode) -> str:
    if isinstance(node, cst.SimpleString) and "b" not in node.prefix:
        return literals.string(node.prefix, node.raw_value)
    raise ValueError("cannot mix bytes and nonbytes literals")


def _fields(parts: Iterable[cst.CSTNode], prefix: str, at: Place) -> Iterable[str | ast.expr]:
    """The texts and replacement fields of one formatted or template string, or of a format specification."""
    for part in parts:
        if isinstance(part, (cst.FormattedStringText, cst.TemplatedStringText)):
            yield literals.formatted_text(prefix, part.value)
        elif isinstance(part, (cst.FormattedStringExpression, cst.TemplatedStringExpression)):
            if part.equal is not None:
                yield _self_documenting_text(part)
            yield _field(part, prefix, at)


def _field(node: cst.FormattedStringExpression | cst.TemplatedStringExpression, prefix: str, at: Place) -> ast.expr:
    value = expression(node.expression, at)
    conversion = _NO_CONVERSION
    if node.conversion is not None:
        conversion = ord(node.conversion)
    elif node.equal is not None and node.format_spec is None:
        conversion = _DEBUG_CONVERSION
    specification: ast.expr | None = None
    if node.format_spec is not None:
        specification = ast.JoinedStr(values=_merged(_fields(node.format_spec, prefix, at), node, at))
        at(specification, node)
    if isinstance(node, cst.FormattedStringExpression):
        made: ast.expr = ast.FormattedValue(value=value, conversion=conversion, format_spec=specification)
    else:
        text = _EMPTY_MODULE.code_for_node(node.expression)
        made = ast.make(ast.Interpolation, value=value, str=text, conversion=conversion, format_spec=specification)
    return _placed(made, at, node)


def _self_documenting_text(node: cst.FormattedStringExpression | cst.TemplatedStringExpression) -> str:
    assert node.equal is not None
    written = (node.whitespace_before_expression, node.expression, node.whitespace_after_expression, node.equal)
    return literals.without_comments("".join(_EMPTY_MODULE.code_for_node(each) for each in written))


def _merged(pieces: Iterable[str | ast.expr], node: cst.CSTNode, at: Place) -> list[ast.expr]:
    """Join neighbouring texts to one constant each and drop empty ones, as the standard parser does."""
    made: list[ast.expr] = []
    text = ""
    for piece in (*pieces, None):
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            made.append(_placed(ast.Constant(value=text, kind=None), at, node))
            text = ""
        if piece is not None:
            made.append(piece)
    return made


def _starred_dict_comprehension(node: cst.CSTNode, at: Place) -> ast.expr:
    """`{**each for …}` (PEP 798): the key is the mapping and there is no value, as in the trees of Python 3.15."""
    assert isinstance(node, cst.StarredDictComp)
    key, generators = expression(node.value, at), _generators(node.for_in, at)
    return ast.make(ast.DictComp, key=key, value=None, generators=generators)


_EMPTY_MODULE = cst.Module([])
_NAMED_CONSTANTS: dict[str, bool | None] = {"None": None, "True": True, "False": False}

Shape = Callable[[Any, Place], ast.expr]
EXPRESSIONS: dict[type[cst.CSTNode], Shape] = {
    cst.Name: _name,
    cst.Ellipsis: _ellipsis,
    cst.Integer: _number,
    cst.Float: _number,
    cst.Imaginary: _number,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _string,
    cst.FormattedString: _string,
    cst.TemplatedString: _string,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: _call,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.Lambda: _lambda,
    cst.IfExp: _conditional,
    cst.NamedExpr: _walrus,
    cst.UnaryOperation: _unary,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _set,
    cst.StarredElement: _starred,
    cst.Dict: _dict,
    cst.GeneratorExp: _generator,
    cst.ListComp: _list_comprehension,
    cst.SetComp: _set_comprehension,
    cst.DictComp: _dict_comprehension,
    cst.StarredDictComp: _starred_dict_comprehension,
}
"""One row per LibCST expression."""
