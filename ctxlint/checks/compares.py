"""`compares`: whether two changes may both be applied is decided by what they write, although what they read is known.

The two facts: the decision compares fields by which the changes write, and the same changes carry fields by which they read,
which nothing on the way compares.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.ir.value import Compound, Constant, Result, Value
from ctxlint.roles.accesses import Accesses, Use
from ctxlint.roles.fields import Fields, Leaf
from ctxlint.roles.literals import Literal, is_choice, literals_of
from ctxlint.roles.overlaps import Overlap, Overlaps


class Facts(msgspec.Struct, frozen=True):
    """What the check asks about fields."""

    fields: Fields
    accesses: Accesses
    overlaps: Overlaps


class Decision(msgspec.Struct, frozen=True):
    """A comparison of what two changes write, in the function that decides by it."""

    function: FunctionId
    overlap: Overlap
    owner: str
    compared: frozenset[str]


def compares(analysis: Analysis) -> Iterator[Finding]:
    """Report decisions that compare what changes write and leave out what they read."""
    fields = Fields(analysis.summaries)
    overlaps = Overlaps(analysis.summaries, fields)
    decisions = [d for identity in analysis.program.functions() for d in _decisions(analysis, overlaps, identity)]
    if not decisions:
        return
    facts = Facts(fields, Accesses(analysis.summaries, fields), overlaps)
    for decision in decisions:
        finding = _left_out(analysis, facts, decision) or _admitted(analysis, facts, decision)
        if finding is not None:
            yield finding


def _decisions(analysis: Analysis, overlaps: Overlaps, identity: FunctionId) -> Iterator[Decision]:
    """The first comparison of each class of changes in a function that decides something by it."""
    seen: set[str] = set()
    for overlap in overlaps.of(identity):
        for owner, compared in _compared(overlap):
            if owner not in seen and not overlap.settled and _decides(analysis, identity):
                seen.add(owner)
                yield Decision(identity, overlap, owner, compared)


def _compared(overlap: Overlap) -> Iterator[tuple[str, frozenset[str]]]:
    """The class of changes whose fields an overlap compares, and the fields: of two changes, or of one with what else changed."""
    pairs = list(overlap.between())
    owners = {one.owner for one, _ in pairs if one.owner}
    for owner in sorted(owners):
        yield owner, frozenset(leaf.key for pair in pairs for leaf in pair if leaf.owner == owner)
    if not owners:
        for leaf in sorted(overlap.fields, key=lambda leaf: leaf.key):
            if leaf.field and leaf.owner and _is_alone(overlap, leaf):
                yield leaf.owner, frozenset([leaf.key])


def _is_alone(overlap: Overlap, leaf: Leaf) -> bool:
    """Whether the other side is no field of the same object."""
    if leaf in overlap.looked:
        return True
    other = overlap.right if leaf in overlap.left else overlap.left
    return overlap.operator not in ("==", "!=", "<", "<=", ">", ">=") and bool(other) and all(
        each.instance != leaf.instance for each in other
    )


def _decides(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether the function raises, gives an answer, or sorts changes into those that may and those that may not."""
    events = analysis.view.function(identity).events
    return any(
        e.kind == "raise" or (e.kind == "return" and e.value is not None and e.value != Constant("none", "None"))
        or (e.kind == "call" and e.path is not None and e.path.steps[-1:] in (("append",), ("add",)))
        or e.kind == "suspend"
        for e in events
    )


# What is read, and not compared.


def _left_out(analysis: Analysis, facts: Facts, decision: Decision) -> Finding | None:
    involved = _involved(analysis, facts, decision)
    written = [key for key in sorted(decision.compared) if _is_written_by(facts, key)]
    if not written:
        return None
    reads = [key for key in sorted(_fields_of(analysis, facts, decision.owner)) if _is_read_by(analysis, facts, key)]
    missing = [key for key in reads if key not in involved]
    if not missing or any(key in involved for key in reads):
        return None
    use = next(iter(facts.accesses.uses(missing[0], "read")), None)
    store = facts.accesses.uses(written[0], "write")[0]
    confidence: Confidence = "high" if use is not None and list(decision.overlap.between()) else "medium"
    return _finding(analysis, decision, "reads-left-out", confidence, written[0], missing[0], use, store)


