"""Which functions a server, or whoever runs the tools of a model, calls for each request: several of them at once."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.decorators import scope_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import BoundMethod, External
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Name


def served(view: View) -> Iterator[tuple[FunctionId, FunctionId, int]]:
    """Every coroutine that a decorator registers for requests, with who defines it, and where."""
    for identity in view.program.functions():
        function = view.program.function(identity)
        defined = view.program.definition(identity) if function.kind == "coroutine" and function.decorators else None
        if defined is not None and any(_serves(view, *defined, text) for text in function.decorators):
            yield identity, *defined


def _serves(view: View, definer: FunctionId, at: int, decorator: str) -> bool:
    head, *steps = decorator.split(".")
    inference = view.call_graph.inference
    types = inference.of_path(definer, at, AccessPath(Name(head, scope_of(inference, definer, head)), tuple(steps)))
    names = [t.name if isinstance(t, External) else t.method if isinstance(t, BoundMethod) else None for t in types]
    return any(effect.does == "serves" for name in names if isinstance(name, str) for effect in view.models.effects(name))
