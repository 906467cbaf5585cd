"""Which calls keep a thread waiting, so that the others run meanwhile: requests, programs, pauses, and what hides behind them."""

from __future__ import annotations

import sys

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import Name

MAX_DEPTH = 4
"""How many calls down a wait is looked for."""

_OUTSIDE = frozenset({"http", "sql", "key-value", "document", "blob", "socket", "queue"})
_WAITS = frozenset({"suspends", "joins"})
_ASIDE = frozenset({"telemetry", "pure", "total", "fresh", "calls-argument", "concurrent-executor"})


class Blocking:
    """The waits of a program's threads."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[tuple[FunctionId, int], bool] = {}

    def waits(self, identity: FunctionId, event: int) -> bool:
        """Whether the call can take so long that other threads get far: it leaves the process, or nobody says what it does."""
        return self._waits(identity, event, 0)

    def _waits(self, identity: FunctionId, event: int, depth: int) -> bool:
        if self._view.event(identity, event).kind != "call":
            return False
        modelled = self._view.modelled(identity, event)
        if any(m.effect.does in _WAITS or (m.effect.store in _OUTSIDE and m.effect.does not in _ASIDE) for m in modelled):
            return True
        return any(self._leads_away(identity, event, call, depth) for call in self._view.calls(identity, event))

    def _leads_away(self, identity: FunctionId, event: int, call: Call, depth: int) -> bool:
        if call.abstract or any(not self._is_known(name) for name in call.externals):
            return True                                       # an interface to something else, or a library nobody described
        path = self._view.event(identity, event).path
        if call.unknown and not call.functions and path is not None and not path.steps:
            return isinstance(path.root, Name) and path.root.scope != "global"   # a function that was passed in
        return depth < MAX_DEPTH and any(self._function_waits(target, depth + 1) for target in call.functions)

    def _is_known(self, name: str) -> bool:
        """Whether a library's callable is described, or belongs to the language's own library."""
        return name.partition(".")[0] in sys.stdlib_module_names or bool(self._view.models.effects(name))

    def _function_waits(self, identity: FunctionId, depth: int) -> bool:
        known = self._known.get((identity, depth))            # what is seen from further up does not reach as far down
        if known is None:
            known = self._known[identity, depth] = any(self._waits(identity, n, depth) for n in self._view.call_graph.calls(identity))
        return known