def _involved(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """The fields that the function, its callees, or all that one of its callers does before the changes are applied, compare."""
    found = {leaf.key for overlap in facts.overlaps.of(decision.function) for leaf in overlap.fields if leaf.field}
    for caller, _ in analysis.view.call_graph.callers(decision.function):
        found |= {leaf.key for overlap in facts.overlaps.of(caller) for leaf in overlap.fields if leaf.field}
    return frozenset(found)


def _fields_of(analysis: Analysis, facts: Facts, owner: str) -> frozenset[str]:
    found = set(facts.accesses.fields_of(owner))
    info = analysis.program.class_(owner)
    for ancestor in info.mro if info is not None else ():
        found |= facts.accesses.fields_of(ancestor)
    return frozenset(found)


def _is_written_by(facts: Facts, key: str) -> bool:
    return bool(facts.accesses.uses(key, "write"))


def _is_read_by(analysis: Analysis, facts: Facts, key: str) -> bool:
    """Whether a field selects what a change reads, and nothing that it writes."""
    return bool(facts.accesses.uses(key, "read")) and not facts.accesses.uses(key, "write")


# A branch that lets a reader pass.


def _admitted(analysis: Analysis, facts: Facts, decision: Decision) -> Finding | None:
    """A way to "both may be applied" on which one of the changes is known to read only, and is compared with nothing."""
    for key in sorted(decision.compared):
        readers = _reader_tests(facts, key)
        if not readers:
            continue
        for literals in _admissions(analysis, facts, decision):
            who = {literal.leaf.who for literal in literals if literal.test in readers}
            everyone = {leaf.who for leaf in decision.overlap.left | decision.overlap.right if leaf.field}
            if who and not (len(everyone) > 1 and everyone <= who):
                use = next(iter(facts.accesses.uses(key, "read")), None)
                store = next(iter(facts.accesses.uses(key, "write")), None)
                if store is not None:
                    return _finding(analysis, decision, "reader-admitted", "medium", key, key, use, store)
    return None


def _reader_tests(facts: Facts, key: str) -> frozenset[tuple[str, str, bool]]:
    """The tests that hold where a field selects only what is read: those of its reads, and the opposite of those of its writes."""
    reads, writes = facts.accesses.uses(key, "read"), facts.accesses.uses(key, "write")
    under_read = frozenset().union(*(use.under for use in reads)) if reads else frozenset()
    under_write = frozenset.intersection(*(use.under for use in writes)) if writes else frozenset()
    opposite = frozenset((field, text, not holds) for field, text, holds in under_write)
    shared = frozenset().union(*(use.under for use in writes)) if writes else frozenset()
    return (under_read - shared) | opposite


def _admissions(analysis: Analysis, facts: Facts, decision: Decision) -> Iterator[frozenset[Literal]]:
    """What is known of the changes on each way to a positive answer that makes no comparison."""
    beside = frozenset(
        msgspec.structs.replace(literal, holds=not literal.holds) for literal in decision.overlap.beside
    )
    for literal in beside:
        yield frozenset([literal])
    view = analysis.view
    graph = view.graph(decision.function)
    comparing = {o.event for o in facts.overlaps.of(decision.function) if any(leaf.key in decision.compared for leaf in o.fields)}
    function = view.function(decision.function)
    for block in function.blocks:
        for edge in block.edges:
            if edge.condition is None:
                continue
            for literal_set in _alternatives(facts, decision.function, graph.size + edge.target, edge.condition.value, edge.condition.holds):
                target = graph.size + edge.target
                if target not in comparing and _answers_yes(analysis, decision, target, comparing):
                    yield literal_set


def _alternatives(facts: Facts, identity: FunctionId, at: int, value: Value, holds: bool) -> Iterator[frozenset[Literal]]:
    """The sets of literals any of which makes a condition come out this way."""
    if isinstance(value, Compound):
        if value.operator == "not":
            yield from _alternatives(facts, identity, at, value.parts[0], not holds)
            return
        if value.operator in ("in", "not in") and is_choice(facts.fields.view, identity, value):
            for part in value.parts[1].parts if isinstance(value.parts[1], Compound) and holds == (value.operator == "in") else ():
                yield from _alternatives(facts, identity, at, Compound("==", (part, value.parts[0])), True)
            return
        if (value.operator == "or") == holds and value.operator in ("or", "and"):
            for part in value.parts:
                yield from _alternatives(facts, identity, at, part, holds)
            return
    found = frozenset(literals_of(facts.fields, identity, at, value, holds))
    if found:
        yield found


def _answers_yes(analysis: Analysis, decision: Decision, node: int, comparing: set[int]) -> bool:
    """Whether an ordinary way from a node ends, without a comparison, in the answer that disjoint changes get."""
    view = analysis.view
    graph = view.graph(decision.function)
    returns = {n for n, e in enumerate(view.function(decision.function).events) if e.kind == "return"}
    positive = _positive(analysis, decision)
    for number in returns:
        value = view.event(decision.function, number).value
        if isinstance(value, Constant) and value.kind == "bool" and positive is not None and (value.text == "True") == positive:
            if path(graph, node, number, comparing, exceptional=False) is not None:
                return True
    kept = {
        n for n, e in enumerate(view.function(decision.function).events)
        if e.kind == "call" and e.path is not None and e.path.steps[-1:] in (("append",), ("add",))
    }
    return any(path(graph, node, number, comparing | (kept - {number}), exceptional=False) is not None for number in kept)


def _positive(analysis: Analysis, decision: Decision) -> bool | None:
    """Whether "true" means that both may be applied: the answer that is given when the two sides have nothing in common."""
    function = analysis.view.function(decision.function)
    graph = analysis.view.graph(decision.function)
    for number, event in enumerate(function.events):
        if event.kind == "return" and event.value is not None and not isinstance(event.value, Constant):
            sign = _sign(analysis, decision, event.value, True)
            if sign is not None:
                return not sign
    for block in function.blocks:
        for edge in block.edges:
            if edge.condition is not None:
                sign = _sign(analysis, decision, edge.condition.value, edge.condition.holds)
                if sign:
                    for number, event in enumerate(function.events):
                        if event.kind == "return" and isinstance(event.value, Constant) and event.value.kind == "bool":
                            direct = path(graph, graph.size + edge.target, number, exceptional=False)
                            if direct is not None:
                                return event.value.text != "True"
    return None


def _sign(analysis: Analysis, decision: Decision, value: Value, holds: bool) -> bool | None:
    """Whether the value's being true (`holds`) means that the two sides have something in common."""
    if value == decision.overlap.value:
        return holds != decision.overlap.apart
    if isinstance(value, Compound):
        if value.operator == "not":
            return _sign(analysis, decision, value.parts[0], not holds)
        for part in value.parts:
            found = _sign(analysis, decision, part, holds)
            if found is not None:
                return found
    if isinstance(value, Result):
        event = analysis.view.event(decision.function, value.event)
        if event.kind == "call":
            for argument in event.arguments:
                found = _sign(analysis, decision, argument.value, holds)
                if found is not None:
                    return found
    return None


# Words.


def _finding(
    analysis: Analysis, decision: Decision, kind: str, confidence: Confidence, written: str, read: str, use: Use | None, store: Use
) -> Finding:
    view = analysis.view
    name = analysis.program.symbol(decision.function)
    flow = [FlowStep(decision.function, decision.overlap.event, f"compares `{_short(written)}`, by which changes write")]
    if use is not None:
        flow.insert(0, FlowStep(use.function, use.event, f"`{_short(read)}` says what a change read"))
    flow.insert(0, FlowStep(store.function, store.event, f"`{_short(written)}` says what a change writes"))
    where = f"line {view.line(use.function, use.event)}" if use is not None else "elsewhere"
    return Finding(
        function=decision.function, event=decision.overlap.event, kind=kind, confidence=confidence,
        fields={"decision": name, "written": _short(written), "read": _short(read), "where": where},
        flow=tuple(flow),
        evidence=tuple(
            [Evidence(f"`{_short(read)}` is a read set", use.function, use.event)] if use is not None else []
        ),
        chain=("compare", written, read),
    )


def _short(key: str) -> str:
    owner, _, field = key.rpartition(".")
    return f"{owner.rpartition('.')[2]}.{field}" if owner and not owner.endswith("{}") else field

