"""`compares`: whether two changes may both be applied is decided by what they write, although what they read is known.

The two facts: the decision compares fields by which the changes write, and the same changes carry fields by which they read,
which nothing on the way compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.knowledge.words import hints
from ctxlint.roles.accesses import Accesses, Use
from ctxlint.roles.fields import Fields, Leaf
from ctxlint.roles.holders import Holders
from ctxlint.roles.literals import TRUTH, Literal, is_choice, literals_of
from ctxlint.roles.overlaps import Overlap, Overlaps


class Facts(msgspec.Struct, frozen=True):
    """What the check asks about fields."""

    fields: Fields
    accesses: Accesses
    overlaps: Overlaps


class Decision(msgspec.Struct, frozen=True):
    """A comparison of what two changes write, in the function that decides by it.

    `owner` is the class of the changes; or it is empty, and `compared` are formals of the function: the parts of one change.
    """

    function: FunctionId
    overlap: Overlap
    owner: str
    compared: frozenset[str]
    paired: bool


class Sides(msgspec.Struct, frozen=True):
    """What a decision compares, and what it leaves out: names of fields, and where their use shows."""

    written: str
    read: str
    store: Use | None
    use: Use | None
    confidence: Confidence


def compares(analysis: Analysis) -> Iterator[Finding]:
    """Report decisions that compare what changes write and leave out what they read."""
    fields = Fields(analysis.summaries)
    overlaps = Overlaps(analysis.summaries, fields)
    decisions = [d for identity in analysis.program.functions() for d in _decisions(analysis, overlaps, identity)]
    if not decisions:
        return
    facts = Facts(fields, Accesses(analysis.summaries, fields, Holders(analysis.summaries)), overlaps)
    for decision in decisions:
        sides = _left_out(analysis, facts, decision) if decision.owner else _formal_left_out(analysis, facts, decision)
        if sides is not None:
            yield _finding(analysis, decision, "reads-left-out", sides, decision.overlap.event)
        elif decision.paired:
            yield from _admitted(analysis, facts, decision)


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


# What is read, and not compared.


def _left_out(analysis: Analysis, facts: Facts, decision: Decision) -> Sides | None:
    """The field by which the changes read, when neither the function nor its caller compares one."""
    involved = _involved(analysis, facts, decision)
    by_use = _reads_by_use(analysis, facts, decision)
    if by_use:
        if involved.intersection(by_use):
            return None
        read, (use, store) = next(iter(sorted(by_use.items())))
        return Sides(store.field if store is not None else sorted(decision.compared)[0], read, store, use,
                     "high" if decision.paired and store is not None else "medium")
    siblings = _siblings(analysis, decision)
    named = _effect_by_name(analysis, decision.compared)
    if not siblings or named is None or not decision.paired or involved.intersection(siblings):
        return None
    return Sides(named, sorted(siblings)[0], None, None, "medium")


def _involved(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """The fields that the function, its callees, or all that one of its callers does before the changes are applied, compare."""
    found = {leaf.key for overlap in facts.overlaps.of(decision.function) for leaf in overlap.fields if leaf.field}
    for caller, _ in analysis.view.call_graph.callers(decision.function):
        found |= {leaf.key for overlap in facts.overlaps.of(caller) for leaf in overlap.fields if leaf.field}
    return frozenset(found)


def _reads_by_use(analysis: Analysis, facts: Facts, decision: Decision) -> dict[str, tuple[Use, Use | None]]:
    """The fields by which the changes read from where a compared field says that they write, with both uses.

    Of two changes, the compared field need not be seen writing when it is never used to read alone.
    """
    found: dict[str, tuple[Use, Use | None]] = {}
    for key in _fields_of(analysis, facts, decision):
        if key in decision.compared or not _is_read_by(facts, key) or not _comparable(analysis, decision, key):
            continue
        for written in sorted(decision.compared):
            opposed = facts.accesses.opposed(key, written)
            if opposed is not None:
                found[key] = opposed
    return found


def _read_fields(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """All fields by which the changes read, by use or by name, the compared ones included."""
    by_use = {
        key for key in _fields_of(analysis, facts, decision)
        if _is_read_by(facts, key) and any(facts.accesses.opposed(key, written) for written in decision.compared)
    }
    return frozenset(by_use) | _siblings(analysis, decision)


def _comparable(analysis: Analysis, decision: Decision, key: str) -> bool:
    """Whether a field can hold the same things as the compared ones, as far as their annotations say."""
    declared = _declarations(analysis, decision.owner)
    held = _held(declared.get(key, ""))
    others = [_held(declared.get(each, "")) for each in decision.compared]
    return not held or any(not other or held & other for other in others)


def _is_collection(annotation: str) -> bool:
    return re.match(r"[\w.]*\b(set|frozenset|list|tuple|sequence|collection|iterable|abstractset)\b", annotation, re.IGNORECASE) is not None


def _held(annotation: str) -> frozenset[str]:
    """The classes of what a field holds: `set[str]` and `str` hold texts, a mapping is known by its keys."""
    words = re.findall(r"[A-Za-z_][\w.]*", annotation)
    held = [word for word in words if word.rpartition(".")[2].lower() not in _CONTAINERS]
    mapping = bool(words) and words[0].rpartition(".")[2].lower() in ("dict", "mapping", "mutablemapping")
    return frozenset(held[:1] if mapping else held) - {"None", "Any", "object"}


def _fields_of(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    if decision.owner.endswith("{}"):
        return facts.accesses.together(decision.compared)
    found = set(facts.accesses.fields_of(decision.owner))
    info = analysis.program.class_(decision.owner)
    for ancestor in info.mro if info is not None else ():
        found |= facts.accesses.fields_of(ancestor)
    return frozenset(found)


def _siblings(analysis: Analysis, decision: Decision) -> frozenset[str]:
    declared = _declarations(analysis, decision.owner)
    kinds = {declared[key] for key in decision.compared if declared.get(key)}
    return frozenset(
        key for key, annotation in declared.items()
        if annotation in kinds and _is_collection(annotation) and hints(key.rpartition(".")[2], analysis.words.dependencies)
    )


def _declarations(analysis: Analysis, owner: str) -> dict[str, str]:
    """The annotations of a class's fields and properties, and of the formals that its constructor stores."""
    info = analysis.program.class_(owner)
    if info is None:
        return {}
    found = {f"{owner}.{field.name}": field.annotation for field in info.ir.fields if field.annotation}
    for method in info.ir.methods:
        function = analysis.program.function_at(info.module, method.function)
        if method.name == "__init__":
            formals = {formal.name: formal.annotation for formal in function.formals}
            for event in function.events:
                if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and isinstance(event.value, Name):
                    found.setdefault(f"{owner}.{event.path.steps[0]}", formals.get(event.value.name, ""))
        elif len(function.formals) == 1:
            found.setdefault(f"{owner}.{method.name}", function.returns)
    return found


