"""What values are: constructors, annotations, fields, defaults, returns, elements, narrowings.

Inference is optimistic: where some origins of a value are known and others are not, the known ones are taken.
It never looks at a name to guess a type.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

from ctxlint.calls import members, results
from ctxlint.calls.entries import constants, entry, is_slice
from ctxlint.calls.facts import Facts, FactsByFunction
from ctxlint.calls.generics import close
from ctxlint.calls.global_variables import global_writes_of, module_variable, other_stores_of, symbol_types
from ctxlint.calls.inference import ReachingDefinitions
from ctxlint.calls.iteration import element_of, item_of
from ctxlint.calls.memo import Memo
from ctxlint.calls.names import BUILTINS, canonical, module_meaning
from ctxlint.calls.operators import compound
from ctxlint.calls.program import ClassId, FunctionId, Program
from ctxlint.calls.types import (
    NONE,
    UNKNOWN,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    Type,
    Types,
    annotation_text,
    in_order,
    is_derived,
    one,
    parse_annotation,
    union,
)
from ctxlint.calls.variables import (
    assumed,
    assumed_parameter,
    binding_types,
    captured_variable,
    declared_parameter,
    local_variable,
    narrowed,
)
from ctxlint.flow.reaching import Definitions
from ctxlint.flow.routes import routes
from ctxlint.ir.value import AccessPath, Closure, Constant, Name, Result, Value

ExternalFacts = Callable[[str], str | None]
"""From a canonical name outside the program to the annotation of what it gives, in absolute names; `$0`: its first argument."""


class Passed(Protocol):
    """What inference asks about callers; see `arguments.PassedTypes`."""

    def parameter(self, function: FunctionId, name: str) -> Types: ...
    def values(self, function: FunctionId, name: str) -> Sequence[tuple[tuple[FunctionId, int], Value]]: ...
    def field(self, class_id: ClassId, name: str) -> Types: ...
    def field_values(self, class_id: ClassId, name: str) -> Sequence[tuple[tuple[FunctionId, int], Value]]: ...


class TypeInference:
    """Types of values, paths, attributes and results of one program; every answer is remembered.

    `external_result` says what an external callable gives, `external_attribute` what an external class's attribute holds;
    `definitions` gives the reaching definitions of a function, if somebody keeps them already; `passed` says what callers
    pass, where nothing else says what a parameter or field is.
    """

    def __init__(
        self,
        program: Program,
        external_result: ExternalFacts | None = None,
        external_attribute: ExternalFacts | None = None,
        definitions: Callable[[FunctionId], ReachingDefinitions] | None = None,
        passed: Passed | None = None,
    ) -> None:
        self._passed = passed
        self.program = program
        self._external_result = external_result
        self._external_attribute = external_attribute
        self._provided = definitions
        self._memo: Memo[Types] = Memo(UNKNOWN)
        self.facts: Callable[[FunctionId], Facts] = FactsByFunction(program).__getitem__
        """The facts of a function's events."""
        self._annotations: dict[tuple[str, int, str], Types] = {}
        self._definitions: dict[FunctionId, ReachingDefinitions] = {}
        self._stores: dict[ClassId, dict[str, tuple[tuple[FunctionId, int], ...]]] = {}
        self._other_stores: dict[str, tuple[tuple[FunctionId, int], ...]] = {}
        self._global_writes: dict[str, dict[str, list[tuple[FunctionId, int]]]] = {}

    # The public questions.

    def of_value(self, function: FunctionId, at_event: int, value: Value | None) -> Types:
        """What `value` can be when the function reaches that event."""
        if isinstance(value, Result):
            return self.of_event(function, value.event)
        if isinstance(value, Name):
            types = self._name(function, at_event, value)
            if self.facts(function).narrowings.tests:
                return narrowed(self, function, at_event, (value.name, ()), types)
            return types
        if isinstance(value, Constant):
            return NONE if value.kind == "none" else one(Instance(f"builtins.{value.kind}"))
        if isinstance(value, Closure):
            return self._closure(function.module, value.function)
        return compound(self, function, at_event, value) if value is not None else UNKNOWN

    def of_path(
        self, function: FunctionId, at_event: int, path: AccessPath, keys: tuple[Value, ...] = ()
    ) -> Types:
        """What the path holds when the function reaches that event; `keys` are those of its item steps, if known."""
        types = self.of_value(function, at_event, path.root)
        if not path.steps:
            return types
        taken = 0
        for position, step in enumerate(path.steps):
            if step == "[*]":
                types = self.item_at(function, at_event, types, keys[taken] if taken < len(keys) else None)
                taken += 1
            else:
                types = self.members(types, step)
            if isinstance(path.root, Name) and self.facts(function).narrowings.tests:
                types = narrowed(self, function, at_event, (path.root.name, path.steps[: position + 1]), types)
            elif not types:
                return UNKNOWN
        return types

    def of_event(self, function: FunctionId, event: int) -> Types:
        """What the event produces."""
        question = (function, event)
        known = self._memo.known.get(question)
        return known if known is not None else self._memo.get(question, lambda: self._event(function, event))

    def attribute(self, class_id: ClassId, name: str) -> Types:
        """What the data attribute or property of the class's instances holds."""
        return close(self, self.open_attribute(class_id, name), Instance(class_id))

    def result(self, function: FunctionId) -> Types:
        """What a call of the function gives; of a coroutine, when awaited. See `results.function_result`."""
        owner = self.program.owner(function)
        return close(self, self.open_result(function), Instance(owner) if owner else None)

    def element(self, types: Types) -> Types:
        """What iterating over the value gives."""
        return union(element_of(self, t) for t in in_order(types))

    def item(self, types: Types, key: Value | None = None) -> Types:
        """What `value[key]` is."""
        return union(item_of(self, t, key) for t in in_order(types))

    def item_at(self, function: FunctionId, at_event: int, types: Types, key: Value | None) -> Types:
        """What `value[key]` is, when the function reaches that event: a constant key finds what lies under it."""
        if key is None or not any([isinstance(t, Instance) and t.items for t in types]) or is_slice(key):
            return self.item(types, key)
        keys = constants(self, function, at_event, key)
        return union(
            entry(t, keys) if isinstance(t, Instance) and t.items else item_of(self, t, key) for t in in_order(types)
        )

    def member(self, type: Type, name: str) -> Types:
        """What `value.name` is for a value of this type."""
        question = (type, name)
        known = self._memo.known.get(question)
        return known if known is not None else self._memo.get(question, lambda: members.member_of(self, type, name))

    def members(self, types: Types, name: str) -> Types:
        """What `value.name` is for a value of these types."""
        if len(types) == 1:
            (only,) = types
            return self.member(only, name)
        return union(self.member(t, name) for t in in_order(types))

    def callables(self, function: FunctionId, event: int) -> Types:
        """What the callee of a call event can be: functions, bound methods, classes, externals."""
        call = self.program.function(function).events[event]
        path = call.path
        if path is None:
            return UNKNOWN
        if path.steps and path.steps[-1] == "[*]":
            generic = self.of_path(function, event, AccessPath(path.root, path.steps[:-1]), call.keys)
            if any(isinstance(t, External) and not is_derived(t.name) for t in generic):
                return generic
        return self.of_path(function, event, path, call.keys)

    def invoked(self, types: Types) -> Types:
        """What calling the value gives when nothing is known about the arguments."""
        return union(results.invoked(self, t) for t in in_order(types))

    # What the parts of inference ask of one another.

    def annotation(self, module: str, function: int, text: str) -> Types:
        """What an annotation written in that function says."""
        if not text:
            return UNKNOWN
        key = (module, function, text)
        known = self._annotations.get(key)
        if known is None:
            known = self._annotations[key] = parse_annotation(self.program, module, text, function)
        return known

    def spelled(self, function: FunctionId, value: Value) -> str:
        """The annotation that a value spells out."""
        return annotation_text(self.program.function(function), value)

    def open_attribute(self, class_id: ClassId, name: str) -> Types:
        """`attribute` with its type variables still open."""
        return self._memo.get((class_id, name), lambda: self._find_attribute(class_id, name))

    def _find_attribute(self, class_id: ClassId, name: str) -> Types:
        found = members.attribute_of(self, class_id, name)
        if found:
            return found
        if self._passed is None:
            self._memo.missed()
            return found
        return self._passed.field(class_id, name)

    def with_callers(self, passed: Passed) -> TypeInference:
        """The same inference, which also looks at what callers pass."""
        after = TypeInference(
            self.program, self._external_result, self._external_attribute, self.reaching, passed
        )
        after._memo = Memo(UNKNOWN, before=self._memo)
        after.facts, after._annotations, after._stores = self.facts, self._annotations, self._stores
        after._global_writes, after._other_stores = self._global_writes, self._other_stores
        return after

    def open_result(self, function: FunctionId) -> Types:
        """`result` with its type variables still open."""
        return self._memo.get(function, lambda: results.function_result(self, function))

    def stores(self, class_id: ClassId) -> dict[str, tuple[tuple[FunctionId, int], ...]]:
        """Where the class's own methods store into attributes of their receiver."""
        known = self._stores.get(class_id)
        if known is None:
            known = self._stores[class_id] = members.store_tables(self, class_id)
        return known

    def symbol(self, qualified: str) -> Types:
        """What the absolute dotted name means."""
        return self._memo.get(qualified, lambda: symbol_types(self, canonical(self.program, qualified)))

    def external_result(self, name: str) -> str:
        """The annotation text of what an external callable gives, or empty."""
        return (self._external_result(name) if self._external_result is not None else None) or ""

    def external_attribute(self, name: str) -> Types:
        """What an attribute of an external class holds."""
        text = self._external_attribute(name) if self._external_attribute is not None else None
        return self.external_types(text) if text else UNKNOWN

    def external_types(self, text: str) -> Types:
        """An annotation in absolute names, as models write it."""
        return self.annotation("", 0, text)

    def assuming(self, function: FunctionId, at_event: int, value: Value, test: Value, holds: bool) -> Types:
        """What `value` is where the test was true (or, not `holds`, false): `x if isinstance(x, C) else y`."""
        return assumed(self, function, at_event, value, test, holds)

    def remembered(self, question: Hashable, answer: Callable[[], Types]) -> Types:
        """The answer to a question that can ask itself again; see `memo`."""
        return self._memo.get(question, answer)

    # Names.

    def _name(self, function: FunctionId, at_event: int, name: Name) -> Types:
        if name.scope == "local":
            return local_variable(self, function, at_event, name.name)
        if name.scope == "captured":
            return captured_variable(self, function, name.name)
        if function.index == 0:
            types = module_variable(self, function, at_event, name.name)
            if types:
                return types
        return self.symbol_in(function.module, name.name)

    def symbol_in(self, module: str, name: str) -> Types:
        """What a module-level or builtin name means in the module."""
        question = (module, ".", name)
        known = self._memo.known.get(question)
        return known if known is not None else self._memo.get(
            question, lambda: symbol_types(self, module_meaning(self.program, module, name))
        )

    def reaching(self, function: FunctionId) -> ReachingDefinitions:
        known = self._definitions.get(function)
        if known is None:
            if self._provided is not None:
                known = self._provided(function)
            else:
                known = Definitions(routes(self.program.function(function), lambda event: True))
            self._definitions[function] = known
        return known

    def parameter(self, function: FunctionId, name: str) -> Types:
        return self._memo.get((function, "parameter", name), lambda: self._known_or_passed(function, name))

    def _known_or_passed(self, function: FunctionId, name: str) -> Types:
        declared = declared_parameter(self, function, name)
        if declared:
            return declared
        assumed = assumed_parameter(self, function, name)
        if self._passed is None:
            self._memo.missed()
            return assumed
        return union([assumed, self._passed.parameter(function, name)]) or assumed

    def passed_values(
        self, function: FunctionId, name: str
    ) -> Sequence[tuple[tuple[FunctionId, int], Value]] | None:
        """The arguments that callers give for a parameter, each with its call; None while nobody looks at callers."""
        if self._passed is None:
            self._memo.missed()
            return None
        return self._passed.values(function, name)

    def constructed_with(self, class_id: ClassId, name: str) -> Sequence[tuple[tuple[FunctionId, int], Value]]:
        """The arguments that calls of a class without a constructor of its own give for a field, each with its call."""
        return self._passed.field_values(class_id, name) if self._passed is not None else ()

    def binding(self, function: FunctionId, name: str, event: int) -> Types:
        question = (function, "binding", event)
        known = self._memo.known.get(question)
        return known if known is not None else self._memo.get(
            question, lambda: binding_types(self, function, name, event)
        )

    # Module level.

    def global_writes(self, module: str) -> dict[str, list[tuple[FunctionId, int]]]:
        """Where module-level variables of the module are bound, by name."""
        known = self._global_writes.get(module)
        if known is None:
            known = self._global_writes[module] = global_writes_of(self, module)
        return known

    def other_stores(self, attribute: str) -> Sequence[tuple[FunctionId, int]]:
        """Where code stores into an attribute of that name of something that is not its own receiver."""
        if not self._other_stores:
            self._other_stores.update(other_stores_of(self))
        return self._other_stores.get(attribute, ())

    # Events.

    def _event(self, id: FunctionId, index: int) -> Types:
        event = self.program.function(id).events[index]
        kind = event.kind
        if kind == "read" and event.path is not None:
            return self.of_path(id, index, event.path, event.keys)
        if kind == "call":
            path = event.path
            if path is not None and not path.steps and path.root == _SUPER:
                return results.super_of(self, id)
            return results.call_result(self, id, index)
        if kind == "iterate":
            return self.element(self.of_value(id, index, event.value))
        if kind == "suspend" and event.note == "await":
            return results.await_result(self, self.of_value(id, index, event.value))
        if kind == "enter":
            return results.entered(self, self.of_value(id, index, event.value), event.note == "async")
        if kind == "define":
            return self.of_value(id, index, event.value)
        return UNKNOWN

    def _closure(self, module: str, index: int) -> Types:
        id = FunctionId(module, index)
        class_id = self.program.class_of_body(id)
        return one(ClassObject(class_id) if class_id is not None else FunctionRef(id))

    def called(self, method: FunctionId, receiver: Instance) -> Types:
        """What calling the method on the receiver gives."""
        return close(self, results.called_function(self, method), receiver)

_SUPER = Name("super", "global")


__all__ = ["BUILTINS", "ExternalFacts", "ReachingDefinitions", "TypeInference"]
