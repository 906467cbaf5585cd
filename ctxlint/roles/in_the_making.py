"""Objects that a function has made and that nobody else has yet: changing them is a part of making them."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import ClassObject, Instance
from ctxlint.calls.view import View
from ctxlint.flow.paths import path
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Name, Result, Value, parts_of
from ctxlint.roles.image import IMMUTABLE

FURTHEST = 3
"""How many calls down the making is followed."""


class InTheMaking:
    """Whether a variable holds such an object; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._makes: dict[FunctionId, bool] = {}
        self._let_out: dict[tuple[FunctionId, str], frozenset[int]] = {}

    def holds(self, identity: FunctionId, at: int, name: str, depth: int = 0) -> bool:
        """Whether a variable holds, at an event, an object of a class of the program that was made here and given to nobody since."""
        numbers = self._view.definitions(identity).definitions(at, name)
        if not numbers or any(number < 0 for number in numbers):
            return False
        for number in numbers:
            event = self._view.event(identity, number)
            if event.kind != "local" or event.value is None or not self._is_made(identity, number, event.value, depth):
                return False
        letting = self._lets_out(identity, name)
        return at not in letting and path(self._view.graph(identity), letting, at, numbers, consistent=False) is None

    def _is_made(self, identity: FunctionId, at: int, value: Value, depth: int) -> bool:
        if isinstance(value, Name):
            return value.scope == "local" and depth > 0 and self.holds(identity, at, value.name, depth)
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if event is None or not isinstance(value, Result):
            return False
        if event.kind == "suspend":
            return event.note == "await" and event.value is not None and self._is_made(identity, at, event.value, depth)
        if event.kind != "call" or event.path is None:
            return False
        calls = self._view.calls(identity, value.event)
        targets = [target for call in calls for target in call.functions]
        if self._constructs(identity, value.event, event.path):
            return not any(self._lets_itself_out(target) for target in targets)
        return bool(targets) and not any(call.unknown for call in calls) and all(self._makes_it(target, depth) for target in targets)

    def _constructs(self, identity: FunctionId, number: int, called: AccessPath) -> bool:
        types = self._view.inference.of_path(identity, number, called)
        return bool(types) and all(isinstance(t, ClassObject) and self._view.program.class_(t.name) is not None for t in types)

    def _makes_it(self, identity: FunctionId, depth: int) -> bool:
        """Whether all that a function returns is made by it."""
        if depth >= FURTHEST:
            return False
        found = self._makes.get(identity)
        if found is None:
            self._makes[identity] = False
            returned = [(n, e.value) for n, e in enumerate(self._view.function(identity).events) if e.kind == "return"]
            found = self._makes[identity] = bool(returned) and all(
                value is not None and self._is_made(identity, number, value, depth + 1) for number, value in returned
            )
        return found

    def _lets_itself_out(self, identity: FunctionId) -> bool:
        """Whether a constructor gives its receiver to somebody."""
        receiver = receiver_name(self._view.function(identity))
        return is_constructor(self._view, identity) and bool(receiver) and bool(self._lets_out(identity, receiver or ""))

    def _lets_out(self, identity: FunctionId, name: str) -> frozenset[int]:
        """The events by which others get hold of what a variable holds, or of a part of it; a return is the end of making it."""
        found = self._let_out.get((identity, name))
        if found is None:
            found = self._let_out[identity, name] = frozenset(self._find_let_out(identity, Name(name, "local")))
        return found

    def _find_let_out(self, identity: FunctionId, it: Name) -> Iterator[int]:
        events = self._view.function(identity).events
        parts: set[Value] = {it}
        parts |= {
            Result(number) for number, event in enumerate(events)
            if event.kind == "read" and event.path is not None and event.path.root == it and not self._is_plain(identity, number)
        }
        for number, event in enumerate(events):
            if event.kind == "define" and event.value is not None and self._takes(identity, it.name):
                yield number
            elif event.kind not in ("return", "raise") and any(each in parts for value in _given(event) for each in parts_of(value)):
                yield number
            elif event.kind == "call" and event.path is not None and event.path.root == it and self._is_asked(identity, number):
                yield number

    def _is_plain(self, identity: FunctionId, number: int) -> bool:
        """Whether an event gives a text or a number, which nobody can change."""
        types = self._view.inference.of_event(identity, number)
        return bool(types) and all(isinstance(t, Instance) and t.name in IMMUTABLE for t in types)

    def _is_asked(self, identity: FunctionId, number: int) -> bool:
        """Whether a method of the program is called on it, which may give it to others; a constructor's own methods prepare it."""
        return not is_constructor(self._view, identity) and any(call.functions for call in self._view.calls(identity, number))

    def _takes(self, identity: FunctionId, name: str) -> bool:
        return any(
            function.enclosing == identity.index and name in function.captures
            for function in self._view.program.modules[identity.module].ir.functions
        )


def _given(event: Event) -> Iterator[Value]:
    """The values that an event hands to something."""
    if event.kind in ("write", "local", "enter", "suspend") and event.value is not None:
        yield event.value
    for argument in event.arguments:
        yield argument.value
