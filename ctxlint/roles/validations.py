"""Comparisons by what takes part in them, callees included."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Value
from ctxlint.roles.carriers import Carrier, Carriers

_COMPARES = frozenset(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "&", "&=", "-", "^", "is", "is not"])
_MEETS = frozenset(["isdisjoint", "intersection", "issubset", "issuperset", "difference", "symmetric_difference", "__contains__"])
_MEMBERSHIP = frozenset(["in", "not in"])


class Test(msgspec.Struct, frozen=True):
    """A comparison at an event: what takes part in it, and for a membership the container that is looked into.

    `decides` is true where the function can answer, or end, in more than one way.  `at` is the event of the function that
    is asked for its comparisons, `own` the comparison itself, in a callee of it or there.
    """

    function: FunctionId
    event: int
    mentioned: frozenset[Carrier]
    container: frozenset[Carrier]
    membership: bool
    decides: bool
    at: int
    own: tuple[FunctionId, int]


class Validations:
    """The comparisons of each function; memoised."""

    def __init__(self, view: View, carriers: Carriers) -> None:
        self._view = view
        self._carriers = carriers
        self._own: dict[FunctionId, tuple[Test, ...]] = {}
        self._all: dict[tuple[FunctionId, int], tuple[Test, ...]] = {}

    def own(self, identity: FunctionId) -> tuple[Test, ...]:
        """The comparisons that the function makes itself, of two things that are no constants."""
        known = self._own.get(identity)
        if known is None:
            known = self._own[identity] = tuple(dict.fromkeys(self._find(identity)))
        return known

    def of(self, identity: FunctionId, depth: int = 2) -> tuple[Test, ...]:
        """The function's comparisons and those of its callees, in terms of what it passes them."""
        known = self._all.get((identity, depth))
        if known is None:
            known = self._all[identity, depth] = tuple(dict.fromkeys((*self.own(identity), *self._lifted(identity, depth))))
        return known

    def _lifted(self, identity: FunctionId, depth: int) -> Iterator[Test]:
        for number, calls in self._view.calling_inside(identity) if depth else ():
            for call in calls:
                for target in call.functions[:4]:
                    for test in self.of(target, depth - 1) if target != identity else ():
                        mentioned = self._carriers.lift(identity, call, target, test.mentioned)
                        told = any(carrier.kind != "variable" for carrier in mentioned - test.mentioned)
                        yield msgspec.structs.replace(
                            test, function=identity if told else test.function, event=number if told else test.event, mentioned=mentioned, at=number,
                            container=self._carriers.lift(identity, call, target, test.container),
                        )

    def _find(self, identity: FunctionId) -> Iterator[Test]:
        function = self._view.function(identity)
        decides = _has_outcomes(function.events)
        for number, event in enumerate(function.events):
            path = event.path
            if event.kind == "call" and path is not None and path.steps[-1:] and path.steps[-1] in _MEETS and event.arguments:
                mentioned = self._carriers.of_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys)
                mentioned |= self._carriers.of_all(identity, [argument.value for argument in event.arguments])
                yield Test(identity, number, mentioned, frozenset(), False, decides, number, (identity, number))
            for value in (event.value, *(argument.value for argument in event.arguments)):
                yield from self._within(identity, number, value, decides)
        for block in function.blocks if function.events else ():
            for edge in block.edges:
                if edge.condition is not None:
                    yield from self._within(identity, max(block.last - 1, 0), edge.condition.value, decides)

    def _within(self, identity: FunctionId, at: int, value: Value | None, decides: bool) -> Iterator[Test]:
        if not isinstance(value, Compound):
            return
        if value.operator in _COMPARES and len(value.parts) > 1 and not any(isinstance(part, Constant) for part in value.parts):
            membership = value.operator in _MEMBERSHIP
            container = self._carriers.exact(identity, value.parts[-1]) if membership else frozenset()
            yield Test(identity, at, self._carriers.of(identity, value), container, membership, decides, at, (identity, at))
        for part in value.parts:
            yield from self._within(identity, at, part, decides)


def _has_outcomes(events: tuple[Event, ...]) -> bool:
    answers = [event.value for event in events if event.kind == "return" and event.value is not None]
    return any(event.kind == "raise" for event in events) or len(answers) > 1 or any(
        not isinstance(value, Constant) for value in answers)
