"""What calls give back: of functions of the program, of classes, of builtins, of models."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.calls.binding import bind
from ctxlint.calls.elements import (
    BOOL,
    INT,
    LANGUAGE,
    MANAGERS,
    STR,
    awaited,
    constructed,
    lacks,
    method_result,
)
from ctxlint.calls.entries import constants, entry
from ctxlint.calls.generics import bind_variables, close, has_variables, meaning_of
from ctxlint.calls.inference import Inference
from ctxlint.calls.members import receiver_name
from ctxlint.calls.modelled import modelled
from ctxlint.calls.program import FunctionId
from ctxlint.calls.standard import standard_name
from ctxlint.calls.types import (
    NONE,
    NONE_TYPE,
    UNKNOWN,
    BoundMethod,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    Receiver,
    SuperOf,
    Type,
    Types,
    in_order,
    instance,
    one,
    substitute,
    union,
)
from ctxlint.ir.event import Argument
from ctxlint.ir.function import Function
from ctxlint.ir.value import Constant, Name

_ABC = "collections.abc."
_TAKING = frozenset(["get", "pop", "setdefault", "__getitem__"])
_MANAGER_DECORATORS = frozenset(["contextmanager", "asynccontextmanager"])
_BUILTIN_RESULTS: dict[str, Types] = {
    **dict.fromkeys(("len", "id", "hash", "ord"), INT),
    **dict.fromkeys(("repr", "input", "format", "chr", "hex", "bin", "oct", "ascii"), STR),
    **dict.fromkeys(("isinstance", "issubclass", "hasattr", "callable", "any", "all"), BOOL),
    **dict.fromkeys(("print", "setattr", "delattr"), NONE),
}


def function_result(inference: Inference, id: FunctionId) -> Types:
    """What a call of the function gives, awaited if it is a coroutine: its return annotation, else what it returns.

    A generator gives its iterator, a `@contextmanager` function its context manager. Type variables stay open.
    """
    function = inference.program.function(id)
    annotated = inference.annotation(id.module, max(function.enclosing, 0), function.returns)
    manager = any(text.rpartition(".")[2] in _MANAGER_DECORATORS for text in function.decorators)
    if function.kind in ("generator", "async-generator"):
        iterator = annotated or _yields(inference, id)
        return instance("contextlib.AbstractContextManager", inference.element(iterator)) if manager else iterator
    if annotated:
        return annotated
    if function.kind in ("class", "module"):
        return UNKNOWN
    returned = inference.facts(id).returned
    if not returned:
        return UNKNOWN if function.stub else NONE
    return union(inference.of_value(id, event, function.events[event].value) for event in returned)


def called_function(inference: Inference, id: FunctionId) -> Types:
    """What calling the function gives before any await."""
    result = inference.open_result(id)
    if inference.program.function(id).kind == "coroutine":
        return instance(_ABC + "Awaitable", result) or one(Instance(_ABC + "Awaitable"))
    return result


def call_result(inference: Inference, caller: FunctionId, event: int) -> Types:
    """What the call event gives, over everything its callee can be."""
    types = inference.callables(caller, event)
    return union(_result(inference, t, caller, event) for t in in_order(types))


def invoked(inference: Inference, type: Type) -> Types:
    """What calling a value of this type without known arguments gives."""
    return _invoke(inference, type, None, 0, ())


def _result(inference: Inference, type: Type, caller: FunctionId, event: int) -> Types:
    return _invoke(inference, type, caller, event, inference.program.function(caller).events[event].arguments)


def _invoke(
    inference: Inference, type: Type, caller: FunctionId | None, event: int, arguments: tuple[Argument, ...]
) -> Types:
    program = inference.program
    if isinstance(type, FunctionRef):
        return _function_call(inference, type.function, None, caller, event, arguments)
    if isinstance(type, BoundMethod):
        if isinstance(type.method, FunctionId):
            return _function_call(inference, type.method, type.receiver, caller, event, arguments)
        given = _argument_types(inference, caller, event, arguments)
        if isinstance(type.receiver, Instance):
            method = type.method.rpartition(".")[2]
            if type.receiver.items and caller is not None and arguments and method in _TAKING:
                keys = constants(inference, caller, event, arguments[0].value) if not arguments[0].keyword else None
                return union([entry(type.receiver, keys), *given[1:2]])
            known = method_result(type.receiver, method, given)
            if known or type.receiver.name in LANGUAGE:
                return known
        receiver = Instance(type.receiver.owner) if isinstance(type.receiver, SuperOf) else type.receiver
        made_of = one(receiver) if isinstance(receiver, Instance) else UNKNOWN
        return substitute(modelled(inference, type.method, given, receiver=made_of), {}, receiver)
    if isinstance(type, ClassObject):
        if program.class_(type.name) is not None:
            return one(Instance(type.name))
        return _builtin_instance(inference, type.name, _argument_types(inference, caller, event, arguments))
    if isinstance(type, External):
        return _external_call(inference, type.name, caller, event, arguments)
    if isinstance(type, Instance):
        call = program.method(type.name, "__call__")
        if call is not None:
            return _function_call(inference, call, type, caller, event, arguments)
        return UNKNOWN if type == NONE_TYPE or lacks(type.name, "__call__") else modelled(inference, f"{type.name}.__call__", ())
    return UNKNOWN


def _function_call(
    inference: Inference,
    id: FunctionId,
    receiver: Receiver | None,
    caller: FunctionId | None,
    event: int,
    arguments: tuple[Argument, ...],
) -> Types:
    if caller is not None and inference.facts(id).handed_back:
        handed = _handed_back(inference, id, receiver, caller, event, arguments)
        if handed:
            return handed
    result = called_function(inference, id)
    if caller is not None and has_variables(result):
        meaning = meaning_of(inference, receiver) if isinstance(receiver, Instance) else {}
        _bind_arguments(inference, id, receiver is not None, caller, event, arguments, meaning)
        result = substitute(result, meaning) if meaning and all(meaning.values()) else result
    return close(inference, result, receiver)


def result_given(inference: Inference, id: FunctionId, given: Types) -> Types:
    """What calling the function with one argument of these types returns, whatever its annotations say."""
    function, facts = inference.program.function(id), inference.facts(id)
    name = first_open_formal(function)
    values = ((event, function.events[event].value) for event in facts.returned)
    return union(
        given if isinstance(value, Name) and value.name == name and name in facts.handed_back
        else inference.of_value(id, event, value)
        for event, value in values
    )


def first_open_formal(function: Function) -> str:
    """The name of the formal that a call's first argument fills; empty when there is none."""
    formals = function.formals[1:] if receiver_name(function) else function.formals
    return formals[0].name if formals and formals[0].kind in ("positional", "positional-only") else ""


