"""Which class a `case` asks of a value where its pattern takes the value apart: `case Insert(at=at)`."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import View
from ctxlint.ir.function import Condition
from ctxlint.ir.value import Compound, Value


def cased(view: View, identity: FunctionId, at: int, subject: Value) -> frozenset[str]:
    """The classes of which one is asked of the subject by the pattern that an event belongs to; empty where there is none.

    A pattern reads the fields it names before it is decided, and binds what lies at a position afterwards.
    """
    return frozenset(
        kind.name for condition in _deciding(view, identity, at)
        if condition.holds and isinstance(condition.value, Compound) and condition.value.operator == "match"
        and condition.value.parts[0] == subject
        for asked in condition.value.parts[1:] for kind in in_order(view.inference.of_value(identity, at, _class(asked)))
        if isinstance(kind, ClassObject)
    )


def _class(asked: Value) -> Value:
    return asked.parts[0] if isinstance(asked, Compound) and asked.operator == "and" and asked.parts else asked


def _deciding(view: View, identity: FunctionId, at: int) -> Iterator[Condition]:
    """The tests at the end of the event's block, and those by which the block is entered if nothing else leads there."""
    blocks = view.function(identity).blocks
    own = next((number for number, block in enumerate(blocks) if block.first <= at < block.last), -1)
    if own < 0:
        return
    yield from (edge.condition for edge in blocks[own].edges if edge.condition is not None)
    entering = [edge.condition for block in blocks for edge in block.edges if edge.target == own]
    if len(entering) == 1 and entering[0] is not None:
        yield entering[0]
