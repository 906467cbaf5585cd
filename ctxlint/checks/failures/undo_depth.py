"""Undo records that are deltas, kept in a container that silently drops the oldest."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import short_cell
from ctxlint.ir.value import NONE, Closure, Result, Value


class Capped:
    """The attributes that hold a container with a limit, and the functions that replay deltas from it."""

    def __init__(self, analysis: Analysis, containers: frozenset[str], limit: str) -> None:
        self._analysis = analysis
        self._replays: dict[str, list[tuple[FunctionId, int, frozenset[str]]]] = {}
        self.cells = frozenset(self._capped(containers, limit))
        for identity in analysis.program.functions() if self.cells else ():
            self._collect(identity)

    def replay(self, capped: str, edited: frozenset[str]) -> tuple[FunctionId, int] | None:
        """The function that takes from the container and writes pieces of one of the edited cells, with the taking event."""
        return next(((f, n) for f, n, cells in self._replays.get(capped, ()) if cells & edited), None)

    def holds(self, cells: tuple[str, ...]) -> str | None:
        """The capped container among the cells of a path."""
        return next((cell for cell in cells if cell in self.cells), None)

    def _capped(self, containers: frozenset[str], limit: str) -> Iterator[str]:
        view = self._analysis.view
        for class_id in self._analysis.program.classes():
            for attribute, sites in view.inference.stores(class_id).items():
                for function, number in sites:
                    value = view.event(function, number).value
                    if isinstance(value, Result) and self._is_capped(function, value.event, containers, limit):
                        yield f"{attribute_owner(view, class_id, attribute)}.{attribute}"
            info = self._analysis.program.class_(class_id)
            if info is None:
                continue
            body = FunctionId(info.module, info.ir.body)
            for field in info.ir.fields:
                if isinstance(field.default, Result) and self._makes_capped(body, field.default.event, containers, limit):
                    yield f"{attribute_owner(view, class_id, field.name)}.{field.name}"

    def _makes_capped(self, body: FunctionId, event: int, containers: frozenset[str], limit: str) -> bool:
        """Whether a field's default is such a container, or is told a function that makes one."""
        view = self._analysis.view
        made = [argument.value for argument in view.event(body, event).arguments]
        factories = [FunctionId(body.module, value.function) for value in made if isinstance(value, Closure)]
        return self._is_capped(body, event, containers, limit) or any(
            e.kind == "return" and isinstance(e.value, Result) and self._is_capped(factory, e.value.event, containers, limit)
            for factory in factories for e in view.function(factory).events
        )

    def _is_capped(self, function: FunctionId, event: int, containers: frozenset[str], limit: str) -> bool:
        made = any(name in containers for call in self._analysis.view.calls(function, event) for name in call.externals)
        return made and any(
            argument.keyword == limit and argument.value != NONE for argument in self._analysis.view.event(function, event).arguments
        )

    def _collect(self, identity: FunctionId) -> None:
        mutations = self._analysis.summaries.of(identity).mutations
        edited = edited_cells(self._analysis, identity)
        for mutation in mutations if edited else ():
            cell = self.holds(mutation.cells)
            if cell is not None and mutation.how in ("remove", "delete"):
                self._replays.setdefault(cell, []).append((identity, mutation.event, edited))


def edited_cells(analysis: Analysis, identity: FunctionId) -> frozenset[str]:
    """The cells of which a function writes a piece: an item or a slice, not the whole."""
    return frozenset(
        m.cells[-1] for m in analysis.summaries.of(identity).mutations if m.cells and m.how in ("item", "delete") and m.distance == 0
    )


def undo_depth(analysis: Analysis, capped: Capped, identity: FunctionId) -> Iterator[Finding]:
    """Report the recording of a delta where the oldest deltas vanish."""
    edited = edited_cells(analysis, identity)
    for mutation in analysis.summaries.of(identity).mutations if edited else ():
        cell = capped.holds(mutation.cells)
        replay = capped.replay(cell, edited) if cell is not None and mutation.how == "add" else None
        if cell is None or replay is None or not _records(analysis, identity, mutation.event, mutation.values, edited):
            continue
        store, reader = short_cell((cell,)), analysis.program.symbol(replay[0])
        yield Finding(
            function=identity, event=mutation.event, kind="undo-depth", confidence="medium",
            fields={"store": store, "reader": reader, "line": At(identity, mutation.event), "handler": ""},
            flow=(FlowStep(identity, mutation.event, f"records a delta in {store}, which drops its oldest entry when it is full"),
                  FlowStep(*replay, f"undoes with what is left in {store}")),
            evidence=(Evidence(f"`{reader}` undoes with what it takes from {store}", *replay),),
            chain=("undo-depth", cell),
        )


def _records(analysis: Analysis, identity: FunctionId, at: int, values: tuple[Value, ...], edited: frozenset[str]) -> bool:
    """Whether the entry holds the content that is edited: it is an inverse record."""
    sources = analysis.summaries.sources.of_all(identity, at, values)
    return any(source.kind == "cell" and source.name in edited for source in sources)
