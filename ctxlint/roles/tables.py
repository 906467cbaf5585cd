"""Tables of a module: what `READS[job]` holds is a part of the job, as if it were a field of it.

A table is a variable of a module that is bound once, to a dictionary of collections that is written down.
"""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.leaf import Leaf, spelled

_COLLECTIONS = frozenset(["tuple", "list", "set"])
_MAKES = frozenset(["set", "frozenset", "tuple", "list"])


class Tables:
    """Finds what is taken out of tables; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[str, frozenset[str]] = {}

    def entry(self, identity: FunctionId, path: AccessPath, keys: tuple[Value, ...]) -> Leaf | None:
        """The part of what a key stands for, when a path ends in a table."""
        if path.steps == ("[*]",) and isinstance(path.root, Name) and path.root.scope == "global" and isinstance(keys[-1], (Name, Result)):
            if path.root.name in self._of(identity.module):
                return Leaf(spelled(keys[-1]), f"{identity.module}{{}}", path.root.name)
        return None

    def _of(self, module: str) -> frozenset[str]:
        found = self._known.get(module)
        if found is None:
            found = self._known[module] = self._find(FunctionId(module, 0))
        return found

    def _find(self, body: FunctionId) -> frozenset[str]:
        bound: dict[str, list[Value | None]] = {}
        for event in self._view.function(body).events:
            if event.kind in ("local", "write") and event.path is not None and not event.path.steps and isinstance(event.path.root, Name):
                bound.setdefault(event.path.root.name, []).append(event.value)
        return frozenset(name for name, values in bound.items() if len(values) == 1 and self._is_table(body, values[0]))

    def _is_table(self, body: FunctionId, value: Value | None) -> bool:
        if not isinstance(value, Compound) or value.operator != "dict" or not value.parts:
            return False
        return all(isinstance(k, Constant) and self._is_collection(body, v) for k, v in zip(value.parts[::2], value.parts[1::2]))

    def _is_collection(self, body: FunctionId, value: Value) -> bool:
        if isinstance(value, Result):
            event = self._view.event(body, value.event)
            made = event.path.root if event.kind == "call" and event.path is not None and not event.path.steps else None
            return isinstance(made, Name) and made.name in _MAKES
        return isinstance(value, Compound) and value.operator in _COLLECTIONS
