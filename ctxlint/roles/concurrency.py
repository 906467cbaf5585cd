"""Which functions the program itself runs beside others: in threads, executors, tasks."""

from __future__ import annotations

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.view import View
from ctxlint.flow.loops import Loops

CALLERS = 1
"""How many callers up a hand-over is looked for."""


class HandOver(msgspec.Struct, frozen=True, gc=False):
    """`caller` hands a function to something that runs it beside the caller, at `event`; `awaited` if it waits for the end."""

    caller: FunctionId
    event: int
    awaited: bool


class Concurrency:
    """The hand-overs of a program, by the function handed over."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._handed: dict[FunctionId, list[HandOver]] | None = None

    def hand_overs(self, identity: FunctionId) -> tuple[HandOver, ...]:
        """Where the function itself is handed over."""
        if self._handed is None:
            self._handed = self._find()
        return tuple(self._handed.get(identity, ()))

    def beside_itself(self, identity: FunctionId, depth: int = 0) -> HandOver | None:
        """A hand-over of the function, or of one that calls it, to threads that can run two of them at once.

        That is so when nobody waits for the end where it is handed over, or when it is called at another place as well. An
        object that starts a thread while it is made has one.
        """
        callers = self._view.call_graph.callers(identity)
        for found in self.hand_overs(identity):
            others = {(c, e) for c, e in callers if (c, e) != (found.caller, found.event)}
            if others or len(self.hand_overs(identity)) > 1 or not (found.awaited or self._is_once(found)):
                return found
        if depth < CALLERS:
            for caller, _ in callers:
                found_above = self.beside_itself(caller, depth + 1) if caller != identity else None
                if found_above is not None:
                    return found_above
        return None

    def _is_once(self, found: HandOver) -> bool:
        """Whether the hand-over is made once for each object: by what makes it, and in no loop."""
        if not is_constructor(self._view, found.caller):
            return False
        return self._view.graph(found.caller).derived(Loops).loop_of(found.event) is None

    def _find(self) -> dict[FunctionId, list[HandOver]]:
        found: dict[FunctionId, list[HandOver]] = {}
        for caller in self._view.program.functions():
            for event, _ in self._view.calls_that(caller, "concurrent-executor"):
                for position, target in self._view.call_graph.passed_callables(caller, event):
                    del position
                    if isinstance(target, FunctionId) and self._view.function(target).kind in ("function", "lambda"):
                        awaited = not any(c.deferred for c in self._view.calls(caller, event))
                        found.setdefault(target, []).append(HandOver(caller, event, awaited))
        return found
