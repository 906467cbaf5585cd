"""Records that are written back with every field replaced, but for those that nobody ever changes.

Such a write puts nothing of an outdated reading in anybody's way: what it carries is what everybody else writes, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.interfaces import is_scalar
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import ClassObject, Instance, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.staleness.carried import is_of_reading
from ctxlint.checks.staleness.other_records import methods_of
from ctxlint.checks.staleness.second_writers import last_name
from ctxlint.checks.staleness.store_writers import passed_through
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Result, Value


def carries_what_never_changes(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the written object is of a declared class, and all that it still has of the reading are constant scalars."""
    written = [found for value in write.contents for found in _objects(analysis, identity, write.event, value)]
    if not written:
        return False
    carried = [
        (kind, field) for kind, value, at in written for field in analysis.program.declared_fields(kind)
        if is_of_reading(analysis, identity, read, value, at, field)
    ]
    replaced = sum(len(analysis.program.declared_fields(kind)) for kind, _, _ in written) - len(carried)
    if not replaced:
        return False
    own = _store_itself(analysis, write) | passed_through(analysis, identity, write)
    return all(_never_changes(analysis, identity, write, own, kind, field) for kind, field in carried)


def _objects(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> Iterator[tuple[ClassId, Value, int]]:
    """The objects of the program's declared classes that are written, behind the call that turns one into text."""
    inference = analysis.view.inference
    for kind in in_order(inference.of_value(identity, at, value)):
        if isinstance(kind, Instance) and analysis.program.declared_fields(kind.name):
            yield kind.name, value, at
    event = analysis.view.event(identity, value.event) if isinstance(value, Result) else None
    if isinstance(value, Result) and event is not None and event.kind == "call" and event.path is not None and len(event.path.steps) == 1:
        for kind in in_order(inference.of_path(identity, value.event, AccessPath(event.path.root))):
            if isinstance(kind, Instance) and analysis.program.declared_fields(kind.name):
                yield kind.name, event.path.root, value.event


def _never_changes(
    analysis: Analysis, identity: FunctionId, write: StoreEffect, own: frozenset[FunctionId], kind: ClassId, field: str
) -> bool:
    """Whether the field is a scalar that nobody sets but who makes the object, and the store's `own` functions at every write."""
    owner = attribute_owner(analysis.view, kind, field)
    info = analysis.program.class_(owner)
    declared = next((f.annotation for f in info.ir.fields if f.name == field), "") if info is not None else ""
    if not is_scalar(declared):
        return False
    setters = [
        function for function, event in analysis.cells.set_fields(field)
        if not is_constructor(analysis.view, function) and function not in own
        and (function == identity or last_name(analysis, function) != last_name(analysis, identity))    # another store's way
        and _may_be(analysis, function, event, kind, write.keys)
    ]
    return not setters and not any(
        _names(event, field) and _may_be(analysis, access.function, number, kind, write.keys)
        for access in analysis.stores.writers(write.keys) if access.function not in own
        for number, event in enumerate(analysis.view.function(access.function).events)
        if event.kind == "call" and analysis.view.does(access.function, number, "copies")
    )


def _may_be(analysis: Analysis, identity: FunctionId, event: int, kind: ClassId, keys: frozenset[str]) -> bool:
    """Whether what an attribute or a method is taken of can be a stored object of the class; an ancestor may declare the attribute.

    What is of no known class can be one where the function writes the store.
    """
    path = analysis.view.event(identity, event).path
    names = _classes(analysis, identity, event, AccessPath(path.root, path.steps[:-1])) if path is not None and path.steps else ()
    if not names:
        return any(effect.kind in WRITES and effect.keys & keys for effect in analysis.summaries.of(identity).effects)
    return any(name == kind or kind in _below(analysis, name) or name in _below(analysis, kind) for name in names)


def _classes(analysis: Analysis, identity: FunctionId, event: int, path: AccessPath) -> list[ClassId]:
    """The program's classes that an object can be of; what a class gives when it is asked for one by a method of others, too."""
    view = analysis.view
    names = list(view.types(identity, event, path))
    for kind, made in view.origins(identity).identity(path.root, event) if not path.steps else ():
        called = view.event(identity, made).path if kind == "result" and isinstance(made, int) else None
        if isinstance(made, int) and called is not None and called.steps and not any(c.functions for c in view.calls(identity, made)):
            holder = AccessPath(called.root, called.steps[:-1])
            names += [t.name for t in in_order(view.inference.of_path(identity, made, holder)) if isinstance(t, ClassObject)]
    return [name for name in names if analysis.program.class_(name) is not None]


def _below(analysis: Analysis, kind: ClassId) -> tuple[ClassId, ...]:
    info = analysis.program.class_(kind)
    return info.subclasses if info is not None else ()


def _store_itself(analysis: Analysis, write: StoreEffect) -> frozenset[FunctionId]:
    """The implementations of the writing method: what they set is set by every write."""
    found: set[FunctionId] = set()
    for method in methods_of(analysis, write):
        owner = analysis.program.owner(method)
        info = analysis.program.class_(owner) if owner is not None else None
        name = last_name(analysis, method)
        found.add(method)
        for each in info.subclasses if info is not None else ():
            body = analysis.program.method(each, name)
            if body is not None:
                found.add(body)
    return frozenset(found)


def _names(event: Event, field: str) -> bool:
    """Whether the call gives the field a new value."""
    shown = [v for a in event.arguments for v in (a.value.parts[::2] if isinstance(a.value, Compound) and a.value.operator == "dict" else ())]
    return any(a.keyword == field for a in event.arguments) or any(isinstance(v, Constant) and v.text == field for v in shown)
