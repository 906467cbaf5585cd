"""Undo records that say what a change added, or put in, rather than what was there before.

The undo takes the last record off the end of its container and does the opposite with it: it subtracts what was added, or
removes what was put in. What is taken from the front is a queue of work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.recording.taken import innermost_cells, taken
from ctxlint.checks.retries import named
from ctxlint.checks.turning import is_reversed
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Value
from ctxlint.knowledge.words import hints
from ctxlint.roles.cells import Change
from ctxlint.roles.entering import REMOVALS

CALLERS = 8
"""A function that changes a cell for more callers than this is no part of one undo."""

_SIGNS = {"+": "+", "+=": "+", "-": "-", "-=": "-", "*": "*", "*=": "*", "/": "/", "/=": "/"}
_OPPOSITE = {"+": "-", "-": "+", "*": "/", "/": "*"}


class LastTakers:
    """The functions that take entries off the end of a container, or out of it after a look at its end; memoised.

    Every pair of a change and a record asks, and hardly any container has such a function.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._known: dict[str, frozenset[FunctionId]] = {}

    def of(self, container: str) -> frozenset[FunctionId]:
        """Those of one container: only who removes something from it, here or below, can take its last entry."""
        known = self._known.get(container)
        if known is None:
            removing = {function for function, mutation in self._analysis.cells.reaching(container) if mutation.how in REMOVALS}
            known = self._known[container] = frozenset([f for f in removing if takes_last(self._analysis, f, container)])
        return known


class Shift(NamedTuple):
    """A cell gets its own value with something added to it, or taken from it."""

    sign: str
    by: tuple[Value, ...]


def is_told(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: Mutation) -> bool:
    """Whether the record says what the mutation adds to the cell or puts into it."""
    entering = analysis.cells.entering
    if mutation.how in REMOVALS:
        return False
    content = entering.content(identity, mutation) | (entering.keys(identity, mutation) if mutation.how == "item" else frozenset[Source]())
    put = {named(source) for source in content if source.kind in ("param", "call", "read")}
    return not put.isdisjoint(named(source) for source in entering.content(identity, record))


def opposite(
    analysis: Analysis, recorder: FunctionId, mutation: Mutation, container: str, takers: frozenset[FunctionId]
) -> Change | None:
    """The change that takes back what the mutation adds or puts in, of one of the `takers` of the container's last record."""
    shift = _shift(analysis, recorder, mutation)
    for change in changes_near(analysis, mutation.cells[-1]):
        function, back = change.function, change.mutation
        if function == recorder or function not in takers:
            continue
        if shift is not None:
            other = _shift(analysis, function, back)
            if other is not None and other.sign == _OPPOSITE[shift.sign] and _is_taken(analysis, function, back, other.by, container):
                return change
        elif mutation.how in ("add", "item") and mutation.distance == back.distance == 0 and back.how in REMOVALS:
            event = analysis.view.event(function, back.event)
            gone = (*event.keys, *(argument.value for argument in event.arguments[:1]))
            if _is_taken(analysis, function, back, gone, container):
                return change
    return None


def is_called_undo(analysis: Analysis, change: Change, container: str) -> bool:
    """Whether names say that the function takes changes back, or that the container is there for it."""
    return hints(analysis.program.symbol(change.function).rpartition(".")[2], analysis.words.recovery) or hints(
        container.rpartition(".")[2], analysis.words.recovery
    )


def changes_near(analysis: Analysis, cell: str) -> Iterator[Change]:
    """The functions that change the cell themselves, and those that have it changed by a function which they call."""
    for change in analysis.cells.changes(cell):
        yield change
        callers = {caller for caller, _ in analysis.view.call_graph.callers(change.function)}
        for caller in sorted(callers) if len(callers) <= CALLERS else ():
            for mutation in analysis.summaries.mutations_from(caller, change.mutation.origin, 1):
                yield Change(caller, mutation)


def put_in(analysis: Analysis, change: Change) -> tuple[Value, ...]:
    """The values that a change stores as they are, in terms of its function: of what a call passes, what the callee just stores."""
    if change.mutation.distance == 0:
        return change.mutation.values
    found: list[Value] = []
    for call in analysis.view.effective_calls(change.function, change.mutation.event):
        for target in call.functions:
            actuals = analysis.view.bound(call, target)
            for inner in analysis.summaries.mutations_from(target, change.mutation.origin, 0):
                same = [atom for value in inner.values for atom in analysis.view.origins(target).identity(value, inner.event)]
                found += [actuals[name] for kind, name in same if kind == "param" and isinstance(name, str) and name in actuals]
    return tuple(dict.fromkeys(found))


