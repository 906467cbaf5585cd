"""Which functions a call can reach.

A call whose callee has no known type stays unknown: a method's name alone never decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ctxlint.calls.arguments import PassedTypes, Site, constructed_classes
from ctxlint.calls.candidates import Callees, Candidates, receives
from ctxlint.calls.implied import resolve_implicit
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import FunctionId, Program
from ctxlint.calls.types import (
    UNKNOWN,
    BoundMethod,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    SuperOf,
    Type,
    Types,
    in_order,
)
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Name, Result, Value

__all__ = ["CallGraph", "Callees", "Coverage", "UNRESOLVED", "receives", "reached", "resolve_call"]


class Coverage(NamedTuple):
    """How many calls were looked at, and how many of them stay unknown."""

    calls: int
    unknown: int


Reached: TypeAlias = dict[tuple[Types, Types], Callees]
"""What values of these types, taken from receivers of those types, reach when called."""

UNRESOLVED = Callees(unknown=True)


class CallGraph:
    """The callees of every call event, remembered.

    Calls that inference alone leaves unknown are looked at again with what callers pass; the first such question resolves
    every call of the program. Calls that are known then tell what their callees are passed, and what is passed there is
    passed on in the next of `rounds` rounds.
    """

    def __init__(self, inference: TypeInference, rounds: int = 1) -> None:
        self.program: Program = inference.program
        self._rounds = rounds
        self._levels: list[TypeInference] = [inference]
        self._callees: list[dict[Site, Callees]] = [{}]
        self._reached: list[Reached] = [{}]
        self._callers: dict[FunctionId, tuple[Site, ...]] | None = None

    @property
    def inference(self) -> TypeInference:
        """Types with what callers pass taken into account."""
        self._look_at_callers()
        return self._levels[-1]

    def _look_at_callers(self) -> None:
        while len(self._levels) <= self._rounds:
            self._levels.append(self._levels[0].with_callers(self._passed_types(len(self._levels) - 1)))
            self._callees.append({})
            self._reached.append({})

    def calls(self, function: FunctionId) -> tuple[int, ...]:
        """The function's call events, in order."""
        return self._levels[0].facts(function).calls

    def callees(self, function: FunctionId, event: int) -> Callees:
        """What the event calls. Reads, writes, deletions, iterations, entries and exits call properties and special methods
        of classes of the program; they are never unknown.
        """
        known = self._resolved(0, (function, event))
        if not known.unknown or not _says_nothing(known) or not self._rounds:
            return known
        self._look_at_callers()
        return self._resolved(len(self._levels) - 1, (function, event))

    def all_callees(self, function: FunctionId, event: int) -> Callees:
        """What the event calls, over everything that callers pass, even where the function itself says something."""
        inference = self.inference
        found = resolve_call(inference, function, event, self._reached[-1])
        return self.callees(function, event) if _says_nothing(found) else found

    def _resolved(self, level: int, site: Site) -> Callees:
        """What the call reaches by what that many rounds tell, or one before them; the first is not among those."""
        known = self._callees[level].get(site)
        if known is None:
            known = self._resolved(level - 1, site) if level > 1 else None
            if known is None or _says_nothing(known):
                known = resolve_call(self._levels[level], *site, self._reached[level])
            self._callees[level][site] = known
        return known

    def _known(self, level: int, site: Site) -> Callees:
        """What the call reaches, as far as that many rounds tell."""
        known = self._resolved(0, site)
        return self._resolved(level, site) if level and _says_nothing(known) else known

    def _passed_types(self, level: int) -> PassedTypes:
        sites: dict[FunctionId, list[Site]] = {}
        constructions: dict[str, list[Site]] = {}
        for caller in self.program.functions():
            for event in self.calls(caller):
                callees = self._known(level, (caller, event)) if level else self._resolved(0, (caller, event))
                for callee in callees.functions:
                    sites.setdefault(callee, []).append((caller, event))
                if callees.receiver and not callees.unknown:
                    for class_id in constructed_classes(callees.receiver):
                        constructions.setdefault(class_id, []).append((caller, event))
        program = self.program
        return PassedTypes(
            self._levels[level],
            sites,
            constructions,
            lambda site, function: receives(program, self._known(level, site), function),
        )

    def callers(self, function: FunctionId) -> tuple[Site, ...]:
        """The call events that can reach the function, in the program's order. Resolves every call of the program."""
        if self._callers is None:
            found: dict[FunctionId, list[Site]] = {}
            for caller in self.program.functions():
                for event in self.calls(caller):
                    for callee in self.callees(caller, event).functions:
                        found.setdefault(callee, []).append((caller, event))
            self._callers = {callee: tuple(sites) for callee, sites in found.items()}
        return self._callers.get(function, ())

    def passed_callables(
        self, function: FunctionId, event: int
    ) -> tuple[tuple[int | str, FunctionId | str], ...]:
        """The functions and coroutines that a call hands over: by argument position or keyword, a function of the program
        or the canonical name of an external one. Inside displays and comprehensions too: `gather(*[f(x) for x in xs])`.
        """
        found: dict[tuple[int | str, FunctionId | str], None] = {}
        position = 0
        for argument in self.program.function(function).events[event].arguments:
            place: int | str = argument.keyword if argument.keyword and argument.keyword != "*" else position
            position += not argument.keyword or argument.keyword == "*"
            for target in _handed_over(self, function, event, argument.value, 0):
                found.setdefault((place, target))
        return tuple(found)

    def coverage(self) -> Coverage:
        """Over all calls of the program."""
        total = unknown = 0
        for function in self.program.functions():
            for event in self.calls(function):
                total += 1
                unknown += self.callees(function, event).unknown
        return Coverage(total, unknown)


