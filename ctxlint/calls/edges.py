"""The call graph by name: which functions of a program call which, as other tools and people read it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import Program
from ctxlint.calls.view import Call, View

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
    program = view.program
    found: dict[str, set[str]] = {name_of(program, identity): set() for identity in program.functions()}
    sites = unknown = 0
    for identity in program.functions():
        called = found[name_of(program, identity)]
        for event, happening in enumerate(program.function(identity).events):
            if happening.kind == "call":
                calls = view.stated_calls(identity, event)
                sites += 1
                unknown += any(call.unknown for call in calls)
                called.update(name for call in calls for name in _names(program, call))
            else:
                called.update(name_of(program, callee) for callee in _implied(view, identity, event))
    return Edges({name: tuple(sorted(called)) for name, called in sorted(found.items())}, sites, unknown)


def name_of(program: Program, identity: FunctionId) -> str:
    """The dotted name of a function from the import root; that of a module body is the module's."""
    return identity.module if identity.index == 0 else f"{identity.module}.{program.symbol(identity)}"


def _names(program: Program, call: Call) -> Iterator[str]:
    """What a call reaches; an interface's method only where nothing implements it."""
    for function in call.functions or call.abstract:
        yield name_of(program, function)
    for external in call.externals:
        if external != _NOBODY:
            yield BUILTIN + external.removeprefix("builtins.") if external.startswith("builtins.") else external
    if not (call.functions or call.abstract or call.externals):
        yield UNKNOWN + (call.name or "()")


def _implied(view: View, identity: FunctionId, event: int) -> tuple[FunctionId, ...]:
    """Properties and special methods that an event calls without saying so."""
    return view.call_graph.all_callees(identity, event).functions
