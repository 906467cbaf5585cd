"""Records that a container keeps: `needs, changes = self.running[key]` takes an entry of `running` apart."""

from __future__ import annotations

from collections.abc import Callable

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.leaf import Leaf

FieldOf = Callable[[FunctionId, int, AccessPath, tuple[Value, ...]], "Leaf | None"]


def kept_in(view: View, field_of: FieldOf, identity: FunctionId, at: int, whole: Value) -> str:
    """The field of an object whose entries a value is one of: `self.running[key]`, or what is gone through there."""
    value: Value | None = whole
    where = at
    for _ in range(4):
        if isinstance(value, Name) and value.scope == "local":
            bound = [n for n in view.definitions(identity).definitions(where, value.name) if n >= 0]
            if len(bound) != 1 or view.event(identity, bound[0]).kind != "local":
                return ""
            where, value = bound[0], view.event(identity, bound[0]).value
        elif isinstance(value, Compound) and value.operator == "item":
            value = value.parts[0] if value.parts[1:] and is_of_items(view, identity, value.parts[0]) else None
        elif isinstance(value, Result):
            return _kept_by(view, field_of, identity, value.event)
        else:
            return ""
    return ""


def is_of_items(view: View, identity: FunctionId, value: Value) -> bool:
    """Whether a value is a pair of a key and an entry."""
    event = view.event(identity, value.event) if isinstance(value, Result) else None
    if event is not None and event.kind == "iterate" and isinstance(event.value, Result):
        event = view.event(identity, event.value.event)
    return event is not None and event.kind == "call" and event.path is not None and event.path.steps[-1:] == ("items",)


def _kept_by(view: View, field_of: FieldOf, identity: FunctionId, number: int) -> str:
    event = view.event(identity, number)
    if event.kind == "iterate" and isinstance(event.value, Result):
        number = event.value.event
        event = view.event(identity, number)
        if event.path is None:
            return ""
        if event.kind == "read" and event.path.steps[-1:] == ("[*]",) and isinstance(event.keys[-1], Compound):
            holder = AccessPath(event.path.root, event.path.steps[:-1])          # a part of the entries
        elif event.kind == "read":
            holder = event.path
        elif event.kind == "call" and event.path.steps[-1:] in (("items",), ("values",)):
            holder = AccessPath(event.path.root, event.path.steps[:-1])
        else:
            return ""
    elif event.path is not None and event.kind == "read" and event.path.steps[-1:] == ("[*]",):
        holder = AccessPath(event.path.root, event.path.steps[:-1])
    elif event.path is not None and event.kind == "call" and event.path.steps[-1:] in (("get",), ("pop",)):
        holder = AccessPath(event.path.root, event.path.steps[:-1])
    else:
        return ""
    leaf = field_of(identity, number, holder, event.keys) if holder.steps else None
    return leaf.key if leaf is not None and leaf.owner and not leaf.owner.endswith("}") else ""
