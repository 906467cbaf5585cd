"""Whether a read and a write touch the same store, and in it the same record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Union

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import Term, is_fresh, substitute, subterms
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import AccessPath, Compound, Constant, Result, Value

Sameness = Literal[
    "object",   # what is written is the very object that was read, or a part of it
    "key",      # both calls are given the same key
    "place",    # both name the same file
    "whole",    # neither call selects anything: the store is one record
    "carried",  # only what was read is handed to the write, which finds the key in it
    "other",    # the calls select different records, as far as one can see
]
_Key = Union[Term, AccessPath]


def same_store(read: StoreEffect, write: StoreEffect) -> bool:
    """Whether both effects are on one store: a shared pairing key, or one place in terms of this function."""
    if read.medium == "file" and write.medium == "file":
        if _differs(read.place, write.place):
            return False
        return bool(read.keys & write.keys) or (read.place == write.place and _is_known(read.place))
    return bool(read.keys & write.keys)


def other_holder(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether both are calls on objects of one class that are certainly two: different attributes of the same object."""
    view = analysis.view
    one, other = _receivers(analysis, identity, read), _receivers(analysis, identity, write)
    kinds = [{t for p in paths for t in view.types(identity, n, p)} for n, paths in ((read, one), (write, other))]
    return may_be_other_holder(analysis, identity, read, write) and bool(kinds[0] & kinds[1]) and all(
        a.root == b.root and len(a.steps) == len(b.steps) for a in one for b in other
    )


