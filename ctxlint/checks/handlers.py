"""Exception handlers as values: what they catch, and what the program does about it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.graph import EventGraph
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

BROAD = frozenset({"builtins.Exception", "builtins.BaseException"})


class Handler(msgspec.Struct, frozen=True):
    """One handler.

    `tried` are the events whose failure can land in it, `body` its own events. `swallows` is true when some way through it
    ends without raising, `acts` when it does something about the failure besides telling it (another change of a store or a
    cell, a failure value returned).
    """

    catch: int
    names: tuple[str, ...]
    tried: frozenset[int]
    body: frozenset[int]
    swallows: bool
    acts: bool

    def catches_failure_of(self, event: int) -> bool:
        """Whether a failure of the event can land here."""
        return event in self.tried

    @property
    def broad(self) -> bool:
        """Whether it catches whatever an operation on a store can raise."""
        return not self.names or bool(BROAD.intersection(self.names))


def handlers_of(analysis: Analysis, identity: FunctionId) -> Iterator[Handler]:
    """The handlers of a function, in order of their first event."""
    events = analysis.view.function(identity).events
    graph = analysis.view.graph(identity)
    for number, event in enumerate(events):
        if event.kind == "catch" and graph.is_reachable(number):
            loop = graph.derived(Loops).loop_of(number)      # `continue` ends a handler, too
            ends = {n for n, e in enumerate(events) if e.kind == "resume"} | ({loop.head} if loop is not None else set())
            body = _body(graph, number, ends)
            yield Handler(
                catch=number,
                names=caught(analysis, identity, number),
                tried=_tried(analysis, identity, number),
                body=body,
                swallows=_completes(graph, number, _ends(analysis, identity, body)),
                acts=_acts(analysis, identity, body),
            )


def _tried(analysis: Analysis, identity: FunctionId, catch: int) -> frozenset[int]:
    """The events from whose failure the handler is reached before anything else happens."""
    graph = analysis.view.graph(identity)
    found = set()
    first: dict[int, frozenset[int]] = {}
    for number in range(graph.size):
        if analysis.view.event(identity, number).kind in ("call", "suspend", "enter", "iterate"):
            pad = graph.pad_of(number)
            if pad not in first:
                first[pad] = _first_events(graph, pad)
            if catch in first[pad]:
                found.add(number)
    return frozenset(found)


def landings(graph: EventGraph, pad: int) -> frozenset[int]:
    """The first events of the `finally` or the handlers at which an exception arrives that lands at this pad."""
    begun = graph.derived(_begun)
    return frozenset() if pad == graph.raised else frozenset(_first_events(graph, pad) & begun)


def _begun(graph: EventGraph) -> frozenset[int]:
    """The events with which the blocks begin that exceptions land at."""
    pads = {block.pad for block in graph.function.blocks}
    return frozenset(block.first for number, block in enumerate(graph.function.blocks) if number in pads and block.first < block.last)


def _first_events(graph: EventGraph, node: int) -> frozenset[int]:
    """The events that can come first on a way from a block's node.

    The reading of what a handler catches, and the leaving of a context manager by the exception, are passed over.
    """
    found: set[int] = set()
    seen = {node}
    pending = [node]
    while pending:
        for edge in graph.successors(pending.pop()):
            if edge.target < graph.size and not _is_passed_over(graph, edge.target):
                found.add(edge.target)
            elif edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return frozenset(found)


def _is_passed_over(graph: EventGraph, number: int) -> bool:
    event = graph.function.events[number]
    return event.kind in ("read", "exit") or (event.kind == "suspend" and event.note == "async-exit")


def _body(graph: EventGraph, catch: int, resumes: set[int]) -> frozenset[int]:
    return frozenset(n for n in reachable(graph, catch, resumes) if n < graph.size)


def _completes(graph: EventGraph, catch: int, ends: frozenset[int]) -> bool:
    return path(graph, catch, graph.exit, ends, exceptional=False, consistent=False) is not None


def _ends(analysis: Analysis, identity: FunctionId, body: frozenset[int]) -> frozenset[int]:
    """The calls of a handler that never come back: the program ends there, or every way through what is called raises."""
    calls = [number for number in body if analysis.view.event(identity, number).kind == "call"]
    return frozenset(number for number in calls if _never_returns(analysis, identity, number))


def _never_returns(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    if analysis.view.does(identity, number, "ends") is not None:
        return True
    calls = analysis.view.calls(identity, number)
    targets = [target for call in calls for target in call.functions]
    return bool(targets) and not any(call.unknown or call.abstract or call.externals or call.deferred for call in calls) and all(
        _always_raises(analysis, target) for target in targets
    )


def _always_raises(analysis: Analysis, target: FunctionId) -> bool:
    """Whether no way through a function comes to its end; a body that only says that it is to be written is none."""
    graph = analysis.view.graph(target)
    events = analysis.view.function(target).events
    return (
        len(events) > 1 and any(event.kind == "raise" for event in events) and not analysis.program.is_abstract_method(target)
        and path(graph, graph.entry, graph.exit, exceptional=False, consistent=False) is None
    )


def _acts(analysis: Analysis, identity: FunctionId, body: frozenset[int]) -> bool:
    for number in body:
        event = analysis.view.event(identity, number)
        if event.kind == "raise":
            return True
        if any(e.kind != "read" for e in analysis.summaries.effects_at(identity, number)):
            return True
        if analysis.summaries.mutations_at(identity, number):
            return True
        if event.kind == "return" and event.value is not None and is_failure_value(analysis, identity, number, event.value):
            return True
    return False


def caught(analysis: Analysis, identity: FunctionId, catch: int) -> tuple[str, ...]:
    """The canonical names of the exceptions a handler catches; empty for a bare one."""
    event = analysis.view.event(identity, catch)
    return () if event.value is None else tuple(exception_names(analysis, identity, event.value))


def exception_names(analysis: Analysis, identity: FunctionId, value: Value) -> Iterator[str]:
    if isinstance(value, Compound):
        for part in value.parts:
            yield from exception_names(analysis, identity, part)
    elif isinstance(value, Name):
        yield resolve_name(analysis.program, identity.module, identity.index, value.name) or value.name
    elif isinstance(value, Result):
        read = analysis.view.event(identity, value.event)
        if read.path is not None and isinstance(read.path.root, Name):
            dotted = ".".join((read.path.root.name, *read.path.steps))
            yield resolve_name(analysis.program, identity.module, identity.index, dotted) or dotted


def is_failure_value(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether a handler's result tells the caller that something failed: false, an empty display, or made of the exception."""
    if isinstance(value, Constant):
        return value.kind in ("bool", "int", "str") and value.text in ("False", "0", "-1", "")
    if isinstance(value, Compound) and value.operator in ("list", "dict", "set", "tuple") and not value.parts:
        return True
    roots = analysis.view.origins(identity).roots(value, at)
    return any(kind == "result" and isinstance(what, int) and analysis.view.event(identity, what).kind == "catch"
               for kind, what in roots)