def _handed_back(
    inference: Inference,
    id: FunctionId,
    receiver: Receiver | None,
    caller: FunctionId,
    event: int,
    arguments: tuple[Argument, ...],
) -> Types:
    """What a call gives of a function that returns arguments as they were given; nothing where its annotation decides."""
    function = inference.program.function(id)
    if function.kind not in ("function", "lambda"):
        return UNKNOWN
    if inference.annotation(id.module, max(function.enclosing, 0), function.returns):
        return UNKNOWN
    facts = inference.facts(id)
    skipped = bool(receiver is not None and receiver_name(function))
    bound = bind(function, arguments, skip_first=skipped)
    parts: list[Types] = []
    for returned in facts.returned:
        value = function.events[returned].value
        name = value.name if isinstance(value, Name) else ""
        if name not in facts.handed_back or facts.formals[name].kind in ("variadic", "keywords"):
            parts.append(close(inference, inference.of_value(id, returned, value), receiver))
        elif skipped and name == function.formals[0].name:
            assert receiver is not None
            parts.append(one(Instance(receiver.owner) if isinstance(receiver, SuperOf) else receiver))
        elif name in bound:
            parts.append(inference.of_value(caller, event, bound[name]))
        else:
            parts.append(inference.parameter(id, name))
    return union(parts)


