"""Whether two operations on a store that keeps many things are on the same of them."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import UNKNOWN, Term
from ctxlint.calls.view import argument_of
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import AccessPath


def is_same_entry(analysis: Analysis, identity: FunctionId, one: StoreEffect, other: StoreEffect) -> bool:
    """Whether two operations of the function are on one table, or are given the same key."""
    common = one.keys & other.keys
    if any(not key.endswith("[]") for key in common):
        return True
    entry = _entry(analysis, identity, one) if common else UNKNOWN
    return entry != UNKNOWN and entry == _entry(analysis, identity, other)


def _entry(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> Term:
    """What the operation is told as key, as the function has it; nothing of one further down."""
    for modelled in analysis.view.modelled(identity, effect.event) if effect.distance == 0 else ():
        key = argument_of(modelled.call, modelled.effect.key) if modelled.effect.key else None
        if key is not None and not isinstance(key, AccessPath):
            return analysis.summaries.places.term(identity, effect.event, key)
    return UNKNOWN
