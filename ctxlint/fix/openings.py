"""How a file is opened for writing, and in which statement its handle lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import bound_in, subtree
from ctxlint.fix.rewriting import Place, Refusal
from ctxlint.fix.unit import Unit

UTF_8 = frozenset({"utf-8", "utf8", "utf_8"})
UNTRANSLATED = frozenset({"''", '""', "'\\n'", '"\\n"', "None"})
"""Values of `newline` under which (or under whose default, on most systems) text is written as it is."""


class Opening(NamedTuple):
    """`path` is the expression of the file, `binary` whether bytes are written, `encoding` its expression (None: not given).

    `has_path` when the path is an object whose method opens it.
    """

    path: cst.BaseExpression
    binary: bool
    encoding: cst.BaseExpression | None
    has_path: bool = False


def arguments_by_name(call: cst.Call, names: Sequence[str]) -> dict[str, cst.BaseExpression] | None:
    """The arguments of a call by the names of its parameters; None when one is unpacked, unknown or given twice."""
    found: dict[str, cst.BaseExpression] = {}
    position = 0
    for argument in call.args:
        if argument.star:
            return None
        if argument.keyword is None:
            if position >= len(names):
                return None
            name = names[position]
            position += 1
        else:
            name = argument.keyword.value
        if name not in names or name in found:
            return None
        found[name] = argument.value
    return found


def opening(call: cst.Call, receiver: cst.BaseExpression | None) -> Opening | Refusal:
    """Read a call of `open`; `receiver` is the path when it is a method."""
    names = ["mode", "buffering", "encoding", "errors", "newline"]
    given = arguments_by_name(call, names if receiver is not None else ["file", *names, "closefd", "opener"])
    if given is None:
        return Refusal("the arguments of `open` are not written out")
    path = receiver if receiver is not None else given.pop("file", None)
    mode = constant_text(given.pop("mode", None))
    if path is None or mode is None or mode.replace("t", "") not in ("w", "wb", "bw"):
        return Refusal("the file is not opened for writing alone (mode `w` or `wb`)")
    newline = given.pop("newline", None)
    if newline is not None and not (isinstance(newline, (cst.SimpleString, cst.Name)) and newline.value in UNTRANSLATED):
        return Refusal("line ends are translated (`newline`)")
    encoding = given.pop("encoding", None)
    if given:
        return Refusal(f"`open` has an argument that an atomic write has not ({', '.join(given)})")
    if encoding is not None and isinstance(encoding, cst.Name) and encoding.value == "None":
        encoding = None
    return Opening(path, "b" in mode, encoding, receiver is not None)


def constant_text(node: cst.BaseExpression | None) -> str | None:
    """The content of a plain string literal."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


class Held(NamedTuple):
    """A handle that a `with` statement holds: the statement, the item that opens it, and the handle's name."""

    statement: cst.With
    item: cst.WithItem
    handle: str


def held(unit: Unit, call: cst.Call) -> Held | None:
    """The `with` statement whose item the call is, if it names its handle."""
    item = unit.parents.get(call)
    statement = unit.parents.get(item) if item is not None else None
    if not isinstance(item, cst.WithItem) or not isinstance(statement, cst.With) or item.asname is None:
        return None
    name = item.asname.name
    return Held(statement, item, name.value) if isinstance(name, cst.Name) else None


def leaks(unit: Unit, held: Held) -> bool:
    """Whether the handle's name is used behind or before its statement, other than as that of another `with`."""
    scope = unit.around(held.statement, cst.FunctionDef) or unit.tree
    for node in unit.ranges:
        if not isinstance(node, cst.Name) or node.value != held.handle:
            continue
        around = list(unit.above(node))
        if held.statement in around or (scope is not unit.tree and scope not in around):
            continue
        parent = unit.parents.get(node)
        if isinstance(parent, (cst.Arg, cst.Attribute)) and (getattr(parent, "keyword", None) is node or getattr(parent, "attr", None) is node):
            continue
        if not any(isinstance(above, cst.With) and _binds(above, held.handle) for above in around):
            return True
    return False


def _binds(statement: cst.With, name: str) -> bool:
    return any(
        item.asname is not None and isinstance(item.asname.name, cst.Name) and item.asname.name.value == name
        for item in statement.items
    )


def is_steady(place: Place, expression: cst.BaseExpression, body: cst.BaseSuite, pure: Sequence[str]) -> bool:
    """Whether an expression has the same value behind `body` as before it, and evaluating it later changes nothing.

    `pure` are the dotted names of what it may call.
    """
    names: set[str] = set()
    for node in subtree(expression):
        if isinstance(node, cst.Call) and meaning(place, node.func) not in pure:
            return False
        if isinstance(node, (cst.Await, cst.Yield, cst.NamedExpr, cst.Lambda, cst.Subscript)):
            return False
        if isinstance(node, cst.Name):
            names.add(node.value)
    return not names & bound_in([body])


def meaning(place: Place, function: cst.BaseExpression) -> str:
    """The dotted name of what is called, if the file imports it or it is a name of the language."""
    written = place.unit.code(function)
    found = place.names.qualified(written)
    return found or (f"builtins.{written}" if isinstance(function, cst.Name) and written not in place.names.bound else "")
