"""One name for what the standard library spells in several ways."""

from __future__ import annotations

_TYPING = ("typing", "typing_extensions")
_ALIASES = {
    "List": "builtins.list",
    "Dict": "builtins.dict",
    "Set": "builtins.set",
    "FrozenSet": "builtins.frozenset",
    "Tuple": "builtins.tuple",
    "Type": "builtins.type",
    "Text": "builtins.str",
    "DefaultDict": "collections.defaultdict",
    "OrderedDict": "collections.OrderedDict",
    "Deque": "collections.deque",
    "Counter": "collections.Counter",
    "ChainMap": "collections.ChainMap",
    "ContextManager": "contextlib.AbstractContextManager",
    "AsyncContextManager": "contextlib.AbstractAsyncContextManager",
    "Pattern": "re.Pattern",
    "Match": "re.Match",
    "LiteralString": "builtins.str",
    "TypedDict": "builtins.dict",
    "NamedTuple": "builtins.tuple",
}
_ABSTRACT_COLLECTIONS = frozenset(
    ["AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Collection", "Container", "Coroutine", "Generator", "Iterable", "Iterator", "ItemsView", "KeysView", "Mapping", "MutableMapping", "MutableSequence", "MutableSet", "Reversible", "Sequence", "ValuesView", "MappingView"]
)


def standard_name(qualified: str) -> str:
    """One name for what the standard library spells in several ways: `typing.List` is `builtins.list`."""
    module, _, name = qualified.rpartition(".")
    if module in _TYPING:
        if name in _ALIASES:
            return _ALIASES[name]
        return f"collections.abc.{name}" if name in _ABSTRACT_COLLECTIONS else f"typing.{name}"
    if qualified == "collections.abc.Set":
        return "builtins.set"
    return qualified
