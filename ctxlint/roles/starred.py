"""Which argument fills which formal: also when a record is spread over a call, `apply(state, *edit)`, or the object is untyped."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.binding import bind
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.resolve import Callees, receives
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.shapes import Shapes


def filled(view: View, call: Call, target: FunctionId) -> dict[str, Value]:
    """What fills the formals of a callee; the parts of the one thing that is spread fill the remaining ones in their order."""
    bound = view.bound(call, target)
    positional = [argument for argument in call.arguments if argument.keyword in ("", "*")]
    spread = positional[-1].value if positional and positional[-1].keyword == "*" else None
    if not isinstance(spread, (Name, Result)) or any(argument.keyword == "*" for argument in positional[:-1]):
        return bound
    formals = view.function(target).formals[1 if receives(view.program, Callees(unbound=call.unbound), target) else 0:]
    remaining = [f.name for f in formals if f.kind in ("positional-only", "positional")][len(positional) - 1:]
    parts = {name: Compound("item", (spread, Constant("int", str(number)))) for number, name in enumerate(remaining)}
    return {**parts, **bound}


def bindings(view: View, shapes: Shapes, identity: FunctionId, number: int, target: FunctionId) -> Iterator[dict[str, Value | AccessPath]]:
    """Which value fills which formal of a callee, the receiver included, be the callee known by its object's fields alone."""
    event = view.event(identity, number)
    own = receiver_name(view.function(target))
    for call in view.calls(identity, number):
        if target in call.functions:
            found: dict[str, Value | AccessPath] = {**filled(view, call, target)}
            if own and call.receiver is not None:
                found.setdefault(own, call.receiver if call.receiver.steps else call.receiver.root)
            yield found
    if event.path is not None and target in shapes.called(identity, number):
        bound = bind(view.function(target), event.arguments, skip_first=True)
        yield {**bound, own: event.path.root} if own else {**bound}
