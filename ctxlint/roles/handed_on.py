"""What functions hand on to what runs later, a task, a thread, the other end of a queue, that shares structure with something."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import WRITES
from ctxlint.calls.elements import HOLDING
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.interfaces import interface_effect
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import BoundMethod, Instance, Types
from ctxlint.calls.view import Call, Modelled
from ctxlint.ir.value import Result, Value
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.images import Images
from ctxlint.roles.kept import LATER, Stored

QUEUE = "queue"
_KEEPS = frozenset(["append", "add", "appendleft", "put_nowait"])


class HandedOn:
    """What runs later gets from every function; memoised."""

    def __init__(self, summaries: Summaries, holders: Holders, images: Images) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self._images = images
        self._found = Recall[FunctionId, tuple[Stored, ...]](lambda identity: (), first=min)
        self._takers: dict[Holder, list[FunctionId]] | None = None

    def of(self, identity: FunctionId) -> tuple[Stored, ...]:
        """What a function hands to something that runs later and writes it down; of a queue also what it hands to who puts it there."""
        return self._found.ask(identity, lambda: tuple(dict.fromkeys(self._find(identity))))

    def _find(self, identity: FunctionId) -> Iterator[Stored]:
        for number, _ in self._view.calls_that(identity, "concurrent-executor"):
            yield from self._started(identity, number)
        for number, put in self._view.calls_that(identity, QUEUE):
            yield from self._queued(identity, number, put)
        for number, calls in self._view.calling(identity):
            for call in calls:
                for target in call.functions[:4]:
                    if target != identity and not is_constructor(self._view, target):
                        yield from self._through(identity, number, call, target)

    def _through(self, identity: FunctionId, number: int, call: Call, target: FunctionId) -> Iterator[Stored]:
        """What a callee puts into a queue of what it is passed."""
        passing = self._images.passing(identity, number, call, target)
        for stored in self.of(target):
            if stored.user is not None and stored.image.holder.startswith(f"{target.module}:"):
                for image in passing.translated(stored.image):
                    if image != stored.image:
                        yield Stored(LATER, image, identity, number, made=stored.origin, user=stored.user)

    # A task, a thread, an executor.

    def _started(self, identity: FunctionId, number: int) -> Iterator[Stored]:
        if self._is_waited_for(identity, number):
            return
        methods = self._interface_methods(identity, number)
        to_store = any(interface_effect(self._view, method) in WRITES for method in methods)
        if not to_store and not self._is_written_down(identity, number, methods):
            return
        for argument in self._view.event(identity, number).arguments:
            for at, value in self._handed(identity, number, argument.value):
                known = self._view.inference.of_value(identity, at, value)
                for image in self._images.of(identity, at, value) if self._may_change(known) else ():
                    if self._view.event(*image.where).kind != "read" or self._may_change(self._view.inference.of_event(*image.where)):
                        yield Stored(LATER, image, identity, number, to_store=to_store)

    def _is_waited_for(self, identity: FunctionId, number: int) -> bool:
        """Whether a function, or the group that a task belongs to, waits for what a call begins."""
        effects = [modelled.effect for modelled in self._view.modelled(identity, number)]
        if any(e.does == "joins" for e in effects):
            return True
        return any(e.suspends for e in effects) and not self._goes_on(identity, number)

    def _goes_on(self, identity: FunctionId, number: int) -> bool:
        """Whether what an awaitable stands for goes on beside the function: nobody looks at it, or it is kept, or made a task."""
        events = self._view.function(identity).events
        named = {e.path.root for e in events if e.kind == "local" and e.value == Result(number) and e.path is not None}
        if events[number].ignored and not any(e.kind == "suspend" and e.value == Result(number) for e in events):
            return True
        for at, event in enumerate(events):
            if event.kind == "write" and (event.value == Result(number) or event.value in named):
                return True
            if event.kind == "call" and any(a.value == Result(number) or a.value in named for a in event.arguments):
                if event.path is not None and event.path.steps[-1:] and event.path.steps[-1] in _KEEPS:
                    return True
                if self._view.does(identity, at, "concurrent-executor") and not self._is_waited_for(identity, at):
                    return True
        return False

    def _may_change(self, types: Types) -> bool:
        """Whether a value can be changed in place, as far as is known: a time, a queue, a coroutine is no image of anything."""
        return not types or any(
            not isinstance(type, Instance) or type.name in HOLDING or self._view.program.class_(type.name) is not None for type in types
        )

    def _interface_methods(self, identity: FunctionId, number: int) -> list[FunctionId]:
        """The methods without a body that a call runs later."""
        handed = [
            t.method for argument in self._view.event(identity, number).arguments
            for t in self._view.inference.of_value(identity, number, argument.value)
            if isinstance(t, BoundMethod) and isinstance(t.method, FunctionId) and self._view.function(t.method).stub
        ]
        return [*handed, *(method for call in self._view.calls(identity, number) for method in call.abstract)]

    def _is_written_down(self, identity: FunctionId, number: int, methods: list[FunctionId]) -> bool:
        """Whether what runs later saves something, turns it into text, or gives nothing for what it is given."""
        if any(self._view.function(method).returns == "None" for method in methods):
            return True
        return any(
            self._saves(target) or self._serialises(target)
            for call in self._view.calls(identity, number) for target in call.functions
        )

    def _saves(self, identity: FunctionId) -> bool:
        return any(effect.kind in WRITES for effect in self._summaries.of(identity).effects)

    def _serialises(self, identity: FunctionId) -> bool:
        return bool(self._view.calls_that(identity, "serialises"))

    def _handed(self, identity: FunctionId, number: int, value: Value) -> Iterator[tuple[int, Value]]:
        """What is handed over: a value, or the arguments of a coroutine that was called for it."""
        made = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if isinstance(value, Result) and made is not None and made.kind == "call":
            targets = [t for call in self._view.calls(identity, value.event) for t in (*call.functions, *call.abstract)]
            if targets and all(self._view.function(target).kind == "coroutine" for target in targets):
                for argument in made.arguments:
                    yield value.event, argument.value
                return
        if not self._is_to_come(identity, number, value):
            yield number, value

    def _is_to_come(self, identity: FunctionId, number: int, value: Value) -> bool:
        """Whether the value is what was begun before: what it shares with something is its result, which is made later."""
        view = self._view
        awaited = {view.awaited_call(identity, e.value) for e in view.function(identity).events if e.kind == "suspend"}
        for kind, what in view.origins(identity).identity(value, number):
            if kind == "result" and isinstance(what, int) and what not in awaited and view.event(identity, what).kind == "call":
                targets = [t for call in view.calls(identity, what) for t in (*call.functions, *call.abstract)]
                if view.does(identity, what, "concurrent-executor") or any(view.function(t).kind == "coroutine" for t in targets):
                    return True
        return False

    # The other end of a queue.

    def _queued(self, identity: FunctionId, number: int, put: Modelled) -> Iterator[Stored]:
        """What is put into a queue of this process from which a function takes it, turns it into text, and saves that."""
        content = put.content
        images = self._images.of(identity, number, content) if content is not None and not hasattr(content, "steps") else ()
        if not images:
            return
        for queue in sorted(self._holders.of_receiver(identity, number)):
            for taker in self._taking(queue):
                if taker != identity and self._serialises(taker) and self._saves(taker):
                    for image in images:
                        yield Stored(LATER, image, identity, number, user=taker)

    def _taking(self, queue: Holder) -> list[FunctionId]:
        """The functions that take something out of a queue."""
        if self._takers is None:
            self._takers = {}
            for identity in self._view.program.functions():
                for number, taken in self._view.calls_that(identity, "mutates"):
                    if taken.effect.store == QUEUE and taken.effect.how == "remove":
                        for holder in self._holders.of_receiver(identity, number):
                            self._takers.setdefault(holder, []).append(identity)
        return self._takers.get(queue, [])
