"""Which abstract methods read and which write a store, told from the interface's own signatures.

An interface is a store when one of its methods gives back content for keys alone and another takes content and gives back
nothing of it.
A method that takes content and returns other content (a model, a compactor) is a transformation, not a store operation.
"""

from __future__ import annotations

import re

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.scopes import is_accessor
from ctxlint.calls.view import InterfaceEffect, View
from ctxlint.ir.function import Formal, Function
from ctxlint.knowledge.words import hints

_NOTHING = frozenset({"None", "bool", "int", "", "Awaitable[None]", "Awaitable[bool]"})
_ANSWERS = frozenset({"bool", "Awaitable[bool]"})
_PLAIN = r"(?:str|int|UUID|uuid\.UUID|bytes|bool|float|Path|datetime|datetime\.datetime)"
_KEY = re.compile(rf"(?:typing\.)?(?:Optional\[)?{_PLAIN}(?:\])?(?:\s*\|\s*None)?$")
_KEYS = re.compile(
    rf"(?:(?:typing|collections\.abc)\.)?(?:list|List|tuple|Tuple|set|Set|frozenset|Sequence|Iterable|Collection)"
    rf"\[{_PLAIN}(?:, \.\.\.)?\](?:\s*\|\s*None)?$"
)
_MANY = re.compile(r"(?:list|List|tuple|Tuple|Sequence|Iterable|Collection)\[(.+?)(?:, \.\.\.)?\]\]?$")


def interface_effect(view: View, method: FunctionId) -> InterfaceEffect | None:
    """What a body-less method does to the store behind its interface; None when the interface is no store."""
    owner = view.program.owner(method)
    if owner is None:
        return None
    roles = view.interface_roles.get(owner)
    if roles is None:
        roles = view.interface_roles[owner] = _roles(view, owner)
    return roles.get(method)


def _roles(view: View, owner: ClassId) -> dict[FunctionId, InterfaceEffect | None]:
    """What each method of the interface does; nothing when it is no store."""
    info = view.program.class_(owner)
    assert info is not None
    methods = [FunctionId(info.module, method.function) for method in info.ir.methods]
    roles = {identity: _role(view, view.function(identity)) for identity in methods}
    for identity in [m for m, role in roles.items() if role in ("write", "append")]:
        if _takes_only_keys(view, identity, [m for m, role in roles.items() if role == "read"]):
            roles[identity] = "delete"
    readers = [view.function(m).returns for m, role in roles.items() if role == "read"]
    for identity in [m for m, role in roles.items() if role == "write"]:
        if _is_one_of_many(_own_formals(view.function(identity)), readers):
            roles[identity] = "append"
    stores = "read" in roles.values() and not {"write", "append", "delete"}.isdisjoint(roles.values())
    return roles if stores else {}


def _role(view: View, function: Function) -> InterfaceEffect | None:
    name = function.qualname.rsplit(".", 1)[-1]
    formals = _own_formals(function)
    gives_nothing = function.returns in _NOTHING
    if name.startswith("__") or is_accessor(function):
        return None                                       # setting an attribute of the object
    if function.returns in _ANSWERS and hints(name, view.words.reads) and not _is_write(view, name):
        return None                                      # a question: whether there is such an entry
    if gives_nothing and function.returns:
        return _writing_role(view, name, formals)
    if gives_nothing:                                    # no return annotation: only the words are left
        if _is_write(view, name):
            return _writing_role(view, name, formals)
        return "read" if hints(name, view.words.reads) else None
    if _is_write(view, name) and not hints(name, view.words.reads):
        return _writing_role(view, name, formals)
    asks = hints(name, view.words.reads) and not _is_write(view, name)
    return "read" if all(_is_key(formal) or asks and _is_query(formal) for formal in formals) else None


def _writing_role(view: View, name: str, formals: list[Formal]) -> InterfaceEffect | None:
    if hints(name, view.words.deletes):
        return "delete"
    if not formals:
        return None
    return "append" if hints(name, view.words.appends) else "write"


def _is_one_of_many(formals: list[Formal], readers: list[str]) -> bool:
    """Whether all that a method is given is one of those of which a reading method gives a list: it names none to be replaced."""
    needed = [formal.annotation for formal in formals if formal.default is None]
    return len(needed) == 1 and not is_scalar(needed[0]) and bool(needed[0]) and any(
        (many := _MANY.search(given)) is not None and many[1] == needed[0] for given in readers
    )


def _takes_only_keys(view: View, method: FunctionId, readers: list[FunctionId]) -> bool:
    """Whether all that a method of the store is given is what a reading method must be given to find something: it puts nothing in.

    A name that speaks of writing is believed.
    """
    if _is_write(view, view.function(method).qualname.rsplit(".", 1)[-1]):
        return False                                     # what it saves may be the object's own
    given = {f.name: f.annotation for f in _own_formals(view.function(method))}
    return bool(given) and any(
        given.items() <= {f.name: f.annotation for f in _own_formals(view.function(reader)) if f.default is None}.items()
        for reader in readers
    )


def _own_formals(function: Function) -> list[Formal]:
    return [f for f in function.formals if f.name not in ("self", "cls") and f.kind not in ("variadic", "keywords")]


def _is_write(view: View, name: str) -> bool:
    return any(hints(name, words) for words in (view.words.writes, view.words.appends, view.words.deletes))


def is_scalar(annotation: str) -> bool:
    """Whether an annotation names a plain value without parts."""
    return bool(_KEY.match(annotation))


def _is_query(formal: Formal) -> bool:
    """Whether a formal is many plain values: keys, or the vector that is looked for."""
    return bool(_KEYS.match(formal.annotation))


def _is_key(formal: Formal) -> bool:
    """Whether a formal only selects what is read: keyed by a scalar, or optional."""
    return is_scalar(formal.annotation) or formal.default is not None or not formal.annotation
