"""When what is written is another record than the one that was read, although it may carry something of that.

The store gives the written one a key of its own, because the call leaves out what a reading has to name; or the record is made
here and names itself by something else than what the reading was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.terms import is_fresh, subterms
from ctxlint.calls.types import ClassObject
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.records import comes_from, keys_of, same_store, selectors, told_keys
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

DEEPEST = 2
"""How many calls down the making of a record is looked for."""

_OWN_KEY = "id"
"""What a record calls its own key, where a reading method calls it the key of something."""


def is_another_record(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> bool:
    """Whether the write certainly goes to another record of the store than the read."""
    return (
        _leaves_key_out(analysis, identity, read, write) or _names_itself_otherwise(analysis, identity, read.event, write)
        or _is_of_one_made_here(analysis, identity, read, write) or _is_begun_by_reading(analysis, identity, read, write)
    )


def _is_of_one_made_here(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> bool:
    """Whether the write is told the key of a record that an earlier write of this function has made."""
    given = {
        path.root.event for value in selectors(analysis, identity, write.event)
        for path in analysis.view.resolve_path(identity, write.event, AccessPath(value))
        if isinstance(path.root, Result) and path.steps and _is_key_name(path.steps[-1])
    }
    return any(
        made.event in given and made.kind == "write" and same_store(made, write) and _leaves_key_out(analysis, identity, read, made)
        for made in analysis.summaries.of(identity).effects
    )


def _leaves_key_out(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> bool:
    """Whether the writing method may be told a key that the reading one must be told, and is not: the record is a new one.

    The very object that was read would tell its key by itself.
    """
    origins = analysis.view.origins(identity)
    if any(("result", read.event) in origins.identity(value, write.event) for value in write.contents):
        return False
    wanted = {name for method in methods_of(analysis, read) for name in _required(analysis, method)}
    where, event = write.origin
    for call in analysis.view.effective_calls(where, event):
        for method in (*call.abstract, *call.functions):
            given = analysis.view.bound(call, method)
            for formal in analysis.view.function(method).formals:
                left_out = formal.name not in given and isinstance(formal.default, Constant) and formal.default.kind == "none"
                if left_out and formal.name in wanted and _is_key_name(formal.name):
                    return not any(argument.keyword == "**" for argument in call.arguments)
    return False


def methods_of(analysis: Analysis, effect: StoreEffect) -> Iterator[FunctionId]:
    """The functions and the body-less methods that are called where the effect comes from."""
    function, event = effect.origin
    for call in analysis.view.effective_calls(function, event):
        yield from (*call.abstract, *call.functions)


def _required(analysis: Analysis, method: FunctionId) -> list[str]:
    function = analysis.view.function(method)
    return [
        f.name for f in function.formals
        if f.default is None and f.name != receiver_name(function) and f.kind not in ("variadic", "keywords")
    ]


def _is_key_name(name: str) -> bool:
    return name == _OWN_KEY or name.endswith(f"_{_OWN_KEY}")


def _names_itself_otherwise(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether the written record is made here, with a key that neither comes from the reading nor is what that was asked for."""
    required = {
        name for call in analysis.view.effective_calls(identity, read) for method in (*call.abstract, *call.functions)
        for name in _required(analysis, method) if _is_key_name(name)
    } | {
        part.name.rpartition(".")[2] for key in told_keys(analysis, identity, write) for part in subterms(key) if part.kind == "field"
    }
    made = [one for value in write.contents for one in _constructions(analysis, identity, write.event, value)]
    return bool(made and required) and all(
        _is_named_otherwise(analysis, identity, read, event, required) if where == identity
        else _is_named_anew(analysis, where, event, required) for where, event in made
    )


def _is_named_anew(analysis: Analysis, identity: FunctionId, made: int, required: set[str]) -> bool:
    """Whether what a called function makes has a key that nobody else can have."""
    return any(
        (a.keyword in required or a.keyword == _OWN_KEY) and is_fresh(analysis.summaries.places.term(identity, made, a.value))
        for a in analysis.view.event(identity, made).arguments
    )


def _is_named_otherwise(analysis: Analysis, identity: FunctionId, read: int, made: int, required: set[str]) -> bool:
    keys = {a.keyword: a.value for a in analysis.view.event(identity, made).arguments if _is_key_name(a.keyword)}
    own = {name: value for name, value in keys.items() if name in required or name == _OWN_KEY}
    asked = {k for value in selectors(analysis, identity, read) for k in keys_of(analysis, identity, read, value)}
    return any(
        not isinstance(value, Constant) and not comes_from(analysis, identity, made, value, read)
        and ("result", read) not in analysis.view.origins(identity).roots(value, made)
        and asked.isdisjoint(_names(analysis, identity, made, value, 0))
        for value in own.values()
    )


