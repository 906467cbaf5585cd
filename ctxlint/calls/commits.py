"""Commits of connections whose class nobody knows: what is given statements of SQL has the method that makes them last.

What that method is called is agreed on by all drivers: PEP 249, Python Database API Specification v2.0.
"""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sql import begins_transaction, statements
from ctxlint.calls.texts import text_of_value
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath

_COMMIT = "commit"


def commits_unseen(view: View, identity: FunctionId, event: int) -> bool:
    """Whether the call is the commit of an unknown object to which the function gives statements."""
    it = view.event(identity, event)
    if it.path is None or not it.path.steps or it.path.steps[-1] != _COMMIT or it.arguments:
        return False
    calls = view.calls(identity, event)
    if not calls or any(call.functions or call.externals for call in calls):
        return False
    holder = AccessPath(it.path.root, it.path.steps[:-1])
    return any(
        other.kind == "call" and other.path is not None and AccessPath(other.path.root, other.path.steps[:-1]) == holder
        and other.arguments and _is_statement(text_of_value(view, identity, number, other.arguments[0].value))
        for number, other in enumerate(view.function(identity).events)
    )


def _is_statement(text: str) -> bool:
    return begins_transaction(text) or bool(statements(text))
