"""Writes that are left when a file cannot be replaced: to do the same in one step would fail there once more."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.rewrites import is_test
from ctxlint.flow.paths import path
from ctxlint.ir.value import Compound, Name, Result, Value

CALLERS_UP = 2
"""How many calls up the failed replacement, or the test of what the file is, is looked for."""

Reason = tuple[str, FunctionId, int]
"""A reason in words, and the event that shows it."""


class Fallbacks:
    """`regular` are the functions that tell a regular file, `special` those that tell anything else: a device, a pipe."""

    def __init__(self, analysis: Analysis, regular: Sequence[str], special: Sequence[str]) -> None:
        self._analysis = analysis
        self._regular = regular
        self._special = special

    def why(self, identity: FunctionId, event: int, up: int = CALLERS_UP) -> tuple[Reason, ...]:
        """Why the event is reached only where a file cannot be replaced, one reason for each kind; none when it is reached
        otherwise, too.
        """
        found = self._after_a_failed_move(identity, event) or self._of_something_else(identity, event)
        if found is not None:
            return (found,)
        reasons: dict[str, Reason] = {}
        for caller, call in self._analysis.view.call_graph.callers(identity) if up else ():
            if not is_test(caller):
                above = self.why(caller, call, up - 1)
                if not above:
                    return ()
                for reason in above:
                    reasons.setdefault(reason[0], reason)
        return tuple(reasons.values())

    def _after_a_failed_move(self, identity: FunctionId, event: int) -> Reason | None:
        """A move from which only its failure leads to the event."""
        graph = self._analysis.view.graph(identity)
        moves = {e.event for e in self._analysis.summaries.of(identity).effects if e.kind == "move" and e.event != event}
        for move in sorted(moves):
            if path(graph, move, event, moves, start="failed") and path(graph, move, event, moves, start="completed") is None:
                return "it is what is left when the file could not be replaced", identity, move
        return None

    def _of_something_else(self, identity: FunctionId, event: int) -> Reason | None:
        """A test that found no regular file, on every way to the event."""
        graph = self._analysis.view.graph(identity)
        asked: int | None = None
        seen, pending = {graph.entry}, [graph.entry]
        while pending:
            for edge in graph.successors(pending.pop()):
                condition = edge.condition
                says = None if condition is None else self._asked(identity, event, condition.value, condition.holds)
                if says is not None:
                    asked = says
                elif edge.target not in seen:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return ("what is written here is no regular file", identity, asked) if asked is not None and event not in seen else None

    def _asked(self, identity: FunctionId, at: int, value: Value, holds: bool) -> int | None:
        """The call whose answer says that it is no regular file, when the value is true or, without `holds`, false."""
        if isinstance(value, Compound) and value.operator == "not":
            return self._asked(identity, at, value.parts[0], not holds)
        if isinstance(value, Compound) and value.operator in ("and", "or"):
            parts = [self._asked(identity, at, part, holds) for part in value.parts]
            if holds == (value.operator == "and"):
                return next((part for part in parts if part is not None), None)
            return parts[0] if all(part is not None for part in parts) else None
        if isinstance(value, Result):
            names = {name for call in self._analysis.view.calls(identity, value.event) for name in call.externals}
            return value.event if names.intersection(self._special if holds else self._regular) else None
        if isinstance(value, Name) and value.scope == "local":
            made = self._analysis.view.definitions(identity).definitions(at, value.name)
            bound = self._analysis.view.event(identity, made[0]) if len(made) == 1 and 0 <= made[0] < at else None
            if bound is not None and bound.kind == "local" and bound.value is not None:
                return self._asked(identity, made[0], bound.value, holds)
        return None
