"""What an attribute is: of an instance, a class, a module, or of something outside the program."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.additions import as_shown, filled, is_bare, leaves_open
from ctxlint.calls.elements import AWAITABLES, OF_AWAITABLES, awaited, builtin_class, lacks
from ctxlint.calls.entries import holds_callables
from ctxlint.calls.generics import close
from ctxlint.calls.inference import Inference
from ctxlint.calls.names import split
from ctxlint.calls.program import ClassId, FunctionId, is_property
from ctxlint.calls.types import (
    NONE,
    UNION,
    UNKNOWN,
    BoundMethod,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    Module,
    SuperOf,
    Type,
    Types,
    one,
    union,
)
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.module import Field
from ctxlint.ir.value import Result

FACTORIES = ("default_factory", "factory")
"""The keywords by which dataclasses, attrs and pydantic name what makes a field's default."""


def member_of(inference: Inference, type: Type, name: str) -> Types:
    """What `value.name` is when `value` has this type; unknown when the class has no such attribute."""
    if isinstance(type, Instance):
        return _of_instance(inference, type, name)
    if isinstance(type, External):
        dotted = f"{type.name}.{name}"
        return inference.symbol(dotted) if split(inference.program, dotted)[0] else one(External(dotted))
    if isinstance(type, Module):
        return inference.symbol(f"{type.name}.{name}")
    if isinstance(type, ClassObject):
        return _of_class(inference, type, name)
    if isinstance(type, SuperOf):
        return _of_super(inference, type.owner, name)
    if isinstance(type, BoundMethod) and isinstance(type.method, str):
        return one(External(f"{type.method}.{name}"))
    return UNKNOWN


def attribute_of(inference: Inference, class_id: ClassId, name: str) -> Types:
    """The data in an attribute of the class's instances: the nearest class in the method resolution order that says
    something decides, then what subclasses put there. Type variables stay open.
    """
    info = inference.program.class_(class_id)
    if info is None:
        return UNKNOWN
    for ancestor in info.mro:
        if inference.program.class_(ancestor) is None:
            found = inference.external_attribute(f"{ancestor}.{name}")
        else:
            found = _own_attribute(inference, ancestor, name)
        if found:
            return found
    return union(_own_attribute(inference, subclass, name) for subclass in info.subclasses)


def store_tables(inference: Inference, class_id: ClassId) -> dict[str, tuple[tuple[FunctionId, int], ...]]:
    """Where the methods of the class's own body store into attributes of their receiver, by attribute, in order."""
    found: dict[str, tuple[tuple[FunctionId, int], ...]] = {}
    for method in _methods(inference, class_id):
        receiver = receiver_name(inference.program.function(method))
        for (root, attribute), events in inference.facts(method).stores.items():
            if root == receiver:
                found[attribute] = (*found.get(attribute, ()), *((method, event) for event in events))
    return found


def receiver_name(function: Function) -> str:
    """The name by which a method calls its receiver (`self`, `cls`); empty for functions that have none."""
    if not function.owner or not function.formals or function.kind in ("lambda", "class", "module"):
        return ""
    if any(text.rpartition(".")[2] == "staticmethod" for text in function.decorators):
        return ""
    first = function.formals[0]
    return first.name if first.kind in ("positional", "positional-only") else ""


def receives_class(function: Function) -> bool:
    """Whether a method's receiver is the class."""
    name = function.qualname.rpartition(".")[2]
    if name in ("__new__", "__init_subclass__", "__class_getitem__"):
        return True
    return any(text.rpartition(".")[2] == "classmethod" for text in function.decorators)


def _methods(inference: Inference, class_id: ClassId) -> Iterator[FunctionId]:
    info = inference.program.class_(class_id)
    if info is not None:
        for method in info.ir.methods:
            yield FunctionId(info.module, method.function)


