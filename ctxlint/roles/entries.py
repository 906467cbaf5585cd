"""Records that a container keeps: `needs, changes = self.running[key]` takes an entry of `running` apart."""

from __future__ import annotations

from collections.abc import Callable

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.types import Instance, in_order
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


def makes_records(view: View, identity: FunctionId, whole: Value) -> bool:
    """Whether a value is what a helper puts together as a tuple: sets that it fills later, functions that know them."""
    return isinstance(whole, Result) and any(
        event.kind == "return" and isinstance(event.value, Compound) and event.value.operator == "tuple"
        for call in view.calls(identity, whole.event) for target in call.functions[:2] if target.module == identity.module
        for event in view.function(target).events
    )


def declaring(view: View, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...], key: str) -> ClassId:
    """The class of the program that declares an entry of a dictionary by its name."""
    for type in in_order(view.inference.of_path(identity, at, path, keys)):
        info = view.program.class_(type.name) if isinstance(type, Instance) else None
        if info is not None and isinstance(type, Instance) and any(field.name == key for field in info.ir.fields):
            return type.name
    return ""


def is_made(view: View, identity: FunctionId, at: int, value: Value, depth: int = 4) -> bool:
    """Whether a value, or what a collection holds that it is taken from, is the result of a call."""
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind in ("iterate", "suspend") and event.value is not None and depth:
            return is_made(view, identity, value.event, event.value, depth - 1)
        if event.kind == "read" and event.path is not None and event.path.steps == ("[*]",) and depth:
            return is_made(view, identity, value.event, event.path.root, depth - 1)
        return event.kind == "call"
    if not isinstance(value, Name) or value.scope != "local" or not depth:
        return False
    definitions = view.definitions(identity)
    bound = [(n, view.event(identity, n).value) for n in definitions.definitions(at, value.name) if n >= 0]
    added = [(n, a.value) for n in definitions.additions(at, value.name) for a in view.event(identity, n).arguments[-1:]]
    return any(each is not None and is_made(view, identity, where, each, depth - 1) for where, each in (*bound, *added))
