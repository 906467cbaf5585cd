"""Functions, methods, library callables and cells that a policy names."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.paths import path


class Named:
    """The calls of a program that a qualified name means: `audit.append`, `Account.save`, `requests.post`.

    A name means every callable whose dotted name ends with it, component by component, so a class alone may name its methods.
    """

    def __init__(self, analysis: Analysis, name: str) -> None:
        self._analysis = analysis
        self._name = name
        self._means: dict[FunctionId, bool] = {}
        self._surely = Recall[FunctionId, bool](lambda target: False)     # a recursion proves nothing

    def calls(self, identity: FunctionId) -> Iterator[int]:
        """The events of a function that may call what is named, and wait for it if it runs elsewhere."""
        for number, event in enumerate(self._analysis.view.function(identity).events):
            if event.kind == "call" and self._is_called(identity, number):
                yield number

    def is_here(self, identity: FunctionId) -> bool:
        """Whether the function bears the name or calls what does."""
        return self._is_named(identity) or any(True for _ in self.calls(identity))

    def surely_done(self, identity: FunctionId) -> frozenset[int]:
        """The events behind which what is named has run: its calls, and calls of functions that never return without one."""
        return frozenset(
            number for number, event in enumerate(self._analysis.view.function(identity).events)
            if event.kind == "call" and (self._is_called(identity, number) or self._callees_do(identity, number))
        )

    def _is_called(self, identity: FunctionId, number: int) -> bool:
        return any(
            any(map(self._is_named, (*call.functions, *call.abstract))) or any(map(self._fits, call.externals))
            for call in self._analysis.view.effective_calls(identity, number)
        )

    def _callees_do(self, identity: FunctionId, number: int) -> bool:
        calls = [call for call in self._analysis.view.calls(identity, number) if not call.deferred]
        targets = [target for call in calls for target in call.functions]
        return bool(targets) and not any(call.unknown or call.externals or call.abstract for call in calls) and all(
            map(self._always_does, targets)
        )

    def _always_does(self, target: FunctionId) -> bool:
        """Whether every way through the function that ends normally passes a completed call of what is named."""
        return self._surely.ask(target, lambda: self._find_always_does(target))

    def _find_always_does(self, target: FunctionId) -> bool:
        done = self.surely_done(target)
        return bool(done) and not reaches_without(self._analysis, target, done, self._analysis.view.graph(target).exit)

    def _is_named(self, target: FunctionId) -> bool:
        known = self._means.get(target)
        if known is None:
            known = self._means[target] = self._fits(f"{target.module}.{self._analysis.program.symbol(target)}")
        return known

    def _fits(self, dotted: str) -> bool:
        return dotted == self._name or dotted.endswith("." + self._name)


def reaches_without(analysis: Analysis, identity: FunctionId, done: frozenset[int], target: int) -> tuple[int, ...]:
    """The events of a way from the entry to `target` on which none of `done` completes; empty when there is none."""
    graph = analysis.view.graph(identity)
    found = path(graph, graph.entry, target, done)
    for event in sorted(done) if found is None else ():
        found = found or path(graph, event, target, done - {event}, start="failed")
    return () if found is None else (*found.events(graph), target)
