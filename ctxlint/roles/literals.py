"""What is known of single fields where something happens: the tests that every way there has passed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.flow.paths import dominates
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import Leaf

TRUTH = "is true"
"""The constant of a literal that asks whether a field is true, or not empty."""


class Literal(msgspec.Struct, frozen=True, gc=False):
    """`leaf` equals `constant` (or is true), or does not."""

    leaf: Leaf
    constant: str
    holds: bool

    @property
    def test(self) -> tuple[str, str, bool]:
        """The literal without the object that it is about."""
        return (self.leaf.key, self.constant, self.holds)


def literals_of(fields: Fields, identity: FunctionId, at: int, value: Value, holds: bool) -> Iterator[Literal]:
    """The literals that follow from a condition; nothing follows from one side of an alternative."""
    if isinstance(value, Compound):
        if value.operator == "not":
            yield from literals_of(fields, identity, at, value.parts[0], not holds)
        elif (value.operator == "and" and holds) or (value.operator == "or" and not holds):
            for part in value.parts:
                yield from literals_of(fields, identity, at, part, holds)
        elif value.operator in _EQUALITIES and len(value.parts) == 2:
            left, right = value.parts
            if holds == (value.operator == "in") and value.operator in ("in", "not in") and is_choice(fields.view, identity, value):
                return
            same = holds == (value.operator in ("==", "is", "in"))
            for one, other in ((left, right), (right, left)):
                for text in _texts(fields.view, identity, other):
                    for leaf in fields.of(identity, at, one):
                        if leaf.field:
                            yield Literal(leaf, text, same)
    elif _is_field(fields.view, identity, at, value):
        for leaf in fields.of(identity, at, value):
            if leaf.field:
                yield Literal(leaf, TRUTH, holds)


def _is_field(view: View, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether a value is a field as it was read, perhaps through a local."""
    if isinstance(value, Result):
        return view.event(identity, value.event).kind == "read"
    if isinstance(value, Name) and value.scope == "local":
        bound = [view.event(identity, n) for n in view.definitions(identity).definitions(at, value.name) if n >= 0]
        return bool(bound) and all(e.kind == "local" and isinstance(e.value, Result) and view.event(
            identity, e.value.event).kind == "read" for e in bound)
    return False


def literals_before(view: View, fields: Fields, identity: FunctionId, event: int) -> Iterator[Literal]:
    """The literals that hold on every way to an event."""
    graph = view.graph(identity)
    for block in view.function(identity).blocks:
        for edge in block.edges:
            target = graph.size + edge.target
            if edge.condition is not None and len(graph.predecessors(target)) == 1 and dominates(graph, target, event):
                yield from literals_of(fields, identity, target, edge.condition.value, edge.condition.holds)


def is_choice(view: View, identity: FunctionId, value: Compound) -> bool:
    """Whether a constant is looked for among several fields: any of them may be the one."""
    right = value.parts[1]
    return isinstance(right, Compound) and len(right.parts) > 1 and bool(constant_of(view, identity, value.parts[0]))


_EQUALITIES = frozenset(["==", "!=", "is", "is not", "in", "not in"])


def _texts(view: View, identity: FunctionId, value: Value) -> Iterator[str]:
    """The constants that something is compared with."""
    if isinstance(value, Compound) and value.operator in ("list", "tuple", "set"):
        for part in value.parts:
            yield from _texts(view, identity, part)
    else:
        text = constant_of(view, identity, value)
        if text:
            yield text


def constant_of(view: View, identity: FunctionId, value: Value) -> str:
    """The text of a constant, or the dotted name of a class's or module's constant (`Mode.READ`); empty for anything else."""
    if isinstance(value, Constant):
        return value.text
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and event.path.root.scope == "global":
            return ".".join((event.path.root.name, *event.path.steps))
    return value.name if isinstance(value, Name) and value.scope == "global" else ""
