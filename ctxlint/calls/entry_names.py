"""Which entry of a store, or which resource of a service, an operation names."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term
from ctxlint.calls.view import Modelled, View, argument_of
from ctxlint.ir.value import AccessPath, Compound, Constant

_OPEN = "*"
"""What stands for a piece of an address that is computed."""


def entry_names(view: View, places: Places, identity: FunctionId, event: int, match: Modelled) -> frozenset[str]:
    """With what the operation's key begins, and of a request to a service the resource; of what is posted the resource alone."""
    named = resource(view, places, identity, event, match) if match.effect.store == "http" else ""
    if named and match.effect.does == "mutates":
        return frozenset((named,))
    beginning = _beginning(match)
    return frozenset((beginning, named)) if named else frozenset((beginning,))


def resource(view: View, places: Places, identity: FunctionId, event: int, match: Modelled) -> str:
    """The address as a pattern with everything left open that is not written there, `*/rooms/*/turns`; empty when nothing of its
    path is written.

    What is posted to a resource that others get under the same pattern is added to it.
    """
    key = argument_of(match.call, match.effect.key) if match.effect.key else None
    if key is None or isinstance(key, AccessPath):
        return ""
    address = places.term(identity, event, key)
    pattern = "".join(map(_piece, address.parts if address.kind == "concat" else (address,)))
    path = pattern.partition("://")[2] or pattern
    return pattern if any(step.strip(_OPEN) for step in path.split("/")[1:]) else ""


def _piece(part: Term) -> str:
    return part.name if part.kind == "constant" else _OPEN


def _beginning(match: Modelled) -> str:
    key = argument_of(match.call, match.effect.key) if match.effect.key else None
    if isinstance(key, Constant):
        return key.text
    if isinstance(key, Compound) and key.operator in ("f-string", "+") and key.parts and isinstance(key.parts[0], Constant):
        return key.parts[0].text
    return ""
