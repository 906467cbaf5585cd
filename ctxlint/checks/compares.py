"""`compares`: whether two changes may both be applied is decided by what they write, although what they read is known.

The two facts: the decision compares fields by which the changes write, and the same changes carry fields by which they read,
which nothing on the way compares.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.admissions import admitted
from ctxlint.checks.conflict_sets import Decision, Facts, Sides, formal_left_out, left_out
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.ir.value import Constant
from ctxlint.roles.accesses import Accesses
from ctxlint.roles.fields import Fields, Leaf
from ctxlint.roles.holders import Holders
from ctxlint.roles.overlaps import Overlap, Overlaps


def compares(analysis: Analysis) -> Iterator[Finding]:
    """Report decisions that compare what changes write and leave out what they read."""
    fields = Fields(analysis.summaries)
    overlaps = Overlaps(analysis.summaries, fields)
    decisions = [d for identity in analysis.program.functions() for d in _decisions(analysis, overlaps, identity)]
    if not decisions:
        return
    facts = Facts(fields, Accesses(analysis.summaries, fields, Holders(analysis.summaries)), overlaps)
    for decision in decisions:
        sides = left_out(analysis, facts, decision) if decision.owner else formal_left_out(analysis, facts, decision)
        if sides is not None:
            yield _finding(analysis, decision, "reads-left-out", sides, decision.overlap.event)
        elif decision.paired:
            for event, sides in admitted(analysis, facts, decision):
                yield _finding(analysis, decision, "reader-admitted", sides, event)


def _decisions(analysis: Analysis, overlaps: Overlaps, identity: FunctionId) -> Iterator[Decision]:
    """One comparison for each class of changes in a function that decides something by it: of two changes, if there is one."""
    found: dict[str, Decision] = {}
    for overlap in overlaps.deciding(identity):
        for decision in _compared(analysis, identity, overlap) if not overlap.settled else ():
            known = found.get(decision.owner)
            if known is None or (decision.paired and not known.paired):
                found[decision.owner] = decision
    if found and _decides(analysis, identity):
        yield from found.values()


def _compared(analysis: Analysis, identity: FunctionId, overlap: Overlap) -> Iterator[Decision]:
    """What an overlap compares: fields of two changes, a field of one with what else changed, or a formal with what is kept."""
    pairs = list(overlap.between())
    owners = {one.owner for one, _ in pairs if one.owner}
    for owner in sorted(owners):
        keys = frozenset(leaf.key for pair in pairs for leaf in pair if leaf.owner == owner)
        yield Decision(identity, overlap, owner, keys, paired=True)
    if not owners:
        for leaf in sorted(overlap.fields, key=lambda leaf: leaf.key):
            if leaf.field and leaf.owner and _is_alone(overlap, leaf):
                yield Decision(identity, overlap, leaf.owner, frozenset([leaf.key]), paired=False)
        formals = _formals_against_state(analysis, identity, overlap)
        if formals:
            yield Decision(identity, overlap, "", formals, paired=False)


def _is_alone(overlap: Overlap, leaf: Leaf) -> bool:
    """Whether the other side is no field of the same object."""
    if leaf in overlap.looked:
        return True
    other = overlap.right if leaf in overlap.left else overlap.left
    if any(each.owner == leaf.owner and each.field for each in other):
        return False
    if overlap.operator in ("in", "not in") and not (overlap.iterated and leaf in overlap.left):
        return False
    return overlap.operator in _MEETING and bool(other) and all(
        each.instance != leaf.instance for each in other
    )


_MEETING = frozenset(["&", "&=", "in", "not in", "isdisjoint", "intersection", "issubset", "issuperset"])


def _formals_against_state(analysis: Analysis, identity: FunctionId, overlap: Overlap) -> frozenset[str]:
    """The formals on one side of a comparison, when something that the function did not get with them is on the other."""
    if overlap.operator not in ("&", "in", "not in", "isdisjoint", "intersection"):
        return frozenset()
    formals = {formal.name for formal in analysis.view.function(identity).formals[1:]}
    for one, other in ((overlap.left, overlap.right), (overlap.right, overlap.left)):
        passed = {leaf.instance for leaf in one if not leaf.field and leaf.instance in formals}
        if passed and not any(leaf.instance in formals for leaf in other) and any(leaf.field for leaf in other):
            return frozenset(passed)
    return frozenset()


def _decides(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether the function raises, gives an answer, or sorts changes into those that may and those that may not."""
    events = analysis.view.function(identity).events
    return any(
        e.kind == "raise" or (e.kind == "return" and e.value is not None and e.value != Constant("none", "None"))
        or (e.kind == "call" and e.path is not None and e.path.steps[-1:] in (("append",), ("add",)))
        or e.kind == "suspend"
        for e in events
    )


# Words.


def _finding(analysis: Analysis, decision: Decision, kind: str, sides: Sides, event: int) -> Finding:
    view, use, store = analysis.view, sides.use, sides.store
    written, read = _short(sides.written), _short(sides.read)
    flow = [FlowStep(decision.function, event, f"decides by `{written}`, what changes write")]
    if use is not None:
        flow.insert(0, FlowStep(use.function, use.event, f"`{read}` says what a change reads"))
    if store is not None:
        flow.insert(0, FlowStep(store.function, store.event, f"`{written}` says what a change writes"))
    evidence = Evidence(f"`{read}` is a read set", use.function, use.event) if use is not None else Evidence(
        f"`{read}` is kept beside `{written}` and is named for what a change depends on")
    return Finding(
        function=decision.function, event=event, kind=kind, confidence=sides.confidence,
        fields={
            "decision": analysis.program.symbol(decision.function), "written": written, "read": read,
            "where": f"line {view.line(use.function, use.event)}" if use is not None else f"`{read}`",
        },
        flow=tuple(flow), evidence=(evidence,), chain=("compare", sides.written, sides.read),
    )


def _short(key: str) -> str:
    owner, _, field = key.rpartition(".")
    return f"{owner.rpartition('.')[2]}.{field}" if owner and not owner.endswith("{}") else field

