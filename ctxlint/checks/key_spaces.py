"""Which entries of a store that keeps many things two operations are about, told by the keys that they are given.

One interface serves a whole program: a queue, a log and a table of who is there differ only in how their keys are made.
"""

from __future__ import annotations

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.members import receiver_name
from ctxlint.calls.terms import Term, constant_text
from ctxlint.checks.finding import Analysis
from ctxlint.ir.value import NONE, Value
from ctxlint.knowledge.words import hints


def in_other_spaces(analysis: Analysis, one: StoreEffect, other: StoreEffect) -> bool:
    """Whether the two operations of an interface make their keys in two ways: by two functions, or with two beginnings."""
    if one.medium != "interface" or other.medium != "interface":
        return False
    spaces = _space(analysis, one), _space(analysis, other)
    return bool(spaces[0] and spaces[1]) and spaces[0] != spaces[1]


def expires_by_itself(analysis: Analysis, removal: StoreEffect) -> bool:
    """Whether what is removed was only ever put there for a time: time makes good for a removal that fails."""
    if removal.kind != "delete" or removal.medium != "interface":
        return False
    space = _space(analysis, removal)
    kept = [
        writer.effect for writer in analysis.stores.writers(removal.keys)
        if writer.effect.medium == "interface" and writer.effect.kind in WRITES - {"delete"} and _space(analysis, writer.effect) == space
    ]
    return bool(space and kept) and all(_has_an_end(analysis, effect) for effect in kept)


def _has_an_end(analysis: Analysis, effect: StoreEffect) -> bool:
    """Whether the operation is told for how long the entry is to be kept."""
    return any(hints(name, analysis.words.expiries) and value != NONE for name, value in _given(analysis, effect).items())


def _space(analysis: Analysis, effect: StoreEffect) -> str:
    """How the key is made that an operation of an interface is given first; empty when it is not seen."""
    function, event = effect.origin
    given = _given(analysis, effect)
    first = next(iter(given.values()), None)
    return "" if first is None else _maker(analysis.summaries.places.term(function, event, first))


def _maker(term: Term) -> str:
    if term.kind == "helper":
        return term.name
    if term.kind == "concat" and term.parts:
        return constant_text(term.parts[0])
    return constant_text(term)


def _given(analysis: Analysis, effect: StoreEffect) -> dict[str, Value]:
    """What the operation is given where it happens, by the names of its formals, in their order."""
    function, event = effect.origin
    for call in analysis.view.effective_calls(function, event):
        for method in call.abstract:
            bound = analysis.view.bound(call, method)
            own = receiver_name(analysis.view.function(method))
            return {f.name: bound[f.name] for f in analysis.view.function(method).formals if f.name in bound and f.name != own}
    return {}
