"""All places where the failure of a function's steps ends with nothing done about it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.failures.around import Around
from ctxlint.checks.failures.swallowing import Swallow, handler_swallows, return_swallows
from ctxlint.checks.failures.waited import waited


class Swallows:
    """Memoised: the places of each function where the failure of a store would end with nothing done about it."""

    def __init__(self, analysis: Analysis, appends: Appends, failures: frozenset[str]) -> None:
        self._analysis = analysis
        self._appends = appends
        self._failures = failures
        self._around = Around(analysis, appends, failures)
        self._known: dict[FunctionId, tuple[Swallow, ...]] = {}

    def of(self, identity: FunctionId) -> tuple[Swallow, ...]:
        """The places where one of `failures` ends."""
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = tuple(self._find(identity))
        return known

    def _find(self, identity: FunctionId) -> Iterator[Swallow]:
        kinds = {event.kind for event in self._analysis.view.function(identity).events}
        if "catch" in kinds:
            yield from handler_swallows(self._analysis, self._appends, self._failures, identity)
        if "enter" in kinds:
            yield from self._around.managers(identity)
        if "return" in kinds:
            yield from return_swallows(self._analysis, identity)
        yield from self._around.decorators(identity)
        yield from self._around.runners(identity)
        yield from waited(self._analysis, self._appends, identity)
