"""Under which attributes a function keeps the places it is told: `self.path = Path(path)` makes the argument the attribute's file."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import cells_of
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


def kept_keys(view: View, places: Places, identity: FunctionId, place: Term) -> frozenset[str]:
    """The pairing keys of a place that depends on formals, where the function keeps them, or an object that it makes of them
    does; none when nothing keeps them.
    """
    formals = parameters(place)
    if not formals:
        return frozenset()
    kept = {**dict(_handed_on(view, places, identity)), **kept_places(view, places, identity)}
    kept = {formal: attribute for formal, attribute in kept.items() if formal in formals}
    return keys(substitute(place, kept), identity.module) if kept else frozenset()


def _handed_on(view: View, places: Places, identity: FunctionId) -> Iterator[tuple[str, Term]]:
    """The formals that the function hands to the constructor of an object that keeps them."""
    for number, event in enumerate(view.function(identity).events):
        for call in view.calls(identity, number) if event.kind == "call" and event.arguments else ():
            for target in call.functions:
                stored = kept_places(view, places, target) if view.program.symbol(target).endswith(".__init__") else {}
                for formal, value in view.bound(call, target).items() if stored else ():
                    given = places.term(identity, number, value)
                    if given.kind == "param" and formal in stored:
                        yield given.name, stored[formal]