def takes_last(analysis: Analysis, identity: FunctionId, container: str) -> bool:
    """Whether the function takes entries off the end of the container, or out of it after a look at its end."""
    changes = analysis.summaries.mutations_of(identity, container)
    removals = {m.event for m in changes if m.how in REMOVALS and m.cells[-1] == container}
    events = analysis.view.function(identity).events
    if not removals or any(_is_from_front(events[number]) for number in removals):
        return False
    for number, event in enumerate(events):
        if event.kind == "call" and event.path is not None and event.path.steps[-1:] == ("pop",) and number in removals:
            if not event.arguments or _is_last(event.arguments[0].value):
                return True
        elif event.kind in ("read", "delete") and event.path is not None and event.keys and _is_last(event.keys[-1]):
            holder = AccessPath(event.path.root, event.path.steps[:-1])
            if container in innermost_cells(analysis, identity, number, holder):
                return True
        elif event.kind == "iterate" and event.value is not None and is_reversed(analysis.view, identity, number, event.value):
            return True
    return False


def _is_from_front(event: Event) -> bool:
    first = event.keys[-1:] if event.kind == "delete" else tuple(argument.value for argument in event.arguments[:1])
    if event.kind == "call" and event.path is not None and event.path.steps[-1:] == ("popleft",):
        return True
    return first == (Constant("int", "0"),)


def _shift(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> Shift | None:
    """By what the mutation changes a number, in terms of the function."""
    if mutation.distance == 0:
        return _own_shift(analysis, identity, mutation)
    if mutation.distance != 1:
        return None
    for call in analysis.view.effective_calls(identity, mutation.event):
        for target in call.functions:
            for inner in analysis.summaries.mutations_from(target, mutation.origin, 0):
                shift = _own_shift(analysis, target, inner)
                actuals = analysis.view.bound(call, target)
                named_parts = [part.name for part in shift.by if isinstance(part, Name)] if shift is not None else []
                by = [actuals[name] for name in named_parts if name in actuals]
                if shift is not None and by:
                    negated = [part for part in by if isinstance(part, Compound) and part.operator == "-x"]
                    return Shift(_OPPOSITE[shift.sign] if negated else shift.sign, tuple(by))
    return None


def _own_shift(analysis: Analysis, identity: FunctionId, mutation: Mutation) -> Shift | None:
    if len(mutation.values) != 1 or mutation.how not in ("augment", "item", "field", "rebind"):
        return None
    value = _bound(analysis, identity, mutation.values[0], mutation.event)
    if not isinstance(value, Compound) or value.operator not in _SIGNS or len(value.parts) != 2:
        return None
    first, second = value.parts
    if mutation.how == "augment" or _reads(analysis, identity, mutation, first):
        return Shift(_SIGNS[value.operator], (second,))
    if value.operator in ("+", "*") and _reads(analysis, identity, mutation, second):
        return Shift(_SIGNS[value.operator], (first,))
    return None


def _bound(analysis: Analysis, identity: FunctionId, value: Value, at: int) -> Value:
    """What a local was bound to, where that is one thing."""
    if isinstance(value, Name) and value.scope == "local":
        bindings = [n for n in analysis.view.definitions(identity).definitions(at, value.name) if n >= 0]
        bound = analysis.view.event(identity, bindings[0]).value if len(bindings) == 1 else None
        return value if bound is None else bound
    return value


def _reads(analysis: Analysis, identity: FunctionId, mutation: Mutation, part: Value) -> bool:
    return any(cell in mutation.cells[-1:] for cell, _ in taken(analysis, identity, (part,), mutation.event))


def _is_taken(analysis: Analysis, identity: FunctionId, change: Mutation, values: tuple[Value, ...], container: str) -> bool:
    return any(cell == container for cell, _ in taken(analysis, identity, values, change.event, parts=True))


def _is_last(value: Value) -> bool:
    return value == Constant("int", "-1")
