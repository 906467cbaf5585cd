"""Which containers a value is made of, whatever holds them: attributes, entries, parts of a tuple, captured or global variables.

A container is known by the name under which it is kept, in whichever object: one name means one thing in a module that
keeps state.  What a value is made of is over-estimated, keys and arguments included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import Call, View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.starred import filled

FILLS = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait", "update", "setdefault", "extend"])
"""Methods that put their arguments into their receiver."""

_CALLEES = 4
_DEPTH = 4


class Carrier(NamedTuple):
    """Where a container is kept: a `field` of some object, an `entry` or `position` of records, a `variable` or a `global`.

    `scope` is the module of entries, positions and globals, the function of variables, and empty for fields.
    """

    kind: str
    scope: str
    name: str


class Carriers:
    """Says what values are made of, and what flows into which container; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._values: dict[tuple[FunctionId, Value], frozenset[Carrier]] = {}
        self._exact: dict[tuple[FunctionId, Value], frozenset[Carrier]] = {}
        self._given: dict[FunctionId, frozenset[Carrier]] = {}
        self._bindings: dict[FunctionId, dict[str, list[Value]]] = {}
        self._added: dict[FunctionId, dict[str, list[Value]]] = {}
        self._flows: dict[FunctionId, tuple[tuple[int, frozenset[Carrier], frozenset[Carrier]], ...]] = {}

    # What a value is made of.

    def of(self, identity: FunctionId, value: Value) -> frozenset[Carrier]:
        """The containers that a value is made of, wherever in the function it stands."""
        known = self._values.get((identity, value))
        if known is None:
            self._values[identity, value] = frozenset()
            known = self._values[identity, value] = frozenset(self._find(identity, value))
        return known

    def of_all(self, identity: FunctionId, values: Iterator[Value] | list[Value] | tuple[Value, ...]) -> frozenset[Carrier]:
        """The containers of several values."""
        return frozenset().union(*(self.of(identity, value) for value in values))

    def of_path(self, identity: FunctionId, path: AccessPath, keys: tuple[Value, ...]) -> frozenset[Carrier]:
        """The containers that what stands at a path is made of, and those of the keys by which it was found."""
        whole = self.exact_path(identity, path, keys)
        if not any(step != "[*]" for step in path.steps):
            whole |= self.of(identity, path.root)
        for container, _ in looked_into(path, keys):
            whole |= self.exact_path(identity, container, keys[:container.steps.count("[*]")])
        return whole | self.of_all(identity, keys)

    def given(self, identity: FunctionId) -> frozenset[Carrier]:
        """What the function returns or yields is made of."""
        known = self._given.get(identity)
        if known is None:
            self._given[identity] = frozenset()
            values = [
                event.value for event in self._view.function(identity).events
                if event.value is not None and (event.kind == "return" or event.note in ("yield", "yield-from"))
            ]
            known = self._given[identity] = self.of_all(identity, values)
        return known

    def _find(self, identity: FunctionId, value: Value) -> Iterator[Carrier]:
        if isinstance(value, Compound):
            yield from self.exact(identity, value) if value.operator == "item" else ()
            for part in value.parts:
                yield from self.of(identity, part)
        elif isinstance(value, Name):
            yield self.variable(identity, value)
            if value.scope == "local":
                for bound in (*self._bound(identity).get(value.name, ()), *self._put(identity).get(value.name, ())):
                    yield from self.of(identity, bound)
        elif isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "call" and event.path is not None:
                yield from self._of_call(identity, value.event, event, event.path)
            elif event.path is not None and event.kind == "read":
                yield from self.of_path(identity, event.path, event.keys)
                yield from self._lifted(identity, value.event, event)
            elif event.value is not None:
                yield from self.of(identity, event.value)

    def _of_call(self, identity: FunctionId, number: int, event: Event, path: AccessPath) -> Iterator[Carrier]:
        if self.class_made(identity, number) is not None:
            return
        targets = [target for call in self._view.calls(identity, number) for target in call.functions[:_CALLEES]]
        if targets:
            yield from self._lifted(identity, number, event)
            return
        if path.steps:
            yield from self.of_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys)
        for argument in event.arguments:
            yield from self.of(identity, argument.value)

    def _lifted(self, identity: FunctionId, number: int, event: Event) -> Iterator[Carrier]:
        for call in self._view.calls(identity, number):
            for target in call.functions[:_CALLEES]:
                yield from self.lift(identity, number, call, target, self.given(target))

    def lift(self, identity: FunctionId, number: int, call: Call, target: FunctionId, told: frozenset[Carrier]) -> Iterator[Carrier]:
        """Containers that a callee speaks of, in terms of what it is passed."""
        scope = _scope(target)
        passed: dict[str, Value] | None = None
        for carrier in told:
            if carrier.kind != "variable" or carrier.scope != scope:
                yield carrier
                continue
            passed = filled(self._view, call, target) if passed is None else passed
            if carrier.name in passed:
                yield from self.of(identity, passed[carrier.name])

    def class_made(self, identity: FunctionId, number: int) -> str | None:
        """The class of the program whose constructor an event calls."""
        made = in_order(self._view.inference.callables(identity, number))
        return next((each.name for each in made if isinstance(each, ClassObject) and self._view.program.class_(each.name)), None)

    # Which container it is.

    def exact(self, identity: FunctionId, value: Value) -> frozenset[Carrier]:
        """The containers that a value can be itself."""
        known = self._exact.get((identity, value))
        if known is None:
            self._exact[identity, value] = frozenset()
            known = self._exact[identity, value] = frozenset(self._same(identity, value))
        return known

    def exact_path(self, identity: FunctionId, path: AccessPath, keys: tuple[Value, ...]) -> frozenset[Carrier]:
        """The container that a path goes into last: items of a container are found in it."""
        remaining = list(keys)
        found: frozenset[Carrier] | None = None
        for step in path.steps:
            key = remaining.pop(0) if step == "[*]" and remaining else None
            if step != "[*]":
                found = frozenset([Carrier("field", "", step)])
            elif isinstance(key, Constant) and key.kind == "str":
                found = frozenset([Carrier("entry", identity.module, key.text)])
            elif isinstance(key, Constant) and key.kind == "int" and found is None and isinstance(path.root, Name):
                found = frozenset([Carrier("position", identity.module, key.text)])
        return self.exact(identity, path.root) if found is None else found

    def variable(self, identity: FunctionId, name: Name) -> Carrier:
        """A variable, where it is bound."""
        current = identity
        while name.scope == "captured" and self._view.function(current).enclosing >= 0:
            current = FunctionId(current.module, self._view.function(current).enclosing)
            function = self._view.function(current)
            if name.name in function.locals or any(formal.name == name.name for formal in function.formals):
                return Carrier("variable", _scope(current), name.name)
        return Carrier("variable", _scope(identity), name.name) if name.scope == "local" else Carrier("global", identity.module, name.name)

    def _same(self, identity: FunctionId, value: Value) -> Iterator[Carrier]:
        if isinstance(value, Name):
            bound = self._bound(identity).get(value.name, []) if value.scope == "local" else []
            aliases = [carrier for each in bound for carrier in self.exact(identity, each)]
            yield from aliases or (self.variable(identity, value),)
        elif isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "read" and event.path is not None:
                yield from self.exact_path(identity, event.path, event.keys)
            elif event.kind == "call" and event.path is not None:
                key = event.arguments[0].value if event.arguments else None
                if event.path.steps[-1:] in (("get",), ("setdefault",)) and isinstance(key, Constant) and key.kind == "str":
                    yield Carrier("entry", identity.module, key.text)
        elif isinstance(value, Compound):
            whole = value.parts[0] if value.operator == "item" else None
            if isinstance(whole, Name) and len(value.parts) > 1 and isinstance(value.parts[1], Constant):
                bound = self._bound(identity).get(whole.name, []) if whole.scope == "local" else []
                if not any(self._is_element(identity, each) for each in bound):
                    yield Carrier("position", identity.module, value.parts[1].text)
            if value.operator in ("or", "if"):
                for part in value.parts:
                    yield from self.exact(identity, part)

    def _is_element(self, identity: FunctionId, value: Value) -> bool:
        return isinstance(value, Result) and self._view.event(identity, value.event).kind == "iterate"

    def _bound(self, identity: FunctionId) -> dict[str, list[Value]]:
        known = self._bindings.get(identity)
        if known is None:
            known = self._bindings[identity] = {}
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
                    known.setdefault(event.path.root.name, []).append(event.value)
                elif event.kind == "enter" and event.path is not None and isinstance(event.path.root, Name):
                    known.setdefault(event.path.root.name, []).append(Result(number))
        return known

    def _put(self, identity: FunctionId) -> dict[str, list[Value]]:
        known = self._added.get(identity)
        if known is None:
            known = self._added[identity] = {}
            for event in self._view.function(identity).events:
                target, values = put(event)
                if target is not None and isinstance(target.root, Name) and not target.steps:
                    known.setdefault(target.root.name, []).extend(values)
        return known

    # What flows where.

    def flows(self, identity: FunctionId) -> tuple[tuple[int, frozenset[Carrier], frozenset[Carrier]], ...]:
        """What the function puts into containers: the event, what it is made of, and the containers."""
        known = self._flows.get(identity)
        if known is None:
            known = self._flows[identity] = tuple(flow for flow in self._find_flows(identity) if flow[1] and flow[2])
        return known

    def _find_flows(self, identity: FunctionId) -> Iterator[tuple[int, frozenset[Carrier], frozenset[Carrier]]]:
        function = self._view.function(identity)
        for number, event in enumerate(function.events):
            target, values = put(event)
            if target is not None:
                keys = event.keys[:target.steps.count("[*]")]
                yield number, self.of_all(identity, values), self.exact_path(identity, target, keys)
            elif event.kind == "write" and event.path is not None and event.value is not None:
                yield number, self.of(identity, event.value), self.exact_path(identity, event.path, event.keys)
            elif event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
                yield number, self.of(identity, event.value), frozenset([self.variable(identity, event.path.root)])
            for each in (event.value, *(argument.value for argument in event.arguments)):
                for key, part in displayed(each):
                    yield number, self.of(identity, part), frozenset([Carrier("entry", identity.module, key)])
            if isinstance(event.value, Compound) and event.value.operator == "tuple" and event.kind in ("return", "local"):
                for index, part in enumerate(event.value.parts):
                    yield number, self.of(identity, part), frozenset([Carrier("position", identity.module, str(index))])
            if event.kind == "call":
                yield from self._passed(identity, number, event)

    def _passed(self, identity: FunctionId, number: int, event: Event) -> Iterator[tuple[int, frozenset[Carrier], frozenset[Carrier]]]:
        made = self.class_made(identity, number)
        if made is not None:
            fields = self._view.program.declared_fields(made)
            for index, argument in enumerate(event.arguments):
                name = argument.keyword or (fields[index] if index < len(fields) else "")
                if name not in ("", "*", "**"):
                    yield number, self.of(identity, argument.value), frozenset([Carrier("field", "", name)])
        for call in self._view.calls(identity, number):
            for target in call.functions[:_CALLEES]:
                for name, value in filled(self._view, call, target).items():
                    yield number, self.of(identity, value), frozenset([Carrier("variable", _scope(target), name)])


