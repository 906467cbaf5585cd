"""Which functions a call can reach.

A call whose callee has no known type stays unknown: a method's name alone never decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from ctxlint.calls.arguments import PassedTypes, Site, constructed_classes
from ctxlint.calls.elements import lacks
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.members import receiver_name
from ctxlint.calls.program import FunctionId, Program
from ctxlint.calls.types import (
    NONE_TYPE,
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
    is_derived,
    union,
)
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Name, Result, Value

OVERRIDERS = 8
"""With more overriding methods than this, a call is taken to reach the declared one, and something unknown."""


class Callees(msgspec.Struct, frozen=True):
    """What a call can reach.

    `functions` are of the program, those that only declare (abstract ones, Protocols' stubs) excepted: they are `abstract`.
    `externals` are canonical names outside the program; of a method `module.Class.method`, of what an unmodelled external
    call gave `logging.getLogger().error`, which alone leaves the call unknown. `unknown` when there is nothing
    to say, or when there are more candidates than were taken. `receiver` is what the method is called on; `unbound` are
    those of the functions that get no receiver from the call (`Base.method(self)` passes it as an argument).
    """

    functions: tuple[FunctionId, ...] = ()
    externals: tuple[str, ...] = ()
    unknown: bool = False
    abstract: tuple[FunctionId, ...] = ()
    receiver: Types = UNKNOWN
    unbound: tuple[FunctionId, ...] = ()


class Coverage(NamedTuple):
    """How many calls were looked at, and how many of them stay unknown."""

    calls: int
    unknown: int


Reached: TypeAlias = dict[tuple[Types, Types], Callees]
"""What values of these types, taken from receivers of those types, reach when called."""

UNRESOLVED = Callees(unknown=True)
_CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


class CallGraph:
    """The callees of every call event, remembered.

    Calls that inference alone leaves unknown are looked at again with what callers pass; the first such question resolves
    every call of the program. Calls that are known then tell what their callees are passed: in `rounds` rounds, as far as
    that tells anything new.
    """

    def __init__(self, inference: TypeInference, rounds: int = 1) -> None:
        self.program: Program = inference.program
        self._rounds = rounds
        self._levels: list[TypeInference] = [inference]
        self._callees: list[dict[Site, Callees]] = [{}]
        self._reached: list[Reached] = [{}]
        self._sites = 0
        self._callers: dict[FunctionId, tuple[Site, ...]] | None = None

    @property
    def inference(self) -> TypeInference:
        """Types with what callers pass taken into account."""
        while len(self._levels) <= self._rounds:
            passed = self._passed_types(len(self._levels) - 1)
            if passed.known == self._sites:
                self._rounds = len(self._levels) - 1
                break
            self._sites = passed.known
            self._levels.append(self._levels[0].with_callers(passed))
            self._callees.append({})
            self._reached.append({})
        return self._levels[-1]

    def calls(self, function: FunctionId) -> tuple[int, ...]:
        """The function's call events, in order."""
        return self._levels[0].facts(function).calls

    def callees(self, function: FunctionId, event: int) -> Callees:
        """What the event calls. Reads, writes, deletions, iterations, entries and exits call properties and special methods
        of classes of the program; they are never unknown.
        """
        known = self._resolved(0, (function, event))
        if not _says_nothing(known) or not self._rounds or self.inference is self._levels[0]:
            return known
        return self._resolved(len(self._levels) - 1, (function, event))

    def all_callees(self, function: FunctionId, event: int) -> Callees:
        """What the event calls, over everything that callers pass, even where the function itself says something."""
        inference = self.inference
        found = resolve_call(inference, function, event, self._reached[-1])
        return self.callees(function, event) if _says_nothing(found) else found

    def _resolved(self, level: int, site: Site) -> Callees:
        """What the call reaches, as far as that many rounds tell."""
        known = self._callees[level].get(site)
        if known is None:
            known = self._resolved(level - 1, site) if level > 1 else None
            if known is None or _says_nothing(known):
                known = resolve_call(self._levels[level], *site, self._reached[level])
            self._callees[level][site] = known
        return known

    def _known(self, level: int, site: Site) -> Callees:
        known = self._resolved(0, site)
        return self._resolved(level, site) if level and _says_nothing(known) else known

    def _passed_types(self, level: int) -> PassedTypes:
        sites: dict[FunctionId, list[Site]] = {}
        constructions: dict[str, list[Site]] = {}
        for caller in self.program.functions():
            for event in self.calls(caller):
                callees = self._known(level, (caller, event))
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
    return _resolve_implicit(inference, function, event, happening)


def _says_nothing(callees: Callees) -> bool:
    return callees.unknown and not callees.functions and not callees.externals


def reached(inference: TypeInference, types: Types) -> Callees:
    """What calling a value of these types reaches."""
    return _reach(inference, types, UNKNOWN)


def receives(program: Program, callees: Callees, function: FunctionId) -> bool:
    """Whether the callee's first parameter is filled by the call's receiver, or by the object under construction."""
    return function not in callees.unbound and bool(receiver_name(program.function(function)))


class _Found:
    """Candidates, in the order found, each once."""

    def __init__(self, inference: TypeInference) -> None:
        self.inference = inference
        self.functions: dict[FunctionId, None] = {}
        self.externals: dict[str, None] = {}
        self.abstract: dict[FunctionId, None] = {}
        self.unbound: dict[FunctionId, None] = {}
        self.more = False

    def callees(self, receiver: Types) -> Callees:
        """The candidates as an answer."""
        nothing = not (self.functions or self.abstract) and all(is_derived(name) for name in self.externals)
        return Callees(
            tuple(self.functions),
            tuple(self.externals),
            nothing or self.more,
            tuple(self.abstract),
            receiver,
            tuple(self.unbound),
        )

    def add(self, type: Type) -> None:
        """What calling a value of this type reaches."""
        program = self.inference.program
        if isinstance(type, FunctionRef):
            self.add_function(type.function)
            self.unbound.setdefault(type.function)
        elif isinstance(type, BoundMethod):
            if isinstance(type.method, str):
                self.externals.setdefault(type.method)
            elif isinstance(type.receiver, SuperOf):
                self.add_function(type.method)
            else:
                self.add_method(type.receiver.name, type.method)
        elif isinstance(type, ClassObject):
            self.add_construction(type.name)
        elif isinstance(type, External):
            self.externals.setdefault(type.name)
        elif isinstance(type, Instance):
            call = program.method(type.name, "__call__")
            if call is not None:
                self.add_method(type.name, call)
            elif program.class_(type.name) is None and type != NONE_TYPE and not lacks(type.name, "__call__"):
                self.externals.setdefault(f"{type.name}.__call__")

    def add_function(self, function: FunctionId) -> None:
        """One function, as what it is."""
        if self.inference.program.is_abstract_method(function):
            self.abstract.setdefault(function)
        else:
            self.functions.setdefault(function)

    def add_method(self, class_id: str, method: FunctionId) -> None:
        """A method called on an instance of the class: itself, what overrides it, and what implements it."""
        program = self.inference.program
        self.add_function(method)
        name = program.function(method).qualname.rpartition(".")[2]
        others = list(program.overriders(class_id, name))
        if program.is_protocol(class_id) or program.is_abstract_method(method):
            implemented = (program.method(implementer, name) for implementer in program.implementers(class_id))
            others += [found for found in implemented if found is not None]
        others = [other for other in dict.fromkeys(others) if other != method]
        if len(others) > OVERRIDERS:
            self.more = True
            return
        for other in others:
            self.add_function(other)

    def add_construction(self, class_id: str) -> None:
        """What constructing an instance calls."""
        program = self.inference.program
        if program.class_(class_id) is None:
            self.externals.setdefault(class_id)
            return
        found = [method for method in (program.method(class_id, name) for name in _CONSTRUCTORS) if method is not None]
        for method in found:
            self.functions.setdefault(method)
        if not any(program.symbol(method).endswith("__init__") for method in found):
            for base in program.external_bases(class_id):
                self.externals.setdefault(base)
        if not found and not self.externals:
            self.externals.setdefault("builtins.object")


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
    found = _Found(inference)
    for t in in_order(types):
        found.add(t)
    return found.callees(receiver)


def _plain(type: Type) -> Type:
    """`super()` stands for an instance of the class that says it."""
    return Instance(type.owner) if isinstance(type, SuperOf) else type


def _resolve_implicit(inference: TypeInference, function: FunctionId, event: int, happening: Event) -> Callees:
    """Special methods and properties; empty when the event calls nothing of the program."""
    found = _Found(inference)
    if happening.kind == "raise":
        for t in in_order(inference.of_value(function, event, happening.value)):
            if isinstance(t, ClassObject) and inference.program.class_(t.name) is not None:
                found.add_construction(t.name)
        return msgspec.structs.replace(found.callees(UNKNOWN), externals=(), unknown=False)
    receiver = UNKNOWN
    for receiver, name in _implicit(inference, function, event, happening):
        for t in in_order(receiver):
            if not isinstance(t, Instance):
                continue
            program = inference.program
            if name.startswith("__"):
                method = program.method(t.name, name)
            elif happening.kind == "read":
                method = program.property_getter(t.name, name)
            else:
                method = program.property_setter(t.name, name)
            if method is not None:
                found.add_method(t.name, method)
    callees = found.callees(receiver)
    return msgspec.structs.replace(callees, unknown=found.more)


def _iterators(inference: TypeInference, iterated: Types, asynchronous: bool) -> Types:
    """What `__iter__` of the classes of the program gives."""
    name = "__aiter__" if asynchronous else "__iter__"
    methods = ((t, inference.program.method(t.name, name)) for t in in_order(iterated) if isinstance(t, Instance))
    return union(inference.called(method, t) for t, method in methods if method is not None)


def _implicit(
    inference: TypeInference, function: FunctionId, event: int, happening: Event
) -> Iterator[tuple[Types, str]]:
    """Receivers and the names of what the event calls on them."""
    kind, path = happening.kind, happening.path
    if kind in ("enter", "exit", "iterate"):
        value = inference.of_value(function, event, happening.value)
        asynchronous = happening.note == "async"
        if kind == "iterate":
            yield value, "__aiter__" if asynchronous else "__iter__"
            yield _iterators(inference, value, asynchronous), "__anext__" if asynchronous else "__next__"
        else:
            yield value, f"__a{kind}__" if asynchronous else f"__{kind}__"
    elif kind in ("read", "write", "delete") and path is not None and path.steps:
        types = inference.of_value(function, event, path.root)
        taken = 0
        for position, step in enumerate(path.steps):
            last = position == len(path.steps) - 1
            if last or kind == "read":
                special = {"read": "__getitem__", "write": "__setitem__", "delete": "__delitem__"}[kind]
                if types:
                    yield types, special if step == "[*]" else step
            if last or not types:
                return
            if step == "[*]":
                types = inference.item(types, happening.keys[taken] if taken < len(happening.keys) else None)
                taken += 1
            else:
                types = inference.members(types, step)


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
        found = _Found(inference)
        for t in in_order(inference.of_value(function, event, value)):
            if isinstance(t, (FunctionRef, BoundMethod, External)):
                found.add(t)
        yield from found.functions
        yield from found.externals


def _coroutines(graph: CallGraph, function: FunctionId, event: int, value: Value, depth: int) -> Iterator[FunctionId]:
    """Coroutines that were made before and kept in a variable: `task = f(x)` or `tasks = [f(x) for x in xs]`."""
    for target in _handed_over(graph, function, event, value, depth + 1):
        if isinstance(target, FunctionId) and graph.program.function(target).kind == "coroutine":
            yield target
