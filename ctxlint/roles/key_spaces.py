"""How interfaces are given the keys of their entries: one serves a whole program, and tells its users apart by how keys are made."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.terms import Term, constant_text
from ctxlint.ir.value import Value


class KeySpaces:
    """The key spaces of a program's operations; memoised, since every reader is compared with every writer."""

    def __init__(self, summaries: Summaries) -> None:
        self._summaries = summaries
        self._known: dict[tuple[FunctionId, int], str] = {}

    def of(self, effect: StoreEffect) -> str:
        """How the key is made that an operation of an interface is given first; empty when it is not seen."""
        known = self._known.get(effect.origin)
        if known is None:
            first = next(iter(self.given(effect).values()), None)
            known = self._known[effect.origin] = "" if first is None else _maker(self._summaries.places.term(*effect.origin, first))
        return known

    def given(self, effect: StoreEffect) -> dict[str, Value]:
        """What the operation is given where it happens, by the names of its formals, in their order."""
        view = self._summaries.view
        for call in view.effective_calls(*effect.origin):
            for method in call.abstract:
                bound, function = view.bound(call, method), view.function(method)
                own = receiver_name(function)
                return {formal.name: bound[formal.name] for formal in function.formals if formal.name in bound and formal.name != own}
        return {}


def _maker(term: Term) -> str:
    if term.kind == "helper":
        return term.name
    if term.kind == "concat" and term.parts:
        return constant_text(term.parts[0])
    return constant_text(term)
