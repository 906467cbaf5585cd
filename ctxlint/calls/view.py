"""What is known of one program, computed once and only when it is asked for.

`View` holds the linked program, its call graph and the models, and hands out per-function views (event graph, reaching
definitions, origins) and the calls an event stands for.
Everything is memoised by function, so every question costs its first asker only.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import msgspec

from ctxlint.calls.program import FunctionId, Program
from ctxlint.calls.resolve import CallGraph, Callees
from ctxlint.flow.aliases import resolve as resolve_paths
from ctxlint.flow.graph import EventGraph, event_graph
from ctxlint.flow.origins import Origins
from ctxlint.flow.reaching import Definitions
from ctxlint.ir.event import Argument, Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Constant, Name, Result, Value
from ctxlint.knowledge.models import Effect as ModelEffect
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.words import Words


class Call(msgspec.Struct, frozen=True, gc=False):
    """One way in which an event calls something.

    `functions` and `externals` are the possible callees, `arguments` what they receive, `receiver` the object whose method
    is called (None for a plain function). `deferred` is true when the callee runs later and the event does not wait for it
    (a task, a thread, an executor); `abstract` are interface methods without a body among the callees.
    """

    functions: tuple[FunctionId, ...]
    externals: tuple[str, ...]
    abstract: tuple[FunctionId, ...]
    arguments: tuple[Argument, ...]
    receiver: AccessPath | None
    name: str
    unknown: bool = False
    deferred: bool = False


class Modelled(msgspec.Struct, frozen=True, gc=False):
    """A modelled effect of a call: which library callable has it, and how it was called."""

    name: str
    effect: ModelEffect
    call: Call


class View:
    """Lazily computed, memoised views of one program."""

    def __init__(self, program: Program, graph: CallGraph, models: Models, words: Words) -> None:
        self.program = program
        self.call_graph = graph
        self.models = models
        self.words = words
        self._graphs: dict[FunctionId, EventGraph] = {}
        self._definitions: dict[FunctionId, Definitions] = {}
        self._origins: dict[FunctionId, Origins] = {}
        self._calls: dict[tuple[FunctionId, int], tuple[Call, ...]] = {}
        self._modelled: dict[tuple[FunctionId, int], tuple[Modelled, ...]] = {}
        self._paths: dict[tuple[FunctionId, int], frozenset[AccessPath]] = {}

    def function(self, identity: FunctionId) -> Function:
        """The IR of a function."""
        return self.program.function(identity)

    def event(self, identity: FunctionId, event: int) -> Event:
        """An event of a function."""
        return self.program.function(identity).events[event]

    def definitions(self, identity: FunctionId) -> Definitions:
        """Which bindings of a local name reach an event."""
        found = self._definitions.get(identity)
        if found is None:
            found = self._definitions[identity] = Definitions(self.function(identity))
        return found

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
            found = self._graphs[identity] = event_graph(
                self.function(identity), functools.partial(self.can_raise, identity)
            )
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
        if not calls:
            return False
        for call in calls:
            if call.functions or call.unknown or not call.externals:
                return False
            if not all(self._is_total_external(name) for name in call.externals):
                return False
        return True

    def _is_total_external(self, name: str) -> bool:
        effects = self.models.effects(name)
        return bool(effects) and not any(effect.fallible for effect in effects)

    def paths(self, identity: FunctionId, event: int) -> frozenset[AccessPath]:
        """What the event's access path can denote, aliases through locals resolved."""
        found = self._paths.get((identity, event))
        if found is None:
            function = self.function(identity)
            found = resolve_paths(function, self.definitions(identity), event)
            self._paths[identity, event] = found
        return found

    def calls(self, identity: FunctionId, event: int) -> tuple[Call, ...]:
        """The calls an event stands for: its own callee, and callables handed to something that runs them."""
        found = self._calls.get((identity, event))
        if found is None:
            found = self._calls[identity, event] = tuple(self._find_calls(identity, event))
        return found

    def _find_calls(self, identity: FunctionId, event: int) -> Iterator[Call]:
        it = self.event(identity, event)
        if it.kind != "call" or it.path is None:
            return
        callees = self.call_graph.callees(identity, event)
        own = _direct_call(it, callees)
        yield own
        runner = self._runner(own)
        if runner is not None:
            yield from self._passed_calls(identity, event, it, runner)

    def _runner(self, call: Call) -> ModelEffect | None:
        """The model by which the callee runs a callable (or awaits a coroutine) that it is given."""
        for name in call.externals:
            for effect in self.models.effects(name):
                if effect.does in ("calls-argument", "spawns"):
                    return effect
        return None

    def _passed_calls(self, identity: FunctionId, event: int, it: Event, runner: ModelEffect) -> Iterator[Call]:
        deferred = runner.does == "spawns"
        for argument in it.arguments:
            if isinstance(argument.value, Result):
                made = self.event(identity, argument.value.event)
                if made.kind == "call":
                    yield from (
                        msgspec.structs.replace(call, deferred=deferred)
                        for call in self.calls(identity, argument.value.event)
                    )
        for position, target in self.call_graph.passed_callables(identity, event):
            rest = tuple(a for a in it.arguments[position + 1 :] if not a.keyword) if isinstance(position, int) else ()
            named = tuple(a for a in it.arguments if a.keyword and a.keyword != position)
            receiver = self._bound_receiver(identity, it, position)
            yield Call(
                functions=(target,) if isinstance(target, FunctionId) else (),
                externals=() if isinstance(target, FunctionId) else (target,),
                abstract=(),
                arguments=rest + named,
                receiver=receiver,
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

    def modelled(self, identity: FunctionId, event: int) -> tuple[Modelled, ...]:
        """The effects that models give the event, conditions on constant arguments checked."""
        found = self._modelled.get((identity, event))
        if found is None:
            found = self._modelled[identity, event] = tuple(self._find_modelled(identity, event))
        return found

    def _find_modelled(self, identity: FunctionId, event: int) -> Iterator[Modelled]:
        for call in self.calls(identity, event):
            for name in call.externals:
                for effect in self.models.effects(name):
                    if _condition_holds(effect, call):
                        yield Modelled(name, effect, call)
            if not call.externals and not call.functions and call.receiver is not None and call.name:
                for effect in self.models.distinctive(call.name):
                    yield Modelled(call.name, effect, call)

    def does(self, identity: FunctionId, event: int, *verbs: str) -> Modelled | None:
        """The first modelled effect of the event that is one of `verbs`."""
        for modelled in self.modelled(identity, event):
            if modelled.effect.does in verbs:
                return modelled
        return None


def argument_of(call: Call, which: str) -> Value | AccessPath | None:
    """The argument that a model names: `self` (the receiver), a position, or a keyword; `0|path` tries both."""
    for choice in which.split("|"):
        if choice == "self":
            return call.receiver
        if choice.isdigit():
            positional = [argument for argument in call.arguments if not argument.keyword]
            if int(choice) < len(positional):
                return positional[int(choice)].value
        for argument in call.arguments:
            if argument.keyword == choice:
                return argument.value
    return None


def _direct_call(it: Event, callees: Callees) -> Call:
    assert it.path is not None
    steps = it.path.steps
    return Call(
        functions=callees.functions,
        externals=callees.externals,
        abstract=callees.abstract,
        arguments=it.arguments,
        receiver=AccessPath(it.path.root, steps[:-1]) if steps else None,
        name=steps[-1] if steps else (it.path.root.name if isinstance(it.path.root, Name) else ""),
        unknown=callees.unknown,
    )


def _condition_holds(effect: ModelEffect, call: Call) -> bool:
    """Whether the constant argument that the model's condition names has (or lacks) the wanted value."""
    if effect.when is None:
        return True
    value = argument_of(call, effect.when.argument)
    if value is None:
        return effect.when.equals is False or effect.when.equals is None
    return isinstance(value, Constant) and value.text == str(effect.when.equals)
