"""What a function changes in memory: mutations of cells, its own and those of the callees it hands objects to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.types import SuperOf
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import AccessPath, Name, Result, Value
from ctxlint.knowledge.models import Effect as ModelEffect

How = Literal["rebind", "augment", "item", "field", "delete", "add", "remove", "clear", "mutate"]

_MUTATORS: dict[str, How] = {"mutates": "mutate", "appends": "add", "clears": "clear", "deletes": "remove"}

MAX_STEPS = 3
"""How many steps of a mutated path a summary keeps."""


class Mutation(msgspec.Struct, frozen=True, gc=False):
    """A change of a cell.

    `path` is what is changed, seen from the function (root: a formal, a global, a captured name or a result); `cells` name it
    across functions, outermost first: "<owning class>.<attribute>" or "<module>.<variable>"; empty when no owner is known.
    `how` is the operation; `values` is what goes in, as seen at `event`; `origin` is the primitive mutation.
    """

    path: AccessPath
    cells: tuple[str, ...]
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
            stored: tuple[Value, ...] = () if event.value is None else (event.value,)
            for path in view.paths(identity, number):
                if path.steps:
                    yield _mutation(view, identity, number, path, _refined(how, path), stored)
        elif event.kind == "local" and event.path is not None and isinstance(event.path.root, Name):
            if event.path.root.scope == "global" and event.value is not None:
                how = "augment" if event.note == "aug" else "rebind"
                yield _mutation(view, identity, number, event.path, how, (event.value,))
        elif event.kind == "call" and event.path is not None and event.path.steps:
            match = view.does(identity, number, *_MUTATORS)
            receiver, *inner = match.effect.target.split(".") if match is not None else ("",)
            if match is not None and receiver == "self" and match.effect.store == "memory":
                values = tuple(a.value for a in event.arguments)
                for path in view.paths(identity, number):
                    holder = AccessPath(path.root, (*path.steps[:-1], *inner))
                    if len(path.steps) == 1 and isinstance(path.root, Result):
                        holder = _behind_super(view, identity, number, holder)
                    if holder.steps or isinstance(holder.root, Name):
                        how = _how(match.effect)
                        yield _mutation(view, identity, number, holder, how, values)


def _behind_super(view: View, identity: FunctionId, number: int, holder: AccessPath) -> AccessPath:
    """What a base class's method changes when it is called through `super()`: the receiver itself."""
    own = receiver_name(view.function(identity))
    if own and any(isinstance(t, SuperOf) for t in view.inference.of_value(identity, number, holder.root)):
        return AccessPath(Name(own, "local"), holder.steps)
    return holder


def _refined(how: How, path: AccessPath) -> How:
    """A store below a cell's own attribute changes an item or a field of it."""
    if how == "rebind" and path.steps[-1].startswith("["):
        return "item"
    if how == "rebind" and len(path.steps) > 1:
        return "field"
    return how


def _how(effect: ModelEffect) -> How:
    return effect.how or _MUTATORS[effect.does]


def _mutation(
    view: View, identity: FunctionId, number: int, path: AccessPath, how: How, values: tuple[Value, ...]
) -> Mutation:
    named = path if path.steps else AccessPath(path.root, ("[*]",))       # an object that is itself a container
    return Mutation(path, cells_of(view, identity, number, named), how, number, (identity, number), values)


def lifted_mutations(
    view: View, identity: FunctionId, number: int, call: Call, callee: FunctionId, summary: Iterable[Mutation]
) -> Iterator[Mutation]:
    """A callee's mutations of its formals, as mutations of what the call passes."""
    own_name = receiver_name(view.function(callee))
    actuals = view.bound(call, callee)
    for mutation in summary:
        root = mutation.path.root
        if not isinstance(root, Name) or (root.scope != "global" and root.name not in actuals and root.name != own_name):
            continue
        passed = tuple([value for name, value in actuals.items() if name != root.name])
        if root.scope == "global":
            yield _moved(mutation, mutation.path, mutation.cells, number, passed)
        elif root.name == own_name and root.name and call.receiver is not None:
            yield from _rebased(view, identity, number, mutation, call.receiver, passed)
        elif root.name in actuals:
            yield from _rebased(view, identity, number, mutation, AccessPath(actuals[root.name]), passed)


def _rebased(
    view: View, identity: FunctionId, number: int, mutation: Mutation, base: AccessPath, passed: tuple[Value, ...]
) -> Iterator[Mutation]:
    for resolved in view.resolve_path(identity, number, base):
        path = AccessPath(resolved.root, (resolved.steps + mutation.path.steps)[: MAX_STEPS + 1])
        cells = tuple(dict.fromkeys((*cells_of(view, identity, number, path), *mutation.cells)))
        yield _moved(mutation, path, cells, number, passed)


def _moved(mutation: Mutation, path: AccessPath, cells: tuple[str, ...], number: int, values: tuple[Value, ...]) -> Mutation:
    return Mutation(path, cells, mutation.how, number, mutation.origin, values, mutation.distance + 1)
