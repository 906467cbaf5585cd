"""Entries that say by name which method replays them: `getattr(self, entry["op"])(*entry["args"])` may call any method of the class."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import ClassObject, Instance, in_order
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

_NAMED_METHOD = "getattr"


def replayed(summaries: Summaries, identity: FunctionId) -> Iterator[tuple[int, int, Mutation]]:
    """The changes that entries may make where a name in them selects the method: the event that looks the method up, that which
    reads the entry, and the change.
    """
    view = summaries.view
    for number, event in enumerate(view.function(identity).events):
        if not _looks_up(event) or not _is_called(summaries, identity, number):
            continue
        holder, name = (argument.value for argument in event.arguments[:2])
        reads = {s.event for s in summaries.sources.of(identity, number, name) if s.kind == "read" and s.event >= 0}
        for read in sorted(reads):
            for method in _methods(summaries, identity, number, holder, _beginning(name)):
                for mutation in summaries.of(method).mutations:
                    if mutation.cells and mutation.distance == 0:
                        yield number, read, mutation


def _looks_up(event: Event) -> bool:
    return (
        event.kind == "call" and event.path is not None and not event.path.steps and event.path.root == Name(_NAMED_METHOD, "global")
        and len(event.arguments) > 1 and not isinstance(event.arguments[1].value, Constant)
    )


def _is_called(summaries: Summaries, identity: FunctionId, number: int) -> bool:
    """Whether what was looked up is called, under whatever local name."""
    origins, events = summaries.view.origins(identity), summaries.view.function(identity).events
    return any(
        event.kind == "call" and event.path is not None and not event.path.steps
        and (event.path.root == Result(number) or ("result", number) in origins.identity(event.path.root, at))
        for at, event in enumerate(events) if at > number
    )


def _beginning(name: Value) -> str:
    """The text with which the method's name surely begins."""
    first = name.parts[0] if isinstance(name, Compound) and name.operator in ("f-string", "+") and name.parts else None
    return first.text if isinstance(first, Constant) else ""


def _methods(summaries: Summaries, identity: FunctionId, at: int, holder: Value, beginning: str) -> Iterator[FunctionId]:
    view = summaries.view
    for kind in in_order(view.inference.of_value(identity, at, holder)):
        info = view.program.class_(kind.name) if isinstance(kind, (Instance, ClassObject)) else None
        for ancestor in info.mro if info is not None else ():
            declared = view.program.class_(ancestor)
            for method in declared.ir.methods if declared is not None else ():
                found = FunctionId(declared.module, method.function) if declared is not None else identity
                if method.name.startswith(beginning) and found != identity and not is_constructor(view, found):
                    yield found
