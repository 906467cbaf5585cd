"""Helpers that are told which part of a record to take: `{key for step in steps for key in step[side]}`, with `side` given as a constant."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Constant, Name, Value
from ctxlint.roles.leaf import Leaf, spelled

_CALLERS = 6


def selected(view: View, identity: FunctionId, number: int, path: AccessPath, key: Value) -> Leaf | None:
    """The part of a record that callers choose, where all of them say by a constant which one it is; its name is the formal's."""
    if not isinstance(key, Name) or key.scope != "local":
        return None
    if not any(formal.name == key.name for formal in view.function(identity).formals):
        return None
    sites = view.call_graph.callers(identity)[:_CALLERS]
    told = [
        view.bound(call, identity).get(key.name) for caller, event in sites for call in view.calls(caller, event) if identity in call.functions
    ]
    if not told or not all(isinstance(value, Constant) and value.kind == "str" for value in told):
        return None
    types = in_order(view.inference.of_path(identity, number, path))
    owner = next((type.name for type in types if isinstance(type, Instance) and view.program.class_(type.name) is not None), "")
    return Leaf(spelled(path.root) + "".join(f".{step}" for step in path.steps), owner or f"{identity.module}{{}}", f"[{key.name}]")


def chosen(view: View, leaf: Leaf, told: Mapping[str, Value]) -> Leaf:
    """The part that is taken when a helper is told which one."""
    value = told.get(leaf.field[1:-1]) if leaf.field.startswith("[") else None
    if not isinstance(value, Constant) or value.kind != "str":
        return leaf
    info = view.program.class_(leaf.owner)
    declared = info is None or any(field.name == value.text for field in info.ir.fields)
    return msgspec.structs.replace(leaf, field=value.text, owner=leaf.owner if declared or info is None else f"{info.module}{{}}")
