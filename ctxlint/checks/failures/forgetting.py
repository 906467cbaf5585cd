"""Containers that drop their oldest entry without a word, although a consumer still has to hand every entry on.

An entry is owed when the consumer takes it off only after it was handed on: whatever could not be sent or stored stays for the
next attempt. A container whose entries are only looked at remembers the latest, as it should.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import short_cell
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Result, Value
from ctxlint.knowledge.words import hints


class Delivery(msgspec.Struct, frozen=True):
    """The function that hands an entry on at `handed`, and takes it off the container afterwards."""

    function: FunctionId
    handed: int


class Outgoing:
    """Who hands on what the capped containers of a program hold, by the container's cell."""

    def __init__(self, analysis: Analysis, appends: Appends, capped: frozenset[str]) -> None:
        self._analysis = analysis
        self._appends = appends
        self.capped = capped
        self._deliveries: dict[str, Delivery] = {}
        for identity in analysis.program.functions() if capped else ():
            for mutation in analysis.summaries.of(identity).mutations:
                cell = mutation.cells[-1] if mutation.cells else ""
                if mutation.how in ("remove", "delete", "clear") and mutation.distance == 0 and cell in capped and cell not in self._deliveries:
                    handed = self._handed_before(identity, mutation.event, cell)
                    if handed is not None:
                        self._deliveries[cell] = Delivery(identity, handed)

    def of(self, cell: str) -> Delivery | None:
        """Who hands the entries of the container on."""
        return self._deliveries.get(cell)

    def _handed_before(self, identity: FunctionId, removal: int, cell: str) -> int | None:
        """The call that gets an entry and can fail, where the entry is removed only when it has ended well."""
        view, graph = self._analysis.view, self._analysis.view.graph(identity)
        for number, event in enumerate(view.function(identity).events):
            if event.kind != "call" or number == removal or not view.can_raise(identity, number) or self._appends.is_light(identity, number):
                continue
            if path(graph, number, removal, start="completed") is None or path(graph, number, removal, start="failed") is not None:
                continue
            if any(self._is_entry(identity, number, argument.value, cell) for argument in event.arguments):
                return number
        return None

    def _is_entry(self, identity: FunctionId, at: int, value: Value, cell: str) -> bool:
        """Whether the value is an entry that the container holds, or a part of one."""
        view = self._analysis.view
        for kind, what in view.origins(identity).roots(value, at):
            if kind != "result" or not isinstance(what, int):
                continue
            event = view.event(identity, what)
            taken = event.kind == "iterate" or event.kind == "read" and event.path is not None and "[*]" in event.path.steps
            if taken and any(s.kind == "cell" and s.name == cell for s in self._analysis.summaries.sources.of(identity, at, Result(what))):
                return True
        return False


def forgotten(analysis: Analysis, outgoing: Outgoing, identity: FunctionId) -> Iterator[Finding]:
    """Report what is added to a container that drops the oldest, when somebody still has to hand that on."""
    for mutation in analysis.summaries.of(identity).mutations if outgoing.capped else ():
        cell = mutation.cells[-1] if mutation.cells else ""
        delivery = outgoing.of(cell) if mutation.how == "add" and mutation.distance == 0 else None
        if delivery is None or _is_measured(analysis, identity, mutation.event, cell):
            continue
        store, reader = short_cell((cell,)), analysis.program.symbol(delivery.function)
        by_the_way = any(hints(name, analysis.words.telemetry) for name in (store, reader, identity.module.rpartition(".")[2]))
        yield Finding(
            function=identity, event=mutation.event, kind="capped", confidence="low" if by_the_way else "medium",
            fields={"store": store, "reader": reader, "line": At(identity, mutation.event), "handler": ""},
            flow=(FlowStep(identity, mutation.event, f"adds an entry to {store}, which drops its oldest one when it is full"),
                  FlowStep(delivery.function, delivery.handed, "hands an entry on, and takes it off only when that has ended well")),
            evidence=(Evidence(f"`{reader}` keeps an entry of {store} until it is handed on", delivery.function, delivery.handed),),
            chain=("capped", cell),
        )


def _is_measured(analysis: Analysis, identity: FunctionId, adding: int, cell: str) -> bool:
    """Whether the function looks at how much the container holds before it adds: it says what is to be done when that is full."""
    view, graph = analysis.view, analysis.view.graph(identity)
    return any(
        view.does(identity, number, "pure") is not None and adding in reachable(graph, number) and any(
            s.kind == "cell" and s.name == cell
            for argument in event.arguments for s in analysis.summaries.sources.of(identity, number, argument.value)
        )
        for number, event in enumerate(view.function(identity).events) if event.kind == "call" and number != adding
    )
