"""Which containers may be the same state: one is handed on as the other, or is a copy of it as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Compound, Result, Value, parts_of
from ctxlint.roles.carriers import Carrier, Carriers, displayed

_COPIES = frozenset(["dict", "list", "set", "copy", "deepcopy", "OrderedDict", "MappingProxyType", "ChainMap", "defaultdict"])


class CopiedState:
    """Follows containers of some modules back to what they are, or were made as copies of."""

    def __init__(self, view: View, carriers: Carriers, functions: Iterable[FunctionId]) -> None:
        self._view = view
        self._carriers = carriers
        self._sources: dict[Carrier, set[Carrier]] = {}
        for identity in functions:
            for container, source in self._handed_on(identity):
                if container != source:
                    self._sources.setdefault(container, set()).add(source)

    def are_one(self, read: frozenset[Carrier], stored: frozenset[Carrier]) -> bool:
        """Whether both come from one container."""
        return not self._behind(read).isdisjoint(self._behind(stored))

    def is_unknown(self, read: frozenset[Carrier]) -> bool:
        """Whether nothing shows where containers come from: callers that are not in view hand them over."""
        return any(self._is_handed_over(carrier) for carrier in self._behind(read))

    def _behind(self, carriers: frozenset[Carrier]) -> frozenset[Carrier]:
        found = set(carriers)
        pending = list(carriers)
        while pending:
            for source in self._sources.get(pending.pop(), set()) - found:
                found.add(source)
                pending.append(source)
        return frozenset(found)

    def _is_handed_over(self, carrier: Carrier) -> bool:
        """Whether it is what a function is given, by callers that are not in view."""
        if carrier.kind != "variable" or carrier in self._sources:
            return False
        module, _, index = carrier.scope.rpartition(":")
        function = self._view.function(FunctionId(module, int(index)))
        return any(formal.name == carrier.name for formal in function.formals)

    def _handed_on(self, identity: FunctionId) -> Iterator[tuple[Carrier, Carrier]]:
        """Containers of a function, each with one that it is bound to, or a copy of."""
        of = self._carriers
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind in ("local", "write") and event.path is not None and event.value is not None:
                for container in of.exact_path(identity, event.path, event.keys):
                    yield from ((container, source) for source in self._same(identity, event.value))
            for each in (event.value, *(argument.value for argument in event.arguments)):
                for container, part in self._displayed(identity, each):
                    yield from ((container, source) for source in self._same(identity, part))
            for container, value in of.told(identity, number) if event.kind == "call" else ():
                yield from ((container, source) for source in self._same(identity, value))

    def _displayed(self, identity: FunctionId, value: Value | None) -> Iterator[tuple[Carrier, Value]]:
        """The entries and positions of records in a value, each with what stands there."""
        yield from ((Carrier("entry", identity.module, key), part) for key, part in displayed(value))
        for whole in parts_of(value) if value is not None else ():
            if isinstance(whole, Compound) and whole.operator == "tuple":
                yield from ((Carrier("position", identity.module, str(index)), part) for index, part in enumerate(whole.parts))

    def _same(self, identity: FunctionId, value: Value) -> frozenset[Carrier]:
        """The containers that a value is, or is a copy of."""
        if isinstance(value, Compound) and value.operator == "dict":
            return frozenset().union(*(
                self._carriers.exact(identity, part)
                for key, part in zip(value.parts[::2], value.parts[1::2]) if key == Compound("**", ())))
        event = self._view.event(identity, value.event) if isinstance(value, Result) else None
        if event is None or event.kind != "call" or event.path is None:
            return self._carriers.exact(identity, value)
        path = event.path
        name = path.steps[-1] if path.steps else getattr(path.root, "name", "")
        if name not in _COPIES:
            return self._carriers.exact(identity, value)
        if event.arguments:
            return self._same(identity, event.arguments[0].value)
        return self._carriers.exact_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys) if path.steps else frozenset()
