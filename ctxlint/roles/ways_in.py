"""From where a function is entered, and whether two functions can only run one after the other.

A *way in* is a function that nobody in the program is seen to call, or one that is started as a task or in a thread: from there
on, every call is waited for.
"""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.resolve import CallGraph
from ctxlint.roles.tasks import Tasks

MOST = 200
"""Functions on the ways to one; beyond them each one is taken for a way in."""


class WaysIn:
    """The ways in of the functions of a program; memoised."""

    def __init__(self, call_graph: CallGraph, tasks: Tasks) -> None:
        self._call_graph = call_graph
        self._tasks = tasks
        self._known: dict[FunctionId, frozenset[FunctionId]] = {}

    def of(self, identity: FunctionId) -> frozenset[FunctionId]:
        """The functions from which a function is reached by calls that are waited for; itself, when nobody calls it."""
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = self._find(identity)
        return known

    def can_meet(self, one: FunctionId, other: FunctionId) -> bool:
        """Whether the second function can run while the first one waits: some way into it does not lead to the first.

        What happens in one call of something happens one after the other there.
        """
        return not self.of(other) <= self.of(one)

    def _find(self, identity: FunctionId) -> frozenset[FunctionId]:
        found: set[FunctionId] = set()
        seen = {identity}
        pending = [identity]
        while pending:
            current = pending.pop()
            starts = {(start.caller, start.made) for start in self._tasks.starts(current)}
            callers = {site for site in self._call_graph.callers(current) if site[0] != current} - starts
            if starts or not callers or len(seen) > MOST:
                found.add(current)
            if len(seen) <= MOST:
                above = {caller for caller, _ in callers} - seen
                seen |= above
                pending += sorted(above)
        return frozenset(found)