def _is_read_by(facts: Facts, key: str) -> bool:
    """Whether a field selects what a change reads, and nothing that it writes."""
    return bool(facts.accesses.uses(key, "read")) and not facts.accesses.uses(key, "write")


def _effect_by_name(analysis: Analysis, keys: frozenset[str]) -> str | None:
    return next((key for key in sorted(keys) if hints(key.rpartition(".")[2], analysis.words.effects)), None)


def _formal_left_out(analysis: Analysis, facts: Facts, decision: Decision) -> Sides | None:
    """The formal by which a change reads, when the function compares only the one by which it writes."""
    function = analysis.view.function(decision.function)
    mentioned = {leaf.instance for overlap in facts.overlaps.of(decision.function) for leaf in overlap.fields}
    used = {f.name: facts.accesses.of_formal(decision.function, f.name) for f in function.formals[1:]}
    stored = {name: places for name in sorted(decision.compared) for mode, places in used.get(name, ()) if mode == "write"}
    reads = [
        name for name, uses in used.items() if uses and all(mode == "read" for mode, _ in uses)
        and any(places & where for _, places in uses for where in stored.values())
    ]
    missing = [name for name in reads if name not in mentioned]
    if not stored or not missing or len(missing) < len(reads):
        return None
    written = list(stored)
    return Sides(written[0], missing[0], None, None, "medium")


