"""How a cell is named across functions: by the class that owns the attribute, or the module that holds the variable."""

from __future__ import annotations

from ctxlint.calls.elements import behind_await
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.names import resolve_name
from ctxlint.calls.types import UNKNOWN, Instance, Module, in_order, union
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Name, Result, Value

ANYWHERE = -1
"""Stands for every event of a function."""


def cells_of(view: View, identity: FunctionId, at: int, path: AccessPath) -> tuple[str, ...]:
    """The names of every cell that lies on an access path, outermost first; empty when no owner is known.

    `self.state.items[*].text` lies in `Agent.state` and, if the type of the state is known, in `State.items`; of a module that
    was imported, `settings.LIMIT` is a cell, and the module none.
    """
    question = (identity, at if _may_vary(view, identity, path.root) else ANYWHERE, path)
    known = view.cells.get(question)
    if known is None:
        known = view.cells[question] = _find_cells(view, identity, at, path)
    return known


def _may_vary(view: View, identity: FunctionId, root: Value) -> bool:
    """Whether what the root holds can be told otherwise at another event: a variable that is bound here, or that is tested."""
    if isinstance(root, Name):
        facts = view.inference.facts(identity)
        return bool(facts.narrowings.tests) or facts.binds(root.name) or identity.index == 0
    return not isinstance(root, Result)


def _find_cells(view: View, identity: FunctionId, at: int, path: AccessPath) -> tuple[str, ...]:
    found: list[str] = []
    root = path.root
    if isinstance(root, Name) and root.scope == "global":
        module_level = resolve_name(view.program, identity.module, identity.index, root.name)
        if module_level and not module_level.startswith("builtins.") and module_level not in view.program.modules:
            found.append(module_level)
    types = behind_await(view.inference.of_value(identity, at, root)) if path.steps else UNKNOWN
    for step in path.steps:
        if not types:
            break
        if step.startswith("["):
            found += [f"{held}.[*]" for t in in_order(types) if isinstance(t, Instance) and (held := _container(view, t.name))][:1]
            types = view.inference.item(types)
            continue
        ordered = in_order(types)
        owner = next((t.name for t in ordered if isinstance(t, Instance) and view.program.class_(t.name) is not None), None)
        if owner is not None:
            found.append(f"{attribute_owner(view, owner, step)}.{step}")
        found += [f"{t.name}.{step}" for t in ordered if isinstance(t, Module) and f"{t.name}.{step}" not in view.program.modules][:1]
        types = union(view.inference.member(t, step) for t in ordered)
    return tuple(found)


def _container(view: View, class_id: ClassId) -> ClassId:
    """The class of the program that first derives from a container, so that its instances hold items themselves; or empty."""
    info = view.program.class_(class_id)
    if info is None or not any(map(view.models.type_facts, info.mro)):
        return ""
    own = [ancestor for ancestor in info.mro if view.program.class_(ancestor) is not None]
    held = [each for each in own if any("container" in view.models.type_facts(base) for base in _mro(view, each))]
    return held[-1] if held else ""


def _mro(view: View, class_id: ClassId) -> tuple[str, ...]:
    info = view.program.class_(class_id)
    return () if info is None else info.mro


def receiver_class(view: View, identity: FunctionId, name: Name) -> ClassId | None:
    """The class whose receiver (`self`) a name is: in its method, or captured by a function inside it."""
    current: FunctionId | None = identity
    while current is not None:
        function = view.function(current)
        if name.name in [formal.name for formal in function.formals]:
            return view.program.owner(current) if receiver_name(function) == name.name else None
        current = FunctionId(current.module, function.enclosing) if function.enclosing >= 0 else None
    return None


def attribute_owner(view: View, class_id: ClassId, attribute: str) -> ClassId:
    """The class in the method resolution order that declares or first stores the attribute; the class itself if none does."""
    known = view.attribute_owners.get((class_id, attribute))
    if known is None:
        known = view.attribute_owners[class_id, attribute] = _find_owner(view, class_id, attribute)
    return known


def _find_owner(view: View, class_id: ClassId, attribute: str) -> ClassId:
    info = view.program.class_(class_id)
    owner = class_id
    for ancestor in info.mro if info is not None else ():
        declared = view.program.class_(ancestor)
        if declared is not None and (
            attribute in view.inference.stores(ancestor) or any(field.name == attribute for field in declared.ir.fields)
        ):
            owner = ancestor
    return owner
