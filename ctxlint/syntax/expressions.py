"""Expressions: their events in evaluation order, and the value they have."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ctxlint.ir.event import Argument
from ctxlint.ir.span import Span
from ctxlint.ir.value import NONE, AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.syntax.acting import acts, any_acts
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.definitions import define_lambda
from ctxlint.syntax.rebinding import keep_overwritten, read_before, still_meant
from ctxlint.syntax.scopes import target_names
from ctxlint.syntax.values import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS, constant_of, unpacked

Lowering = Callable[[Draft, Any], Value]

_LONGEST_CHAIN = 32
"""A chain of more binary operators than this is one value with many parts, so that no value nests too deeply."""


class _Expressions(dict[type, Lowering]):
    """The function for each class of node; classes the running interpreter does not know are found by their name."""

    def __missing__(self, kind: type) -> Lowering:
        lowering = _BY_NAME[kind.__name__]
        self[kind] = lowering
        return lowering


def value_of(body: Draft, node: ast.expr) -> Value:
    """Write down what evaluating the expression does, and give what it denotes."""
    return _EXPRESSIONS[node.__class__](body, node)


def evaluate_statement(body: Draft, node: ast.expr) -> None:
    """Evaluate an expression whose value nobody uses."""
    kind = node.__class__
    if kind is ast.Constant:
        return
    if kind is ast.Name:
        # Nobody writes this but to find out whether there is such a name.
        body.emit("read", node, AccessPath(_name(body, node)))  # type: ignore[arg-type]
        return
    if kind is ast.Call:
        _call(body, node, True)  # type: ignore[arg-type]
    elif kind is ast.Await:
        _await(body, node, True)  # type: ignore[arg-type]
    else:
        _EXPRESSIONS[kind](body, node)


def branch(body: Draft, test: ast.expr, yes: int, no: int) -> None:
    """End the current block with the ways to `yes` and `no`; operands that do more than read get their own blocks."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        branch(body, test.operand, no, yes)
    elif isinstance(test, ast.BoolOp) and any_acts(test.values[1:]):
        is_and = isinstance(test.op, ast.And)
        for operand in test.values[:-1]:
            following = body.block()
            if is_and:
                branch(body, operand, following, no)
            else:
                branch(body, operand, yes, following)
            body.start(following)
        branch(body, test.values[-1], yes, no)
    else:
        body.decide(value_of(body, test), yes, no)


def bind(body: Draft, target: ast.expr, value: Value, note: str = "") -> None:
    """Store `value` into an assignment target."""
    kind = target.__class__
    if kind is ast.Name:
        body.emit("local", target, AccessPath(body.scope[target.id]), value, note=note)  # type: ignore[attr-defined]
    elif kind is ast.Attribute or kind is ast.Subscript:
        path, keys = access(body, target)
        body.emit("write", target, path, value, keys, note=note)
    elif kind is ast.Starred:
        bind(body, target.value, value)  # type: ignore[attr-defined]
    else:
        elements: list[ast.expr] = target.elts  # type: ignore[attr-defined]
        star = next((position for position, each in enumerate(elements) if isinstance(each, ast.Starred)), None)
        parts = unpacked(value, len(elements), star)
        keep_overwritten(body, elements, parts)
        for element, part in zip(elements, parts):
            bind(body, element, part)


def access(body: Draft, node: ast.expr) -> tuple[AccessPath, tuple[Value, ...]]:
    """The access path of a chain of attributes and items, and the keys of its items; what they do is written down."""
    steps: list[str] = []
    slices: list[ast.expr] = []
    while True:
        kind = node.__class__
        if kind is ast.Attribute:
            steps.append(node.attr)  # type: ignore[attr-defined]
        elif kind is ast.Subscript:
            steps.append("[*]")
            slices.append(node.slice)  # type: ignore[attr-defined]
        else:
            break
        node = node.value  # type: ignore[attr-defined]
    root = body.scope[node.id] if kind is ast.Name else value_of(body, node)  # type: ignore[attr-defined]
    steps.reverse()
    if not slices:
        return AccessPath(root, tuple(steps)), ()
    slices.reverse()
    return AccessPath(root, tuple(steps)), tuple([value_of(body, each) for each in slices])


