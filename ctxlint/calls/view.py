"""What is known of one program, computed once and only when it is asked for.

`View` holds the linked program, its call graph and the models, and hands out per-function views (event graph, reaching
definitions, origins) and the calls an event stands for.
Everything is memoised by function, so every question costs its first asker only.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Iterator
from typing import Literal

import msgspec

from ctxlint.calls.accessors import accessors
from ctxlint.calls.binding import bind
from ctxlint.calls.call import Call as Call
from ctxlint.calls.call import Modelled as Modelled
from ctxlint.calls.call import argument_of as argument_of
from ctxlint.calls.call import condition_holds, direct_call, implicit_arguments, is_told_apart
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import Program
from ctxlint.calls.recall import Recall
from ctxlint.calls.resolve import Callees, CallGraph, receives
from ctxlint.calls.running import formals_run_by
from ctxlint.calls.tables import DefinitionTables
from ctxlint.calls.types import Instance, in_order
from ctxlint.flow.aliases import STEPS, root_paths
from ctxlint.flow.aliases import resolve as resolve_event_path
from ctxlint.flow.graph import EventGraph, event_graph
from ctxlint.flow.origins import Origins
from ctxlint.flow.reaching import Definitions
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Name, Result, Value
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.words import Words

InterfaceEffect = Literal["read", "write", "append", "delete"]
"""What a method of an interface does to the store behind it; see `interfaces`."""


class View:
    """Lazily computed, memoised views of one program."""

    def __init__(self, graph: CallGraph, definitions: DefinitionTables, models: Models, words: Words) -> None:
        self.program: Program = graph.program
        self.function = graph.program.function
        """The IR of a function."""
        self.call_graph = graph
        self.inference = graph.inference
        self.models = models
        self.words = words
        self._graphs: dict[FunctionId, EventGraph] = {}
        self._definitions = definitions
        self._origins: dict[FunctionId, Origins] = {}
        self._calls: dict[tuple[FunctionId, int], tuple[Call, ...]] = {}
        self._effective: dict[tuple[FunctionId, int], tuple[Call, ...]] = {}
        self._calling: dict[FunctionId, tuple[tuple[int, tuple[Call, ...]], ...]] = {}
        self._calling_inside: dict[FunctionId, tuple[tuple[int, tuple[Call, ...]], ...]] = {}
        self._modelled: dict[tuple[FunctionId, int], tuple[Modelled, ...]] = {}
        self._modelled_calls: dict[FunctionId, tuple[tuple[int, tuple[Modelled, ...]], ...]] = {}
        self._resolved: dict[tuple[FunctionId, int, AccessPath], tuple[AccessPath, ...]] = {}
        self.cells: dict[tuple[FunctionId, int, AccessPath], tuple[str, ...]] = {}
        self.interface_roles: dict[str, dict[FunctionId, InterfaceEffect | None]] = {}
        self._runners: dict[str, bool] = {}
        self._paths: dict[tuple[FunctionId, int], tuple[AccessPath, ...]] = {}
        self._accessors = accessors(self.program)
        self.attribute_owners: dict[tuple[str, str], str] = {}
        self._handed: dict[FunctionId, dict[int, int]] = {}
        # A function that only hands its formal to itself runs nothing.
        self._run_formals = Recall[FunctionId, frozenset[str]](lambda identity: frozenset(), first=min)

    # One function at a time.

    def event(self, identity: FunctionId, event: int) -> Event:
        """An event of a function."""
        return self.function(identity).events[event]

    def line(self, identity: FunctionId, event: int) -> int:
        """The line an event stands on."""
        return self.event(identity, event).span.line

    def definitions(self, identity: FunctionId) -> Definitions:
        """Which bindings of a local name reach an event."""
        return self._definitions(identity)

    def origins(self, identity: FunctionId) -> Origins:
        """What a value is computed from, inside its function."""
        found = self._origins.get(identity)
        if found is None:
            found = self._origins[identity] = Origins(self.function(identity), self.definitions(identity))
        return found

    def graph(self, identity: FunctionId) -> EventGraph:
        """The event graph, with an exception edge for every event that can raise."""
        found = self._graphs.get(identity)
        if found is None:
            can_raise = functools.partial(self.can_raise, identity)
            found = self._graphs[identity] = event_graph(
                self.function(identity), can_raise, shared=self._definitions.sharing(identity))
        return found

    def can_raise(self, identity: FunctionId, event: int) -> bool:
        """Whether an exception can leave the event: calls and awaits, unless a model calls them total."""
        kind = self.event(identity, event).kind
        if kind in ("suspend", "iterate", "enter", "raise"):
            return True
        return kind == "call" and not self.is_total(identity, event)

    def is_total(self, identity: FunctionId, event: int) -> bool:
        """Whether every callee of the event is modelled as one that cannot fail."""
        calls = self.calls(identity, event)
        return bool(calls) and all(
            call.externals and not call.functions and not call.unknown and all(map(self._is_total_external, call.externals))
            for call in calls
        )

    def _is_total_external(self, name: str) -> bool:
        effects = self.models.effects(name)
        return bool(effects) and not any(effect.fallible for effect in effects)

    # Calls.

    def calls(self, identity: FunctionId, event: int) -> tuple[Call, ...]:
        """The calls an event stands for: its own callee, and callables handed to something that runs them."""
        found = self._calls.get((identity, event))
        if found is None:
            if not self._may_call(self.event(identity, event)):
                return ()
            self._calls[identity, event] = ()               # in a loop a call can be handed its own earlier result
            found = self._calls[identity, event] = tuple(self._find_calls(identity, event))
        return found

    def stated_calls(self, identity: FunctionId, event: int) -> tuple[Call, ...]:
        """The callee of a call event, and what a library that is called runs of what it is handed."""
        it = self.event(identity, event)
        own = direct_call(it, self.call_graph.all_callees(identity, event))
        if not self._runs_arguments(own):
            return (own,)
        return (own, *self._passed_calls(identity, event, it, deferred=self._leaves_running(own)))

    def effective_calls(self, identity: FunctionId, event: int) -> tuple[Call, ...]:
        """The calls whose effects happen at the event: a coroutine that is handed on runs where it is handed to."""
        found = self._effective.get((identity, event))
        if found is None:
            calls = self.calls(identity, event)
            if not calls:
                return ()
            if any([self._is_coroutine(call) for call in calls]) and event in self._handed_coroutines(identity):
                calls = tuple(call for call in calls if not self._is_coroutine(call))
            found = self._effective[identity, event] = calls
        return found

    def calling(self, identity: FunctionId) -> tuple[tuple[int, tuple[Call, ...]], ...]:
        """The function's events that call functions of the program, in order, each with its effective calls."""
        found = self._calling.get(identity)
        if found is None:
            calls = [(number, self.effective_calls(identity, number))
                     for number, event in enumerate(self.function(identity).events) if self._may_call(event)]
            found = self._calling[identity] = tuple([each for each in calls if any([call.functions for call in each[1]])])
        return found

    def calling_inside(self, identity: FunctionId) -> tuple[tuple[int, tuple[Call, ...]], ...]:
        """The function's call events that may call functions of the program, in order, each with all its calls."""
        found = self._calling_inside.get(identity)
        if found is None:
            calls = [(number, self.calls(identity, number)) for number in self.call_graph.calls(identity)]
            found = self._calling_inside[identity] = tuple([each for each in calls if any([call.functions for call in each[1]])])
        return found

    def _is_coroutine(self, call: Call) -> bool:
        targets = (*call.functions, *call.abstract)
        return bool(targets) and all(self.function(target).kind == "coroutine" for target in targets)

    def _find_calls(self, identity: FunctionId, event: int) -> Iterator[Call]:
        it = self.event(identity, event)
        if it.kind == "iterate" and it.value is not None:
            callees = self.call_graph.callees(identity, event)
            if callees.functions:
                yield Call(functions=callees.functions, externals=(), abstract=callees.abstract, arguments=(),
                           receiver=AccessPath(it.value), name="")
            return
        callees = self.call_graph.callees(identity, event)
        if it.kind != "call":
            if callees.functions:
                yield msgspec.structs.replace(direct_call(it, callees), name="", arguments=implicit_arguments(it))
            return
        own = direct_call(it, callees)
        yield own
        if self._runs_arguments(own):
            yield from self._passed_calls(identity, event, it, deferred=self._leaves_running(own))
        elif any(self.run_formals(target) for target in own.functions):
            run = {value for target in own.functions for name, value in self.bound(own, target).items()
                   if name in self.run_formals(target)}
            yield from self._passed_calls(identity, event, it, deferred=False, only=run)

    def run_formals(self, identity: FunctionId) -> frozenset[str]:
        """The formals that the function calls, or hands to something that calls them: it runs what it is given there."""
        return self._run_formals.ask(identity, lambda: frozenset(formals_run_by(self, identity)))

    def _may_call(self, it: Event) -> bool:
        """Whether an event can call anything: it is a call, or it can reach a property, an item method or an iteration of some
        class of the program."""
        if it.kind == "iterate":
            return self._accessors.iterated and it.value is not None
        path = it.path
        if path is None or it.kind == "call":
            return path is not None
        if not path.steps:
            return False
        if it.kind == "read":
            return not self._accessors.read.isdisjoint(path.steps)
        return path.steps[-1] in self._accessors.changed

    def _runs_arguments(self, call: Call) -> bool:
        """Whether the callee runs a callable (or awaits a coroutine) that it is given."""
        return any([self.runs(name) for name in call.externals])

    def runs(self, name: str) -> bool:
        """Whether a library's function runs a callable (or awaits a coroutine) that it is given."""
        found = self._runners.get(name)
        if found is None:
            found = self._runners[name] = any(effect.does == "calls-argument" for effect in self.models.effects(name))
        return found

    def _leaves_running(self, call: Call) -> bool:
        """Whether it only starts what it is given: nobody waits for the end here."""
        effects = [effect for name in call.externals for effect in self.models.effects(name)]
        return any(e.does == "concurrent-executor" for e in effects) and not any(e.suspends or e.does == "joins" for e in effects)

    def _passed_calls(
        self, identity: FunctionId, event: int, it: Event, *, deferred: bool, only: Container[Value] | None = None
    ) -> Iterator[Call]:
        made = [number for number, taker in self._handed_coroutines(identity).items() if taker == event]
        covered: set[FunctionId | str] = set()
        for number in made:
            for call in self.calls(identity, number):
                covered.update(call.functions)
                covered.update(call.externals)
                yield msgspec.structs.replace(call, deferred=deferred)
        for position, target in self.call_graph.passed_callables(identity, event):
            if target in covered or (only is not None and not any(
                argument.value in only and position in (index, argument.keyword) for index, argument in enumerate(it.arguments)
            )):
                continue
            rest = tuple(a for a in it.arguments[position + 1 :] if not a.keyword) if isinstance(position, int) else ()
            named = tuple(a for a in it.arguments if a.keyword and a.keyword != position)
            inside = isinstance(target, FunctionId)
            declares = inside and self.program.is_abstract_method(target)  # type: ignore[arg-type]
            yield Call(
                functions=(target,) if inside and not declares else (),  # type: ignore[arg-type]
                externals=() if inside else (target,),  # type: ignore[arg-type]
                abstract=(target,) if declares else (),  # type: ignore[arg-type]
                arguments=rest + named,
                receiver=self._bound_receiver(identity, it, position),
                name=target.rsplit(".", 1)[-1] if isinstance(target, str) else "",
                deferred=deferred,
            )

    def _bound_receiver(self, identity: FunctionId, it: Event, position: int | str) -> AccessPath | None:
        """The object of a bound method that is passed as an argument: `p` of `p.write_text`."""
        for index, argument in enumerate(it.arguments):
            if position in (index, argument.keyword) and isinstance(argument.value, Result):
                read = self.event(identity, argument.value.event)
                if read.kind == "read" and read.path is not None and read.path.steps:
                    return AccessPath(read.path.root, read.path.steps[:-1])
        return None

    def _handed_coroutines(self, identity: FunctionId) -> dict[int, int]:
        """Calls whose result is not awaited here but handed to a call that runs it, by the taking call."""
        found = self._handed.get(identity)
        if found is None:
            found = self._handed[identity] = {}
            events = self.function(identity).events
            awaited = {event.value for event in events if event.kind == "suspend"}
            for number, event in enumerate(events):
                if event.kind == "call" and event.arguments:
                    takes = any([self.runs(name) for name in self.call_graph.callees(identity, number).externals])
                    for argument in event.arguments if takes else ():
                        for kind, what in self.origins(identity).identity(argument.value, number):
                            if kind == "result" and isinstance(what, int) and events[what].kind == "call" and Result(what) not in awaited:
                                found[what] = number
        return found

    def modelled(self, identity: FunctionId, event: int) -> tuple[Modelled, ...]:
        """The effects that models give the event, conditions on constant arguments checked."""
        found = self._modelled.get((identity, event))
        if found is None:
            calls = self.effective_calls(identity, event)
            if not calls:
                return ()
            found = self._modelled[identity, event] = tuple(self._find_modelled(calls))
        return found

    def modelled_calls(self, identity: FunctionId) -> tuple[tuple[int, tuple[Modelled, ...]], ...]:
        """The function's calls that models know, in order: what is asked of all calls for one effect is asked of these."""
        found = self._modelled_calls.get(identity)
        if found is None:
            calls = [(number, self.modelled(identity, number)) for number in self.call_graph.calls(identity)]
            found = self._modelled_calls[identity] = tuple([each for each in calls if each[1]])
        return found

    def calls_that(self, identity: FunctionId, *verbs: str) -> tuple[tuple[int, Modelled], ...]:
        """The function's calls with a modelled effect that is one of `verbs`, each with the first such effect."""
        return tuple([
            (number, next(m for m in modelled if m.effect.does in verbs))
            for number, modelled in self.modelled_calls(identity) if any([m.effect.does in verbs for m in modelled])
        ])

    def _find_modelled(self, calls: tuple[Call, ...]) -> Iterator[Modelled]:
        for call in calls:
            for name in call.externals:
                for effect in self.models.effects(name):
                    if condition_holds(effect, call):
                        yield Modelled(name, effect, call)
            if call.unknown and not call.functions and call.receiver is not None and call.name:
                told = (effect for effect in self.models.distinctive(call.name) if is_told_apart(effect, call))
                yield from (Modelled(call.name, effect, call) for effect in told)

    def does(self, identity: FunctionId, event: int, *verbs: str) -> Modelled | None:
        """The first modelled effect of the event that is one of `verbs`."""
        for modelled in self.modelled(identity, event):
            if modelled.effect.does in verbs:
                return modelled
        return None

    def bound(self, call: Call, target: FunctionId) -> dict[str, Value]:
        """Which argument of the call fills which formal of one of its functions."""
        function = self.function(target)
        callees = Callees(unbound=call.unbound)
        return bind(function, call.arguments, skip_first=receives(self.program, callees, target))

    def awaited_call(self, identity: FunctionId, value: Value | None) -> int | None:
        """The call event whose coroutine a value is."""
        if isinstance(value, Result) and self.event(identity, value.event).kind == "call":
            return value.event
        if isinstance(value, Name):
            last = self.function(identity).events
            for number in range(len(last) - 1, -1, -1):
                event = last[number]
                if event.kind == "local" and event.path is not None and event.path.root == value:
                    return self.awaited_call(identity, event.value) if isinstance(event.value, Result) else None
        return None

    # Paths.

    def paths(self, identity: FunctionId, event: int) -> tuple[AccessPath, ...]:
        """What the event's access path can denote, aliases through locals resolved; in an order of their own."""
        found = self._paths.get((identity, event))
        if found is None:
            path = self.event(identity, event).path
            found = (path,) if path is not None and self._is_a_root(identity, path) else _ordered(
                resolve_event_path(self.function(identity), self.definitions(identity), event))
            self._paths[identity, event] = found
        return found

    def resolve_path(self, identity: FunctionId, at: int, path: AccessPath) -> tuple[AccessPath, ...]:
        """What an access path can denote at an event, in an order of their own."""
        if self._is_a_root(identity, path):
            return (path,)
        question = (identity, at, path)
        found = self._resolved.get(question)
        if found is None:
            found = self._resolved[question] = _ordered(root_paths(self.function(identity), self.definitions(identity), at, path))
        return found

    def _is_a_root(self, identity: FunctionId, path: AccessPath) -> bool:
        """Whether a path begins at a variable that the function never binds, so that it stands for itself wherever it is."""
        return isinstance(path.root, Name) and len(path.steps) <= STEPS and not self.inference.facts(identity).binds(path.root.name)

    def types(self, identity: FunctionId, at: int, path: AccessPath) -> tuple[str, ...]:
        """The names of the classes whose instance an access path can hold."""
        return tuple(t.name for t in in_order(self.inference.of_path(identity, at, path)) if isinstance(t, Instance))


def _ordered(paths: frozenset[AccessPath]) -> tuple[AccessPath, ...]:
    """A set's own order is another one in every process."""
    return tuple(paths) if len(paths) < 2 else tuple(sorted(paths, key=repr))
