"""Queues that forget: what does not fit is dropped although a consumer still has to make it durable."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import WRITES
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.finding import PLACE, At, Evidence, Finding, FlowStep
from ctxlint.checks.handlers import handlers_of
from ctxlint.checks.wording import short_cell
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.ir.value import AccessPath, Name, Value

NEAR = 3


class Queues:
    """Who takes what from the queues of a program, and makes it durable."""

    def __init__(self, analysis: Analysis, appends: Appends) -> None:
        self._analysis = analysis
        self._appends = appends
        self._consumers: dict[str, list[tuple[FunctionId, int]]] = {}
        for identity in analysis.program.functions():
            for number, _ in analysis.view.calls_that(identity, "mutates"):
                if _takes(analysis, identity, number) and not analysis.view.event(identity, number).ignored:
                    for cell in queue_cells(analysis, identity, number):
                        if self._persists(identity, number):
                            self._consumers.setdefault(cell, []).append((identity, number))

    def owing(self, cells: tuple[str, ...]) -> tuple[FunctionId, int] | None:
        """A consumer that makes durable what it takes from one of the queues."""
        return next((consumer for cell in cells for consumer in self._consumers.get(cell, ())), None)

    def _persists(self, identity: FunctionId, taking: int) -> bool:
        """Whether what is taken goes into a store, or says which entry of a store is done with."""
        origins = self._analysis.view.origins(identity)
        for effect in self._analysis.summaries.of(identity).effects:
            if effect.kind in WRITES and effect.distance <= NEAR and effect.event != taking and (
                effect.distance == 0 or self._appends.at(identity, effect.event) is not None
            ):
                call = self._analysis.view.event(identity, effect.event)
                values = [*effect.contents, *(a.value for a in call.arguments)]
                if call.path is not None:
                    values.append(call.path.root)
                if any(("result", taking) in self._reached(identity, origins.roots(v, effect.event)) for v in values):
                    return True
        return False

    def _reached(self, identity: FunctionId, atoms: frozenset[tuple[str, str | int]]) -> frozenset[tuple[str, str | int]]:
        """The atoms, those of the arguments of the calls among them, and of what the function itself has put where one is read."""
        found = set(atoms)
        pending = [what for kind, what in atoms if kind == "result" and isinstance(what, int)]
        while pending:
            for value, at in self._made_of(identity, pending.pop()):
                for atom in self._analysis.view.origins(identity).roots(value, at):
                    if atom not in found:
                        found.add(atom)
                        if atom[0] == "result" and isinstance(atom[1], int):
                            pending.append(atom[1])
        return frozenset(found)

    def _made_of(self, identity: FunctionId, number: int) -> Iterator[tuple[Value, int]]:
        events = self._analysis.view.function(identity).events
        yield from ((argument.value, number) for argument in events[number].arguments)
        if events[number].kind == "read":
            yield from ((e.value, n) for n, e in enumerate(events) if e.kind == "write" and e.path == events[number].path and e.value is not None)


def bounded(analysis: Analysis, appends: Appends, queues: Queues, full: frozenset[str], identity: FunctionId) -> Iterator[Finding]:
    """Report puts that drop what does not fit, or the oldest, from a queue whose entries are still owed."""
    view = analysis.view
    for number, match in view.calls_that(identity, "queue"):
        if match.effect.suspends or not match.effect.fallible:
            continue
        cells = queue_cells(analysis, identity, number)
        consumer = queues.owing(cells)
        if consumer is None:
            continue
        evicting = _evicts_before(analysis, identity, number, cells)
        if evicting is not None:
            yield _finding(analysis, identity, number, evicting, cells, consumer, "drop-oldest", "medium")
            continue
        for handler in handlers_of(analysis, identity):
            catches = not handler.names or any(name in full for name in handler.names)
            silent = all(appends.is_light(identity, n) for n in handler.body if view.event(identity, n).kind == "call")
            if catches and handler.swallows and handler.catches_failure_of(number) and silent and not handler.acts:
                yield _finding(analysis, identity, number, handler.catch, cells, consumer, "full-queue", "high")
                break


def queue_cells(analysis: Analysis, identity: FunctionId, number: int) -> tuple[str, ...]:
    """The cells that hold the queue whose method a call calls."""
    event = analysis.view.event(identity, number)
    if event.path is None or not event.path.steps:
        return ()
    found: dict[str, None] = {}
    for resolved in analysis.view.resolve_path(identity, number, AccessPath(event.path.root, event.path.steps[:-1])):
        if resolved.steps or (isinstance(resolved.root, Name) and resolved.root.scope == "global"):
            found.update(dict.fromkeys(cells_of(analysis.view, identity, number, resolved)[-1:]))
    return tuple(found)


def _takes(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    match = analysis.view.does(identity, number, "mutates")
    return match is not None and match.effect.store == "queue" and match.effect.how == "remove"


def _evicts_before(analysis: Analysis, identity: FunctionId, number: int, cells: tuple[str, ...]) -> int | None:
    """An entry that is taken off the same queue and thrown away to make room."""
    for other, event in enumerate(analysis.view.function(identity).events):
        taken = event.kind == "call" and event.ignored and _takes(analysis, identity, other)
        same = taken and not set(cells).isdisjoint(queue_cells(analysis, identity, other))
        if same and path(analysis.view.graph(identity), other, number) is not None:
            return other
    return None


def _finding(
    analysis: Analysis, identity: FunctionId, number: int, because: int, cells: tuple[str, ...], consumer: tuple[FunctionId, int],
    kind: str, confidence: Confidence,
) -> Finding:
    store = short_cell(cells)
    reader = analysis.program.symbol(consumer[0])
    lost = "the oldest entry is thrown away" if kind == "drop-oldest" else "a full queue is passed over"
    steps = [FlowStep(identity, number, f"puts an entry into {store}"), FlowStep(identity, because, lost)]
    if kind == "drop-oldest":
        steps.reverse()
    return Finding(
        function=identity, event=number, kind=kind, confidence=confidence,
        fields={"store": store, "line": At(identity, number), "reader": reader,
                "handler": At(identity, because)},
        flow=(*steps, FlowStep(consumer[0], consumer[1], f"takes from {store} what is to be made durable")),
        evidence=(Evidence(f"`{reader}` makes durable what it takes from {store}", consumer[0], consumer[1]),),
        chain=(kind, *cells[:1]),
        facts={"handler": At(identity, because, PLACE)} if kind == "full-queue" else {},
    )
