"""What is said of an object elsewhere than in its own fields.

A part of it says something when it is told other parts of the same object: `call.tool.writes(call.arguments)`.
A registry holds, under a name that the object carries, what is declared of it: `TOOLS[call.name].writes`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.leaf import Leaf, spelled


def asked_of_its_part(view: View, identity: FunctionId, number: int, receiver: AccessPath) -> Leaf | None:
    """The method's answer as a field of the part, where all that the method is told are fields of the object that has the part."""
    event = view.event(identity, number)
    if not isinstance(receiver.root, Name) or len(receiver.steps) != 1 or receiver.steps[0] == "[*]" or not event.arguments or event.path is None:
        return None
    for argument in event.arguments:
        read = view.event(identity, argument.value.event) if isinstance(argument.value, Result) else None
        if read is None or read.kind != "read" or read.path is None or read.path.root != receiver.root or len(read.path.steps) != 1:
            return None
    types = in_order(view.inference.of_path(identity, number, receiver))
    owner = next((type.name for type in types if isinstance(type, Instance) and view.program.class_(type.name) is not None), "")
    return Leaf(f"{receiver.root.name}.{receiver.steps[0]}", owner, event.path.steps[-1]) if owner else None


def is_asked_of(view: View, identity: FunctionId, number: int, leaf: Leaf, told: Iterable[Leaf]) -> bool:
    """Whether a method is asked of one object alone.

    What it is told besides was given to the function, or taken out of one record together with the object, and is nothing of
    the same class.
    """
    event = view.event(identity, number)
    formals = {formal.name for formal in view.function(identity).formals}
    own = _record_of(view, identity, number, event.path.root) if event.path is not None else None
    return all(
        isinstance(argument.value, Name) and (
            argument.value.name in formals or (own is not None and _record_of(view, identity, number, argument.value) == own))
        for argument in event.arguments
    ) and all(other.owner != leaf.owner for other in told)


def _record_of(view: View, identity: FunctionId, at: int, value: Value) -> Value | None:
    """The record that a variable is a part of: `tool` of `for tool, given in running`."""
    bound = view.definitions(identity).definitions(at, value.name) if isinstance(value, Name) and value.scope == "local" else ()
    parts = [view.event(identity, number).value for number in bound if number >= 0]
    part = parts[0] if len(parts) == 1 else None
    return part.parts[0] if isinstance(part, Compound) and part.operator == "item" else None


def registered_under(view: View, identity: FunctionId, holder: AccessPath, keys: tuple[Value, ...]) -> str:
    """The name for what a module's or an object's registry holds under a key that is a local, or a field of one; else empty."""
    if not isinstance(holder.root, Name) or holder.steps.count("[*]") != 1 or holder.steps[-1:] != ("[*]",) or not keys:
        return ""
    own = view.function(identity).formals[:1]
    if holder.root.scope == "local" and (len(holder.steps) != 2 or not own or own[0].name != holder.root.name):
        return ""
    key = keys[0]
    if isinstance(key, Name) and key.scope == "local":
        return f"{key.name}[]"
    read = view.event(identity, key.event) if isinstance(key, Result) else None
    if read is None or read.kind != "read" or read.path is None or not isinstance(read.path.root, Name) or read.path.root.scope != "local":
        return ""
    return spelled(read.path.root) + "".join(f".{step}" for step in read.path.steps) if "[*]" not in read.path.steps else ""
