"""Comparisons by what takes part in them, callees included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.carriers import Carrier, Carriers

_COMPARES = frozenset(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "&", "&=", "-", "^", "is", "is not"])
_MEETS = frozenset(["isdisjoint", "intersection", "issubset", "issuperset", "difference", "symmetric_difference", "__contains__"])
_MEMBERSHIP = frozenset(["in", "not in"])


class Test(msgspec.Struct, frozen=True):
    """A comparison at an event: what takes part in it, and for a membership the container that is looked into.

    `decides` is true where the function can answer, or end, in more than one way.  `at` is the event of the function that
    is asked for its comparisons, `own` the comparison itself, in a callee of it or there.  `about` are the containers that are
    compared themselves, or each of what they hold, and those that are looked into by such keys; `element` is what the key of
    a membership was taken out of.
    """

    function: FunctionId
    event: int
    mentioned: frozenset[Carrier]
    container: frozenset[Carrier]
    membership: bool
    decides: bool
    at: int
    own: tuple[FunctionId, int]
    about: frozenset[Carrier]
    element: frozenset[Carrier] = frozenset()


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
                            about=self._carriers.lift(identity, call, target, test.about),
                            element=self._carriers.lift(identity, call, target, test.element),
                        )

    def _find(self, identity: FunctionId) -> Iterator[Test]:
        function = self._view.function(identity)
        decides = _has_outcomes(function.events)
        for number, event in enumerate(function.events):
            path = event.path
            if event.kind == "call" and path is not None and path.steps[-1:] and path.steps[-1] in _MEETS and event.arguments:
                mentioned = self._carriers.of_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys)
                mentioned |= self._carriers.of_all(identity, [argument.value for argument in event.arguments])
                about = self._about(identity, [Result(number)])
                yield Test(identity, number, mentioned, frozenset(), False, decides, number, (identity, number), about)
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
            element = self._carriers.gone_through(identity, value.parts[0]) if membership else frozenset()
            yield Test(
                identity, at, self._carriers.of(identity, value), container, membership, decides, at, (identity, at),
                self._about(identity, value.parts), element)
        for part in value.parts:
            yield from self._within(identity, at, part, decides)


    def _about(self, identity: FunctionId, values: Iterable[Value]) -> frozenset[Carrier]:
        """The containers that values are, or whose elements they are, or that are looked into by such."""
        of = self._carriers
        found: set[Carrier] = set()
        seen: set[Value] = set()
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            found |= of.exact(identity, value)
            if isinstance(value, Compound):
                pending += value.parts
            elif isinstance(value, Name):
                found |= of.gone_through(identity, value)
                if value.scope == "local":
                    pending += (*of.bound(identity).get(value.name, ()), *of.added(identity).get(value.name, ()))
            elif isinstance(value, Result):
                event = self._view.event(identity, value.event)
                pending += [*event.keys, *(argument.value for argument in event.arguments)]
                pending += [event.value] if event.value is not None else []
                if event.path is not None:
                    pending.append(event.path.root)
                    path = AccessPath(event.path.root, event.path.steps[:-1]) if event.kind == "call" else event.path
                    found |= of.exact_path(identity, path, event.keys[:path.steps.count("[*]")])
        return frozenset(found)


def _has_outcomes(events: tuple[Event, ...]) -> bool:
    answers = [event.value for event in events if event.kind == "return" and event.value is not None]
    return any(event.kind == "raise" for event in events) or len(answers) > 1 or any(
        not isinstance(value, Constant) for value in answers)