def _own_attribute(inference: Inference, class_id: ClassId, name: str) -> Types:
    info = inference.program.class_(class_id)
    if info is None:
        return UNKNOWN
    body = FunctionId(info.module, info.ir.body)
    fields = [field for field in info.ir.fields if field.name == name]
    for field in fields:
        annotated = inference.annotation(info.module, info.ir.body, field.annotation) if field.annotation else UNKNOWN
        if annotated:
            if leaves_open(annotated):
                annotated = as_shown(annotated, _default(inference, body, field))
            return filled(inference, annotated, _additions(inference, class_id, name)) if is_bare(annotated) else annotated
    own = inference.program.own_method(class_id, name)
    if own is not None:
        function = inference.program.function(own)
        return inference.open_result(own) if is_property(function) else UNKNOWN
    stores = inference.stores(class_id).get(name, ())
    for method, event in stores:
        stored = inference.program.function(method).events[event]
        annotated = inference.annotation(method.module, method.index, store_annotation(stored))
        if annotated:
            if leaves_open(annotated):
                annotated = as_shown(annotated, inference.of_value(method, event, stored.value))
            return filled(inference, annotated, _additions(inference, class_id, name)) if is_bare(annotated) else annotated
    defaults = [_default(inference, body, field) for field in fields]
    written = [
        inference.of_value(method, event, stored.value)
        for method, event in stores
        if (stored := inference.program.function(method).events[event]).note != "aug"
    ]
    found = union([*defaults, *written])
    if not found or found == NONE or holds_callables(found):
        found = union([found, *_stored_elsewhere(inference, class_id, name)])
    return filled(inference, found, _additions(inference, class_id, name)) if is_bare(found) else found


def _stored_elsewhere(inference: Inference, class_id: ClassId, name: str) -> Iterator[Types]:
    """The callables that code outside the class's own methods puts into the attribute: `store.on_change = refresh`."""
    for function, event in inference.other_stores(name):
        stored = inference.program.function(function).events[event]
        assert stored.path is not None
        holders = inference.of_value(function, event, stored.path.root)
        if any(isinstance(t, (Instance, ClassObject)) and t.name == class_id for t in holders) and stored.note != "aug":
            yield frozenset(t for t in inference.of_value(function, event, stored.value) if holds_callables(one(t)))


def _additions(inference: Inference, class_id: ClassId, name: str) -> Iterator[tuple[FunctionId, int]]:
    """Where the methods of the class's own body put something into the container in the attribute."""
    for method in _methods(inference, class_id):
        receiver = receiver_name(inference.program.function(method))
        for event in inference.facts(method).additions.get((receiver, name), ()) if receiver else ():
            yield method, event


def store_annotation(event: Event) -> str:
    """The annotation written at an attribute store (`self.x: T = v`), or empty."""
    return "" if event.note == "aug" else event.note


def _default(inference: Inference, body: FunctionId, field: Field) -> Types:
    """A field's default; for `field(default_factory=F)` and its like what F makes, for `Field(v)` and its like v."""
    if field.default is None:
        return UNKNOWN
    function = inference.program.function(body)
    last = len(function.events)
    if isinstance(field.default, Result) and function.events[field.default.event].kind == "call":
        arguments = {a.keyword: a.value for a in function.events[field.default.event].arguments}
        for keyword in FACTORIES:
            if keyword in arguments:
                return inference.invoked(inference.of_value(body, last, arguments[keyword]))
        if "default" in arguments:
            return inference.of_value(body, last, arguments["default"])
    return inference.of_value(body, last, field.default)


def _of_instance(inference: Inference, type: Instance, name: str) -> Types:
    program = inference.program
    info = program.class_(type.name)
    if info is None and name == "__class__":
        return one(ClassObject(type.name))
    if info is None and type.name in AWAITABLES and name not in OF_AWAITABLES:
        return inference.members(awaited(type), name)
    if info is None:
        found = inference.external_attribute(f"{type.name}.{name}")
        return found or (UNKNOWN if lacks(type.name, name) else one(BoundMethod(type, f"{type.name}.{name}")))
    method = program.method(type.name, name)
    if method is not None:
        function = program.function(method)
        if is_property(function):
            return close(inference, inference.open_result(method), type)
        return _bound(type, method, function)
    below = [m for m in program.overriders(type.name, name) if not is_property(program.function(m))]
    data = union([
        close(inference, inference.open_attribute(type.name, name), type),
        *(_bound(type, m, program.function(m)) for m in below[:UNION]),
    ])
    if data:
        return data
    bodies = [_class_member(inference, ancestor, name) for ancestor in info.mro]
    nested = next((found for found in bodies if found), UNKNOWN)
    return nested or _inherited(inference, type, name) or _of_any_object(type, name)


