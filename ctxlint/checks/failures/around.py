"""Failures that end in what stands around a step: a context manager, a decorator, a function that runs what it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Optional

from ctxlint.calls.decorators import decorating_calls
from ctxlint.calls.guards import is_manager
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.wrappers import calls_decorated, inner_functions
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.failures.swallowing import (
    Swallow,
    ends_for_good,
    fits,
    following,
    handler_swallows,
    leaves_mark,
    only_tells,
    tells_failure,
)
from ctxlint.checks.handlers import Handler, exception_names
from ctxlint.flow.paths import path
from ctxlint.ir.value import NONE, Constant, Name, Result, Value

_TRUE = Constant("bool", "True")
_Hushed = tuple[Swallow, frozenset[str]]
"""A place where a failure ends, and the formals whose failure ends there."""


class Around:
    """Memoised answers for one program; `failures` are the exceptions by which a store says that it failed."""

    def __init__(self, analysis: Analysis, appends: Appends, failures: frozenset[str]) -> None:
        self._analysis = analysis
        self._appends = appends
        self._failures = failures
        self._runners: dict[FunctionId, tuple[_Hushed, ...]] = {}
        self._managers: dict[FunctionId, Optional[Swallow]] = {}

    def managers(self, identity: FunctionId) -> Iterator[Swallow]:
        """`with suppress(…)`, and a `with` on a context manager of the program that does the like: the failure ends at its exit."""
        view, graph = self._analysis.view, self._analysis.view.graph(identity)
        events = view.function(identity).events
        for number, event in enumerate(events):
            if event.kind != "enter" or not isinstance(event.value, Result):
                continue
            modelled = view.does(identity, event.value.event, "swallows") is not None
            own = None if modelled else self._own_manager(identity, number, event.value)
            if not modelled and own is None:
                continue
            exits = {n for n, e in enumerate(events) if e.kind == "exit" and e.value == event.value}
            tried = {n for n in range(graph.size)
                     if n > number and events[n].kind in ("call", "suspend", "enter", "iterate")
                     and _lands_at(self._analysis, identity, n, exits)}
            names = own.names if own is not None else tuple(_argument_names(self._analysis, identity, event.value.event))
            if tried and fits(names, self._failures):
                owner, at = (own.owner, own.at) if own is not None else (identity, number)
                yield Swallow(identity, owner, at, names, frozenset(tried),
                              frozenset().union(*(following(self._analysis, identity, n) for n in exits)),
                              told=own is not None and own.told, again=path(graph, number, number) is not None)

    def decorators(self, identity: FunctionId) -> Iterator[Swallow]:
        """A decorator whose inner function calls what it decorates under a handler that swallows."""
        view = self._analysis.view
        for decorator in self._analysis.program.decorated_by(identity):
            given = _given(self._analysis, identity, decorator)
            for inner in inner_functions(view, decorator):
                def tells(handler: Handler, inner: FunctionId = inner, given: dict[str, Value] = given) -> bool:
                    return _answers_otherwise(self._analysis, identity, inner, handler, given)

                for swallow in handler_swallows(self._analysis, self._appends, self._failures, inner, tells):
                    if any(calls_decorated(view, inner, n) for n in swallow.tried) and ends_for_good(self._analysis, swallow):
                        events = range(len(view.function(identity).events))
                        yield Swallow(identity, inner, swallow.at, swallow.names, frozenset(events), frozenset(), swallow.told, False)

    def runners(self, identity: FunctionId) -> Iterator[Swallow]:
        """A function of the program that is given something to run, or to await, and does that under a handler that swallows."""
        view, graph = self._analysis.view, self._analysis.view.graph(identity)
        for number, calls in view.calling(identity):
            event = view.event(identity, number)
            if event.kind != "call" or not event.arguments or not _is_unused(self._analysis, identity, number):
                continue
            own = view.calls(identity, number)[0]
            for target in own.functions if len(own.functions) == 1 else ():
                for swallow, formals in self._hushed_formals(target):
                    handed = [value for name, value in view.bound(own, target).items() if name in formals]
                    made = {value.event for value in handed if isinstance(value, Result) and view.event(identity, value.event).kind == "call"}
                    if handed:
                        yield Swallow(identity, target, swallow.at, swallow.names, frozenset((*made, number)),
                                      following(self._analysis, identity, number), swallow.told, path(graph, number, number) is not None)

    def _own_manager(self, identity: FunctionId, entered: int, value: Result) -> Swallow | None:
        """Where a context manager of the program ends the failures of its block."""
        view = self._analysis.view
        makers = [target for call in view.effective_calls(identity, value.event) for target in call.functions]
        if len(makers) == 1 and is_manager(view.function(makers[0])):
            return self._asked(makers[0])
        kinds = [kind for kind in in_order(view.inference.of_value(identity, entered, value)) if isinstance(kind, Instance)]
        found = [view.program.method(kind.name, name) for kind in kinds for name in ("__exit__", "__aexit__")]
        exits = [method for method in found if method is not None]
        return self._asked(exits[0]) if len(kinds) == len(exits) == 1 else None

    def _asked(self, manager: FunctionId) -> Swallow | None:
        if manager not in self._managers:
            self._managers[manager] = self._ends_in(manager)
        return self._managers[manager]

    def _ends_in(self, manager: FunctionId) -> Swallow | None:
        """Where a failure ends that comes to the `yield` of a manager, or to an `__exit__` that swallows whatever comes."""
        events = self._analysis.view.function(manager).events
        if not is_manager(self._analysis.view.function(manager)):
            answers = [n for n, e in enumerate(events) if e.kind == "return"]
            body = frozenset(range(len(events)))
            if answers and all(events[n].value == _TRUE for n in answers) and not leaves_mark(self._analysis, manager, body) and (
                only_tells(self._analysis, self._appends, manager, body)
            ):
                return Swallow(manager, manager, answers[0], (), frozenset(), frozenset(), told=False, again=False)
            return None
        for swallow in handler_swallows(self._analysis, self._appends, self._failures, manager):
            if any(events[n].kind == "suspend" and events[n].note == "yield" for n in swallow.tried) and ends_for_good(self._analysis, swallow):
                return swallow
        return None

    def _hushed_formals(self, target: FunctionId) -> tuple[_Hushed, ...]:
        known = self._runners.get(target)
        if known is None:
            known = self._runners[target] = tuple(self._find_hushed(target))
        return known

    def _find_hushed(self, target: FunctionId) -> Iterator[_Hushed]:
        view = self._analysis.view
        function = view.function(target)
        if not any(event.kind == "catch" for event in function.events):
            return
        formals = {formal.name for formal in function.formals if formal.kind not in ("variadic", "keywords")}
        awaited = {e.value.name for e in function.events
                   if e.kind == "suspend" and e.note == "await" and isinstance(e.value, Name) and e.value.name in formals}
        run = view.run_formals(target) | awaited
        for swallow in handler_swallows(self._analysis, self._appends, self._failures, target) if run else ():
            hushed = frozenset(name for n in swallow.tried for name in _run_at(self._analysis, target, n, run))
            if hushed and ends_for_good(self._analysis, swallow):
                yield swallow, hushed


def _run_at(analysis: Analysis, target: FunctionId, number: int, run: frozenset[str] | set[str]) -> Iterator[str]:
    """Which of the formals the event runs or awaits."""
    event = analysis.view.event(target, number)
    values: Iterable[Value | None] = ()
    if event.kind == "call" and event.path is not None and not event.path.steps:
        values = (event.path.root, *(argument.value for argument in event.arguments))
    elif event.kind == "call":
        values = [argument.value for argument in event.arguments]
    elif event.kind == "suspend":
        values = (event.value,)
    for value in values:
        if isinstance(value, Name) and value.name in run:
            yield value.name


def _is_unused(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether nobody looks at what a call gives, nor at what its await does."""
    return analysis.view.event(identity, number).ignored or any(
        e.kind == "suspend" and e.ignored and e.value == Result(number) for e in analysis.view.function(identity).events
    )


