"""Tests that what is known of a value decides: what is left over when all of its classes pass never happens."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.narrowing import ISINSTANCE
from ctxlint.calls.types import ClassObject, External, Instance, Type, Types, in_order
from ctxlint.calls.view import View
from ctxlint.flow.guards import guards
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

HASATTR = AccessPath(Name("hasattr", "global"))


class Decided:
    """Which ways of a function are never taken; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._passing: dict[FunctionId, frozenset[int]] = {}

    def holds(self, identity: FunctionId, test: Value) -> bool:
        """Whether a test is passed by everything that its value can be: `hasattr(row, "to_dict")` for rows of a class that has it."""
        if isinstance(test, Compound):
            every = all if test.operator == "and" else any
            return test.operator in ("and", "or") and every(self.holds(identity, part) for part in test.parts)
        return isinstance(test, Result) and test.event in self._passed(identity)

    def fails(self, identity: FunctionId, test: Value) -> bool:
        """Whether a test is the negation of one that always holds."""
        if not isinstance(test, Compound):
            return False
        if test.operator == "not":
            return self.holds(identity, test.parts[0])
        some = any if test.operator == "and" else all
        return test.operator in ("and", "or") and some(self.fails(identity, part) for part in test.parts)

    def never(self, identity: FunctionId, event: int) -> bool:
        """Whether every way to an event takes the side of a test that nothing is left for."""
        if not self._passed(identity):
            return False
        return any(
            (self.fails if guard.condition.holds else self.holds)(identity, guard.condition.value)
            for guard in guards(self._view.graph(identity), event)
        )

    def _passed(self, identity: FunctionId) -> frozenset[int]:
        """The calls of `isinstance` and `hasattr` that always give true."""
        found = self._passing.get(identity)
        if found is None:
            found = self._passing[identity] = frozenset(
                number for number, event in enumerate(self._view.function(identity).events)
                if event.kind == "call" and len(event.arguments) == 2 and event.path in (ISINSTANCE, HASATTR)
                and self._always(identity, number)
            )
        return found

    def _always(self, identity: FunctionId, number: int) -> bool:
        event = self._view.event(identity, number)
        inference = self._view.inference
        value, wanted = (argument.value for argument in event.arguments)
        types = in_order(inference.of_value(identity, number, value))
        if event.path == HASATTR:
            return bool(types) and isinstance(wanted, Constant) and all(self._has(type, wanted.text) for type in types)
        classes = self._classes(inference.of_value(identity, number, wanted))
        return bool(types) and all(self._is_one_of(type, classes) for type in types)

    def _has(self, type: Type, name: str) -> bool:
        return isinstance(type, Instance) and self._view.program.method(type.name, name) is not None

    def _is_one_of(self, type: Type, classes: frozenset[str]) -> bool:
        if not isinstance(type, Instance):
            return False
        info = self._view.program.class_(type.name)
        return not classes.isdisjoint(info.mro if info is not None else (type.name,))

    def _classes(self, types: Types) -> frozenset[str]:
        """The classes that a second argument of `isinstance` names; one of them alone or a tuple."""
        found: set[str] = set()
        for type in in_order(types):
            if isinstance(type, (ClassObject, External)):
                found.add(type.name)
            elif isinstance(type, Instance) and type.name == "builtins.tuple":
                found.update(*(self._classes(each) for each in type.arguments))
        return frozenset(found)
