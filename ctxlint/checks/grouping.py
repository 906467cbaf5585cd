"""Where changes are put into groups that go side by side, because a decision finds them disjoint."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.decisions import Decision
from ctxlint.ir.value import Name
from ctxlint.roles.accesses import Accesses, Use
from ctxlint.roles.carriers import put
from ctxlint.roles.fields import Fields


def read_in_groups(
    analysis: Analysis, fields: Fields, accesses: Accesses, decision: Decision, siblings: Iterable[str]
) -> Use | None:
    """The use of a sibling whose elements are looked up one after the other, where changes whose compared sets are disjoint go side by side."""
    if not (decision.given and decision.sets) or any(accesses.uses(key, "read") for key in decision.compared):
        return None
    for key in sorted(siblings):
        use = next((use for use in accesses.uses(key, "read") if use.each and use.places), None)
        if use is not None and not accesses.uses(key, "write") and not accesses.is_looked_up(key):
            return use if _go_side_by_side(analysis, fields, decision) else None
    return None


def _go_side_by_side(analysis: Analysis, fields: Fields, decision: Decision) -> bool:
    """Whether somebody who asks for the decision puts changes into one of several groups: a list of lists, or lists given out in turn."""
    return any(_groups(analysis, fields, decision, caller) for caller in {c for c, _ in analysis.view.call_graph.callers(decision.function)})


def _groups(analysis: Analysis, fields: Fields, decision: Decision, identity: FunctionId) -> bool:
    events = analysis.view.function(identity).events
    in_turn = any(event.note == "yield" for event in events)
    for number, event in enumerate(events):
        target, values = put(event)
        if target is not None and (in_turn or "[*]" in target.steps) and any(
            isinstance(value, Name) and fields.owner(identity, number, value) == decision.owner for value in values
        ):
            return True
    return False
