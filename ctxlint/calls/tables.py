"""Reaching definitions of every function, shared by type inference and by everything after it."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import Program
from ctxlint.flow.graph import event_graph
from ctxlint.flow.reaching import Definitions


class DefinitionTables:
    """The reaching definitions of a program's functions, computed when first asked for.

    They are taken from a graph in which every call can raise: which callee a call has is not known yet, and an exception
    edge too many only adds definitions.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[FunctionId, Definitions] = {}

    def __call__(self, identity: FunctionId) -> Definitions:
        """The reaching definitions of one function."""
        found = self._known.get(identity)
        if found is None:
            function = self._program.function(identity)
            events = function.events
            graph = event_graph(function, lambda event: events[event].kind in ("call", "suspend", "iterate", "enter"))
            found = self._known[identity] = Definitions(graph)
        return found
