"""Whether a container of noted keys takes part in nothing: no comparison, no call that could make one, nobody outside."""

from __future__ import annotations

import functools

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound
from ctxlint.roles.carriers import FILLS, Carrier, Carriers
from ctxlint.roles.validations import Validations

_HARMLESS = frozenset([
    "sorted", "len", "set", "frozenset", "list", "tuple", "dict", "str", "repr", "join", "format", "enumerate", "zip", "sum",
    "any", "all", "iter", "reversed", "items", "keys", "values", "copy", "union", "get",
    "isinstance", "clear", "deepcopy", "range", "map", "filter", "next", "min", "max",
]) | FILLS
"""Calls that neither compare nor hand on what they are given; a log is somebody outside, for whom it may be noted."""
_TAKES = frozenset(["pop", "discard", "remove", "popitem", "popleft"])


class Uncompared:
    """Follows what was noted through the program to everything that could ask about it; memoised."""

    def __init__(self, analysis: Analysis, carriers: Carriers, validations: Validations) -> None:
        self._analysis = analysis
        self._carriers = carriers
        self._validations = validations
        self._reached: dict[tuple[Carrier, frozenset[FunctionId]], frozenset[Carrier] | None] = {}

    def kept_beside(self, read: Carrier, written: Carrier, recording: frozenset[FunctionId]) -> Carrier | None:
        """Under which name the noted keys are kept beside what is to be written; None when something asks about them."""
        if (read, recording) not in self._reached:
            self._reached[read, recording] = self._untested(read, recording)
        reached = self._reached[read, recording]
        return None if reached is None else next((each for each in (read, *sorted(reached)) if self.are_beside(each, written)), None)

    def _untested(self, read: Carrier, recording: frozenset[FunctionId]) -> frozenset[Carrier] | None:
        """All that the noted keys flow into, if no test mentions any of it."""
        modules = {identity.module for identity in recording}
        naming = self._naming.get(read.name, ()) if read.kind == "field" else ()
        functions = [f for f in self._analysis.program.functions() if f not in recording and (f.module in modules or f in naming)]
        reached = {read}
        grown = True
        while grown:
            grown = False
            for identity in functions:
                for made_of, containers in self._carriers.flows(identity):
                    if not made_of.isdisjoint(reached) and not containers <= reached:
                        reached |= containers
                        grown = True
        told = frozenset(reached)
        asked = any(self._asks(identity, told) for identity in functions) or any(
            self._takes(identity, event, told) for identity in recording for event in self._analysis.view.function(identity).events)
        return None if asked else told

    @functools.cached_property
    def _naming(self) -> dict[str, set[FunctionId]]:
        """The functions on whose paths a name stands."""
        found: dict[str, set[FunctionId]] = {}
        for identity in self._analysis.program.functions():
            for event in self._analysis.view.function(identity).events:
                for step in event.path.steps if event.path is not None else ():
                    found.setdefault(step, set()).add(identity)
        return found

    def _asks(self, identity: FunctionId, told: frozenset[Carrier]) -> bool:
        """Whether a function may compare, change or give away something that is told."""
        if any(test.mentioned & told for test in self._validations.own(identity)):
            return True
        return any(self._may_ask(identity, number, event, told) for number, event in enumerate(self._analysis.view.function(identity).events))

    def _may_ask(self, identity: FunctionId, number: int, event: Event, told: frozenset[Carrier]) -> bool:
        of, path = self._carriers, event.path
        if self._takes(identity, event, told):
            return True
        if event.kind == "return" and event.value is not None:
            called = any(True for _ in self._analysis.view.call_graph.callers(identity))
            text = isinstance(event.value, Compound) and event.value.operator == "f-string"
            return not called and not text and bool(of.of(identity, event.value) & told)
        if event.kind != "call" or path is None:
            return False
        name = path.steps[-1] if path.steps else getattr(path.root, "name", "")
        if name in _HARMLESS or not event.arguments or of.class_made(identity, number) is not None:
            return False
        if any(call.functions for call in self._analysis.view.calls(identity, number)):
            return False
        return bool(of.of_all(identity, [argument.value for argument in event.arguments]) & told)

    def _takes(self, identity: FunctionId, event: Event, told: frozenset[Carrier]) -> bool:
        """Whether single keys are taken out again: that is a cache, or a stack."""
        path = event.path
        if path is None or not (event.kind == "delete" or (event.kind == "call" and path.steps[-1:] and path.steps[-1] in _TAKES)):
            return False
        container = path if event.kind == "delete" else AccessPath(path.root, path.steps[:-1])
        return bool(self._carriers.exact_path(identity, container, event.keys) & told)

    # What is kept together.

    def are_beside(self, one: Carrier, other: Carrier) -> bool:
        """Whether two containers are parts of one thing: an object, a record, or what some functions know in common."""
        if one == other or one.kind != other.kind:
            return False
        if one.kind == "field":
            return not self._owners.get(one.name, frozenset()).isdisjoint(self._owners.get(other.name, frozenset()))
        return one.scope == other.scope

    @functools.cached_property
    def _owners(self) -> dict[str, set[str]]:
        """The classes that declare or store a field, and those that are derived from them, by the field's name."""
        found: dict[str, set[str]] = {}
        for name in self._analysis.program.classes():
            info = self._analysis.program.class_(name)
            fields = (*self._analysis.view.inference.stores(name), *(field.name for field in info.ir.fields)) if info is not None else ()
            for field in fields:
                found.setdefault(field, set()).update((name, *info.subclasses) if info is not None else ())
        return found
