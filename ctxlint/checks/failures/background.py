"""Tasks and threads that are started and left alone: at most kept from being collected, and taken out again when they have ended."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import Name, Result, Value, parts_of


class Background:
    """What is known of tasks and threads; which collections are read is found for the whole program, once."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    def is_left(self, identity: FunctionId, number: int) -> bool:
        """Whether nobody looks at how it ends what the call has started: it is bound to a local name at most, started, and kept
        in a collection that is never read as a whole.
        """
        function = self._analysis.view.function(identity)
        held: set[Value] = {Result(number)}
        for event in function.events:
            root = event.path.root if event.path is not None else None
            if event.kind == "local" and event.value == Result(number) and isinstance(root, Name) and root.scope == "local":
                held.add(root)
        names = {value.name for value in held if isinstance(value, Name)}
        functions = self._analysis.program.modules[identity.module].ir.functions
        if len(names) > 1 or any(names.intersection(f.captures) for f in functions if f.enclosing == identity.index):
            return False
        return all(
            self._is_harmless(identity, at, held) for at, event in enumerate(function.events)
            if at != number and held.intersection(used_values(event)) and not (event.kind == "local" and event.value == Result(number))
        )

    def _is_harmless(self, identity: FunctionId, at: int, held: set[Value]) -> bool:
        """Whether a use of a task says nothing of how it ends: it is started, asked whether it runs, or put away by who never looks."""
        view, event = self._analysis.view, self._analysis.view.event(identity, at)
        if event.kind != "call" or event.path is None:
            return False
        if event.path.root in held:
            handed = [target for _, target in view.call_graph.passed_callables(identity, at)]
            if event.arguments:                              # a callback of a collection only takes the task out
                return bool(handed) and all(isinstance(target, str) and target.startswith("builtins.") for target in handed)
            return {modelled.effect.does for modelled in view.modelled(identity, at)} == {"total"}
        kept = [mutation for mutation in self._analysis.summaries.mutations_at(identity, at) if mutation.distance == 0]
        return bool(kept) and event.ignored and all(
            mutation.how == "add" and mutation.cells and mutation.cells[-1].rpartition(".")[2] not in self._read_whole for mutation in kept
        )

    @functools.cached_property
    def _read_whole(self) -> frozenset[str]:
        """The names of attributes and variables that some function has in its hands as a whole, of whatever object they are."""
        found: set[str] = set()
        for module in self._analysis.program.modules.values():
            for function in module.ir.functions:
                for event in function.events:
                    if event.kind == "read" and event.path is not None and event.path.steps:
                        found.add(event.path.steps[-1])
                    found.update(value.name for value in _given(event) if isinstance(value, Name))
        return frozenset(found)


def used_values(event: Event) -> Iterator[Value]:
    """The names, results and whatever else an event uses."""
    if event.path is not None and event.kind != "local":
        yield from parts_of(event.path.root)
    for value in (event.value, *event.keys, *(a.value for a in event.arguments)):
        if value is not None:
            yield from parts_of(value)


def _given(event: Event) -> Iterator[Value]:
    for value in (event.value, *(argument.value for argument in event.arguments)):
        if value is not None and event.kind in ("call", "iterate", "suspend", "local"):
            yield from parts_of(value)
