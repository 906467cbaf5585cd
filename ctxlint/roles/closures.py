"""Changes that are bundles of functions: one of them applies the change, another one says what it touches.

What they have in common are the variables of the function around them: `lambda: {key}` says what `settings[key] = value` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Closure, Name, Value
from ctxlint.roles.fills import Fills
from ctxlint.roles.keyed import Keyed, Keys, Mode


def told_by_closures(
    view: View, keys: Keys, fills: Fills, identity: FunctionId, inside: Sequence[FunctionId], mode: Mode
) -> Iterator[tuple[str, FunctionId, Keyed]]:
    """The parts of records that a function puts together, and the keys of functions inside it that are made of the same variables.

    A part that is itself a function stands for what it gives back.
    """
    if not inside:
        return
    told = [
        (field, inner, names) for number, field, value in fills.constructed(identity)
        for inner, names in ((None, _own(fills, identity, number, value)), *((f, _given_back(view, fills, f)) for f in _inner(view, identity, value)))
        if names
    ]
    if not told:
        return
    for sibling in inside:
        for keyed in keys.of(sibling, mode):
            captured = _captured(stem for v in keyed.values for stem in fills.stems(sibling, keyed.event, v)) if not keyed.sought else frozenset()
            for field, inner, names in told if captured else ():
                if sibling != inner and not names.isdisjoint(captured):
                    yield field, sibling, keyed


def _own(fills: Fills, identity: FunctionId, number: int, value: Value) -> frozenset[str]:
    """The function's own variables that a part of a record is made of."""
    return frozenset(stem.name for stem in fills.stems(identity, number, value) if isinstance(stem, Name) and stem.scope == "local")


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


def _captured(stems: Iterable[Value]) -> frozenset[str]:
    return frozenset(stem.name for stem in stems if isinstance(stem, Name) and stem.scope == "captured")
