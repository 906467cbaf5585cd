"""Which local names of a function are also used by functions defined inside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.flow.bindings import bound_name
from ctxlint.ir.function import Function
from ctxlint.ir.value import Name


class Sharing(NamedTuple):
    """`captured`: names that an inner function uses, so their objects can change when it runs; `rebound`: those of them that
    one of the inner functions binds (`nonlocal`), so that they can be other objects afterwards."""

    captured: frozenset[str] = frozenset()
    rebound: frozenset[str] = frozenset()


NOT_SHARED = Sharing()


def sharing(functions: Sequence[Function]) -> dict[int, Sharing]:
    """The sharing of a module's functions, by index; functions that share nothing are left out."""
    captured: dict[int, set[str]] = {}
    rebound: dict[int, set[str]] = {}
    for function in functions:
        if not function.captures:
            continue
        bound = {name for name in map(bound_name, function.events) if name is not None}
        nonlocals = {event.path.root.name for event in function.events if event.path is not None
                     and isinstance(event.path.root, Name) and event.path.root.scope == "captured"} & bound
        for name in function.captures:
            home = _home(functions, function, name)
            if home is not None:
                captured.setdefault(home, set()).add(name)
                if name in nonlocals:
                    rebound.setdefault(home, set()).add(name)
    return {home: Sharing(frozenset(names), frozenset(rebound.get(home, ()))) for home, names in captured.items()}


def _home(functions: Sequence[Function], function: Function, name: str) -> int | None:
    """The function to which a captured name belongs."""
    outer = function.enclosing
    while outer > 0:
        candidate = functions[outer]
        if candidate.kind != "class" and (name in candidate.locals or any(name == each.name for each in candidate.formals)):
            return outer
        outer = candidate.enclosing
    return None
