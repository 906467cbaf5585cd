"""What becomes of changes by the outcome of a decision: they are sorted into those let through and others, or into groups that go side by side.

Whoever only looks for duplicates does something with one of the two alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.decisions import Decision, may_be_of
from ctxlint.checks.conflicts.predicates import is_question
from ctxlint.flow.paths import reachable
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.accesses import Accesses, Use
from ctxlint.roles.carriers import put

_QUESTIONS = 2
"""How many questions are answered by one another at most before somebody does something."""


class _Asker(msgspec.Struct, frozen=True):
    """A function that asks for a decision at an event, about the objects that it knows by some names."""

    function: FunctionId
    event: int
    names: frozenset[str]
    owner: str


def read_in_groups(analysis: Analysis, accesses: Accesses, decision: Decision, siblings: Iterable[str]) -> Use | None:
    """The use of a sibling whose elements are looked up one after the other, where changes whose compared sets are disjoint go side by side."""
    if not (decision.given and decision.sets) or any(accesses.uses(key, "read") for key in decision.compared):
        return None
    for key in sorted(siblings):
        use = next((use for use in accesses.uses(key, "read") if use.each and use.places), None)
        if use is not None and not accesses.uses(key, "write") and not accesses.is_looked_up(key):
            return use if any(_puts_in_groups(analysis, asker) for asker in _askers(analysis, decision)) else None
    return None


def sorts(analysis: Analysis, decision: Decision) -> bool:
    """Whether somebody who asks keeps a change here on one way and there on another one, or puts changes into groups."""
    return any(_keeps_either_way(analysis, asker) or _puts_in_groups(analysis, asker) for asker in _askers(analysis, decision))


def is_filed_under(analysis: Analysis, decision: Decision, key: str) -> bool:
    """Whether somebody who asks keeps an object itself under a field of its own: that is what it is known by, and no place."""
    field = key.rpartition(".")[2]
    for asker in _askers(analysis, decision):
        events = analysis.view.function(asker.function).events
        for event in events:
            _, values = put(event)
            read = events[values[0].event].path if len(values) == 2 and isinstance(values[0], Result) else None
            if read is not None and read.steps == (field,) and isinstance(values[1], Name) and read.root == values[1]:
                return True
    return False


def _askers(analysis: Analysis, decision: Decision) -> Iterator[_Asker]:
    """The function that decides, and those that ask it, be it through another question."""
    told = frozenset(leaf.instance for leaf in decision.overlap.fields if leaf.key in decision.compared)
    pending = [(_Asker(decision.function, decision.overlap.event, told, decision.owner), 0)]
    seen: set[FunctionId] = set()
    while pending:
        asker, depth = pending.pop()
        if asker.function in seen:
            continue
        seen.add(asker.function)
        own = receiver_name(analysis.view.function(asker.function))          # whose fields are state, and no parts of a change
        yield msgspec.structs.replace(asker, names=asker.names - {own})
        if depth < _QUESTIONS and is_question(analysis, asker.function):
            pending += [
                (_Asker(caller, number, _told(analysis.view.event(caller, number)), decision.owner), depth + 1)
                for caller, number in analysis.view.call_graph.callers(asker.function)
            ]


def _told(event: Event) -> frozenset[str]:
    """The names of what a call is given, its receiver among them."""
    values = [argument.value for argument in event.arguments]
    if event.path is not None and len(event.path.steps) == 1:
        values.append(event.path.root)
    return frozenset(value.name for value in values if isinstance(value, Name))


def _kept(analysis: Analysis, asker: _Asker) -> Iterator[tuple[int, AccessPath, str]]:
    """Where the asker puts one of the objects, or a part of it, into something, and its name."""
    events = analysis.view.function(asker.function).events
    for number, event in enumerate(events):
        target, values = put(event)
        names = {_whose(events, value) for value in values}.intersection(asker.names) if target is not None else ()
        for name in sorted(names):
            if target is not None and may_be_of(analysis, asker.function, number, name, asker.owner):
                yield number, target, name


def _whose(events: tuple[Event, ...], value: Value) -> str:
    """The name of an object that a value is, or a field of."""
    if isinstance(value, Result):
        path = events[value.event].path if events[value.event].kind == "read" else None
        return path.root.name if path is not None and isinstance(path.root, Name) else ""
    return value.name if isinstance(value, Name) else ""


def _keeps_either_way(analysis: Analysis, asker: _Asker) -> bool:
    """Whether one of the objects is put into two containers, of which only one is come to before its name stands for another one."""
    kept = list(_kept(analysis, asker))
    if any(isinstance(target.root, Compound) and target.root.operator == "if" for _, target, _ in kept):
        return True
    graph = analysis.view.graph(asker.function)
    for name in sorted({name for _, _, name in kept}):
        own = [(number, target) for number, target, each in kept if each == name]
        if len(own) > 1:
            bound = {number for number, event in enumerate(graph.function.events) if _binds(event, name)}
            then = reachable(graph, asker.event, bound)
            after = {number: reachable(graph, number, bound) for number, _ in own if number in then}
            if any(
                target != other and number in after and later in after and number not in after[later] and later not in after[number]
                for position, (number, target) in enumerate(own) for later, other in own[position + 1:]
            ):
                return True
    return False


def _binds(event: Event, name: str) -> bool:
    root = event.path.root if event.kind == "local" and event.path is not None and not event.path.steps else None
    return isinstance(root, Name) and root.name == name


def _puts_in_groups(analysis: Analysis, asker: _Asker) -> bool:
    """Whether the objects are put into one of several lists, or into one that is given out, or begun anew, in turn."""
    events = analysis.view.function(asker.function).events
    in_turn = any(event.note == "yield" for event in events)
    return any(
        in_turn or "[*]" in target.steps or (isinstance(target.root, Name) and not target.steps and _is_begun_anew(analysis, asker.function, target.root))
        for _, target, _ in _kept(analysis, asker)
    )


def _is_begun_anew(analysis: Analysis, identity: FunctionId, name: Name) -> bool:
    """Whether a function, or one inside it, empties a local collection or makes a new one in its place."""
    functions = analysis.program.modules[identity.module].ir.functions
    own = functions[identity.index].events
    bound = [event for event in own if event.kind == "local" and event.path == AccessPath(name) and isinstance(event.value, Compound)]
    inside = (event for function in functions if function.enclosing == identity.index for event in function.events)
    return len(bound) > 1 or any(_clears(event, name.name) for event in (*own, *inside))


def _clears(event: Event, name: str) -> bool:
    root = event.path.root if event.kind == "call" and event.path is not None and event.path.steps == ("clear",) else None
    return isinstance(root, Name) and root.name == name
