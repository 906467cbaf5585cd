"""Which functions the program starts as tasks or threads, and which of them run several times at once on one object.

A start is repeated when the next one can come before anybody has waited for the first: a comprehension that is handed to
something that waits for all of them, a loop whose tasks are only waited for afterwards, a pool that calls a function for each
element.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from ctxlint.calls.call import Call
from ctxlint.calls.decorators import stand_ins
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.interfaces import is_scalar
from ctxlint.calls.members import receiver_name
from ctxlint.calls.view import View
from ctxlint.flow.guards import guards
from ctxlint.flow.loops import Loops
from ctxlint.flow.origins import Atom
from ctxlint.flow.paths import path
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.serving import served

CALLERS = 3
"""How many callers up a start is looked for."""


class Start(msgspec.Struct, frozen=True, gc=False):
    """`caller` hands the function (or the coroutine that `made` makes of it) at `event` to something that runs it beside others.

    `each` is true when it is run once for each element of another argument, `serves` when a decorator registers it for requests.
    """

    caller: FunctionId
    event: int
    made: int
    call: Call
    each: bool
    serves: bool = False


class Tasks:
    """The starts of a program, by the function that is started."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._starts: dict[FunctionId, list[Start]] | None = None
        self._loops: dict[FunctionId, Loops] = {}

    def starts(self, identity: FunctionId) -> tuple[Start, ...]:
        """Where the function itself is started."""
        if self._starts is None:
            self._starts = {}
            for caller in self._view.program.functions():
                for event, _ in self._view.calls_that(caller, "concurrent-executor"):
                    for target, start in self._started(caller, event):
                        self._starts.setdefault(target, []).append(start)
            for target, definer, event in served(self._view):
                call = Call((target,), (), (), (), None, "")
                self._starts.setdefault(target, []).append(Start(definer, event, event, call, False, True))
        return tuple(self._starts.get(identity, ()))

    def started(self, identity: FunctionId, depth: int = 0) -> Start | None:
        """A start of the function, or of a method of the same object that calls it, after which its starter goes on."""
        for start in self.starts(identity):
            if self._goes_on(start):
                return start
        if depth < CALLERS:
            for caller, event in self._view.call_graph.callers(identity):
                if caller != identity and self._is_on_own_object(caller, event, identity):
                    found = self.started(caller, depth + 1)
                    if found is not None:
                        return found
        return None

    def beside_itself(self, identity: FunctionId, picked_by: Collection[str], *, anywhere: bool, depth: int = 0) -> Start | None:
        """A start by which several of the function run at once, on one object and on entries that can be the same.

        `picked_by` are the formals that pick the entry, `anywhere` says that it is no matter on which object they run.
        """
        for start in self.starts(identity):
            if self._is_repeated(start) and self._meets(identity, start, picked_by, anywhere):
                return start
        if depth < CALLERS:
            for caller, event in self._view.call_graph.callers(identity):
                one = anywhere or self._is_on_one_object(caller, event, identity)
                if caller != identity and (one or self._is_on_own_object(caller, event, identity)) and not self._is_one_step(identity, caller):
                    formals = self._formals_behind(caller, event, identity, picked_by)
                    found = None if formals is None else self.beside_itself(caller, formals, anywhere=one, depth=depth + 1)
                    if found is not None:
                        return found
        return None

    def waits(self, start: Start) -> frozenset[int]:
        """The events at which the starting function waits for what it has started."""
        view, caller = self._view, start.caller
        found = set()
        starter = view.event(caller, start.event).path
        for number, event in enumerate(view.function(caller).events):
            if event.kind == "exit" and event.value is not None and starter is not None and starter.steps:
                if self._is_same(caller, number, event.value, start.event, starter.root):
                    found.add(number)
            elif event.kind == "suspend" or (event.kind == "call" and number != start.event and view.does(caller, number, "joins")):
                if any(self._holds(start, number, value) for value in _handed(event)):
                    found.add(number)
        if start.made != start.event and any(modelled.effect.suspends for modelled in view.modelled(caller, start.event)):
            found.add(start.event)
        return frozenset(found)

    def _holds(self, start: Start, at: int, value: Value) -> bool:
        """Whether the value has what was started in it, under its local name or read from the attribute that keeps it."""
        view, caller = self._view, start.caller
        if ("result", start.event) in view.origins(caller).roots(value, at, mutations=True):
            return True
        read = view.event(caller, value.event) if isinstance(value, Result) else None
        return read is not None and read.kind == "read" and any(
            event.kind == "write" and event.path == read.path and event.value is not None
            and ("result", start.event) in view.origins(caller).identity(event.value, number)
            for number, event in enumerate(view.function(caller).events)
        )

    def _goes_on(self, start: Start) -> bool:
        """Whether the starter does anything else in which others run before it waits for what it has started."""
        waits = self.waits(start)
        if start.event in waits:
            return True                                       # it waits for several that run beside one another
        graph = self._view.graph(start.caller)
        events = self._view.function(start.caller).events
        free = {n for n, e in enumerate(events) if e.kind in ("suspend", "return") and n not in waits} | {graph.exit}
        return path(graph, start.event, free, waits, start="completed", consistent=False) is not None

    def _is_same(self, caller: FunctionId, at: int, managed: Value, start: int, starter: Value) -> bool:
        """Whether the context manager that is left is what the start was called on."""
        events = self._view.function(caller).events
        entered = {("result", n) for n, e in enumerate(events) if e.kind == "enter" and e.value == managed}
        return bool(entered & self._view.origins(caller).identity(starter, start))

    def _started(self, caller: FunctionId, event: int) -> Iterable[tuple[FunctionId, Start]]:
        view = self._view
        each = any(m.effect.each for m in view.modelled(caller, event) if m.effect.does == "concurrent-executor")
        seen: set[FunctionId] = set()
        for made in self._coroutines_given(caller, event):
            for call in view.calls(caller, made):
                wrapped = [w for target in call.functions for w in stand_ins(view.call_graph.inference, target)]
                for target in (*call.functions, *wrapped):
                    if view.function(target).kind == "coroutine":
                        seen.add(target)
                        yield target, Start(caller, event, made, call, each)
        for call in view.calls(caller, event)[1:]:
            for target in call.functions:
                if target not in seen:
                    yield target, Start(caller, event, event, call, each)

    def _coroutines_given(self, caller: FunctionId, event: int) -> list[int]:
        """The calls whose coroutines the event is given, in displays, comprehensions and lists that were filled before too."""
        view = self._view
        awaited = {view.awaited_call(caller, e.value) for e in view.function(caller).events if e.kind == "suspend"}
        given = {
            what for argument in view.event(caller, event).arguments
            for kind, what in view.origins(caller).roots(argument.value, event, mutations=True)
            if kind == "result" and isinstance(what, int) and view.event(caller, what).kind == "call"
        }
        return sorted(n for n in given - awaited if view.does(caller, n, "concurrent-executor") is None)

    def _is_one_step(self, identity: FunctionId, caller: FunctionId) -> bool:
        """Whether no other task can run during the call: what is no coroutine never gives way to the tasks beside it."""
        return self._view.function(identity).kind == "function" and self._view.function(caller).kind in ("coroutine", "async-generator")

    def _is_repeated(self, start: Start) -> bool:
        """Whether the next start can come before the first has been waited for."""
        if start.each or start.serves:
            return True
        waits = self.waits(start)
        begins = start.made if start.event in waits else start.event
        graph = self._view.graph(start.caller)
        return begins not in waits and path(graph, begins, begins, waits, start="completed", consistent=False) is not None

    def _meets(self, identity: FunctionId, start: Start, picked_by: Collection[str], anywhere: bool) -> bool:
        view, call = self._view, start.call
        if start.serves:                                      # two requests can name the same thing, but are no same object
            formals = {f.name: f.annotation for f in view.function(identity).formals}
            return all(not formals.get(name) or is_scalar(formals[name]) for name in picked_by)
        inside = self._round(start)
        if not anywhere and call.receiver is not None and self._varies(start.caller, start.made, call.receiver.root, inside):
            return False
        if start.each:
            return not picked_by
        actuals = view.bound(call, identity)
        picking = [actuals[name] for name in picked_by if name in actuals]
        varying = [value for value in picking if self._varies(start.caller, start.made, value, inside)]
        if not varying:
            return True
        rest = [value for name, value in actuals.items() if name not in picked_by]
        return all(self._can_recur(start, value, inside) for value in varying) and any(
            self._is_payload(start, value, varying, inside) for value in rest
        )

    def _round(self, start: Start) -> frozenset[int]:
        """The events that happen anew for each start."""
        if start.caller not in self._loops:
            self._loops[start.caller] = Loops(self._view.graph(start.caller))
        loop = self._loops[start.caller].loop_of(start.made)
        return loop.body if loop is not None else frozenset()

    def _varies(self, caller: FunctionId, at: int, value: Value, inside: Collection[int]) -> bool:
        return bool(self._changing(caller, at, value, inside))

    def _changing(self, caller: FunctionId, at: int, value: Value, inside: Collection[int]) -> frozenset[int]:
        """The events of the round that the value comes from; a read of something that lasts is none."""
        found = set()
        for kind, what in self._view.origins(caller).roots(value, at):
            if kind == "result" and isinstance(what, int) and what in inside:
                event = self._view.event(caller, what)
                if event.kind != "read":
                    found.add(what)
                elif event.path is not None:
                    found |= self._changing(caller, what, event.path.root, inside)
        return frozenset(found)

    def _can_recur(self, start: Start, value: Value, inside: Collection[int]) -> bool:
        """Whether two rounds can have the same value: it is a part of an element that names something beside it.

        Keys of a mapping, positions and what a call has made unlike are no such parts, unless they stand behind the first one.
        """
        position = self._part(start, value, inside)
        if position is None:
            return False
        made_here = any(
            kind == "result" and isinstance(what, int) and self._view.event(start.caller, what).kind == "call"
            for number in self._changing(start.caller, start.made, value, inside)
            for kind, what in self._iterated(start.caller, number)
        )
        return position > 0 or not made_here

    def _is_payload(self, start: Start, value: Value, picking: Collection[Value], inside: Collection[int]) -> bool:
        """Whether the value is another part of the element than what picks the entry."""
        return value not in picking and self._part(start, value, inside) is not None

    def _part(self, start: Start, value: Value, inside: Collection[int]) -> int | None:
        """Which part of a round's element the value is, when that is unpacked."""
        if not isinstance(value, Name):
            return None
        found: set[int] = set()
        for number in self._view.definitions(start.caller).definitions(start.made, value.name):
            bound = self._view.event(start.caller, number).value if number in inside else None
            if not isinstance(bound, Compound) or bound.operator != "item" or not isinstance(bound.parts[-1], Constant):
                return None
            found.add(int(bound.parts[-1].text) if bound.parts[-1].text.isdigit() else 0)
        return min(found, default=None)

    def _iterated(self, caller: FunctionId, number: int) -> frozenset[Atom]:
        """What an `iterate` event goes over."""
        event = self._view.event(caller, number)
        return frozenset() if event.kind != "iterate" or event.value is None else self._view.origins(caller).identity(event.value, number)

    def _is_on_own_object(self, caller: FunctionId, event: int, target: FunctionId) -> bool:
        """Whether the function is called on the caller's own object (or is no method)."""
        own = receiver_name(self._view.function(caller))
        return any(
            call.receiver is None or (isinstance(call.receiver.root, Name) and call.receiver.root.name == own != "")
            for call in self._view.effective_calls(caller, event) if target in call.functions
        )

    def _is_on_one_object(self, caller: FunctionId, event: int, target: FunctionId) -> bool:
        """Whether the function is called on what a variable of the module leads to: whoever calls it there means the same object."""
        calls = [call for call in self._view.effective_calls(caller, event) if target in call.functions]
        return bool(calls) and all(
            call.receiver is not None and isinstance(call.receiver.root, Name) and call.receiver.root.scope == "global"
            and not any(step.startswith("[") for step in call.receiver.steps)
            for call in calls
        )

    def _formals_behind(self, caller: FunctionId, event: int, target: FunctionId, names: Collection[str]) -> frozenset[str] | None:
        """The caller's formals that decide what it passes for the target's, or whether it calls it; None when something else does."""
        found = self._formals_that_choose(caller, event)
        for call in self._view.effective_calls(caller, event):
            actuals = self._view.bound(call, target) if target in call.functions else {}
            for value in [actuals[name] for name in names if name in actuals]:
                for kind, what in self._view.origins(caller).roots(value, event):
                    if kind == "param":
                        found.add(str(what))
                    elif kind != "constant":
                        return None
        return frozenset(found)

    def _formals_that_choose(self, caller: FunctionId, event: int) -> set[str]:
        """The formals of which the call asks whether they are one certain thing: it is made for a single one of the starts."""
        return {
            str(what) for guard in guards(self._view.graph(caller), event) for part in _comparisons(guard.condition.value)
            for kind, what in self._view.origins(caller).roots(part, event) if kind == "param"
        }


def _handed(event: Event) -> list[Value]:
    """What an event waits for, or joins: its value, its arguments, what it is called on."""
    handed = [argument.value for argument in event.arguments]
    handed += [event.value] if event.value is not None else []
    return handed + ([event.path.root] if event.path is not None else [])


def _comparisons(value: Value) -> Iterable[Value]:
    if isinstance(value, Compound) and value.operator in ("==", "in", "is", "match"):
        yield value
    elif isinstance(value, Compound) and value.operator in ("and", "or", "not"):
        for part in value.parts:
            yield from _comparisons(part)
