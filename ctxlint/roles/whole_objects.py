"""The places of whole objects: what `vars(x)` and `x.__dict__` hold are all attributes of the object's class."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View, argument_of
from ctxlint.ir.value import AccessPath, Name, Result, Value
from ctxlint.roles.holders import Holder

ATTRIBUTES = "__dict__"
HOLDS_ATTRIBUTES = "attributes"


class WholeObjects:
    """Names objects by their classes: an attribute `Plan.steps` lies one step below `Plan`."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._decorated: dict[FunctionId, list[ClassId]] | None = None

    def of_value(self, identity: FunctionId, at: int, value: Value) -> frozenset[Holder]:
        """The objects whose dictionary of attributes a value is: that of `vars(x)`, or what was read from `x.__dict__`."""
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if not isinstance(value, Result) or event is None or event.path is None:
            return frozenset()
        if event.kind == "read" and event.path.steps[-1:] == (ATTRIBUTES,):
            return self.of(identity, value.event, AccessPath(event.path.root, event.path.steps[:-1]))
        match = self._view.does(identity, value.event, HOLDS_ATTRIBUTES) if event.kind == "call" else None
        target = argument_of(match.call, match.effect.target) if match is not None else None
        if target is None:
            return frozenset()
        return self.of(identity, value.event, target if isinstance(target, AccessPath) else AccessPath(target))

    def of_path(self, identity: FunctionId, at: int, path: AccessPath) -> frozenset[Holder]:
        """The objects whose dictionary of attributes lies at a path: `x.__dict__`, or nothing but the result of `vars(x)`."""
        if path.steps[-1:] == (ATTRIBUTES,):
            return self.of(identity, at, AccessPath(path.root, path.steps[:-1]))
        return self.of_value(identity, at, path.root) if not path.steps else frozenset()

    def of(self, identity: FunctionId, at: int, path: AccessPath) -> frozenset[Holder]:
        """The object at a path, by its class and the ancestors of it that the program defines."""
        types = [t.name for t in in_order(self._view.inference.of_path(identity, at, path)) if isinstance(t, Instance)]
        known = [name for name in types if self._view.program.class_(name) is not None]
        return frozenset(each for name in known or self._receivers(identity, path) for each in self._ancestry(name))

    def _ancestry(self, name: ClassId) -> Iterator[ClassId]:
        info = self._view.program.class_(name)
        for each in info.mro if info is not None else ():
            if self._view.program.class_(each) is not None:
                yield each

    def _receivers(self, identity: FunctionId, path: AccessPath) -> list[ClassId]:
        """What the first formal of a function is that a decorator puts in the place of methods: their receiver."""
        function = self._view.function(identity)
        if path.steps or function.enclosing <= 0 or not function.formals or path.root != Name(function.formals[0].name, "local"):
            return []
        if self._decorated is None:
            self._decorated = {}
            for method in self._view.program.functions():
                owner = self._view.program.owner(method) if self._view.function(method).decorators else None
                if owner is not None:
                    for decorator in self._view.program.decorated_by(method):
                        self._decorated.setdefault(decorator, []).append(owner)
        found: list[ClassId] = []
        outer = function.enclosing
        while outer > 0:
            found += self._decorated.get(FunctionId(identity.module, outer), [])
            outer = self._view.function(FunctionId(identity.module, outer)).enclosing
        return found