def _name(body: Draft, node: ast.Name) -> Value:
    return body.scope[node.id]


def _constant(body: Draft, node: ast.Constant) -> Value:
    return constant_of(node.value)


def _read(body: Draft, node: ast.Attribute | ast.Subscript) -> Value:
    path, keys = access(body, node)
    return body.emit("read", node, path, None, keys)


def _call(body: Draft, node: ast.Call, ignored: bool = False) -> Value:
    callee = node.func
    keys: tuple[Value, ...] = ()
    if isinstance(callee, ast.Name):
        path = AccessPath(body.scope[callee.id])
    elif isinstance(callee, (ast.Attribute, ast.Subscript)):
        path, keys = access(body, callee)
    else:
        path = AccessPath(value_of(body, callee))
    arguments: list[Argument] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            arguments.append(Argument("*", value_of(body, argument.value)))
        else:
            arguments.append(Argument("", _EXPRESSIONS[argument.__class__](body, argument)))
    for keyword in node.keywords:
        arguments.append(Argument(keyword.arg or "**", _EXPRESSIONS[keyword.value.__class__](body, keyword.value)))
    return body.emit("call", node, path, None, keys, tuple(arguments), "", ignored)


def _await(body: Draft, node: ast.Await, ignored: bool = False) -> Value:
    awaited = node.value
    value = _call(body, awaited, ignored) if isinstance(awaited, ast.Call) else value_of(body, awaited)
    return body.emit("suspend", node, None, value, (), (), "await", ignored)


def _yield(body: Draft, node: ast.Yield) -> Value:
    value = value_of(body, node.value) if node.value is not None else NONE
    body.has_yield = True
    return body.emit("suspend", node, None, value, note="yield")


def _yield_from(body: Draft, node: ast.YieldFrom) -> Value:
    value = value_of(body, node.value)
    body.has_yield = True
    return body.emit("suspend", node, None, value, note="yield-from")


def _binary(body: Draft, node: ast.BinOp) -> Value:
    chain = [node]
    left = node.left
    while isinstance(left, ast.BinOp):
        chain.append(left)
        left = left.left
    chain.reverse()
    value = value_of(body, left)
    if value.__class__ is Name and value.scope != "local":
        value = read_before(body, left, value, [each.right for each in chain])
    if len(chain) > _LONGEST_CHAIN:
        return Compound(BINARY_OPERATORS[type(node.op)], (value, *[value_of(body, each.right) for each in chain]))
    for each in chain:
        value = Compound(BINARY_OPERATORS[each.op.__class__], (value, value_of(body, each.right)))
    return value


def _unary(body: Draft, node: ast.UnaryOp) -> Value:
    operand = value_of(body, node.operand)
    if isinstance(node.op, ast.USub) and isinstance(operand, Constant) and operand.kind in ("int", "float"):
        return Constant(operand.kind, operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}")
    return Compound(UNARY_OPERATORS[type(node.op)], (operand,))


def _boolean(body: Draft, node: ast.BoolOp) -> Value:
    operator = "and" if isinstance(node.op, ast.And) else "or"
    if not any_acts(node.values[1:]):
        return Compound(operator, tuple([value_of(body, each) for each in node.values]))
    after = body.block()
    parts = [value_of(body, node.values[0])]
    for operand in node.values[1:]:
        following = body.block()
        if operator == "and":
            body.decide(parts[-1], following, after)
        else:
            body.decide(parts[-1], after, following)
        body.start(following)
        parts.append(value_of(body, operand))
    body.go(after)
    return Compound(operator, tuple(parts))


