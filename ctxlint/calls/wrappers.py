"""What a decorator of the program puts around the functions it stands on: inner functions that call what was decorated."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Name

NESTED = 3
"""How many functions deep a factory of decorators defines what is called in the end."""


def inner_functions(view: View, decorator: FunctionId) -> Iterator[FunctionId]:
    """The functions defined in the decorator, also in the factory's own inner decorator."""
    functions = view.program.modules[decorator.module].ir.functions
    for index, function in enumerate(functions):
        parent, depth = function.enclosing, 0
        while parent >= 0 and depth < NESTED:
            if parent == decorator.index:
                yield FunctionId(decorator.module, index)
                break
            parent, depth = functions[parent].enclosing, depth + 1


def calls_decorated(view: View, inner: FunctionId, number: int) -> bool:
    """Whether the event of an inner function calls a variable of the functions around it: what was decorated."""
    event = view.event(inner, number)
    return (event.kind == "call" and event.path is not None and not event.path.steps
            and isinstance(event.path.root, Name) and event.path.root.scope == "captured")
