"""What a record is made of: the parts of its expression, each with what it was when the record was made."""

from __future__ import annotations

import msgspec

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.elements import MAPPINGS
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import Call, View
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.edits import Edits
from ctxlint.roles.holders import ITEM, Holder
from ctxlint.roles.measures import Measures
from ctxlint.roles.sums import Atom, Sum, single, substituted


class Part(msgspec.Struct, frozen=True, gc=False):
    """One part of a record when it was made, in terms of the recording function.

    `value` is what it is made of, as seen at event `at` of function `where`; `constant` its text if it is a literal.
    """

    number: Sum
    length: Sum
    value: Value
    where: FunctionId
    at: int
    constant: str | None = None


class Parts:
    """Takes records apart; the places of the parts are those from which a reader of the container gets them."""

    def __init__(self, view: View, measures: Measures, edits: Edits) -> None:
        self.view = view
        self.holders = measures.holders
        self.measures = measures
        self.edits = edits

    def take_apart(
        self, identity: FunctionId, at: int, value: Value, prefix: Holder, parts: dict[Holder, Part], depth: int
    ) -> int:
        """Collect the parts of a record's expression; returns the event that puts the record together."""
        if depth > 4:
            return at
        if isinstance(value, Name) and value.scope == "local":
            definitions = self.view.definitions(identity).definitions(at, value.name)
            bound = self.view.event(identity, definitions[0]) if len(definitions) == 1 and definitions[0] >= 0 else None
            if bound is not None and bound.value == _EMPTY and self._collected(identity, at, value, prefix, parts, depth):
                return at
            if bound is not None and bound.kind == "local" and bound.value is not None and self._is_structure(bound.value, identity):
                before = dict(parts)
                made = self.take_apart(identity, definitions[0], bound.value, prefix, parts, depth + 1)
                if parts.keys() - before.keys() != {prefix}:
                    return made
                parts[prefix] = self.part(identity, at, value)
                return at
        if isinstance(value, Compound) and value.operator == "comprehension-list":
            self.take_apart(identity, at, value.parts[0], f"{prefix}{ITEM}", parts, depth + 1)
            return at
        if isinstance(value, Compound) and value.operator in ("tuple", "list"):
            for index, part in enumerate(value.parts):
                self.take_apart(identity, at, part, f"{prefix}[{index}]", parts, depth + 1)
            return at
        if isinstance(value, Compound) and value.operator == "dict":
            for key, part in zip(value.parts[::2], value.parts[1::2]):
                if isinstance(key, Constant):
                    self.take_apart(identity, at, part, f"{prefix}[{key.text}]", parts, depth + 1)
            return at
        if isinstance(value, Result):
            event = self.view.event(identity, value.event)
            if event.kind == "call" and self._construction(identity, value.event, event, prefix, parts, depth):
                return value.event
        parts[prefix] = self.part(identity, at, value)
        return at

    def _collected(
        self, identity: FunctionId, at: int, name: Name, prefix: Holder, parts: dict[Holder, Part], depth: int
    ) -> bool:
        """The entries of a list that was collected piece by piece."""
        known = len(parts)
        for number in self.view.definitions(identity).additions(at, name.name):
            event = self.view.event(identity, number)
            if event.kind == "call" and event.path is not None and event.path.steps[-1:] in _COLLECTS and event.arguments:
                self.take_apart(identity, number, event.arguments[-1].value, f"{prefix}{ITEM}", parts, depth + 1)
        return len(parts) > known

    def _is_structure(self, value: Value, identity: FunctionId) -> bool:
        if isinstance(value, Compound):
            return value.operator in ("tuple", "dict", "list")
        return isinstance(value, Result) and self.view.event(identity, value.event).kind == "call"

    def part(self, identity: FunctionId, at: int, value: Value) -> Part:
        """One part, as it is at an event."""
        number = self.measures.number(identity, at, value)
        length = self.measures.length(identity, at, value)
        return Part(
            self.edits.settle(identity, number) or number, self.edits.settle(identity, length) or length, value, identity, at,
            value.text if isinstance(value, Constant) else None,
        )

    def _construction(
        self, identity: FunctionId, number: int, event: Event, prefix: Holder, parts: dict[Holder, Part], depth: int
    ) -> bool:
        """The parts of a record object: what the constructor's arguments become."""
        assert event.path is not None
        name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
        built = [t.name for t in in_order(self.view.inference.of_path(identity, number, event.path)) if isinstance(t, ClassObject)]
        for class_id in built:
            info = self.view.program.class_(class_id)
            if info is not None and not self._is_mapping(class_id):
                return self._of_class(identity, number, class_id, parts)
        fields = self._factory_fields(identity, event)
        mapping = name == "dict" or any(self._is_mapping(b) for b in built)
        if mapping or name == "SimpleNamespace" or fields is not None or any(not b.startswith("builtins.") for b in built):
            step = "[{}]" if mapping else ".{}"
            for index, argument in enumerate(event.arguments):
                suffix = step.format(argument.keyword) if argument.keyword else "" if mapping else f"[{index}]"
                self.take_apart(identity, number, argument.value, prefix + suffix, parts, depth + 1)
                if fields is not None and not argument.keyword and index < len(fields):
                    self.take_apart(identity, number, argument.value, f"{prefix}.{fields[index]}", parts, depth + 1)
            return bool(event.arguments)
        return self._of_helper(identity, number, parts, prefix)

    def _is_mapping(self, class_id: ClassId) -> bool:
        """Whether the objects of a class are mappings that keep what they are given by its name: a `dict` with another name."""
        info = self.view.program.class_(class_id)
        return info is not None and any(base in MAPPINGS or base.endswith("TypedDict") for base in info.mro[1:]) and not any(
            method.name == "__init__" for method in info.ir.methods)

    def _factory_fields(self, identity: FunctionId, event: Event) -> list[str] | None:
        """The fields of a record class that a module variable holds and a call with their names made: `Edit = namedtuple(…)`."""
        assert event.path is not None
        root = event.path.root
        if event.path.steps or not isinstance(root, Name) or root.scope != "global":
            return None
        body = FunctionId(identity.module, 0)
        for bound in self.view.function(body).events:
            if bound.kind == "local" and bound.path is not None and bound.path.root == root and isinstance(bound.value, Result):
                given = self.view.event(body, bound.value.event).arguments
                names = [part for a in given[1:2] for part in _texts(a.value)]
                return names or None
        return None

    def _of_class(self, identity: FunctionId, number: int, class_id: ClassId, parts: dict[Holder, Part]) -> bool:
        for call in self.view.calls(identity, number):
            for target in call.functions:
                if is_constructor(self.view, target):
                    return self._of_constructor(identity, number, call, target, parts)
        names = self.view.program.declared_fields(class_id)
        for index, argument in enumerate(self.view.event(identity, number).arguments):
            name = argument.keyword if argument.keyword else names[index] if index < len(names) else ""
            if name and name not in ("*", "**"):
                parts[f"{attribute_owner(self.view, class_id, name)}.{name}"] = self.part(identity, number, argument.value)
        return bool(parts)

    def _of_constructor(
        self, identity: FunctionId, number: int, call: Call, target: FunctionId, parts: dict[Holder, Part]
    ) -> bool:
        actuals = self.view.bound(call, target)
        for at, event in enumerate(self.view.function(target).events):
            if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.value is not None:
                passed = event.value
                if isinstance(passed, Name) and passed.name in actuals:
                    part = self.part(identity, number, actuals[passed.name])
                else:
                    part = self.moved(identity, number, self.part(target, at, passed), target, actuals)
                for holder in self.holders.of_event(target, at):
                    parts[holder] = part
        return bool(parts)

    def _of_helper(self, identity: FunctionId, number: int, parts: dict[Holder, Part], prefix: Holder) -> bool:
        """A helper that only puts the record together."""
        for call in self.view.calls(identity, number):
            for target in call.functions[:2]:
                events = self.view.function(target).events
                returns = [(at, e.value) for at, e in enumerate(events) if e.kind == "return" and e.value is not None]
                if len(returns) == 1 and self._is_structure(returns[0][1], target) and target != identity:
                    inner: dict[Holder, Part] = {}
                    self.take_apart(target, *returns[0], prefix, inner, 3)
                    actuals = self.view.bound(call, target)
                    parts.update({h: self.moved(identity, number, p, target, actuals) for h, p in inner.items()})
                    return bool(inner)
        return False

    def moved(self, identity: FunctionId, number: int, part: Part, target: FunctionId, actuals: dict[str, Value]) -> Part:
        """A part of a record that a callee makes, in terms of what the call passes."""
        sums: dict[Atom, Sum] = {}
        for name, value in actuals.items():
            sums["param", name] = self.measures.number(identity, number, value)
            sums["len", "param", name] = self.measures.length(identity, number, value)

        def seen(sum: Sum) -> Sum:
            moved = {a: single(("size", a[-1], number)) for a in sum.atoms if a[:2] == ("len", "place")}
            found = substituted(sum, {**sums, **moved})
            return self.edits.settle(identity, found) or found

        return msgspec.structs.replace(part, number=seen(part.number), length=seen(part.length))


_EMPTY = Compound("list", ())
_COLLECTS = (("append",), ("insert",), ("appendleft",))


def _texts(value: Value) -> list[str]:
    """The names in `"at text"`, `["at", "text"]` or `[("at", int), …]`."""
    if isinstance(value, Constant) and value.kind == "str":
        return value.text.replace(",", " ").split()
    if isinstance(value, Compound) and value.operator in ("list", "tuple"):
        return [texts[0] for part in value.parts if (texts := _texts(part))]
    return []