def resolve_call(
    inference: TypeInference, function: FunctionId, event: int, reached: Reached | None = None
) -> Callees:
    """What the event calls; see `CallGraph.callees`. Only what types reach is remembered, in `reached`."""
    happening = inference.program.function(function).events[event]
    if happening.kind == "call":
        return _resolve_explicit(inference, function, event, happening, {} if reached is None else reached)
    return resolve_implicit(inference, function, event, happening)


def _says_nothing(callees: Callees) -> bool:
    return callees.unknown and not callees.functions and not callees.externals


def reached(inference: TypeInference, types: Types) -> Callees:
    """What calling a value of these types reaches."""
    return _reach(inference, types, UNKNOWN)


def _resolve_explicit(
    inference: TypeInference, function: FunctionId, event: int, call: Event, reached: Reached
) -> Callees:
    path = call.path
    if path is None:
        return UNRESOLVED
    before = UNKNOWN
    if path.steps and path.steps[-1] != "[*]":
        before = inference.of_path(function, event, AccessPath(path.root, path.steps[:-1]), call.keys)
        types = inference.members(before, path.steps[-1])
    else:
        types = inference.callables(function, event)
    known = reached.get((types, before))
    if known is None:
        known = reached[types, before] = _reach(inference, types, before)
    return known


def _reach(inference: TypeInference, types: Types, before: Types) -> Callees:
    bound = frozenset(_plain(t.receiver) for t in types if isinstance(t, BoundMethod))
    receiver = frozenset(_plain(t) for t in before) or bound or frozenset(t for t in types if isinstance(t, ClassObject))
    if not types:
        return Callees(unknown=True, receiver=receiver)
    found = Candidates(inference)
    for t in in_order(types):
        found.add(t)
    return found.callees(receiver)


def _plain(type: Type) -> Type:
    """`super()` stands for an instance of the class that says it."""
    return Instance(type.owner) if isinstance(type, SuperOf) else type


def _handed_over(
    graph: CallGraph, function: FunctionId, event: int, value: Value, depth: int
) -> Iterator[FunctionId | str]:
    """Callables that the value is or holds, and coroutines that it has been made of."""
    if depth > 4:
        return
    if isinstance(value, Compound):
        for part in value.parts:
            yield from _handed_over(graph, function, event, part, depth + 1)
        return
    inference, program = graph.inference, graph.program
    if isinstance(value, Result):
        made = program.function(function).events[value.event]
        if made.kind == "call":
            for callee in graph.callees(function, value.event).functions:
                if program.function(callee).kind == "coroutine":
                    yield callee
    elif isinstance(value, Name) and value.scope == "local":
        for binding in inference.facts(function).bindings.get(value.name, ())[:4]:
            bound = program.function(function).events[binding].value
            if isinstance(bound, (Result, Compound)):
                yield from _coroutines(graph, function, binding, bound, depth)
    if isinstance(value, (Name, Result, Closure)):
        found = Candidates(inference)
        for t in in_order(inference.of_value(function, event, value)):
            if isinstance(t, (FunctionRef, BoundMethod, External)):
                found.add(t)
        yield from found.functions
        yield from found.abstract
        yield from found.externals


def _coroutines(graph: CallGraph, function: FunctionId, event: int, value: Value, depth: int) -> Iterator[FunctionId]:
    """Coroutines that were made before and kept in a variable: `task = f(x)` or `tasks = [f(x) for x in xs]`."""
    for target in _handed_over(graph, function, event, value, depth + 1):
        if isinstance(target, FunctionId) and graph.program.function(target).kind == "coroutine":
            yield target