def _bound(receiver: Instance | ClassObject, method: FunctionId, function: Function) -> Types:
    if not receiver_name(function):
        return one(FunctionRef(method))
    if isinstance(receiver, ClassObject) and not receives_class(function):
        return one(FunctionRef(method))
    return one(BoundMethod(receiver, method))


def _inherited(inference: Inference, receiver: Instance | ClassObject, name: str) -> Types:
    """An attribute that only a class outside the program can have; nothing when there is no such ancestor, or when the
    class computes its attributes.
    """
    program = inference.program
    if program.method(receiver.name, "__getattr__") is not None:
        return UNKNOWN
    bases = [base for base in program.external_bases(receiver.name) if not lacks(base, name)]
    return union(one(BoundMethod(receiver, f"{base}.{name}")) for base in bases)


def _of_any_object(type: Instance, name: str) -> Types:
    """What every object has: its class, its dictionary, the methods of `object`."""
    if name == "__class__":
        return one(ClassObject(type.name))
    if name == "__dict__":
        return one(Instance("builtins.dict"))
    if not name.startswith("__") or lacks("builtins.object", name):
        return UNKNOWN
    return one(External(f"builtins.object.{name}"))


def _class_member(inference: Inference, class_id: ClassId, name: str) -> Types:
    """A class defined in the body of a class."""
    nested = f"{class_id}.{name}"
    return one(ClassObject(nested)) if inference.program.class_(nested) is not None else UNKNOWN


def _of_class(inference: Inference, type: ClassObject, name: str) -> Types:
    program = inference.program
    info = program.class_(type.name)
    if info is None:
        return UNKNOWN if builtin_class(type.name) and lacks(type.name, name) else one(External(f"{type.name}.{name}"))
    method = program.method(type.name, name)
    if method is not None:
        function = program.function(method)
        return UNKNOWN if is_property(function) else _bound(type, method, function)
    nested = next((found for found in (_class_member(inference, c, name) for c in info.mro) if found), UNKNOWN)
    data = nested or close(inference, inference.open_attribute(type.name, name), Instance(type.name))
    if data and any(field.name == name for field in info.ir.fields) and any(base.startswith("enum.") for base in info.mro):
        return one(Instance(type.name))
    return data or _inherited(inference, type, name) or _of_any_object(Instance(type.name), name)


def _of_super(inference: Inference, owner: ClassId, name: str) -> Types:
    """The next method after the owner in its own order; failing that, in the orders of its subclasses (a mixin)."""
    program = inference.program
    info = program.class_(owner)
    if info is None:
        return UNKNOWN
    method = program.method_after(owner, name)
    if method is not None:
        return _super_member(inference, owner, method)
    external = [base for base in program.external_bases(owner) if not lacks(base, name)]
    if external:
        return union(one(BoundMethod(Instance(owner), f"{base}.{name}")) for base in external)
    orders = [program.class_(subclass) for subclass in info.subclasses]
    found = [
        method
        for order in orders
        if order is not None
        and (method := program.first_method(order.mro[order.mro.index(owner) + 1 :], name)) is not None
    ]
    if found:
        return union(_super_member(inference, owner, method) for method in dict.fromkeys(found))
    return UNKNOWN if lacks("builtins.object", name) else one(External(f"builtins.object.{name}"))


def _super_member(inference: Inference, owner: ClassId, method: FunctionId) -> Types:
    function = inference.program.function(method)
    if is_property(function):
        return close(inference, inference.open_result(method), Instance(owner))
    return one(BoundMethod(SuperOf(owner), method) if receiver_name(function) else FunctionRef(method))
