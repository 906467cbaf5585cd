"""Which argument of a call fills which formal of its callee (the language reference, 6.3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.ir.event import Argument
from ctxlint.ir.function import Function
from ctxlint.ir.value import Compound, Value


def bind(function: Function, arguments: Sequence[Argument], *, skip_first: bool) -> dict[str, Value]:
    """Map formals to the values passed; those without an argument are missing.

    `skip_first` is true when the call's receiver fills the first formal. Everything a variadic formal takes is one tuple.
    After a starred argument positions are not known any more, so the remaining positional formals stay unbound.
    """
    formals = function.formals[1:] if skip_first else function.formals
    positional = [f for f in formals if f.kind in ("positional-only", "positional")]
    named = {f.name for f in formals if f.kind in ("positional", "keyword-only")}
    variadic = next((f.name for f in formals if f.kind == "variadic"), None)
    keywords = next((f.name for f in formals if f.kind == "keywords"), None)
    bound: dict[str, Value] = {}
    rest: list[Value] = []
    others: list[Value] = []
    position = 0
    for argument in arguments:
        if argument.keyword == "":
            if position < len(positional):
                bound[positional[position].name] = argument.value
            else:
                rest.append(argument.value)
            position += 1
        elif argument.keyword == "*":
            rest.append(argument.value)
            position = len(positional)
        elif argument.keyword in named:
            bound[argument.keyword] = argument.value
        else:
            others.append(argument.value)
    if variadic is not None and rest:
        bound[variadic] = Compound("tuple", tuple(rest))
    if keywords is not None and others:
        bound[keywords] = Compound("tuple", tuple(others))
    return bound
