"""What is known of every function's names: reaching definitions, and which names inner functions use."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import Program
from ctxlint.flow.reaching import Definitions
from ctxlint.flow.routes import routes
from ctxlint.flow.sharing import NOT_SHARED, Sharing, sharing

_CAN_RAISE = frozenset(("call", "suspend", "iterate", "enter"))


class DefinitionTables:
    """The reaching definitions of a program's functions, computed when first asked for.

    They are taken along routes on which every call can raise: which callee a call has is not known yet, and an exception
    edge too many only adds definitions.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[FunctionId, Definitions] = {}
        self._sharing: dict[str, dict[int, Sharing]] = {}

    def __call__(self, identity: FunctionId) -> Definitions:
        """The reaching definitions of one function."""
        found = self._known.get(identity)
        if found is None:
            function = self._program.function(identity)
            events = function.events
            found = self._known[identity] = Definitions(routes(function, lambda event: events[event].kind in _CAN_RAISE))
        return found

    def sharing(self, identity: FunctionId) -> Sharing:
        """The names of one function that functions inside it use, and those that they bind."""
        found = self._sharing.get(identity.module)
        if found is None:
            found = self._sharing[identity.module] = sharing(self._program.modules[identity.module].ir.functions)
        return found.get(identity.index, NOT_SHARED)
