"""In which direction a loop goes through a list."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Compound, Constant, Name, Result, Value


def is_reversed(view: View, identity: FunctionId, at: int, value: Value, depth: int = 0) -> bool:
    """Whether a value is gone through from its end, or in an order that is made for it."""
    if isinstance(value, Name) and value.scope == "local" and depth < 6:
        bound = [n for n in view.definitions(identity).definitions(at, value.name) if n >= 0]
        values = [(n, view.event(identity, n).value) for n in bound]
        return any(v is not None and is_reversed(view, identity, n, v, depth + 1) for n, v in values)
    if not isinstance(value, Result):
        return False
    event = view.event(identity, value.event)
    if event.kind == "call" and event.path is not None:
        name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
        if name in ("reversed", "sorted"):
            return True
        return depth < 6 and any(is_reversed(view, identity, value.event, a.value, depth + 1) for a in event.arguments)
    key = event.keys[-1] if event.kind == "read" and event.keys else None
    return isinstance(key, Compound) and key.operator == "slice" and not (
        isinstance(key.parts[2], Constant) and key.parts[2].kind == "none"
    )
