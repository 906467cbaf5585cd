"""What variables hold: locals by their reaching definitions, captured ones by all of them, parameters, and what tests leave."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.additions import as_shown, filled, is_bare, leaves_open
from ctxlint.calls.elements import STR
from ctxlint.calls.generics import close
from ctxlint.calls.inference import Inference
from ctxlint.calls.members import receiver_name, receives_class
from ctxlint.calls.narrowing import Place, established, place_of
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import (
    NONE,
    UNKNOWN,
    ClassObject,
    External,
    Instance,
    Type,
    Types,
    in_order,
    instance,
    one,
    union,
)
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.function import Function
from ctxlint.ir.value import Name, Result, Value


def local_variable(inference: Inference, function: FunctionId, at_event: int, name: str) -> Types:
    facts = inference.facts(function)
    bindings = facts.bindings.get(name)
    if bindings is None:
        return inference.parameter(function, name) if name in facts.formals else UNKNOWN
    if len(bindings) == 1 and name not in facts.formals:
        types = inference.binding(function, name, bindings[0])
    else:
        types = _reaching_types(inference, function, at_event, name, bindings, name in facts.formals)
    added = facts.additions.get((name, ""))
    if added and is_bare(types):
        return _filled_local(inference, function, name, types, added)
    return types


def _reaching_types(
    inference: Inference, function: FunctionId, at_event: int, name: str, bindings: tuple[int, ...], is_formal: bool
) -> Types:
    """The union of what the bindings that reach the event bind."""
    parts = {binding: inference.binding(function, name, binding) for binding in bindings}
    if is_formal:
        parts[ENTRY_VALUE] = inference.parameter(function, name)
    if len(parts) > 1 and at_event < _size(inference, function) and _differ(parts.values()):
        reaching = inference.reaching(function).definitions(at_event, name)
        return union(parts[binding] for binding in reaching or parts if binding in parts)
    return union(parts.values())


def captured_variable(inference: Inference, function: FunctionId, name: str) -> Types:
    """A captured variable can hold whatever the enclosing function ever puts there."""
    index = inference.program.function(function).enclosing
    while index > 0:
        id = FunctionId(function.module, index)
        facts = inference.facts(id)
        enclosing = inference.program.function(id)
        if enclosing.kind != "class" and (name in facts.bindings or name in facts.formals):
            parts = [inference.binding(id, name, event) for event in facts.bindings.get(name, ())]
            return union([*parts, inference.parameter(id, name) if name in facts.formals else UNKNOWN])
        index = enclosing.enclosing
    return inference.symbol_in(function.module, name)


def declared_parameter(inference: Inference, id: FunctionId, name: str) -> Types:
    """What the function itself says that the parameter is: by its annotation, or as a method's receiver."""
    function = inference.program.function(id)
    formal = inference.facts(id).formals.get(name)
    if formal is None:
        return UNKNOWN
    if formal.annotation:
        annotated = close(inference, inference.annotation(id.module, max(function.enclosing, 0), formal.annotation), _receiver(function, id))
        if formal.kind == "variadic":
            return instance("builtins.tuple", annotated)
        if formal.kind == "keywords":
            return instance("builtins.dict", STR, annotated)
        if annotated:
            return annotated
    if name == receiver_name(function) and formal is function.formals[0]:
        receiver = _receiver(function, id)
        if receiver is not None:
            return one(ClassObject(receiver.name) if receives_class(function) else receiver)
    return UNKNOWN


def assumed_parameter(inference: Inference, id: FunctionId, name: str) -> Types:
    """What the parameter is when nothing is passed: its default, or an empty tuple or dict."""
    function = inference.program.function(id)
    formal = inference.facts(id).formals.get(name)
    if formal is None:
        return UNKNOWN
    if formal.kind in ("variadic", "keywords"):
        return one(Instance("builtins.tuple" if formal.kind == "variadic" else "builtins.dict"))
    if formal.default is not None:
        enclosing = FunctionId(id.module, max(function.enclosing, 0))
        default = inference.of_value(enclosing, _size(inference, enclosing), formal.default)
        return UNKNOWN if default == NONE else default
    return UNKNOWN


