"""What values are: constructors, annotations, fields, defaults, returns, elements, narrowings.

Inference is optimistic: where some origins of a value are known and others are not, the known ones are taken.
It never looks at a name to guess a type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ctxlint.calls import elements, members, results
from ctxlint.calls.facts import Facts, facts_of
from ctxlint.calls.generics import close
from ctxlint.calls.memo import Memo
from ctxlint.calls.names import BUILTINS, canonical, module_meaning, split
from ctxlint.calls.narrowing import NOTHING, Narrowings, Place, narrowings_of
from ctxlint.calls.operators import compound
from ctxlint.calls.program import ClassId, FunctionId, Program
from ctxlint.calls.types import (
    NONE,
    UNKNOWN,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    Module,
    Type,
    Types,
    annotation_text,
    in_order,
    one,
    parse_annotation,
    union,
)
from ctxlint.flow.graph import event_graph
from ctxlint.flow.reaching import ENTRY_VALUE, Definitions
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Closure, Constant, Name, Result, Value

ExternalFacts = Callable[[str], "str | None"]
"""From a canonical name outside the program to the annotation of what it gives, in absolute names; `$0`: its first argument."""


class ReachingDefinitions(Protocol):
    """What inference asks of `flow.reaching.Definitions`."""

    def definitions(self, at_event: int, name: str) -> tuple[int, ...]: ...


class TypeInference:
    """Types of values, paths, attributes and results of one program; every answer is remembered.

    `external_result` says what an external callable gives, `external_attribute` what an external class's attribute holds;
    `definitions` gives the reaching definitions of a function, if somebody keeps them already.
    """

    def __init__(
        self,
        program: Program,
        external_result: ExternalFacts | None = None,
        external_attribute: ExternalFacts | None = None,
        definitions: Callable[[FunctionId], ReachingDefinitions] | None = None,
    ) -> None:
        self.program = program
        self._external_result = external_result
        self._external_attribute = external_attribute
        self._provided = definitions
        self._memo: Memo[Types] = Memo(UNKNOWN)
        self._facts: dict[FunctionId, Facts] = {}
        self._annotations: dict[tuple[str, int, str], Types] = {}
        self._definitions: dict[FunctionId, ReachingDefinitions] = {}
        self._tests: dict[FunctionId, Narrowings] = {}
        self._stores: dict[ClassId, dict[str, tuple[tuple[FunctionId, int], ...]]] = {}
        self._global_writes: dict[str, dict[str, list[tuple[FunctionId, int]]]] = {}

    # The public questions.

    def of_value(self, function: FunctionId, at_event: int, value: Value | None) -> Types:
        """What `value` can be when the function reaches that event."""
        if isinstance(value, Result):
            return self.of_event(function, value.event)
        if isinstance(value, Name):
            types = self._name(function, at_event, value)
            if self._narrowings(function).tests:
                return self._narrowed(function, at_event, (value.name, ()), types)
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
        taken = 0
        narrowings = self._narrowings(function) if isinstance(path.root, Name) else NOTHING
        for position, step in enumerate(path.steps):
            if step == "[*]":
                types = self.item(types, keys[taken] if taken < len(keys) else None)
                taken += 1
            else:
                types = union(self.member(t, step) for t in in_order(types))
            if narrowings.tests and isinstance(path.root, Name):
                types = self._narrowed(function, at_event, (path.root.name, path.steps[: position + 1]), types)
            elif not types:
                return UNKNOWN
        return types

    def of_event(self, function: FunctionId, event: int) -> Types:
        """What the event produces."""
        return self._memo.get((function, event), lambda: self._event(function, event))

    def attribute(self, class_id: ClassId, name: str) -> Types:
        """What the data attribute or property of the class's instances holds."""
        return close(self, self.open_attribute(class_id, name), Instance(class_id))

    def result(self, function: FunctionId) -> Types:
        """What a call of the function gives; of a coroutine, when awaited. See `results.function_result`."""
        owner = self.program.owner(function)
        return close(self, self.open_result(function), Instance(owner) if owner else None)

    def element(self, types: Types) -> Types:
        """What iterating over the value gives."""
        return union(self._element(t) for t in in_order(types))

    def item(self, types: Types, key: Value | None = None) -> Types:
        """What `value[key]` is."""
        return union(self._item(t, key) for t in in_order(types))

    def member(self, type: Type, name: str) -> Types:
        """What `value.name` is for a value of this type."""
        return members.member_of(self, type, name)

    def callables(self, function: FunctionId, event: int) -> Types:
        """What the callee of a call event can be: functions, bound methods, classes, externals."""
        call = self.program.function(function).events[event]
        return self.of_path(function, event, call.path, call.keys) if call.path is not None else UNKNOWN

    def invoked(self, types: Types) -> Types:
        """What calling the value gives when nothing is known about the arguments."""
        return union(results.invoked(self, t) for t in in_order(types))

    # What the parts of inference ask of one another.

    def facts(self, function: FunctionId) -> Facts:
        """The facts of the function's events."""
        known = self._facts.get(function)
        if known is None:
            known = self._facts[function] = facts_of(self.program.function(function))
        return known

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
        return self._memo.get((class_id, name), lambda: members.attribute_of(self, class_id, name))

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
        return self._memo.get(qualified, lambda: self._symbol(canonical(self.program, qualified)))

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

    # Names.

    def _name(self, function: FunctionId, at_event: int, name: Name) -> Types:
        if name.scope == "local":
            return self._local(function, at_event, name.name)
        if name.scope == "captured":
            return self._captured(function, name.name)
        return self.symbol_in(function.module, name.name)

    def symbol_in(self, module: str, name: str) -> Types:
        """What a module-level or builtin name means in the module."""
        key = (module, ".", name)
        return self._memo.get(key, lambda: self._symbol(module_meaning(self.program, module, name)))

    def _local(self, function: FunctionId, at_event: int, name: str) -> Types:
        facts = self.facts(function)
        bindings = facts.bindings.get(name)
        if bindings is None:
            return self._parameter(function, name) if name in facts.formals else UNKNOWN
        if len(bindings) > 1 or name in facts.formals:
            reaching = self._reaching(function).definitions(at_event, name) if at_event < self._size(function) else ()
            bindings = reaching or (*((ENTRY_VALUE,) if name in facts.formals else ()), *bindings)
        return union(
            self._parameter(function, name) if binding == ENTRY_VALUE else self._binding(function, name, binding)
            for binding in bindings
        )

    def _narrowings(self, function: FunctionId) -> Narrowings:
        known = self._tests.get(function)
        if known is None:
            known = self._tests[function] = narrowings_of(self.program.function(function))
        return known

    def _narrowed(self, function: FunctionId, at_event: int, place: Place, types: Types) -> Types:
        """The types that remain after the tests which hold at the event, unless the variable was bound again since."""
        for test in self._narrowings(function).holding(at_event, place):
            if test.event < self._size(function) and len(self.facts(function).bindings.get(place[0], ())) > 1:
                reaching = self._reaching(function)
                if reaching.definitions(at_event, place[0]) != reaching.definitions(test.event, place[0]):
                    continue
            classes = union(self.of_value(function, min(test.event, at_event), c) for c in test.classes)
            tested = _instances(classes)
            if tested:
                kept = frozenset(t for t in types if self._within(t, tested))
                return kept or tested
        return types

    def _within(self, type: Type, tested: Types) -> bool:
        """Whether the type is one of those tested for, or derived from one."""
        if not isinstance(type, Instance):
            return False
        info = self.program.class_(type.name)
        ancestors = info.mro if info is not None else (type.name,)
        return any(isinstance(t, Instance) and t.name in ancestors for t in tested)

    def _size(self, function: FunctionId) -> int:
        return len(self.program.function(function).events)

    def _reaching(self, function: FunctionId) -> ReachingDefinitions:
        known = self._definitions.get(function)
        if known is None:
            if self._provided is not None:
                known = self._provided(function)
            else:
                known = Definitions(event_graph(self.program.function(function), lambda event: True))
            self._definitions[function] = known
        return known

    def _captured(self, function: FunctionId, name: str) -> Types:
        """A captured variable can hold whatever the enclosing function ever puts there."""
        index = self.program.function(function).enclosing
        while index > 0:
            id = FunctionId(function.module, index)
            facts = self.facts(id)
            enclosing = self.program.function(id)
            if enclosing.kind != "class" and (name in facts.bindings or name in facts.formals):
                parts = [self._binding(id, name, event) for event in facts.bindings.get(name, ())]
                return union([*parts, self._parameter(id, name) if name in facts.formals else UNKNOWN])
            index = enclosing.enclosing
        return self.symbol_in(function.module, name)

    def _parameter(self, function: FunctionId, name: str) -> Types:
        return self._memo.get((function, "parameter", name), lambda: self._find_parameter(function, name))

    def _find_parameter(self, id: FunctionId, name: str) -> Types:
        function = self.program.function(id)
        formal = self.facts(id).formals.get(name)
        if formal is None:
            return UNKNOWN
        if formal.annotation:
            annotated = close(self, self.annotation(id.module, id.index, formal.annotation), self._receiver(function, id))
            if formal.kind == "variadic":
                return elements.instance("builtins.tuple", annotated)
            if formal.kind == "keywords":
                return elements.instance("builtins.dict", elements.STR, annotated)
            if annotated:
                return annotated
        if formal.kind in ("variadic", "keywords"):
            return one(Instance("builtins.tuple" if formal.kind == "variadic" else "builtins.dict"))
        if name == members.receiver_name(function) and formal is function.formals[0]:
            receiver = self._receiver(function, id)
            if receiver is not None:
                return one(ClassObject(receiver.name) if members.receives_class(function) else receiver)
        if formal.default is not None:
            enclosing = FunctionId(id.module, max(function.enclosing, 0))
            default = self.of_value(enclosing, self._size(enclosing), formal.default)
            return UNKNOWN if default == NONE else default
        return UNKNOWN

    def _receiver(self, function: Function, id: FunctionId) -> Instance | None:
        return Instance(f"{id.module}.{function.owner}") if function.owner else None

    def _binding(self, function: FunctionId, name: str, event: int) -> Types:
        return self._memo.get((function, "binding", event), lambda: self._find_binding(function, name, event))

    def _find_binding(self, id: FunctionId, name: str, event: int) -> Types:
        function = self.program.function(id)
        bound = function.events[event]
        if bound.kind == "import":
            targets = self.program.scopes[id.module].local_imports.get(id.index, {}).get(name, ())
            return self.symbol(targets[0]) if targets else UNKNOWN
        if bound.kind == "catch":
            return _instances(self.of_value(id, event, bound.value))
        annotated = self._annotated(id, name)
        if annotated:
            return annotated
        return self.of_value(id, event, bound.value)

    def _annotated(self, id: FunctionId, name: str) -> Types:
        """What the annotation of a variable says, wherever in the function it is written."""
        function = self.program.function(id)
        facts = self.facts(id)
        for event in (*facts.bindings.get(name, ()), *facts.globals.get(name, ())):
            note = function.events[event].note
            if function.events[event].kind == "local" and note and note != "aug":
                return close(self, self.annotation(id.module, id.index, note), self._receiver(function, id))
        return UNKNOWN

    # Module level.

    def _symbol(self, qualified: str) -> Types:
        program = self.program
        if not qualified:
            return UNKNOWN
        if program.class_(qualified) is not None:
            return one(ClassObject(qualified))
        if qualified in program.modules:
            return one(Module(qualified))
        if qualified.startswith("builtins."):
            return one(ClassObject(qualified) if elements.builtin_class(qualified) else External(qualified))
        module, rest = split(program, qualified)
        if not module:
            return one(External(qualified))
        function = program.named_function(qualified)
        if function is not None:
            return one(FunctionRef(function))
        head, _, steps = rest.partition(".")
        if steps:
            types = self.symbol(f"{module}.{head}")
            for step in steps.split("."):
                types = union(self.member(t, step) for t in in_order(types))
            return types
        return self._variable(module, head)

    def _variable(self, module: str, name: str) -> Types:
        """A module's variable: its annotation, else what the module and its functions put there."""
        body = FunctionId(module, 0)
        annotated = self._annotated(body, name)
        if annotated:
            return annotated
        return union(
            self._binding(id, name, event)
            for id, event in self.global_writes(module).get(name, ())
        )

    def global_writes(self, module: str) -> dict[str, list[tuple[FunctionId, int]]]:
        """Where module-level variables of the module are bound, by name."""
        known = self._global_writes.get(module)
        if known is None:
            known = {}
            for index in range(len(self.program.modules[module].ir.functions)):
                id = FunctionId(module, index)
                for name, events in self.facts(id).globals.items():
                    known.setdefault(name, []).extend((id, event) for event in events)
            self._global_writes[module] = known
        return known

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

    def _element(self, type: Type) -> Types:
        if not isinstance(type, Instance):
            return UNKNOWN
        info = self.program.class_(type.name)
        if info is None:
            return elements.elements(type)
        for name in ("__iter__", "__aiter__"):
            method = self.program.method(type.name, name)
            if method is not None:
                return self._iterated(type, self.called(method, type))
        return union(elements.elements(base) for base in self._container_bases(type))

    def _iterated(self, type: Instance, iterators: Types) -> Types:
        """What an iterator gives; a class of the program that returns itself gives what its `__next__` gives."""
        parts: list[Types] = []
        for t in in_order(iterators):
            for name in ("__next__", "__anext__"):
                method = self.program.method(t.name, name) if isinstance(t, Instance) else None
                if method is not None and isinstance(t, Instance):
                    parts.append(close(self, self.open_result(method), t))
                    break
            else:
                parts.append(self._element(t) if t != type else UNKNOWN)
        return union(parts)

    def _item(self, type: Type, key: Value | None) -> Types:
        if not isinstance(type, Instance):
            return one(type) if isinstance(type, ClassObject) else UNKNOWN
        if self.program.class_(type.name) is None:
            return elements.items(type, key)
        method = self.program.method(type.name, "__getitem__")
        if method is not None:
            return self.called(method, type)
        return union(elements.items(base, key) for base in self._container_bases(type))

    def called(self, method: FunctionId, receiver: Instance) -> Types:
        """What calling the method on the receiver gives."""
        return close(self, results.called_function(self, method), receiver)

    def _container_bases(self, type: Instance) -> list[Instance]:
        """The containers of the language that a class of the program is derived from, with their type arguments."""
        info = self.program.class_(type.name)
        found: list[Instance] = []
        for ancestor in info.mro if info is not None else ():
            declared = self.program.class_(ancestor)
            for text in declared.ir.bases if declared is not None else ():
                if declared is not None and "[" in text:
                    enclosing = max(self.program.function_at(declared.module, declared.ir.body).enclosing, 0)
                    bases = close(self, self.annotation(declared.module, enclosing, text), type)
                    found += [t for t in in_order(bases) if isinstance(t, Instance)]
        return found


_SUPER = Name("super", "global")


def _instances(types: Types) -> Types:
    """Instances of the caught classes."""
    parts: list[Types] = []
    for t in in_order(types):
        if isinstance(t, (ClassObject, External)):
            parts.append(one(Instance(t.name)))
        elif isinstance(t, Instance) and t.name == "builtins.tuple":
            parts.append(_instances(union(t.arguments)))
    return union(parts)


__all__ = ["BUILTINS", "ExternalFacts", "ReachingDefinitions", "TypeInference"]
