"""Which argument fills which formal when a record is spread over a call: `apply(state, *edit)`."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.resolve import Callees, receives
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import Compound, Constant, Name, Result, Value


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
