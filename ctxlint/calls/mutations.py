"""What a function changes in memory: mutations of cells, its own and those of the callees it hands objects to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxlint.calls.view import View
from ctxlint.calls.program import FunctionId
from ctxlint.ir.value import AccessPath, Name, Value

How = Literal["rebind", "augment", "item", "field", "delete", "add", "remove", "clear", "mutate"]

MAX_STEPS = 3
"""How many steps of a mutated path a summary keeps."""


class Mutation(msgspec.Struct, frozen=True, gc=False):
    """A change of a cell.

    `path` is what is changed, seen from the function (root: a formal, a global, a captured name or a result); `cell` names it
    across functions: "<owning class>.<attribute>" or "<module>.<variable>", empty when its owner is not known.
    `how` is the operation; `values` is what goes in, as seen at `event`; `origin` is the primitive mutation.
    """

    path: AccessPath
    cell: str
    how: How
    event: int
    origin: tuple[FunctionId, int]
    values: tuple[Value, ...] = ()
    distance: int = 0


def primitive_mutations(view: View, identity: FunctionId) -> tuple[Mutation, ...]:
    """The function's own stores, deletions and mutator calls, in event order."""
    return tuple(_primitive(view, identity))


def _primitive(view: View, identity: FunctionId) -> Iterator[Mutation]:
    for number, event in enumerate(view.function(identity).events):
        if event.kind in ("write", "delete"):
            how: How = "delete" if event.kind == "delete" else "augment" if event.note == "aug" else "rebind"
            values = () if event.value is None else (event.value,)
            for path in view.paths(identity, number):
                if path.steps:
                    yield _mutation(view, identity, number, path, _refined(how, path), values)
        elif event.kind == "local" and event.path is not None and isinstance(event.path.root, Name):
            if event.path.root.scope == "global" and event.value is not None:
                how = "augment" if event.note == "aug" else "rebind"
                yield _mutation(view, identity, number, event.path, how, (event.value,))
        elif event.kind == "call" and event.path is not None and event.path.steps:
            match = view.does(identity, number, "mutates", "clears")
            if match is not None and match.effect.target == "self" and not match.effect.store.replace("memory", ""):
                values = tuple(a.value for a in event.arguments)
                for path in view.paths(identity, number):
                    if path.steps:
                        holder = AccessPath(path.root, path.steps[:-1])
                        how = "clear" if match.effect.does == "clears" else _by_arity(match.effect.how, values)
                        yield _mutation(view, identity, number, holder, how, values)


def _refined(how: How, path: AccessPath) -> How:
    """A store below a cell's own attribute changes an item or a field of it."""
    if how == "rebind" and path.steps[-1].startswith("["):
        return "item"
    if how == "rebind" and len(path.steps) > 1:
        return "field"
    return how


def _by_arity(stated: str, values: tuple[Value, ...]) -> How:
    if stated == "add" or stated == "remove" or stated == "item":
        return stated  # type: ignore[return-value]
    return "mutate"


def _mutation(
    view: View, identity: FunctionId, number: int, path: AccessPath, how: How, values: tuple[Value, ...]
) -> Mutation:
    return Mutation(path, view.cell_of(identity, number, path), how, number, (identity, number), values)


def lifted_mutations(
    view: View, identity: FunctionId, number: int, callee: FunctionId, summary: tuple[Mutation, ...],
    receiver: AccessPath | None, actuals: dict[str, Value],
) -> Iterator[Mutation]:
    """A callee's mutations of its formals, as mutations of what the call passes."""
    formals = view.function(callee).formals
    own_name = formals[0].name if formals and view.program.owner(callee) is not None else None
    for mutation in summary:
        root = mutation.path.root
        if isinstance(root, Name) and root.scope == "global":
            yield _moved(mutation, mutation.path, number, ())
        elif isinstance(root, Name) and root.name == own_name and receiver is not None:
            yield from _rebased(view, identity, number, mutation, receiver)
        elif isinstance(root, Name) and root.name in actuals:
            base = view.path_of_value(identity, number, actuals[root.name])
            if base is not None:
                yield from _rebased(view, identity, number, mutation, base)


def _rebased(
    view: View, identity: FunctionId, number: int, mutation: Mutation, base: AccessPath
) -> Iterator[Mutation]:
    for resolved in view.resolve_path(identity, number, base):
        path = AccessPath(resolved.root, (resolved.steps + mutation.path.steps)[: MAX_STEPS + 1])
        if path.steps or (isinstance(path.root, Name) and path.root.scope != "local") or mutation.path.steps == ():
            cell = mutation.cell or view.cell_of(identity, number, path)
            yield msgspec.structs.replace(_moved(mutation, path, number, ()), cell=cell)


def _moved(mutation: Mutation, path: AccessPath, number: int, values: tuple[Value, ...]) -> Mutation:
    return Mutation(path, mutation.cell, mutation.how, number, mutation.origin, values, mutation.distance + 1)
