"""What a rewrite that records first wants to know: where the record is made, and whether it can depend on the change."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.calls.call import Call
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import PLACE, At, Word
from ctxlint.checks.recording.units import is_committed_by_a_call
from ctxlint.ir.value import AccessPath, Compound, Name

DEEP = 6
"""How many calls down a reading of the cell is looked for."""


def record_facts(
    analysis: Analysis, identity: FunctionId, change: int, record: int, cells: Sequence[str]
) -> dict[str, Word]:
    """The place of the record, the name of the changed cell, and whether what runs from the change to the record may read it."""
    name = cells[-1].rpartition(".")[2].removesuffix("[*]").removesuffix("[]") if cells else ""
    facts: dict[str, Word] = {"record": At(identity, record, PLACE), "cell": name}
    calls = analysis.view.calls(identity, record)
    run = {target for number in range(change + 1, record + 1) for call in analysis.view.calls(identity, number) for target in call.functions}
    if name and (_is_handed(analysis, identity, record, name) or any(_reads(analysis, target, name, DEEP, set()) for target in run)):
        facts["record-reads-cell"] = "yes"
    if _is_left_open(analysis, identity, record, calls):
        facts["record-is-left-open"] = "yes"
    if any(effect.medium == "sql" for effect in analysis.summaries.effects_at(identity, record)) and is_committed_by_a_call(
        analysis, identity, record
    ):
        facts["record-is-committed-later"] = "yes"
    return facts


def _is_left_open(analysis: Analysis, identity: FunctionId, record: int, calls: Sequence[Call]) -> bool:
    """Whether a method of the object itself makes the record, and what it does is left to subclasses."""
    own, path = receiver_name(analysis.view.function(identity)), analysis.view.event(identity, record).path
    if not own or path is None or path.root != Name(own, "local") or len(path.steps) != 1:
        return False
    return any(call.abstract or len(call.functions) != 1 for call in calls)


def _is_handed(analysis: Analysis, identity: FunctionId, record: int, name: str) -> bool:
    """Whether an argument of the record is the cell itself, under whatever name."""
    pending = [argument.value for argument in analysis.view.event(identity, record).arguments]
    while pending:
        value = pending.pop()
        if isinstance(value, Compound):
            pending += value.parts
        elif any(path.steps[-1:] == (name,) for path in analysis.view.resolve_path(identity, record, AccessPath(value))):
            return True
    return False


def _reads(analysis: Analysis, identity: FunctionId, name: str, depth: int, seen: set[FunctionId]) -> bool:
    """Whether a function mentions an attribute of that name, here or further down; too far down to tell counts as if."""
    if identity in seen:
        return False
    seen.add(identity)
    if depth == 0:
        return True
    for event in analysis.view.function(identity).events:
        if event.path is not None and name in event.path.steps:
            return True
    return any(
        _reads(analysis, target, name, depth - 1, seen)
        for number in range(len(analysis.view.function(identity).events))
        for call in analysis.view.calls(identity, number)
        for target in call.functions
    )