def _comparison(body: Draft, node: ast.Compare) -> Value:
    left = value_of(body, node.left)
    if len(node.ops) == 1:
        return Compound(COMPARISONS[node.ops[0].__class__], (left, value_of(body, node.comparators[0])))
    after = body.block() if any_acts(node.comparators[1:]) else None
    parts: list[Value] = []
    for operator, comparator in zip(node.ops, node.comparators):
        if parts and after is not None:
            following = body.block()
            body.decide(parts[-1], following, after)
            body.start(following)
        right = value_of(body, comparator)
        parts.append(Compound(COMPARISONS[type(operator)], (left, right)))
        left = right
    if after is not None:
        body.go(after)
    return Compound("and", tuple(parts))


def _conditional(body: Draft, node: ast.IfExp) -> Value:
    if not (acts(node.body) or acts(node.orelse)):
        return Compound("if", (value_of(body, node.test), value_of(body, node.body), value_of(body, node.orelse)))
    yes, no, after = body.block(), body.block(), body.block()
    test = value_of(body, node.test)
    body.decide(test, yes, no)
    body.start(yes)
    then = value_of(body, node.body)
    body.edge(after)
    body.start(no)
    otherwise = value_of(body, node.orelse)
    body.go(after)
    return Compound("if", (test, then, otherwise))


def _tuple(body: Draft, node: ast.Tuple) -> Value:
    return Compound("tuple", tuple([value_of(body, each) for each in node.elts]))


def _list(body: Draft, node: ast.List) -> Value:
    return Compound("list", tuple([value_of(body, each) for each in node.elts]))


def _set(body: Draft, node: ast.Set) -> Value:
    return Compound("set", tuple([value_of(body, each) for each in node.elts]))


def _dict(body: Draft, node: ast.Dict) -> Value:
    parts: list[Value] = []
    for key, value in zip(node.keys, node.values):
        parts.append(_MAPPING if key is None else value_of(body, key))
        parts.append(value_of(body, value))
    return Compound("dict", tuple(parts))


_MAPPING = Compound("**", ())


def _starred(body: Draft, node: ast.Starred) -> Value:
    return Compound("*", (value_of(body, node.value),))


def _slice(body: Draft, node: ast.Slice) -> Value:
    bounds = (node.lower, node.upper, node.step)
    return Compound("slice", tuple([NONE if bound is None else value_of(body, bound) for bound in bounds]))


def _walrus(body: Draft, node: ast.NamedExpr) -> Value:
    value = value_of(body, node.value)
    bind(body, node.target, value)
    return still_meant(body, node.target, value)


def _lambda(body: Draft, node: ast.Lambda) -> Value:
    return define_lambda(body, node, value_of)


def _joined_string(body: Draft, node: ast.expr) -> Value:
    return Compound("f-string", _string_parts(body, node))


def _template_string(body: Draft, node: ast.expr) -> Value:
    return Compound("t-string", _string_parts(body, node))


def _string_parts(body: Draft, node: Any) -> tuple[Value, ...]:
    """The parts of an f-string. Interpreters differ about positions inside, so all stand where the string stands."""
    outer: Span | None = body.fixed_span
    if outer is None:
        body.fixed_span = body.module.span_of(node)
    # Python 3.12.0 to 3.12.3 end some format specifications with an empty text.
    parts = tuple([value_of(body, part) for part in node.values if getattr(part, "value", None) != ""])
    body.fixed_span = outer
    return parts


def _formatted(body: Draft, node: Any) -> Value:
    """A replacement field of an f-string or t-string."""
    value = value_of(body, node.value)
    if node.format_spec is not None:
        return Compound("format", (value, value_of(body, node.format_spec)))
    if node.conversion is not None and node.conversion > 0:
        return Compound("format", (value, Constant("str", f"!{chr(node.conversion)}")))
    return value


def _list_comprehension(body: Draft, node: ast.ListComp) -> Value:
    return _comprehension(body, node.generators, "comprehension-list", [node.elt])


def _set_comprehension(body: Draft, node: ast.SetComp) -> Value:
    return _comprehension(body, node.generators, "comprehension-set", [node.elt])