def _names(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int) -> set[object]:
    """What tells the value apart, through the calls of other people's functions that turn it into another form."""
    found: set[object] = set(keys_of(analysis, identity, at, value))
    for kind, what in analysis.view.origins(identity).roots(value, at) if depth < 3 else ():
        event = analysis.view.event(identity, what) if kind == "result" and isinstance(what, int) else None
        if isinstance(what, int) and event is not None and event.kind == "call" and _is_foreign(analysis, identity, what):
            for each in _given(event):
                found |= _names(analysis, identity, what, each, depth + 1)
        elif isinstance(what, int) and event is not None and event.kind == "read" and event.path is not None:
            found |= set(keys_of(analysis, identity, at, Result(what)))
    return found


def _is_foreign(analysis: Analysis, identity: FunctionId, event: int) -> bool:
    return not any(call.functions or call.abstract for call in analysis.view.calls(identity, event))


def _given(event: Event) -> Iterator[Value]:
    yield from (argument.value for argument in event.arguments)
    if event.path is not None and event.path.steps:
        yield event.path.root


def _constructions(analysis: Analysis, identity: FunctionId, at: int, value: Value, depth: int = 0) -> list[tuple[FunctionId, int]]:
    """The calls of classes of the program that make a value, here or in the functions that give it, if nothing else does."""
    found: list[tuple[FunctionId, int]] = []
    for kind, what in analysis.view.origins(identity).identity(value, at):
        event = analysis.view.event(identity, what) if kind == "result" and isinstance(what, int) else None
        if not isinstance(what, int) or event is None or event.kind != "call" or event.path is None:
            return []
        if any(isinstance(t, ClassObject) for t in analysis.view.inference.of_path(identity, what, event.path)):
            found.append((identity, what))
            continue
        targets = [t for call in analysis.view.calls(identity, what) for t in call.functions] if depth < DEEPEST else []
        given = [(t, n, e.value) for t in targets for n, e in enumerate(analysis.view.function(t).events)
                 if e.kind == "return" and e.value is not None]
        below = [_constructions(analysis, t, n, returned, depth + 1) for t, n, returned in given]
        if not all(below) or {t for t, _, _ in given} != set(targets) or not targets:
            return []
        found += [one for each in below for one in each]
    return found


def _is_begun_by_reading(analysis: Analysis, identity: FunctionId, read: StoreEffect, write: StoreEffect) -> bool:
    """Whether the call that gives the record has put it into the store itself, under a key that it made because it was told none."""
    return any(
        _makes_the_key(analysis, identity, read.event, begun)
        for begun in analysis.summaries.effects_at(identity, read.event) if begun.kind in WRITES and same_store(begun, write)
    ) and any(comes_from(analysis, identity, write.event, value, read.event) for value in write.contents)


def _makes_the_key(analysis: Analysis, identity: FunctionId, event: int, begun: StoreEffect) -> bool:
    for call in analysis.view.effective_calls(identity, event):
        for target in call.functions if not any(a.keyword == "**" for a in call.arguments) else ():
            given = analysis.view.bound(call, target)
            inner = (e for e in analysis.summaries.of(target).effects if e.origin == begun.origin and e.distance == begun.distance - 1)
            named = {part.name for e in inner for key in told_keys(analysis, target, e) for part in subterms(key) if part.kind == "param"}
            if any(
                f.name in named and f.name not in given and isinstance(f.default, Constant) and f.default.kind == "none"
                and _gets_new_key(analysis, target, f.name) for f in analysis.view.function(target).formals
            ):
                return True
    return False


def _gets_new_key(analysis: Analysis, identity: FunctionId, formal: str) -> bool:
    """Whether the function makes a new key where it is given none for the formal."""
    name = Name(formal, "local")
    for number, event in enumerate(analysis.view.function(identity).events):
        made = event.value
        if event.kind != "local" or made is None:
            continue
        rebinds = event.path is not None and event.path.root == name
        chosen = isinstance(made, Compound) and made.operator in ("or", "if") and name in made.parts
        parts = made.parts if isinstance(made, Compound) and chosen else (made,) if rebinds else ()
        if any(is_fresh(analysis.summaries.places.term(identity, number, part)) for part in parts if part != name):
            return True
    return False
