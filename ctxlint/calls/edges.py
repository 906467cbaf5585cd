"""The call graph by name: which functions of a program call which, as other tools and people read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.decorators import Decorations, decorated_formal, decorations
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.operators import operator_methods
from ctxlint.calls.program import Program
from ctxlint.calls.resolve import reached
from ctxlint.calls.types import is_derived
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import Name

BUILTIN = "<builtin>."
UNKNOWN = "<unknown>."
_NOBODY = "builtins.object"
"""Constructing an instance of a class without a constructor runs no code that anybody wrote."""


class Edges(msgspec.Struct, frozen=True):
    """What each function calls, by dotted name and in order; how many calls there are, and how many are not wholly known."""

    calls: dict[str, tuple[str, ...]]
    sites: int
    unknown: int


def edges(view: View) -> Edges:
    """The call graph of the program."""
    program, decorated = view.program, decorations(view.call_graph.inference)
    found: dict[str, set[str]] = {name_of(program, identity): set() for identity in program.functions()}
    sites = unknown = 0
    for identity in program.functions():
        called = found[name_of(program, identity)]
        for event, happening in enumerate(program.function(identity).events):
            if happening.kind == "call":
                calls = view.stated_calls(identity, event)
                sites += 1
                unknown += any(call.unknown for call in calls) and not _is_handed(view, decorated, identity, event)
                called.update(name for call in calls for name in _names(view, decorated, identity, event, call))
            else:
                called.update(_implied(view, decorated, identity, event))
            called.update(name_of(program, method) for method in operator_methods(view.call_graph.inference, identity, event))
    return Edges({name: tuple(sorted(called)) for name, called in sorted(found.items())}, sites, unknown)


def name_of(program: Program, identity: FunctionId) -> str:
    """The dotted name of a function from the import root; that of a module body is the module's."""
    return identity.module if identity.index == 0 else f"{identity.module}.{program.symbol(identity)}"


def _names(view: View, decorated: Decorations, identity: FunctionId, event: int, call: Call) -> Iterator[str]:
    """What a call reaches; an interface's method only where nothing implements it."""
    handed = _handed(view, decorated, identity, event)
    if handed:
        yield from (name_of(view.program, function) for function in handed)
        return
    for function in call.functions or call.abstract:
        yield from (name_of(view.program, meant) for meant in decorated.stands_for(function))
    yield from _outside(call.externals)
    if not (call.functions or call.abstract or call.externals):
        yield UNKNOWN + (call.name or "()")


def _outside(externals: Iterable[str]) -> Iterator[str]:
    for external in externals:
        if external != _NOBODY:
            yield BUILTIN + external.removeprefix("builtins.") if external.startswith("builtins.") else external


def _handed(view: View, decorated: Decorations, identity: FunctionId, event: int) -> tuple[FunctionId, ...]:
    """The functions that a decorator calls by its argument's name: as they were before it was applied."""
    path = view.event(identity, event).path
    if path is None or path.steps or not isinstance(path.root, Name) or path.root.scope == "global":
        return ()
    decorator = decorated_formal(view.call_graph.inference, identity, path.root)
    return decorated.handed.get(decorator, ()) if decorator is not None else ()


def _is_handed(view: View, decorated: Decorations, identity: FunctionId, event: int) -> bool:
    return bool(_handed(view, decorated, identity, event))


def _implied(view: View, decorated: Decorations, identity: FunctionId, event: int) -> Iterator[str]:
    """What an event calls without saying so: properties, special methods, decorators of what is defined."""
    for function in view.call_graph.all_callees(identity, event).functions:
        yield name_of(view.program, function)
    types = decorated.applied.get((identity, event))
    if types:
        callees = reached(view.call_graph.inference, types)
        yield from (name_of(view.program, meant) for function in callees.functions for meant in decorated.stands_for(function))
        yield from (name for name in callees.externals if not name.startswith("builtins.") and not is_derived(name))