def may_be_other_holder(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether both are calls on objects that are named differently, neither of them a part of the other."""
    one, other = _receivers(analysis, identity, read), _receivers(analysis, identity, write)
    return bool(one and other) and not any(_overlap(a, b) for a in one for b in other)


def _receivers(analysis: Analysis, identity: FunctionId, event: int) -> set[AccessPath]:
    view = analysis.view
    return {
        path for call in view.calls(identity, event) if call.receiver is not None
        for path in view.resolve_path(identity, event, call.receiver)
    }


def _overlap(one: AccessPath, other: AccessPath) -> bool:
    shorter = min(len(one.steps), len(other.steps))
    return one.root == other.root and one.steps[:shorter] == other.steps[:shorter]


def same_record(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> Sameness:
    """How the two calls name their records, as seen in the function."""
    if any(comes_from(analysis, identity, write.event, value, read.event) for value in write.contents):
        return "object"
    if read.medium == "file" and read.place == write.place and _is_known(read.place):
        return "place"
    if _under_other_name(analysis, identity, read.event, write.event):
        return "other"
    asked = [*selectors(analysis, identity, read.event), *read.selects]
    given = [*selectors(analysis, identity, write.event), *write.selects]
    wanted = {key for value in asked for key in keys_of(analysis, identity, read.event, value)}
    if wanted & {key for value in given for key in keys_of(analysis, identity, write.event, value)}:
        return "key"
    told = told_keys(analysis, identity, read)
    if told and all(map(_is_known, told)) and told <= told_keys(analysis, identity, write):
        return "key"
    others = [value for value in given if not _is_made_of(analysis, identity, write.event, value, read.event)]
    if not asked:
        return "whole"
    return "carried" if not others else "other"


def told_keys(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> frozenset[Term]:
    """What the store itself is told of the record, in terms of this function, whatever form the calls on the way give it."""
    term = analysis.summaries.places.term
    if not effect.distance:
        contents = () if effect.kind == "read" or effect.medium == "interface" else effect.contents
        values = [v for each in selectors(analysis, identity, effect.event) if each not in contents for v in values_asked_for(each)]
        return frozenset([term(identity, effect.event, v) for v in values if not isinstance(v, Constant) or v.kind == "str"])
    for call in analysis.view.effective_calls(identity, effect.event):
        for target in call.functions:
            for inner in analysis.summaries.of(target).effects:
                if inner.origin == effect.origin and inner.distance == effect.distance - 1:
                    actuals = {name: term(identity, effect.event, value) for name, value in analysis.view.bound(call, target).items()}
                    return frozenset([substitute(told, actuals) for told in told_keys(analysis, target, inner)])
    return frozenset()


def values_asked_for(selector: Value) -> Iterator[Value]:
    """What a selecting argument says: of a query by example, `{"_id": key}`, the values in it."""
    if isinstance(selector, Compound) and selector.operator == "dict":
        for part in selector.parts[1::2]:
            yield from values_asked_for(part)
    else:
        yield selector


def _under_other_name(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether one and the same formal of both callees gets two different arguments of this function, or two texts."""
    asked, given = _bound(analysis, identity, read), _bound(analysis, identity, write)
    return any(all(_differs(one, other) for one in asked[name] for other in given[name]) for name in asked.keys() & given.keys())


def _bound(analysis: Analysis, identity: FunctionId, event: int) -> dict[str, list[Term]]:
    """What the formals of the called functions get, by name."""
    bound: dict[str, list[Term]] = {}
    for call in analysis.view.effective_calls(identity, event):
        for target in (*call.functions, *call.abstract):
            for name, value in analysis.view.bound(call, target).items():
                bound.setdefault(name, []).append(analysis.summaries.places.term(identity, event, value))
    return bound


def is_new_record(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the write goes under a name that nobody else can have."""
    if is_fresh(write.place):
        return True
    places = analysis.summaries.places
    return any(
        is_fresh(places.term(identity, write.event, value))
        for value in selectors(analysis, identity, write.event)
        if not _is_made_of(analysis, identity, write.event, value, read)
    )


def comes_from(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: int) -> bool:
    """Whether the value is the object (or a part of it) that the call at `read` gave back."""
    paths = analysis.view.resolve_path(identity, at, AccessPath(value))
    return any(path.root == Result(read) for path in paths)


def named_keys(analysis: Analysis, identity: FunctionId, event: int) -> frozenset[str]:
    """The keys of a call that are written there: two saves under different ones are two records."""
    return frozenset(v.text for v in selectors(analysis, identity, event) if isinstance(v, Constant))


def is_touched(analysis: Analysis, identity: FunctionId, read: int, write: int) -> bool:
    """Whether anything between the two can have changed what was read: a store into it, or a call that is given it."""
    for number, event in enumerate(analysis.view.function(identity).events):
        if number in (read, write) or event.kind not in ("call", "write", "delete"):
            continue
        given = [argument.value for argument in event.arguments]
        if event.path is not None and event.path.steps:
            given.append(event.path.root)
        if any(comes_from(analysis, identity, number, value, read) for value in given):
            return True
    return False


def _is_made_of(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: int) -> bool:
    """Whether something of what the call at `read` gave goes into the value."""
    return any(s.kind == "read" and s.event == read for s in analysis.summaries.sources.of(identity, at, value))


def selectors(analysis: Analysis, identity: FunctionId, event: int) -> Iterator[Value]:
    """The arguments of a call (and of calls whose coroutines it is handed), those of displays one by one."""
    pending = [argument.value for call in analysis.view.effective_calls(identity, event) for argument in call.arguments]
    pending += [argument.value for argument in analysis.view.event(identity, event).arguments]
    while pending:
        value = pending.pop()
        if isinstance(value, Compound) and value.operator in ("tuple", "list"):
            pending.extend(value.parts)
        elif not (isinstance(value, Constant) and value.kind != "str"):
            yield value


def keys_of(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> Iterator[_Key]:
    """What tells a selecting argument apart inside the function."""
    term = analysis.summaries.places.term(identity, at, value)
    if _is_known(term):
        yield term
    if not isinstance(value, (Constant, Compound)):
        yield from analysis.view.resolve_path(identity, at, AccessPath(value))


def _is_known(term: Term) -> bool:
    return all(part.kind not in ("unknown", "fresh") for part in subterms(term))


def may_be_same_place(one: Term, other: Term) -> bool:
    """Whether nothing tells the places of two functions apart: the texts in them are equal where they are built alike."""
    if one.kind == "constant" and other.kind == "constant":
        return one.name == other.name
    if one.kind != other.kind or len(one.parts) != len(other.parts):
        return one.kind != "constant" or other.kind != "constant"
    return all(may_be_same_place(a, b) for a, b in zip(one.parts, other.parts))


def _differs(one: Term, other: Term) -> bool:
    """Whether two places certainly differ: built alike from different names or texts."""
    if one.kind != other.kind or len(one.parts) != len(other.parts):
        return False
    if not one.parts:
        return one.kind in ("param", "constant") and one.name != other.name
    return one.name == other.name and any(_differs(a, b) for a, b in zip(one.parts, other.parts))