def _given(analysis: Analysis, identity: FunctionId, decorator: FunctionId) -> dict[str, Value]:
    """What the decorator's formals are where it is put on the function."""
    view = analysis.view
    definer, made = decorating_calls(analysis.program, identity)
    for number in made:
        for call in view.calls(definer, number):
            if decorator in call.functions:
                defaults = {f.name: f.default for f in view.function(decorator).formals if f.default is not None}
                return {**defaults, **view.bound(call, decorator)}
    return {}


def _answers_otherwise(
    analysis: Analysis, identity: FunctionId, inner: FunctionId, handler: Handler, given: dict[str, Value]
) -> bool:
    """Whether a handler around the decorated function tells its failure: by a mark, or by what the function itself never gives."""
    events = analysis.view.function(inner).events
    if leaves_mark(analysis, inner, handler.body):
        return True
    answers = [events[n].value for n in handler.body if events[n].kind == "return"]
    stated = [given.get(v.name, v) if isinstance(v, Name) and v.scope == "captured" else v for v in answers]
    usual = {e.value for e in analysis.view.function(identity).events if e.kind == "return"}
    return any(value not in (None, NONE, *usual) for value in stated) and tells_failure(
        analysis, inner, handler.catch, handler.body, handler.tried)


def _lands_at(analysis: Analysis, identity: FunctionId, number: int, exits: set[int]) -> bool:
    """Whether a failure of the event comes first to one of the exits."""
    graph = analysis.view.graph(identity)
    if not graph.is_reachable(number):
        return False
    function = analysis.view.function(identity)
    pad = function.blocks[graph.pad_of(number) - graph.size]
    return pad.first < pad.last and pad.first in exits


def _argument_names(analysis: Analysis, identity: FunctionId, call: int) -> Iterator[str]:
    for argument in analysis.view.event(identity, call).arguments:
        yield from exception_names(analysis, identity, argument.value)
