"""Reaching definitions of every function, shared by type inference and by everything after it."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import Program
from ctxlint.flow.reaching import Definitions
from ctxlint.flow.routes import routes


_CAN_RAISE = frozenset(("call", "suspend", "iterate", "enter"))


class DefinitionTables:
    """The reaching definitions of a program's functions, computed when first asked for.

    They are taken along routes on which every call can raise: which callee a call has is not known yet, and an exception
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
            found = self._known[identity] = Definitions(routes(function, lambda event: events[event].kind in _CAN_RAISE))
        return found