def _bind_arguments(
    inference: Inference,
    id: FunctionId,
    bound: bool,
    caller: FunctionId,
    event: int,
    arguments: tuple[Argument, ...],
    meaning: dict[str, Types],
) -> None:
    """Match arguments with parameters whose annotations hold type variables."""
    function = inference.program.function(id)
    formals = list(function.formals[1:] if bound and receiver_name(function) else function.formals)
    by_name = {formal.name: formal for formal in formals}
    positional = iter(formals)
    for argument in arguments:
        formal = by_name.get(argument.keyword) if argument.keyword else next(positional, None)
        if formal is None or not formal.annotation or argument.keyword in ("*", "**"):
            continue
        wanted = inference.annotation(id.module, max(function.enclosing, 0), formal.annotation)
        if has_variables(wanted):
            bind_variables(wanted, inference.of_value(caller, event, argument.value), meaning)


def _argument_types(
    inference: Inference, caller: FunctionId | None, event: int, arguments: Sequence[Argument]
) -> list[Types]:
    if caller is None:
        return []
    return [inference.of_value(caller, event, a.value) for a in arguments if not a.keyword]


def _unpacked(
    inference: Inference, caller: FunctionId | None, event: int, arguments: Sequence[Argument]
) -> Types:
    """What unpacked arguments hold."""
    starred = [a.value for a in arguments if a.keyword == "*"] if caller is not None else []
    return union(inference.element(inference.of_value(caller, event, value)) for value in starred if caller is not None)


def _builtin_instance(inference: Inference, name: str, given: list[Types]) -> Types:
    if name == "builtins.type" and len(given) == 1:
        return frozenset(ClassObject(t.name) for t in given[0] if isinstance(t, Instance))
    if name in ("builtins.enumerate", "builtins.zip"):
        inner = [inference.element(types) for types in given]
        row = [INT, *inner[:1]] if name.endswith("enumerate") else inner
        return instance(_ABC + "Iterator", instance("builtins.tuple", *row))
    if name in ("builtins.reversed", "builtins.filter", "builtins.map"):
        if name.endswith("map"):
            return instance(_ABC + "Iterator", inference.invoked(given[0]) if given else UNKNOWN)
        return instance(_ABC + "Iterator", inference.element(given[-1]) if given else UNKNOWN)
    made = in_order(constructed(name, given, UNKNOWN))
    first = made[0]
    if isinstance(first, Instance) and not first.arguments and given and name not in ("builtins.str", "builtins.int"):
        inner_elements = inference.element(given[0])
        if inner_elements and name in ("builtins.list", "builtins.set", "builtins.frozenset", "builtins.tuple"):
            return instance(name, inner_elements)
    return one(first)


def _external_call(
    inference: Inference, name: str, caller: FunctionId | None, event: int, arguments: tuple[Argument, ...]
) -> Types:
    given = _argument_types(inference, caller, event, arguments)
    standard = standard_name(name)
    module, _, last = standard.rpartition(".")
    if module == "builtins":
        special = _builtin_call(inference, last, caller, event, arguments, given)
        if special is not None:
            return special
    if standard == "typing.cast" and caller is not None and len(arguments) > 1:
        return _cast(inference, caller, event, arguments, given)
    if name.endswith(".__new__") and given:
        return frozenset(Instance(t.name) for t in given[0] if isinstance(t, ClassObject))
    if standard == "functools.partial":
        return given[0] if given else UNKNOWN
    if inference.external_result(name):
        return modelled(inference, name, given, _unpacked(inference, caller, event, arguments))
    container = constructed(standard, given, inference.invoked(given[0]) if given else UNKNOWN)
    first = in_order(container)[0]
    if isinstance(first, Instance) and (first.arguments or standard in ("collections.defaultdict", "collections.deque")):
        return container
    return one(Instance(standard)) if last[:1].isupper() and not last.isupper() else modelled(inference, name, given)