def put(event: Event) -> tuple[AccessPath | None, list[Value]]:
    """The container that an event puts something into, and what it puts there, the key first."""
    path = event.path
    if path is None:
        return None, []
    if event.kind == "call" and path.steps[-1:] and path.steps[-1] in FILLS and event.arguments:
        return AccessPath(path.root, path.steps[:-1]), [argument.value for argument in event.arguments]
    if event.kind == "write" and path.steps[-1:] == ("[*]",) and event.value is not None and event.keys:
        if not isinstance(event.keys[-1], Constant):
            return AccessPath(path.root, path.steps[:-1]), [event.keys[-1], event.value]
    if event.kind in ("local", "write") and isinstance(event.value, Compound) and event.value.operator in ("|=", "+="):
        if event.kind == "local" or path.steps[-1:] != ("[*]",):
            return path, list(event.value.parts[1:])
    return None, []


def looked_into(path: AccessPath, keys: tuple[Value, ...]) -> Iterator[tuple[AccessPath, Value]]:
    """The mappings on a path into which is looked by a key that is no constant, and the key."""
    remaining = iter(keys)
    for index, step in enumerate(path.steps):
        key = next(remaining, None) if step == "[*]" else None
        if key is not None and not isinstance(key, Constant):
            yield AccessPath(path.root, path.steps[:index]), key


def displayed(value: Value | None) -> Iterator[tuple[str, Value]]:
    """The named entries of dictionary displays in a value."""
    if isinstance(value, Compound):
        if value.operator == "dict":
            for key, part in zip(value.parts[::2], value.parts[1::2]):
                if isinstance(key, Constant) and key.kind == "str":
                    yield key.text, part
        for part in value.parts:
            yield from displayed(part)


def _scope(identity: FunctionId) -> str:
    return f"{identity.module}:{identity.index}"
