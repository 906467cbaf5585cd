"""`compare_reads`: beside the comparison of what two changes write stands the one with what they read."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from ctxlint.fix.bindings import subtree
from ctxlint.fix.layout import comments_in, width_of
from ctxlint.fix.openings import constant_text
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting

_SETS = ("set(", "frozenset(")
_OF_MAPPINGS = frozenset(["keys", "items", "values", "get"])

MESSAGE = "compare what is read, too"


def compare_reads(place: Place) -> Answer:
    """Add the missing comparisons to one of two sets of the same field; `events` of the finding name the fields."""
    if place.diagnostic.kind != "reads-left-out" or len(place.diagnostic.events) != 3:
        return Refusal("what the admitted change reads has to be compared where it is admitted, and with what, is not said there")
    if place.fact("masks"):
        return Refusal("what is compared is no pair of sets of one field, but bits of numbers")
    written, read = (field.rpartition(".")[2] for field in place.diagnostic.events[1:])
    line = place.diagnostic.span.line
    unit = place.unit
    for node in list(unit.ranges):
        if not (unit.span(node).line <= line <= unit.span(node).end_line):
            continue
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitAnd) and _is_condition(place, node):
            made = _shared(place, node.left, node.right, written, read)
            if made:
                return _joined(place, node, made, "or")
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "isdisjoint" and len(node.args) == 1:
            made = _apart(place, node.func.value, node.args[0].value, written, read)
            if made:
                return _joined(place, node, made, "and")
    return Refusal("what is compared is no pair of sets of one field")


def _shared(place: Place, one: cst.BaseExpression, other: cst.BaseExpression, written: str, read: str) -> list[str]:
    """`a.w & b.w`, `a.w & set(b.r)`, `b.w & set(a.r)`."""
    first, second = _with_field(place, one, written, read), _with_field(place, other, written, read)
    if not first or not second:
        return []
    a, b = place.unit.code(one), place.unit.code(other)
    return [f"{a} & {b}", f"{a} & {_as_set(second)}", f"{b} & {_as_set(first)}"]


def _apart(place: Place, one: cst.BaseExpression, other: cst.BaseExpression, written: str, read: str) -> list[str]:
    """`a.w.isdisjoint(b.w)`, `a.w.isdisjoint(b.r)`, and the other way round when both are sets of the field."""
    first, second = _with_field(place, one, written, read), _with_field(place, other, written, read)
    if not second:
        return []
    a, b = place.unit.code(one), place.unit.code(other)
    pieces = [f"{a}.isdisjoint({b})", f"{a}.isdisjoint({second})"]
    own = _as_set(b) if a.startswith(_SETS) else b              # what had to be made a set on the one side is none on the other
    return [*pieces, f"{own}.isdisjoint({first})"] if first else pieces


def _with_field(place: Place, expression: cst.BaseExpression, written: str, read: str) -> str:
    """An expression of one field as the same expression of another field; empty when it is not of that field alone.

    What is read need not be kept in a mapping, and who goes through a mapping goes through its keys: `.keys()` is left out.
    """
    changes = []
    dropped = []
    for node in subtree(expression):
        if isinstance(node, cst.Attribute) and node.attr.value == written:
            changes.append((place.unit.span(node.attr), read))
        elif isinstance(node, cst.SimpleString) and constant_text(node) == written:
            quote = node.quote
            changes.append((place.unit.span(node), f"{quote}{read}{quote}"))
        elif isinstance(node, cst.BaseComp):
            return ""
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _OF_MAPPINGS:
            if node.func.attr.value != "keys" or node.args:
                return ""
            end = place.unit.span(node.func.value)
            dropped.append((msgspec.structs.replace(place.unit.span(node), line=end.end_line, column=end.end_column), ""))
    return place.unit.replaced(expression, [*changes, *dropped]) if len(changes) == 1 and read.isidentifier() else ""


def _as_set(code: str) -> str:
    return code if code.startswith(_SETS) else f"set({code})"


def _is_condition(place: Place, node: cst.CSTNode) -> bool:
    """Whether only the truth of an expression counts."""
    parent = place.unit.parents.get(node)
    if isinstance(parent, cst.UnaryOperation):
        return isinstance(parent.operator, cst.Not)
    if isinstance(parent, cst.Arg):
        call = place.unit.parents.get(parent)
        return isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value == "bool"
    return isinstance(parent, (cst.If, cst.While))


def _joined(place: Place, node: cst.BaseExpression, pieces: Sequence[str], word: str) -> Answer:
    unit = place.unit
    if comments_in(unit.code(node)):
        return Refusal("a comment would be lost")
    span = unit.whole(node)
    bare = isinstance(unit.parents.get(node), (cst.Return, cst.If, cst.While, cst.Assign, cst.Arg))
    flat = f" {word} ".join(pieces)
    line = unit.text.line(span.line).rstrip("\r\n")
    code = flat if bare else f"({flat})"
    if len(line) - (span.end_column - span.column) + len(code) > width_of(place.text):
        indent = unit.indent(span.line)
        step = "\t" if indent.startswith("\t") else "    "
        inner = f"\n{indent}{step}{word} ".join(pieces)
        code = f"(\n{indent}{step}{inner}\n{indent})"
    return Rewriting(MESSAGE, (place.text.edit(span, code),), "unsafe")
