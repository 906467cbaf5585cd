"""How long texts and their parts are, compared although nobody knows the number.

`text.split("\\n")` has one element more than `text.count("\\n")` counts, `text.encode()` is not as long as `text`.
"""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.value import Constant, Name, Result, Value
from ctxlint.roles.sums import ONE, Atom, Sum, single, substituted

_CHANGES = frozenset(["split", "splitlines", "strip", "lstrip", "rstrip", "replace", "encode", "decode", "expandtabs", "removeprefix", "removesuffix"])


def normal(view: View, identity: FunctionId, sum: Sum | None) -> Sum | None:
    """The sum with what is counted in texts named by the text and the operation, not by the event that counts it."""
    if sum is None:
        return None
    found: dict[Atom, Sum] = {}
    for atom in sum.atoms:
        where = atom[1:] if atom[:2] == ("len", "event") else atom if atom[0] == "event" else ()
        if len(where) > 2 and where[1] == str(identity) and isinstance(where[2], int) and where[2] < len(view.function(identity).events):
            named = _named(view, identity, where[2], length=atom[0] == "len")
            if named is not None:
                found[atom] = named
    return substituted(sum, found) if found else sum


def _named(view: View, identity: FunctionId, number: int, *, length: bool) -> Sum | None:
    event = view.event(identity, number)
    if event.kind != "call" or event.path is None or not event.path.steps:
        return None
    name = event.path.steps[-1]
    given = tuple(_text(view, identity, number, a.value) for a in event.arguments)
    whole = (_text(view, identity, number, event.path.root), *event.path.steps[:-1])
    if not length:
        return single(("text", "count", *whole, *given)) if name == "count" and len(given) == 1 else None
    if name == "split" and len(given) == 1 and isinstance(event.arguments[0].value, Constant):
        return single(("text", "count", *whole, *given)) + ONE
    return single(("text", name, *whole, *given)) if name in _CHANGES else None


def _text(view: View, identity: FunctionId, at: int, value: Value) -> str:
    """A value's name, the same for each of its uses between two bindings."""
    if isinstance(value, Name) and value.scope == "local":
        return f"{value.name}{view.definitions(identity).definitions(at, value.name)}"
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "read" and event.path is not None:
            return f"{_text(view, identity, value.event, event.path.root)}.{'.'.join(event.path.steps)}"
    return repr(value)
