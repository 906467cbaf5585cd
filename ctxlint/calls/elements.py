"""What the containers of the language hold and what their methods give back."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from ctxlint.calls.entries import sliced
from ctxlint.calls.standard import standard_name
from ctxlint.calls.types import NONE, UNKNOWN, ClassObject, Instance, Types, in_order, instance, one, union, with_items
from ctxlint.ir.value import Compound, Constant, Value

_ABC = "collections.abc."
MAPPINGS = frozenset(
    ["builtins.dict", "collections.defaultdict", "collections.OrderedDict", "collections.ChainMap", "collections.UserDict",
     "types.MappingProxyType", "weakref.WeakValueDictionary", _ABC + "Mapping", _ABC + "MutableMapping"]
)
SEQUENCES = frozenset(
    ["builtins.list", "collections.deque", "collections.UserList", _ABC + "Sequence", _ABC + "MutableSequence"]
)
_SETS = frozenset(["builtins.set", "builtins.frozenset", _ABC + "MutableSet", "weakref.WeakSet"])
_ITERABLES = SEQUENCES | _SETS | {
    "builtins.tuple",
    *(_ABC + name for name in (
        "Iterable", "Iterator", "Generator", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Collection", "Container",
        "Reversible", "ItemsView", "KeysView", "ValuesView")),
}
AWAITABLES = frozenset(
    [_ABC + "Awaitable", _ABC + "Coroutine", "types.CoroutineType", "asyncio.Future", "asyncio.Task",
     "concurrent.futures.Future"]
)
OF_AWAITABLES = frozenset(
    ["result", "exception", "done", "cancel", "cancelled", "cancelling", "uncancel", "add_done_callback", "remove_done_callback",
     "set_result", "set_exception", "get_name", "set_name", "get_loop", "get_coro", "get_context", "running", "send", "throw", "close"]
)
"""What awaitables have themselves; any other attribute is one of what awaiting gives (see `behind_await`)."""
HOLDING = MAPPINGS | _ITERABLES | {"builtins.bytearray", "builtins.object"}
"""Classes whose objects hold others, or may be anything."""
LANGUAGE = MAPPINGS | _ITERABLES | {"builtins.str", "builtins.bytes"}
"""Classes about whose methods no model needs to speak."""
MANAGERS = frozenset(["contextlib.AbstractContextManager", "contextlib.AbstractAsyncContextManager"])

STR, INT, BOOL, BYTES = (one(Instance(f"builtins.{name}")) for name in ("str", "int", "bool", "bytes"))

_STR_LISTS = frozenset(["split", "rsplit", "splitlines"])
_INTS = frozenset(["count", "find", "index", "rfind", "rindex", "__len__", "bit_length"])
_TESTS = frozenset(["startswith", "endswith", "issubset", "issuperset", "isdisjoint", "__contains__"])
_SAME = frozenset(
    ["copy", "union", "intersection", "difference", "symmetric_difference", "__or__", "__add__", "fromkeys", "__copy__"]
)


def elements(type: Instance) -> Types:
    """What iterating the container gives; unknown for what is no container of the language."""
    name, arguments = type.name, type.arguments
    if name in ("builtins.str", "builtins.bytes", "builtins.range"):
        return STR if name == "builtins.str" else INT
    if not arguments:
        return UNKNOWN
    if name == "builtins.tuple":
        return union(arguments)
    return arguments[0] if name in _ITERABLES or name in MAPPINGS else UNKNOWN


def items(type: Instance, key: Value | None) -> Types:
    """What `container[key]` gives."""
    name, arguments = type.name, type.arguments
    if isinstance(key, Compound) and key.operator == "slice":
        return with_items(type, sliced(type, key.parts)) if type.items else one(type)
    if name in ("builtins.str", "builtins.bytes"):
        return STR if name == "builtins.str" else INT
    if name == "builtins.tuple":
        if isinstance(key, Constant) and key.kind == "int" and len(arguments) > 1:
            position = int(key.text, 0) if len(key.text) < 10 else None
            return arguments[position] if position is not None and -len(arguments) <= position < len(arguments) else UNKNOWN
        return union(arguments)
    if name in MAPPINGS:
        return arguments[1] if len(arguments) > 1 else UNKNOWN
    return arguments[0] if arguments and name in SEQUENCES else UNKNOWN


def unpacked(type: Instance, position: Value) -> Types:
    """What unpacking gives at a position."""
    return items(type, position) if type.name == "builtins.tuple" else elements(type)


def awaited(type: Instance) -> Types:
    """What awaiting the instance gives; an unknown awaitable is taken for its own result (models say results, not tasks)."""
    if type.name in AWAITABLES:
        return type.arguments[-1] if type.arguments else UNKNOWN
    return one(type)


def behind_await(types: Types) -> Types:
    """What an access path goes on with: one that leads through an await begins at the awaitable (see `flow.aliases`)."""
    if not any(isinstance(t, Instance) and t.name in AWAITABLES for t in types):
        return types
    return union(awaited(t) if isinstance(t, Instance) else one(t) for t in in_order(types))


def method_result(type: Instance, method: str, arguments: Sequence[Types]) -> Types:
    """What a method of a container or string of the language gives back."""
    name = type.name
    if method in _SAME and (name in _ITERABLES or name in MAPPINGS):
        return one(type)
    if name in MAPPINGS:
        return _mapping_result(type, method, arguments)
    if name in AWAITABLES:
        return awaited(type) if method == "result" else UNKNOWN
    if name in ("builtins.str", "builtins.bytes"):
        return _text_result(type, method)
    if method in _TESTS:
        return BOOL
    if method in _INTS:
        return INT
    if name in _ITERABLES:
        if method in ("pop", "popleft", "__next__", "__getitem__", "send"):
            return elements(type)
        if method in ("append", "extend", "insert", "remove", "clear", "sort", "reverse", "add", "discard", "update"):
            return NONE
        if method == "__anext__":
            return instance(_ABC + "Awaitable", elements(type))
    return UNKNOWN


def _mapping_result(type: Instance, method: str, arguments: Sequence[Types]) -> Types:
    key, value = (*type.arguments, UNKNOWN, UNKNOWN)[:2]
    if method in ("get", "pop", "setdefault"):
        return union([value, *arguments[1:2]])
    if method == "values":
        return instance(_ABC + "ValuesView", value)
    if method == "keys":
        return instance(_ABC + "KeysView", key)
    if method == "items":
        return instance(_ABC + "ItemsView", instance("builtins.tuple", key, value))
    if method == "popitem":
        return instance("builtins.tuple", key, value)
    return value if method == "__getitem__" else NONE if method in ("clear", "update") else UNKNOWN


def _text_result(type: Instance, method: str) -> Types:
    if method in _STR_LISTS:
        return instance("builtins.list", one(type))
    if method in ("partition", "rpartition"):
        return instance("builtins.tuple", one(type), one(type), one(type))
    if method in _INTS:
        return INT
    if method in _TESTS or method.startswith("is"):
        return BOOL
    if method == "encode":
        return BYTES
    if method in ("decode", "hex"):
        return STR
    return one(type)


def builtin_class(name: str) -> bool:
    """Whether the canonical name is that of a builtin class."""
    module, _, last = name.rpartition(".")
    return module == "builtins" and isinstance(getattr(builtins, last, None), type)


def lacks(name: str, attribute: str) -> bool:
    """Whether the class of that canonical name is a builtin one that certainly has no such attribute."""
    if not name.startswith("builtins."):
        return False
    found = getattr(builtins, name.rpartition(".")[2], None)
    if attribute == "__call__":     # every class can be called itself
        return isinstance(found, type) and all(attribute not in vars(ancestor) for ancestor in found.__mro__)
    return isinstance(found, type) and not hasattr(found, attribute)


def constructed(name: str, arguments: Sequence[Types], called: Types) -> Types:
    """An instance of a container class from its constructor's arguments; `called` is what calling the first one gives."""
    name = standard_name(name)
    if name == "collections.defaultdict":
        return instance(name, UNKNOWN, called)
    given = arguments[0] if arguments else UNKNOWN
    if name in MAPPINGS:
        same = [t for t in given if isinstance(t, Instance) and t.name in MAPPINGS and t.arguments]
        pairs = [e for t in given if isinstance(t, Instance) for e in elements(t) if isinstance(e, Instance)]
        if same:
            return one(Instance(name, same[0].arguments))
        two = [p.arguments for p in pairs if p.name == "builtins.tuple" and len(p.arguments) == 2]
        return one(Instance(name, two[0])) if two else one(Instance(name))
    if name in _ITERABLES:
        return instance(name, union(elements(t) for t in given if isinstance(t, Instance)))
    return one(Instance(name))


def class_name(type: object) -> str:
    """The class behind an instance or class object; empty for anything else."""
    return type.name if isinstance(type, (Instance, ClassObject)) else ""
