"""What is noted when the state is read, and what is kept to be written later: by keys that are used in the same function."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.carriers import Carrier, Carriers, looked_into, put

_LOOKS = frozenset(["get", "__getitem__"])
_SUPER = AccessPath(Name("super", "global"))
_DISPLAYS = frozenset(["tuple", "list", "set", "dict"])


class Noted(msgspec.Struct, frozen=True):
    """A key that a function puts into a container."""

    function: FunctionId
    event: int
    containers: frozenset[Carrier]
    key: Value


class Applied(msgspec.Struct, frozen=True):
    """Something stores at an event, under keys taken from `kept`, what was kept; or all of it at once. `by_key` when it is a mapping."""

    event: int
    kept: frozenset[Carrier]
    state: frozenset[Carrier]
    by_key: bool


class LookedUp(msgspec.Struct, frozen=True):
    """A key by which a function reads out of something, and what that is."""

    event: int
    containers: frozenset[Carrier]
    key: Value


class Recordings:
    """Which keys functions note and look up, and what they store that was kept; memoised."""

    def __init__(self, view: View, carriers: Carriers) -> None:
        self._view = view
        self._carriers = carriers
        self._noted = Recall[FunctionId, tuple[Noted, ...]](lambda identity: (), first=min)
        self._looked_up: dict[FunctionId, tuple[LookedUp, ...]] = {}
        self._looked_up_in: dict[tuple[FunctionId, Value, int], frozenset[Carrier]] = {}
        self._applied: dict[tuple[FunctionId, int], tuple[Applied, ...]] = {}

    def noted(self, identity: FunctionId) -> tuple[Noted, ...]:
        """The keys that the function puts into containers; to count is not to note."""
        return self._noted.ask(identity, lambda: tuple(self._find_noted(identity)))

    def _find_noted(self, identity: FunctionId) -> Iterator[Noted]:
        for number, event in enumerate(self._view.function(identity).events):
            target, values = put(event)
            if event.path is not None and event.path.steps[-1:] == ("setdefault",) and self._is_used(identity, number):
                continue                                 # an entry that is worked with, as a lock is
            if target is None or (event.kind == "write" and event.note == "aug" and target.steps != (event.path or target).steps):
                continue
            containers = self._carriers.exact_path(identity, target, event.keys[:target.steps.count("[*]")])
            for key in _keys(event, values):
                yield Noted(identity, number, containers, key)
        yield from self._noted_by_ancestors(identity)

    def _is_used(self, identity: FunctionId, number: int) -> bool:
        given = Result(number)
        return any(
            given in (event.value, event.path.root if event.path is not None else None, *(argument.value for argument in event.arguments))
            for event in self._view.function(identity).events[number + 1:]
        )

    def _noted_by_ancestors(self, identity: FunctionId) -> Iterator[Noted]:
        """What the method that this one extends notes of what it is handed on."""
        events = self._view.function(identity).events
        for number, calls in self._view.calling_inside(identity):
            path = events[number].path
            if path is None or not isinstance(path.root, Result) or events[path.root.event].path != _SUPER:
                continue
            for call in calls:
                for target in call.functions[:1]:
                    bound = self._view.bound(call, target)
                    for note in self.noted(target):
                        if isinstance(note.key, Name) and note.key.name in bound:
                            yield Noted(identity, number, note.containers, bound[note.key.name])

    def looked_up(self, identity: FunctionId) -> tuple[LookedUp, ...]:
        """The keys by which the function reads out of something."""
        known = self._looked_up.get(identity)
        if known is None:
            known = self._looked_up[identity] = tuple(self._find_looked_up(identity))
        return known

    def _find_looked_up(self, identity: FunctionId) -> Iterator[LookedUp]:
        events = self._view.function(identity).events
        answers = {event.value for event in events if event.kind == "return"}
        answers |= {
            event.value.parts[0] if isinstance(event.value, Compound) and event.value.operator == "item" else event.value
            for event in events if event.kind == "local" and event.path is not None and event.path.root in answers
        }
        for number, event in enumerate(events):
            path = event.path
            if path is None:
                continue
            if event.kind == "read":
                for container, key in looked_into(path, event.keys):
                    yield LookedUp(number, self._carriers.exact_path(identity, container, event.keys[:container.steps.count("[*]")]), key)
            elif event.kind == "call" and path.steps and (path.steps[-1] in _LOOKS or self._answers(number, event, answers)):
                asked = self._carriers.exact_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys)
                for argument in event.arguments[:2]:
                    if not isinstance(argument.value, Constant):
                        yield LookedUp(number, asked, argument.value)

    def looked_up_in(self, identity: FunctionId, key: Value, depth: int = 2) -> frozenset[Carrier]:
        """What the function, or a callee that it tells the key, looks up by the key."""
        known = self._looked_up_in.get((identity, key, depth))
        if known is None:
            known = self._looked_up_in[identity, key, depth] = self._find_looked_up_in(identity, key, depth)
        return known

    def _find_looked_up_in(self, identity: FunctionId, key: Value, depth: int) -> frozenset[Carrier]:
        found = {carrier for looked in self.looked_up(identity) if looked.key == key for carrier in looked.containers}
        for _, calls in self._view.calling_inside(identity) if depth else ():
            for call in calls:
                for target in call.functions[:4]:
                    for name, value in self._view.bound(call, target).items() if target != identity else ():
                        if value == key:
                            told = self.looked_up_in(target, Name(name, "local"), depth - 1)
                            found |= self._carriers.lift(identity, call, target, told)
        return frozenset(found)

    def _answers(self, number: int, event: Event, answers: set[Value | None]) -> bool:
        return Result(number) in answers and put(event)[0] is None

    def applied(self, identity: FunctionId, depth: int = 2) -> tuple[Applied, ...]:
        """What the function, or a callee that it tells, stores of what is kept elsewhere."""
        known = self._applied.get((identity, depth))
        if known is None:
            known = self._applied[identity, depth] = tuple(dict.fromkeys(
                each for each in self._find_applied(identity, depth) if each.kept and each.state))
        return known

    def _find_applied(self, identity: FunctionId, depth: int) -> Iterator[Applied]:
        for number, event in enumerate(self._view.function(identity).events):
            yield from self._stored(identity, number, event)
        for number, calls in self._view.calling_inside(identity) if depth else ():
            for call in calls:
                for target in call.functions[:4]:
                    for each in self.applied(target, depth - 1) if target != identity else ():
                        kept, state = (self._carriers.lift(identity, call, target, told) for told in (each.kept, each.state))
                        yield Applied(number, kept, state, each.by_key)

    def _stored(self, identity: FunctionId, number: int, event: Event) -> Iterator[Applied]:
        of, path = self._carriers, event.path
        target, values = put(event)
        if target is not None:
            state = of.exact_path(identity, target, event.keys[:target.steps.count("[*]")])
            by_key = event.kind == "write" and bool(event.keys)
            kept = self._carriers.gone_through(identity, values[0]) if by_key else of.of_all(identity, values)
            yield Applied(number, kept - state, state, by_key or (path is not None and path.steps[-1:] == ("update",)))
        elif event.kind == "write" and path is not None:
            for container, key in looked_into(path, event.keys):
                yield Applied(number, self._carriers.gone_through(identity, key), of.exact_path(identity, path, event.keys), True)
                yield Applied(number, self._carriers.gone_through(identity, key), of.exact_path(identity, container, event.keys), True)
        elif event.kind == "call" and path is not None and path.steps and len(event.arguments) > 1:
            told = frozenset().union(*(self._carriers.gone_through(identity, argument.value) for argument in event.arguments))
            if told:
                yield Applied(number, told, of.exact_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys), True)
        for value in (event.value, *(argument.value for argument in event.arguments)):
            if isinstance(value, Compound):
                parts = _merged(value)
                for later in range(1, len(parts)):
                    state = frozenset().union(*(of.exact(identity, part) for part in parts[:later]))
                    yield Applied(number, of.exact(identity, parts[later]), state, True)


def _keys(event: Event, values: list[Value]) -> Iterator[Value]:
    """What may be a key among what is put into a container."""
    first = values[:1] if event.kind == "write" or (event.path is not None and event.path.steps[-1:] == ("setdefault",)) else values
    pending = list(first)
    while pending:
        value = pending.pop()
        if isinstance(value, Compound) and value.operator in _DISPLAYS:
            pending += value.parts
        elif isinstance(value, (Name, Result)):
            yield value


def _merged(value: Compound) -> list[Value]:
    """The mappings that are merged into one, the later ones over the earlier."""
    if value.operator == "dict":
        return [part for key, part in zip(value.parts[::2], value.parts[1::2]) if key == Compound("**", ())]
    return list(value.parts) if value.operator == "|" else []
