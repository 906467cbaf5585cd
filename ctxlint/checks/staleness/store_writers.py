"""Who else writes the record that a function writes from an outdated reading: only who surely writes the same one is named.

One class of a store often writes many kinds of records, under many keys.
Where nobody is known to write this one, the second writer is another call of the same function.
"""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.terms import Term, is_fresh, subterms
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.records import may_be_same_place, same_store, selectors
from ctxlint.checks.staleness.interface_pairs import pair_up
from ctxlint.checks.staleness.other_records import is_another_record, methods_of
from ctxlint.roles.stores import Access


def second_writer(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> Access | None:
    """The likeliest other function that writes the record: one that reads it too, of the same class, of the same module."""
    through = passed_through(analysis, identity, write)
    found = [
        access for access in analysis.stores.writers(_telling(write))
        if access.function != identity and access.function not in through and access.effect.kind in ("write", "move")
        and not _is_only_at_start(analysis, access.function) and _meets(analysis, identity, read, write, access)
    ]
    near = {analysis.program.owner(one) for one in (identity, write.origin[0])} - {None}

    def unlikely(access: Access) -> tuple[bool, bool, FunctionId]:
        return (
            not _reads_too(analysis, access),
            analysis.program.owner(access.function) not in near and access.function.module != identity.module, access.function,
        )

    return min(found, key=unlikely, default=None)


def passed_through(analysis: Analysis, identity: FunctionId, write: StoreEffect) -> frozenset[FunctionId]:
    """The functions through which the write goes: they write for everybody."""
    found = {write.origin[0]}
    for call in analysis.view.calls(identity, write.event) if write.distance else ():
        for target in call.functions:
            for inner in analysis.summaries.of(target).effects:
                if inner.origin == write.origin and inner.distance < write.distance:
                    found |= {target} | passed_through(analysis, target, inner)
                    break
    return frozenset(found)


def _telling(write: StoreEffect) -> frozenset[str]:
    """The keys that name the store, and no folder in which there is some file."""
    return frozenset(key for key in write.keys if "/*" not in key)


def _is_only_at_start(analysis: Analysis, function: FunctionId) -> bool:
    """Whether the function runs only while an object is made: nobody else has that yet."""
    callers = {caller for caller, _ in analysis.view.call_graph.callers(function)}
    return is_constructor(analysis.view, function) or (
        bool(callers) and all(is_constructor(analysis.view, caller) for caller in callers)
    )


def _reads_too(analysis: Analysis, access: Access) -> bool:
    """Whether the writer reads the store as well: it changes records that are there."""
    return any(
        e.kind == "read" and same_store(e, access.effect)
        and (e.medium != "interface" or pair_up(analysis, e, access.effect))
        and not is_another_record(analysis, access.function, e, access.effect)
        for e in analysis.summaries.of(access.function).effects
    )


def _meets(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect, access: Access) -> bool:
    """Whether the other function surely writes this kind of record under this kind of key."""
    effect = access.effect
    if write.medium == "interface":
        methods = set(methods_of(analysis, effect))
        if methods.isdisjoint(methods_of(analysis, write)) or not _reads_too(analysis, access):
            return False
        return _shapes(analysis, identity, write.event) == _shapes(analysis, access.function, effect.event)
    if write.medium == "file":
        return not is_fresh(effect.place) and may_be_same_place(write.place, effect.place)
    if write.medium == "sql":
        return effect.conditional or _reads_too(analysis, access)
    named = {key for key in write.keys & effect.keys if not key.endswith("[]")}
    return bool(named or _shapes(analysis, identity, write.event) & _shapes(analysis, access.function, effect.event))


def _shapes(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[Term]:
    """How the keys of a call are built: what is not told by the caller."""
    places = analysis.summaries.places
    terms = {_shape(places.term(identity, event, value)) for value in selectors(analysis, identity, event)}
    return frozenset(
        term for term in terms if any(part.kind in ("constant", "attribute", "global", "helper") for part in subterms(term))
    )


def _shape(term: Term) -> Term:
    return Term("param") if term.kind in ("param", "unknown") else Term(term.kind, term.name, tuple(map(_shape, term.parts)))
