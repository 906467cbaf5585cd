"""Inverses that are found by a name: entries of a table of functions, and functions that a decorator registers for another one."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import BoundMethod, FunctionRef, in_order
from ctxlint.calls.view import View
from ctxlint.ir.value import Closure, Compound, Constant, Name, Value


class Registered:
    """Which functions of a program are looked up by which names, and which take back which."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._tables: dict[str, list[FunctionId]] | None = None
        self._inverses: dict[FunctionId, list[FunctionId]] | None = None
        self.logs: set[str] = set()
        """Names of the logs that registered functions write by their decorators."""

    def belongs(self, identity: FunctionId, log: str) -> bool:
        """Whether a function is one of those whose calls such a log holds, or which take them back."""
        return log in self.logs and any(
            identity == forward or identity in inverses for forward, inverses in (self._inverses or {}).items()
        )

    def named(self, key: str, module: str) -> list[FunctionId]:
        """The functions of a module that a table holds under a name."""
        if self._tables is None:
            self._tables = {}
            for name, function in self._entries():
                self._tables.setdefault(name, []).append(function)
        return [function for function in self._tables.get(key, ()) if function.module == module]

    def inverses(self, identity: FunctionId) -> list[FunctionId]:
        """The functions that a decorator registers for this one."""
        if self._inverses is None:
            self._inverses = {}
            for forward, inverse in self._pairs():
                self._inverses.setdefault(forward, []).append(inverse)
        return self._inverses.get(identity, [])

    def _entries(self) -> Iterator[tuple[str, FunctionId]]:
        for identity in self._view.program.functions():
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind in ("write", "local") and isinstance(event.value, Compound) and event.value.operator == "dict":
                    for key, value in zip(event.value.parts[::2], event.value.parts[1::2]):
                        if isinstance(key, Constant) and key.kind == "str":
                            for function in self._functions(identity, number, value):
                                yield key.text, function

    def _functions(self, identity: FunctionId, at: int, value: Value) -> Iterator[FunctionId]:
        if isinstance(value, Closure):
            yield FunctionId(identity.module, value.function)
            return
        for kind in in_order(self._view.inference.of_value(identity, at, value)):
            if isinstance(kind, BoundMethod) and isinstance(kind.method, FunctionId):
                yield kind.method
            elif isinstance(kind, FunctionRef) and isinstance(kind.function, FunctionId):
                yield kind.function

    def _pairs(self) -> Iterator[tuple[FunctionId, FunctionId]]:
        """A function and what is registered for it: `@name.something`, `@something("name")`, `@something(name)`."""
        program = self._view.program
        siblings: dict[tuple[str, int, str], FunctionId] = {}
        decorated = [i for i in program.functions() if program.function(i).decorators]
        for identity in program.functions() if decorated else ():
            function = program.function(identity)
            siblings[identity.module, function.enclosing, function.qualname.rpartition(".")[2]] = identity
        for inverse in decorated:
            function = program.function(inverse)
            names = {text.partition(".")[0] for text in function.decorators if "." in text}
            names |= set(self._given(inverse))
            for name in sorted(names):
                forward = siblings.get((inverse.module, function.enclosing, name))
                if forward is not None and forward != inverse:
                    yield forward, inverse

    def _given(self, inverse: FunctionId) -> Iterator[str]:
        """The names that the calls of a function's decorators are given."""
        definition = self._view.program.definition(inverse)
        if definition is None:
            return
        definer, defined = definition
        events = self._view.function(definer).events
        for number in range(defined - 1, -1, -1):
            event = events[number]
            if event.kind not in ("call", "read"):
                return
            for argument in event.arguments:
                if isinstance(argument.value, Constant) and argument.value.kind == "str":
                    yield argument.value.text
                elif isinstance(argument.value, Name):
                    yield argument.value.name