_CONTAINERS = frozenset([
    "set", "frozenset", "list", "tuple", "dict", "sequence", "iterable", "collection", "mapping", "mutablemapping", "abstractset",
    "optional", "union", "field",
])


# A branch that lets a reader pass.


def _admitted(analysis: Analysis, facts: Facts, decision: Decision) -> Iterator[Finding]:
    """A way to "both may be applied" on which one of the changes is known to read only, and is compared with nothing."""
    tests = {key: _reader_tests(analysis, facts, decision, key) for key in sorted(decision.compared)}
    everyone = {leaf.who for leaf in decision.overlap.left | decision.overlap.right if leaf.field}
    for event, literals in _admissions(analysis, facts, decision):
        for key, readers in tests.items():
            who = {literal.leaf.who for literal in literals if literal.test in readers}
            if who and not (len(everyone) > 1 and everyone <= who):
                use = next(iter(facts.accesses.uses(key, "read")), None)
                store = next(iter(facts.accesses.uses(key, "write")), None)
                yield _finding(analysis, decision, "reader-admitted", Sides(key, key, store, use, "medium"), event)
                return


def _reader_tests(analysis: Analysis, facts: Facts, decision: Decision, key: str) -> frozenset[tuple[str, str, bool]]:
    """The tests that only readers pass.

    Those by which one function chooses between reading and writing at the field; and, when reads are kept beside it, that it
    is empty.
    """
    kept = _read_fields(analysis, facts, decision)
    if kept:
        return frozenset() if key in kept else frozenset([(key, TRUTH, False)])
    found: set[tuple[str, str, bool]] = set()
    for use in facts.accesses.uses(key, "read"):
        for store in facts.accesses.uses(key, "write"):
            if use.function == store.function and use.places & store.places:
                writing = {(field, text, not holds) for field, text, holds in facts.accesses.tests_at(store)}
                found |= writing & facts.accesses.tests_at(use)
    return frozenset(found)


def _admissions(analysis: Analysis, facts: Facts, decision: Decision) -> Iterator[tuple[int, frozenset[Literal]]]:
    """What is known of the changes on each way to a positive answer that makes no comparison, and where it is tested."""
    beside = frozenset(
        msgspec.structs.replace(literal, holds=not literal.holds) for literal in decision.overlap.beside
    )
    for literal in beside:
        yield decision.overlap.event, frozenset([literal])
    view = analysis.view
    graph = view.graph(decision.function)
    comparing = {o.event for o in facts.overlaps.of(decision.function) if any(leaf.key in decision.compared for leaf in o.fields)}
    function = view.function(decision.function)
    for block in function.blocks:
        where = max(block.last - 1, 0)
        for edge in block.edges:
            if edge.condition is None:
                continue
            for literal_set in _alternatives(facts, decision.function, graph.size + edge.target, edge.condition.value, edge.condition.holds):
                target = graph.size + edge.target
                if target not in comparing and _answers_yes(analysis, decision, target, comparing):
                    yield where, literal_set


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
    kept: dict[object, set[int]] = {}
    for number, event in enumerate(view.function(decision.function).events):
        if event.kind == "call" and event.path is not None and event.path.steps[-1:] in (("append",), ("add",)):
            kept.setdefault(event.path, set()).add(number)
    return any(
        path(graph, node, number, comparing | (same - {number}), exceptional=False) is not None
        for same in kept.values() if len(same) > 1 for number in same
    )


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