def _generator(body: Draft, node: ast.GeneratorExp) -> Value:
    return _comprehension(body, node.generators, "comprehension-generator", [node.elt])


def _dict_comprehension(body: Draft, node: Any) -> Value:
    if node.value is not None:
        return _comprehension(body, node.generators, "comprehension-dict", [node.key, node.value])
    made = _comprehension(body, node.generators, "comprehension-dict", [node.key])
    return Compound(made.operator, (_MAPPING, *made.parts))


def _comprehension(
    body: Draft, generators: list[ast.comprehension], operator: str, elements: list[ast.expr]
) -> Compound:
    """The loops of a comprehension, where it stands: also a generator expression's, although its elements come later.

    Its variables are the function's own; one that has the name of another variable of the function gets another name.
    """
    iterables = [value_of(body, generators[0].iter)]
    names, overlay = _enter_comprehension(body, generators)
    after = body.block()
    outer = after
    for position, generator in enumerate(generators):
        if position:
            iterables.append(value_of(body, generator.iter))
        outer = loop_over(body, generator.iter, iterables[-1], generator.target, bool(generator.is_async), outer)
        for test in generator.ifs:
            passed = body.block()
            body.passed.add(passed)
            branch(body, test, passed, outer)
            body.start(passed)
    parts = [value_of(body, element) for element in elements]
    body.edge(outer)
    body.start(after)
    body.overlay = overlay
    for name, before in names.items():
        if before is None:
            del body.scope[name]
        else:
            body.scope[name] = before
    return Compound(operator, (*parts, *iterables))


def _enter_comprehension(body: Draft, generators: list[ast.comprehension]) -> tuple[dict[str, Name | None], Any]:
    """Make the variables of a comprehension visible, and those of a class body invisible, as for functions inside it.

    The answer is what was visible before.
    """
    scope, overlay = body.scope, body.overlay
    names: dict[str, Name | None] = {}
    visible: dict[str, Name] = {}
    if scope.is_class:
        for name in scope.bound:
            if scope[name] == Name(name, "local"):
                names[name] = scope[name]
                scope[name] = scope.outside(name)
    for generator in generators:
        for name in target_names(generator.target):
            if name not in visible:
                names.setdefault(name, scope.get(name))
                visible[name] = scope[name] = scope.comprehension_variable(name)
    body.overlay = {**(overlay or {}), **visible}
    return names, overlay


def loop_over(
    body: Draft, place: ast.expr, iterable: Value, target: ast.expr, is_async: bool, exhausted: int
) -> int:
    """Begin a loop over `iterable`: bind an element to `target` or go on at `exhausted`. The answer is its head."""
    head = body.block()
    body.go(head)
    if is_async:
        body.emit("suspend", place, None, iterable, note="async-for")
    element: Result = body.emit("iterate", place, None, iterable, note="async" if is_async else "")
    inside = body.block()
    body.edge(inside)
    body.edge(exhausted)
    body.start(inside)
    bind(body, target, element)
    return head


_BY_NAME: dict[str, Lowering] = {
    "Attribute": _read, "Await": _await, "BinOp": _binary, "BoolOp": _boolean, "Call": _call, "Compare": _comparison,
    "Constant": _constant, "Dict": _dict, "DictComp": _dict_comprehension, "FormattedValue": _formatted,
    "GeneratorExp": _generator, "IfExp": _conditional, "Interpolation": _formatted, "JoinedStr": _joined_string,
    "Lambda": _lambda, "List": _list, "ListComp": _list_comprehension, "Name": _name, "NamedExpr": _walrus, "Set": _set,
    "SetComp": _set_comprehension, "Slice": _slice, "Starred": _starred, "Subscript": _read,
    "TemplateStr": _template_string, "Tuple": _tuple, "UnaryOp": _unary, "Yield": _yield, "YieldFrom": _yield_from,
}
_EXPRESSIONS = _Expressions()
