"""Which formals a function runs: those that it calls, or hands to something that calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from ctxlint.calls.call import Call, direct_call
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.resolve import CallGraph
from ctxlint.flow.origins import Origins
from ctxlint.ir.function import Function
from ctxlint.ir.value import Constant, Name, Value


class Running(Protocol):
    """What is asked about functions and their calls; see `view.View`."""

    call_graph: CallGraph
    function: Callable[[FunctionId], Function]

    def origins(self, identity: FunctionId) -> Origins: ...
    def bound(self, call: Call, target: FunctionId) -> dict[str, Value]: ...
    def runs(self, name: str) -> bool: ...
    def run_formals(self, identity: FunctionId) -> frozenset[str]: ...


def formals_run_by(view: Running, identity: FunctionId) -> Iterator[str]:
    """The formals of the function that it runs, each as often as it shows."""
    function = view.function(identity)
    formals = {formal.name for formal in function.formals if formal.kind not in ("variadic", "keywords")}
    for number, event in enumerate(function.events if formals else ()):
        if event.kind != "call" or event.path is None:
            continue
        if isinstance(event.path.root, Name) and not event.path.steps:
            yield from _formals_behind(view, identity, number, event.path.root, formals)
        for value in _handed_on(view, identity, number) if event.arguments else ():
            yield from _formals_behind(view, identity, number, value, formals)


def _handed_on(view: Running, identity: FunctionId, number: int) -> list[Value]:
    """The arguments of a call that its callee runs."""
    event = view.function(identity).events[number]
    callees = view.call_graph.callees(identity, number)
    if any([view.runs(name) for name in callees.externals]):
        return [argument.value for argument in event.arguments]
    running = [target for target in callees.functions if view.run_formals(target)]
    call = direct_call(event, callees) if running else None
    return [
        value for target in running if call is not None for name, value in view.bound(call, target).items()
        if name in view.run_formals(target)
    ]


def _formals_behind(view: Running, identity: FunctionId, at: int, value: Value, formals: set[str]) -> Iterator[str]:
    """The formals that a value can be: none for a literal or a variable from outside."""
    if isinstance(value, Constant) or (isinstance(value, Name) and value.scope != "local"):
        return
    for kind, what in view.origins(identity).identity(value, at):
        if kind == "param" and what in formals:
            yield str(what)
