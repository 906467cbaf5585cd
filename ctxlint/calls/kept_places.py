"""Under which attributes a function keeps the places it is told: `self.path = Path(path)` makes the argument the attribute's file."""

from __future__ import annotations

import msgspec

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term, keys, parameters, substitute
from ctxlint.calls.view import View


def kept_places(view: View, places: Places, identity: FunctionId) -> dict[str, Term]:
    """The attributes in which the function keeps its arguments as they are, by the argument's name."""
    found: dict[str, Term] = {}
    for number, event in enumerate(view.function(identity).events):
        if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.value is not None:
            term = places.term(identity, number, event.value)
            cells = cells_of(view, identity, number, event.path) if term.kind == "param" else ()
            if cells:
                found.setdefault(term.name, Term("attribute", cells[-1]))
    return found


def under_kept_names(effect: StoreEffect, kept: dict[str, Term], module: str) -> StoreEffect | None:
    """The effect with the keys that its place has by the attributes in which its arguments are kept; None when none is."""
    if not kept.keys() & parameters(effect.place):
        return None
    named = keys(substitute(effect.place, kept), module)
    return msgspec.structs.replace(effect, keys=effect.keys | named, named=True) if named else None
