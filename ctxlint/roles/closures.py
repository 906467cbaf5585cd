"""Changes that are bundles of functions: one of them applies the change, another one says what it touches.

What they have in common are the variables of the function around them: `lambda: {key}` says what `settings[key] = value` writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Closure, Name, Value
from ctxlint.roles.fills import Fills
from ctxlint.roles.keyed import Keyed, Keys, Mode


def told_by_closures(view: View, keys: Keys, fills: Fills, identity: FunctionId, mode: Mode) -> Iterator[tuple[str, FunctionId, Keyed]]:
    """The parts of records that are functions of a function, and the keys of its other functions that are what they give back."""
    told = [(field, inner) for _, field, value in fills.constructed(identity) for inner in _inner(view, identity, value)]
    if not told:
        return
    siblings = [
        FunctionId(identity.module, index)
        for index, function in enumerate(view.program.modules[identity.module].ir.functions) if function.enclosing == identity.index
    ]
    for field, inner in told:
        names = _given_back(view, fills, inner)
        for sibling in siblings if names else ():
            for keyed in keys.of(sibling, mode) if sibling != inner else ():
                if not keyed.sought and not names.isdisjoint(_captured(stem for v in keyed.values for stem in fills.stems(sibling, keyed.event, v))):
                    yield field, sibling, keyed


def _inner(view: View, identity: FunctionId, value: Value) -> Iterator[FunctionId]:
    """The function of a function that a value is."""
    if isinstance(value, Closure):
        yield FunctionId(identity.module, value.function)
    elif isinstance(value, Name) and value.scope == "local":
        for event in view.function(identity).events:
            if event.kind == "define" and event.path is not None and event.path.root == value and isinstance(event.value, Closure):
                yield FunctionId(identity.module, event.value.function)


def _given_back(view: View, fills: Fills, inner: FunctionId) -> frozenset[str]:
    """The variables of the function around it that a function's results are made of."""
    return frozenset().union(*(
        _captured(fills.stems(inner, at, event.value)) for at, event in enumerate(view.function(inner).events)
        if event.value is not None and (event.kind == "return" or event.note.startswith("yield"))
    ))


def _captured(stems: Iterator[Value] | frozenset[Value]) -> frozenset[str]:
    return frozenset(stem.name for stem in stems if isinstance(stem, Name) and stem.scope == "captured")
