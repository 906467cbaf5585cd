"""Ranges: fields that hold them, the two bounds by which something is selected, and whether two of them overlap."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import Leaf


def held_by_fields(fields: Fields, identity: FunctionId, at: int, side: frozenset[Leaf]) -> frozenset[Leaf]:
    """The fields, or formals, that hold the ranges whose bounds are compared: `span.start`, of one of `edit.spans`, is content of these."""
    formals = {formal.name for formal in fields.view.function(identity).formals}
    return frozenset(
        held for leaf in side if leaf.field and leaf.instance.isidentifier() and leaf.instance not in formals
        for held in fields.of(identity, at, Name(leaf.instance, "local")) if held.field or held.instance in formals
    )


def ranges_selecting(view: View, identity: FunctionId, values: Iterable[Value]) -> frozenset[Name]:
    """The objects of which two bounds select something: `text[span.start:span.stop]`."""
    bounds: dict[Name, set[str]] = {}
    for value in values:
        event = view.event(identity, value.event) if isinstance(value, Result) else None
        if event is not None and event.kind == "read" and event.path is not None and len(event.path.steps) == 1:
            if isinstance(event.path.root, Name) and event.path.root.scope == "local" and not event.keys:
                bounds.setdefault(event.path.root, set()).add(event.path.steps[0])
    return frozenset(name for name, found in bounds.items() if len(found) > 1)