def _cast(
    inference: Inference, caller: FunctionId, event: int, arguments: tuple[Argument, ...], given: list[Types]
) -> Types:
    """`cast(T, value)` is a T; where T says nothing, the value."""
    wanted = arguments[0].value
    text = inference.spelled(caller, wanted)
    return (inference.annotation(caller.module, caller.index, text) if text else UNKNOWN) or given[1]


def _builtin_call(
    inference: Inference,
    name: str,
    caller: FunctionId | None,
    event: int,
    arguments: tuple[Argument, ...],
    given: list[Types],
) -> Types | None:
    """What a builtin function gives; None for those about which only a model can tell."""
    if name in _BUILTIN_RESULTS:
        return _BUILTIN_RESULTS[name]
    if name in ("iter", "sorted", "aiter"):
        kind = "builtins.list" if name == "sorted" else _ABC + ("AsyncIterator" if name == "aiter" else "Iterator")
        return instance(kind, inference.element(given[0]) if given else UNKNOWN)
    if name == "next":
        return union([inference.element(given[0]), *given[1:2]]) if given else UNKNOWN
    if name == "anext":
        return instance(_ABC + "Awaitable", inference.element(given[0])) if given else UNKNOWN
    if name in ("min", "max"):
        return inference.element(given[0]) if len(given) == 1 else union(given)
    if name == "getattr" and len(arguments) > 1:
        attribute = arguments[1].value
        if isinstance(attribute, Constant) and attribute.kind == "str":
            found = union(inference.member(t, attribute.text) for t in in_order(given[0]))
            return union([found, *given[2:3]])
        return UNKNOWN
    if name in ("vars", "globals", "locals"):
        return one(Instance("builtins.dict"))
    return None


def entered(inference: Inference, types: Types, asynchronous: bool) -> Types:
    """What `with value as name` binds."""
    return union(_entered(inference, t, "__aenter__" if asynchronous else "__enter__") for t in in_order(types))


def _entered(inference: Inference, type: Type, method: str) -> Types:
    if isinstance(type, External):
        return modelled(inference, f"{type.name}.{method}", ())
    if not isinstance(type, Instance):
        return UNKNOWN
    if type.name in MANAGERS:
        return type.arguments[0] if type.arguments else UNKNOWN
    enter = inference.program.method(type.name, method)
    if enter is not None:
        return close(inference, inference.open_result(enter), type)
    if inference.program.class_(type.name) is None:
        return modelled(inference, name, ()) if inference.external_result(name := f"{type.name}.{method}") else one(type)
    return one(type) if inference.program.external_bases(type.name) else UNKNOWN


def await_result(inference: Inference, types: Types) -> Types:
    """What awaiting the value gives."""
    parts: list[Types] = []
    for t in in_order(types):
        if isinstance(t, Instance):
            method = inference.program.method(t.name, "__await__")
            parts.append(inference.element(close(inference, inference.open_result(method), t)) if method else awaited(t))
        elif isinstance(t, External):
            parts.append(one(t))
    return union(parts)


def _yields(inference: Inference, id: FunctionId) -> Types:
    function = inference.program.function(id)
    parts = [
        inference.element(inference.of_value(id, event, function.events[event].value))
        if function.events[event].note == "yield-from"
        else inference.of_value(id, event, function.events[event].value)
        for event in inference.facts(id).yielded
    ]
    return instance(_ABC + ("AsyncGenerator" if function.kind == "async-generator" else "Generator"), union(parts))


def super_of(inference: Inference, caller: FunctionId) -> Types:
    """What `super()` is in a method or in a function nested in one."""
    index = caller.index
    while index > 0:
        id = FunctionId(caller.module, index)
        owner = inference.program.owner(id)
        if owner is not None and inference.program.class_(owner) is not None:
            return one(SuperOf(owner))
        index = inference.program.function(id).enclosing
    return UNKNOWN
