"""By which key a lock was picked out of a mapping of locks: here, or in a function that gives the lock back."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import Result, Value

_PICKERS = frozenset({"get", "setdefault"})


def picking_keys(analysis: Analysis, identity: FunctionId, lock: Value | None) -> list[tuple[int, Value]]:
    """The values that pick the lock, each with the event at which it does; none when the lock is no entry of anything."""
    if lock is None or not isinstance(lock, Result):
        return []
    event = analysis.view.event(identity, lock.event)
    key = _key(event)
    if key is not None:
        return [(lock.event, key)]
    found: list[tuple[int, Value]] = []
    for call in analysis.view.calls(identity, lock.event) if event.kind == "call" else ():
        for target in call.functions:
            names = _picking_formals(analysis, target)
            actuals = analysis.view.bound(call, target)
            if not names or not names <= actuals.keys():
                return []
            found += [(lock.event, actuals[name]) for name in sorted(names)]
    return found


def _key(event: Event) -> Value | None:
    """What picks an entry in a read of one, or in a call that gives the entry for a key."""
    if event.path is None or not event.path.steps:
        return None
    if event.kind == "read" and event.path.steps[-1] == "[*]" and event.keys:
        return event.keys[-1]
    if event.kind == "call" and event.path.steps[-1] in _PICKERS and event.arguments:
        return event.arguments[0].value
    return None


def _picking_formals(analysis: Analysis, target: FunctionId) -> frozenset[str]:
    """The formals by which the function picks what it gives back out of something that lasts; none when that is not all it does."""
    view = analysis.view
    origins = view.origins(target)
    found: set[str] = set()
    for number, event in enumerate(view.function(target).events):
        if event.kind != "return" or event.value is None:
            continue
        for kind, what in origins.identity(event.value, number):
            if kind != "result" or not isinstance(what, int):
                return frozenset()
            if view.does(target, what, "returns-lock") is not None:
                continue                                      # a new one, which is then kept under the key
            key = _key(view.event(target, what))
            atoms = origins.roots(key, what) if key is not None else frozenset()
            if not atoms or any(atom != "param" for atom, _ in atoms):
                return frozenset()
            found |= {str(name) for _, name in atoms}
    return frozenset(found)
