"""Places that are passed in, by the attributes in which they are kept: `__init__` stores its path, a loader makes an object of it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner, receiver_class
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term, keys, parameters, substitute
from ctxlint.calls.view import View
from ctxlint.ir.value import Name


def kept_keys(view: View, places: Places, identity: FunctionId, place: Term) -> frozenset[str]:
    """The pairing keys of a place that depends on formals, where the function keeps them; none when it does not."""
    formals = parameters(place)
    if not formals:
        return frozenset()
    kept = {formal: attribute for formal, attribute in _kept(view, places, identity, True) if formal in formals}
    return keys(substitute(place, kept), identity.module) if kept else frozenset()


def _kept(view: View, places: Places, identity: FunctionId, follow: bool) -> Iterator[tuple[str, Term]]:
    """The formals that the function stores in its receiver, or hands to the constructor of an object that stores them."""
    for number, event in enumerate(view.function(identity).events):
        if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.value is not None:
            owner = receiver_class(view, identity, event.path.root) if isinstance(event.path.root, Name) else None
            term = places.term(identity, number, event.value) if owner is not None else None
            if owner is not None and term is not None and term.kind == "param":
                attribute = event.path.steps[0]
                yield term.name, Term("attribute", f"{attribute_owner(view, owner, attribute)}.{attribute}")
        elif event.kind == "call" and event.arguments and follow:
            for call in view.calls(identity, number):
                for target in call.functions:
                    if view.program.symbol(target).endswith(".__init__"):
                        stored = dict(_kept(view, places, target, False))
                        for formal, value in view.bound(call, target).items() if stored else ():
                            given = places.term(identity, number, value)
                            if given.kind == "param" and formal in stored:
                                yield given.name, stored[formal]
