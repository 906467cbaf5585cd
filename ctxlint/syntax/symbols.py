"""Names and types as text: annotations, bases, decorators, import targets."""

from __future__ import annotations

import ast

from ctxlint.syntax.values import BINARY_OPERATORS, UNARY_OPERATORS, constant_of, printable

_UNKNOWN = "…"


def annotation_text(node: ast.expr | None) -> str:
    """The normalised text of an annotation (empty without one); strings lose their quotes, except in Literal."""
    return "" if node is None else _text(node, True)


def dotted_text(node: ast.expr) -> str:
    """The normalised text of an expression that names something: a base class, a decorator, a caught type."""
    return _text(node, False)


def decorator_text(node: ast.expr) -> str:
    """The dotted text of a decorator; of the called name, when it is a call."""
    while isinstance(node, ast.Call):
        node = node.func
    return dotted_text(node)


def is_dotted(node: ast.expr) -> bool:
    """Whether the expression is a name or attributes of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def import_target(node: ast.ImportFrom, name: str) -> str:
    """The dotted name that `from … import name` means; a relative one keeps its leading dots."""
    module = node.module or ""
    dots = "." * (node.level or 0)
    if name == "*":
        return dots + module
    return f"{dots}{module}.{name}" if module else dots + name


def _text(node: ast.expr, unquote: bool) -> str:
    kind = node.__class__
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined,no-any-return]
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value, unquote)}.{node.attr}"
    if isinstance(node, ast.Subscript):
        base = _text(node.value, unquote)
        inner = unquote and base.rpartition(".")[2] != "Literal"
        index = node.slice
        if isinstance(index, ast.Tuple) and index.elts:
            return f"{base}[{_joined(index.elts, inner)}]"
        return f"{base}[{_text(index, inner)}]"
    if isinstance(node, ast.Constant):
        return _constant_text(node.value, unquote)
    if isinstance(node, ast.BinOp):
        return _operation_text(node, unquote)
    if isinstance(node, ast.Tuple):
        return f"({_joined(node.elts, unquote)}{',' if len(node.elts) == 1 else ''})"
    if isinstance(node, ast.List):
        return f"[{_joined(node.elts, unquote)}]"
    if isinstance(node, ast.Starred):
        return f"*{_text(node.value, unquote)}"
    if isinstance(node, ast.Call):
        keywords = [f"{word.arg}={_text(word.value, False)}" if word.arg else f"**{_text(word.value, False)}"
                    for word in node.keywords]
        return f"{_text(node.func, False)}({', '.join([*[_text(each, False) for each in node.args], *keywords])})"
    if isinstance(node, ast.UnaryOp):
        return f"{UNARY_OPERATORS[type(node.op)].removesuffix('x')}{_text(node.operand, unquote)}"
    if isinstance(node, ast.Slice):
        bounds = [_text(bound, unquote) if bound is not None else "" for bound in (node.lower, node.upper)]
        return ":".join(bounds) + (f":{_text(node.step, unquote)}" if node.step is not None else "")
    return _UNKNOWN


def _unquoted(text: str) -> str:
    """The normalised text of an annotation that was written as a string; as it stands, when it is no expression."""
    # Escapes in a string within the string would make the parser warn.
    if not text.isidentifier() and "\\" not in text:
        try:
            return _text(ast.parse(text, mode="eval").body, True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return printable(text)


def _joined(nodes: list[ast.expr], unquote: bool) -> str:
    return ", ".join([_text(node, unquote) for node in nodes])


def _operation_text(node: ast.BinOp, unquote: bool) -> str:
    terms: list[str] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        right = _text(left.right, unquote)
        right = f"({right})" if isinstance(left.right, ast.BinOp) else right
        terms.append(f" {BINARY_OPERATORS[type(left.op)]} {right}")
        left = left.left
    terms.append(_text(left, unquote))
    return "".join(reversed(terms))


def _constant_text(value: object, unquote: bool) -> str:
    if isinstance(value, str):
        return _unquoted(value.strip()) if unquote else repr(printable(value))
    if value is Ellipsis:
        return "..."
    return constant_of(value).text
