"""`copy_image`: a recorded image is a copy as deep as the state is changed in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

import libcst as cst

from ctxlint.fix.bindings import names_in
from ctxlint.fix.openings import meaning
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting


def copy_image(
    place: Place, *, deep: str, flat: str, shallow: Sequence[str], containers: Sequence[str], plain: Sequence[str]
) -> Answer:
    """Copy the expression that hands the mutable value out.

    `deep` and `flat` are the dotted names of what copies to the bottom and one level, whatever it is given (nothing, too);
    `shallow` copy one level of their argument. Instances of the classes `containers`, with elements of these or of the classes
    `plain`, may be copied without a look: others may hold locks, handles or an identity of their own.
    """
    unit = place.unit
    expression = _expression(place)
    if expression is None:
        return Refusal("what hands the value out is no expression of its own")
    inner = _copied(place, expression, shallow)
    if not isinstance(inner, (cst.Name, cst.Attribute, cst.Subscript)):
        return Refusal("what hands the value out is no plain name, attribute or item")
    if _compared_by_identity(place) & (names_in([inner]) | set(re.findall(r"\w+", " ".join(place.diagnostic.events[2:])))):
        return Refusal("somebody asks whether it is the very object, which a copy is not")
    known = place.fact("type") in containers
    once = place.fact("levels") == "1" and inner is expression
    elements = place.fact("elements").split()
    if not once:
        known = known and bool(elements) and all(element in containers or element in plain for element in elements)
    module, _, name = (flat if once else deep).rpartition(".")
    new = f"{place.imported(module)}.{name}({unit.bare(inner)})"
    message = "copy the image" if once else "copy the image to the bottom"
    return Rewriting(message, (place.text.edit(unit.whole(expression), new),), "unsafe" if known else "display")


def _compared_by_identity(place: Place) -> set[str]:
    """The names and attributes that are compared by `is` with something else than a constant, anywhere in the file."""
    found: set[str] = set()
    for node in ast.walk(place.tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            sides = [node.left, *node.comparators]
            if not any(isinstance(side, ast.Constant) for side in sides):
                found |= {side.attr if isinstance(side, ast.Attribute) else side.id for side in sides if isinstance(side, (ast.Attribute, ast.Name))}
    return found


def _expression(place: Place) -> cst.BaseExpression | None:
    """The expression at the finding: the one with its very span, or the value of the assignment that begins there."""
    unit, span = place.unit, place.diagnostic.span
    found: cst.BaseExpression | None = None
    for node in unit.ranges:
        where = unit.span(node)
        if isinstance(node, cst.BaseExpression) and where == span and unit.around(node, (cst.AssignTarget, cst.Del)) is None:
            return node
        begins = (where.line, where.column) == (span.line, span.column)
        if isinstance(node, cst.Assign) and len(node.targets) == 1 and begins:
            found = node.value
        if isinstance(node, cst.Return) and begins and node.value is not None:
            found = node.value
    return found


def _copied(place: Place, expression: cst.BaseExpression, shallow: Sequence[str]) -> cst.BaseExpression:
    """What a copy of one level copies; the expression itself when it is none."""
    if isinstance(expression, cst.Call):
        if meaning(place, expression.func) in shallow and len(expression.args) == 1 and expression.args[0].keyword is None:
            return expression.args[0].value
        if isinstance(expression.func, cst.Attribute) and expression.func.attr.value == "copy" and not expression.args:
            return expression.func.value
    if isinstance(expression, cst.Subscript) and len(expression.slice) == 1:
        part = expression.slice[0].slice
        if isinstance(part, cst.Slice) and part.lower is None and part.upper is None and part.step is None:
            return expression.value
    return expression
