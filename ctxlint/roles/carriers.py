"""Which containers a value is made of, whatever holds them: attributes, entries, parts of a tuple, captured or global variables.

A container is known by the name under which it is kept, in whichever object: one name means one thing in a module that
keeps state.  What a value is made of is over-estimated, keys and arguments included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.memo import Memo
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import Call, View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.starred import filled

FILLS = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait", "update", "setdefault", "extend"])
"""Methods that put their arguments into their receiver."""

_CALLEES = 4


class Carrier(NamedTuple):
    """Where a container is kept: a `field` of some object, an `entry` or `position` of records, a `variable` or a `global`.

    `scope` is the module of entries, positions and globals, the function of variables, and empty for fields.
    """

    kind: str
    scope: str
    name: str


Flow = tuple[frozenset[Carrier], frozenset[Carrier]]
"""What something is made of, and the containers that it is put into."""
Part = Value | Carrier
"""What a value is made of: another value of the function, or a container."""


class Carriers:
    """Says what values are made of, and what flows into which container; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._made: Memo[frozenset[Carrier]] = Memo(frozenset())
        self._exact: Memo[frozenset[Carrier]] = Memo(frozenset())
        self._bindings: dict[FunctionId, dict[str, list[Value]]] = {}
        self._added: dict[FunctionId, dict[str, list[Value]]] = {}
        self._flows: dict[FunctionId, tuple[Flow, ...]] = {}

    # What a value is made of.

    def of(self, identity: FunctionId, value: Value) -> frozenset[Carrier]:
        """The containers that a value is made of, wherever in the function it stands."""
        return self._made.get((identity, value), lambda: self._follow(identity, [value]))

    def of_all(self, identity: FunctionId, values: Iterable[Value]) -> frozenset[Carrier]:
        """The containers of several values."""
        return frozenset().union(*(self.of(identity, value) for value in values))

    def of_path(self, identity: FunctionId, path: AccessPath, keys: tuple[Value, ...]) -> frozenset[Carrier]:
        """The containers that what stands at a path is made of, and those of the keys by which it was found."""
        return self._follow(identity, self._on_path(identity, path, keys))

    def given(self, identity: FunctionId) -> frozenset[Carrier]:
        """What the function returns or yields is made of."""
        return self._made.get(identity, lambda: self._follow(identity, (
            event.value for event in self._view.function(identity).events
            if event.value is not None and (event.kind == "return" or event.note in ("yield", "yield-from"))
        )))

    def _follow(self, identity: FunctionId, parts: Iterable[Part]) -> frozenset[Carrier]:
        """The containers among some parts, and those that the other parts are made of in turn; each of them is taken apart once."""
        found: set[Carrier] = set()
        seen: set[Value] = set()
        pending = list(parts)
        while pending:
            part = pending.pop()
            if isinstance(part, Carrier):
                found.add(part)
            elif part not in seen:
                seen.add(part)
                known = self._made.known.get((identity, part))
                pending += self._parts(identity, part) if known is None else known
        return frozenset(found)

    def _parts(self, identity: FunctionId, value: Value) -> Iterator[Part]:
        """What a value is put together from: containers, and other values of the function."""
        if isinstance(value, Compound):
            yield from self.exact(identity, value) if value.operator == "item" else ()
            yield from value.parts
        elif isinstance(value, Name):
            yield self.variable(identity, value)
            if value.scope == "local":
                yield from self.bound(identity).get(value.name, ())
                yield from self.added(identity).get(value.name, ())
        elif isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "call" and event.path is not None:
                yield from self._of_call(identity, value.event, event, event.path)
            elif event.path is not None and event.kind == "read":
                yield from self._on_path(identity, event.path, event.keys)
                yield from self._given_back(identity, value.event)
            elif event.value is not None:
                yield event.value

    def _on_path(self, identity: FunctionId, path: AccessPath, keys: tuple[Value, ...]) -> Iterator[Part]:
        yield from self.exact_path(identity, path, keys)
        if not any(step != "[*]" for step in path.steps):
            yield path.root
        for container, _ in looked_into(path, keys):
            yield from self.exact_path(identity, container, keys[:container.steps.count("[*]")])
        yield from keys

    def _of_call(self, identity: FunctionId, number: int, event: Event, path: AccessPath) -> Iterator[Part]:
        if self.class_made(identity, number) is not None:
            return
        if any(call.functions for call in self._view.calls(identity, number)):
            yield from self._given_back(identity, number)
            return
        if path.steps:
            yield from self._on_path(identity, AccessPath(path.root, path.steps[:-1]), event.keys)
        for argument in event.arguments:
            yield argument.value

    def _given_back(self, identity: FunctionId, number: int) -> Iterator[Part]:
        """What the callees of an event give back, in terms of what they are passed."""
        for call in self._view.calls(identity, number):
            for target in call.functions[:_CALLEES]:
                yield from self._as_passed(call, target, self.given(target))

    def lift(self, identity: FunctionId, call: Call, target: FunctionId, told: frozenset[Carrier]) -> frozenset[Carrier]:
        """Containers that a callee speaks of, in terms of what it is passed."""
        return self._follow(identity, self._as_passed(call, target, told))

    def _as_passed(self, call: Call, target: FunctionId, told: frozenset[Carrier]) -> Iterator[Part]:
        """Containers that a callee speaks of; for its formals the values that are passed."""
        scope = scope_of(target)
        own = {carrier.name for carrier in told if carrier.kind == "variable" and carrier.scope == scope}
        passed = filled(self._view, call, target) if own else {}
        yield from (value for name, value in passed.items() if name in own)
        yield from (carrier for carrier in told if carrier.kind != "variable" or carrier.scope != scope)

    def class_made(self, identity: FunctionId, number: int) -> str | None:
        """The class of the program whose constructor an event calls."""
        made = in_order(self._view.inference.callables(identity, number))
        return next((each.name for each in made if isinstance(each, ClassObject) and self._view.program.class_(each.name)), None)

    # Which container it is.

    def exact(self, identity: FunctionId, value: Value) -> frozenset[Carrier]:
        """The containers that a value can be itself."""
        return self._exact.get((identity, value), lambda: frozenset(self._same(identity, value)))

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
                return Carrier("variable", scope_of(current), name.name)
        return Carrier("variable", scope_of(identity), name.name) if name.scope == "local" else Carrier("global", identity.module, name.name)

    def _same(self, identity: FunctionId, value: Value) -> Iterator[Carrier]:
        if isinstance(value, Name):
            bound = self.bound(identity).get(value.name, []) if value.scope == "local" else []
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
                bound = self.bound(identity).get(whole.name, []) if whole.scope == "local" else []
                if not any(self._is_element(identity, each) for each in bound):
                    yield Carrier("position", identity.module, value.parts[1].text)
            if value.operator in ("or", "if"):
                for part in value.parts:
                    yield from self.exact(identity, part)

    def gone_through(self, identity: FunctionId, key: Value) -> frozenset[Carrier]:
        """What a key was taken out of, by going through it; the formal itself, when it is one."""
        function = self._view.function(identity)
        formals = {formal.name for formal in function.formals}
        found: set[Carrier] = set()
        seen: set[str] = set()                           # a name may be bound to its own part
        pending = [key]
        while pending:
            value = pending.pop()
            whole = value.parts[0] if isinstance(value, Compound) and value.operator == "item" else value
            if isinstance(whole, Result):
                event = function.events[whole.event]
                if event.kind == "iterate" and event.value is not None:
                    found |= self.of(identity, event.value)
            elif isinstance(whole, Name) and whole.scope == "local" and whole.name not in seen:
                seen.add(whole.name)
                if whole.name in formals:
                    found.add(self.variable(identity, whole))
                else:
                    pending += [bound for bound in self.bound(identity).get(whole.name, ()) if not isinstance(bound, Name)]
        return frozenset(found)

    def _is_element(self, identity: FunctionId, value: Value) -> bool:
        return isinstance(value, Result) and self._view.event(identity, value.event).kind == "iterate"

    def bound(self, identity: FunctionId) -> dict[str, list[Value]]:
        """What the function's variables are bound to, by their names."""
        known = self._bindings.get(identity)
        if known is None:
            known = self._bindings[identity] = {}
            for number, event in enumerate(self._view.function(identity).events):
                if event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
                    known.setdefault(event.path.root.name, []).append(event.value)
                elif event.kind == "enter" and event.path is not None and isinstance(event.path.root, Name):
                    known.setdefault(event.path.root.name, []).append(Result(number))
        return known

    def added(self, identity: FunctionId) -> dict[str, list[Value]]:
        """What the function puts into its variables, by their names."""
        known = self._added.get(identity)
        if known is None:
            known = self._added[identity] = {}
            for event in self._view.function(identity).events:
                target, values = put(event)
                if target is not None and isinstance(target.root, Name) and not target.steps:
                    known.setdefault(target.root.name, []).extend(values)
        return known

    # What flows where.

    def flows(self, identity: FunctionId) -> tuple[Flow, ...]:
        """What the function puts into containers: of what it is made, and the containers."""
        known = self._flows.get(identity)
        if known is None:
            known = self._flows[identity] = tuple(flow for flow in self._find_flows(identity) if all(flow))
        return known

    def _find_flows(self, identity: FunctionId) -> Iterator[Flow]:
        function = self._view.function(identity)
        for number, event in enumerate(function.events):
            target, values = put(event)
            if target is not None:
                keys = event.keys[:target.steps.count("[*]")]
                yield self.of_all(identity, values), self.exact_path(identity, target, keys)
            elif event.kind == "write" and event.path is not None and event.value is not None:
                yield self.of(identity, event.value), self.exact_path(identity, event.path, event.keys)
            elif event.kind == "local" and event.path is not None and isinstance(event.path.root, Name) and event.value is not None:
                yield self.of(identity, event.value), frozenset([self.variable(identity, event.path.root)])
            for each in (event.value, *(argument.value for argument in event.arguments)):
                for key, part in displayed(each):
                    yield self.of(identity, part), frozenset([Carrier("entry", identity.module, key)])
            if isinstance(event.value, Compound) and event.value.operator == "tuple" and event.kind in ("return", "local"):
                for index, part in enumerate(event.value.parts):
                    yield self.of(identity, part), frozenset([Carrier("position", identity.module, str(index))])
            if event.kind == "call":
                for carrier, value in self.told(identity, number):
                    yield self.of(identity, value), frozenset([carrier])

    def told(self, identity: FunctionId, number: int) -> Iterator[tuple[Carrier, Value]]:
        """The fields that a constructor fills at a call, and the formals of the callees, each with what fills it."""
        made = self.class_made(identity, number)
        fields = self._view.program.declared_fields(made) if made is not None else ()
        for index, argument in enumerate(self._view.event(identity, number).arguments if made is not None else ()):
            name = argument.keyword or (fields[index] if index < len(fields) else "")
            if name not in ("", "*", "**"):
                yield Carrier("field", "", name), argument.value
        for call in self._view.calls(identity, number):
            for target in call.functions[:_CALLEES]:
                for name, value in filled(self._view, call, target).items():
                    yield Carrier("variable", scope_of(target), name), value


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


def scope_of(identity: FunctionId) -> str:
    """The scope of a function's variables."""
    return f"{identity.module}:{identity.index}"
