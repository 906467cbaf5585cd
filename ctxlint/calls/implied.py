"""What events call without a call standing there: special methods, properties, the class of what is raised."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.candidates import Callees, Candidates
from ctxlint.calls.inference import Inference
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import UNKNOWN, ClassObject, Instance, Types, in_order, union
from ctxlint.ir.event import Event


def resolve_implicit(inference: Inference, function: FunctionId, event: int, happening: Event) -> Callees:
    """Special methods and properties; empty when the event calls nothing of the program."""
    found = Candidates(inference)
    if happening.kind == "raise":
        for t in in_order(inference.of_value(function, event, happening.value)):
            if isinstance(t, ClassObject) and inference.program.class_(t.name) is not None:
                found.add_construction(t.name)
        return msgspec.structs.replace(found.callees(UNKNOWN), externals=(), unknown=False)
    receiver = UNKNOWN
    for receiver, name in _implicit(inference, function, event, happening):
        for t in in_order(receiver):
            if not isinstance(t, Instance):
                continue
            program = inference.program
            if name.startswith("__"):
                method = program.method(t.name, name)
            elif happening.kind == "read":
                method = program.property_getter(t.name, name)
            else:
                method = program.property_setter(t.name, name)
            if method is not None:
                found.add_method(t.name, method)
    callees = found.callees(receiver)
    return msgspec.structs.replace(callees, unknown=found.more)


def _iterators(inference: Inference, iterated: Types, asynchronous: bool) -> Types:
    """What `__iter__` of the classes of the program gives."""
    name = "__aiter__" if asynchronous else "__iter__"
    methods = ((t, inference.program.method(t.name, name)) for t in in_order(iterated) if isinstance(t, Instance))
    return union(inference.called(method, t) for t, method in methods if method is not None)


def _implicit(
    inference: Inference, function: FunctionId, event: int, happening: Event
) -> Iterator[tuple[Types, str]]:
    """Receivers and the names of what the event calls on them."""
    kind, path = happening.kind, happening.path
    if kind in ("enter", "exit", "iterate"):
        value = inference.of_value(function, event, happening.value)
        asynchronous = happening.note == "async"
        if kind == "iterate":
            yield value, "__aiter__" if asynchronous else "__iter__"
            yield _iterators(inference, value, asynchronous), "__anext__" if asynchronous else "__next__"
        else:
            yield value, f"__a{kind}__" if asynchronous else f"__{kind}__"
    elif kind in ("read", "write", "delete") and path is not None and path.steps:
        types = inference.of_value(function, event, path.root)
        taken = 0
        for position, step in enumerate(path.steps):
            last = position == len(path.steps) - 1
            if last or kind == "read":
                special = {"read": "__getitem__", "write": "__setitem__", "delete": "__delitem__"}[kind]
                if types:
                    yield types, special if step == "[*]" else step
            if last or not types:
                return
            if step == "[*]":
                types = inference.item(types, happening.keys[taken] if taken < len(happening.keys) else None)
                taken += 1
            else:
                types = inference.members(types, step)