def binding_types(inference: Inference, id: FunctionId, name: str, event: int) -> Types:
    function = inference.program.function(id)
    bound = function.events[event]
    if bound.kind == "import":
        targets = inference.program.scopes[id.module].local_imports.get(id.index, {}).get(name, ())
        return inference.symbol(targets[0]) if targets else UNKNOWN
    if bound.kind == "catch":
        return instances_of(inference.of_value(id, event, bound.value))
    annotated = annotated_variable(inference, id, name)
    if annotated and not leaves_open(annotated):
        return annotated
    return as_shown(annotated, inference.of_value(id, event, bound.value))


def annotated_variable(inference: Inference, id: FunctionId, name: str) -> Types:
    """What the annotation of a variable says, wherever in the function it is written."""
    function = inference.program.function(id)
    facts = inference.facts(id)
    for event in (*facts.bindings.get(name, ()), *facts.globals.get(name, ())):
        note = function.events[event].note
        if function.events[event].kind == "local" and note and note != "aug":
            return close(inference, inference.annotation(id.module, id.index, note), _receiver(function, id))
    return UNKNOWN


def narrowed(inference: Inference, function: FunctionId, at_event: int, place: Place, types: Types) -> Types:
    """The types that remain after the tests which hold at the event, unless the variable was bound again since."""
    for test in inference.facts(function).narrowings.holding(at_event, place):
        if not _bound_since(inference, function, test.event, at_event, place[0]):
            tested = _tested(inference, function, at_event, test.classes)
            if tested:
                return frozenset(t for t in types if _within(inference, t, tested)) or tested
    return types


def assumed(inference: Inference, function: FunctionId, at_event: int, value: Value, test: Value, holds: bool) -> Types:
    """What `value` is where the test was true (or, not `holds`, false): `x if isinstance(x, C) else y`."""
    types = inference.of_value(function, at_event, value)
    ir = inference.program.function(function)
    for found in established(ir, test, holds) if isinstance(value, (Name, Result)) else ():
        tested = _tested(inference, function, at_event, found.classes) if found.place == place_of(ir, value) else UNKNOWN
        if tested:
            return frozenset(t for t in types if _within(inference, t, tested)) or tested
    return types


def instances_of(types: Types) -> Types:
    """Instances of the caught classes."""
    parts: list[Types] = []
    for t in in_order(types):
        if isinstance(t, (ClassObject, External)):
            parts.append(one(Instance(t.name)))
        elif isinstance(t, Instance) and t.name == "builtins.tuple":
            parts.append(instances_of(union(t.arguments)))
    return union(parts)


def _filled_local(inference: Inference, function: FunctionId, name: str, types: Types, added: tuple[int, ...]) -> Types:
    question = (function, "filled", name, types)
    return inference.remembered(question, lambda: filled(inference, types, ((function, event) for event in added)))


def _tested(inference: Inference, function: FunctionId, at_event: int, classes: tuple[Value, ...]) -> Types:
    return instances_of(union(inference.of_value(function, at_event, each) for each in classes))


def _bound_since(inference: Inference, function: FunctionId, tested: int | None, at_event: int, name: str) -> bool:
    facts = inference.facts(function)
    bindings = len(facts.bindings.get(name, ())) + (name in facts.formals)
    if tested is None or bindings < 2:
        return False
    reaching = inference.reaching(function)
    return reaching.definitions(at_event, name) != reaching.definitions(tested, name)


def _within(inference: Inference, type: Type, tested: Types) -> bool:
    """Whether the type is one of those tested for, or derived from one."""
    if not isinstance(type, Instance):
        return False
    info = inference.program.class_(type.name)
    ancestors = info.mro if info is not None else (type.name,)
    return any(isinstance(t, Instance) and t.name in ancestors for t in tested)


def _size(inference: Inference, function: FunctionId) -> int:
    return len(inference.program.function(function).events)


def _receiver(function: Function, id: FunctionId) -> Instance | None:
    return Instance(f"{id.module}.{function.owner}") if function.owner else None


def _differ(parts: Iterable[Types]) -> bool:
    """Whether it matters which of the parts is meant."""
    known = [part for part in parts if part != NONE]
    return any(part != known[0] for part in known)
