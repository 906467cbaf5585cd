"""Ways to "both may be applied" on which one change is known to read only, and is compared with nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.conflict_sets import crossed, read_fields
from ctxlint.checks.conflicts.decisions import Decision, is_declared
from ctxlint.checks.conflicts.declared_sets import is_effect
from ctxlint.checks.conflicts.sides import Facts, Sides
from ctxlint.flow.graph import EventGraph
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.accesses import Use
from ctxlint.roles.literals import TRUTH, Literal, is_choice, literals_of
from ctxlint.roles.modes import says_reader

_Asked = Callable[[Literal], bool]
"""Whether something depends on a literal: what else a condition asks is found out for no other."""


def admitted(analysis: Analysis, facts: Facts, decision: Decision) -> Iterator[tuple[int, Sides]]:
    """A way to "both may be applied" on which one of the changes is known to read only, and is compared with nothing.

    A single key that is looked for among others, by the way, says nothing about changes.
    """
    if not decision.given and decision.overlap.operator in ("in", "not in"):
        return
    positive = positive_answer(analysis, decision)
    ends = _positive_ends(analysis, facts, decision, positive)
    if positive is None and not ends and not (decision.given and decision.overlap.beside):
        return                                           # nothing is answered to which a way could lead
    in_sets = bool(decision.sets and crossed(facts, decision))
    changed = [key for key in sorted(decision.compared) if in_sets or facts.accesses.uses(key, "write") or is_effect(analysis, key)]
    kept = read_fields(analysis, facts, decision) if changed else frozenset()
    tests = {key: _reader_tests(facts, key, kept) for key in changed}
    modes = frozenset(_modes(analysis, facts, decision)) if decision.paired else frozenset()
    for key in sorted(decision.compared) if modes else ():
        tests[key] = tests.get(key, frozenset()) | modes
    everyone = {leaf.who for leaf in decision.overlap.left | decision.overlap.right if leaf.field}
    asked: frozenset[tuple[str, str, bool]] = frozenset().union(*tests.values())
    for event, literals in _admissions(analysis, facts, decision, asked, positive, ends) if asked else ():
        for key, readers in tests.items():
            who = {literal.leaf.who for literal in literals if literal.test in readers}
            if len(who) == 1 and not (len(everyone) > 1 and everyone <= who):
                use = next(iter(facts.accesses.uses(key, "read")), None)
                store = next(iter(facts.accesses.uses(key, "write")), None)
                yield event, Sides(key, key, store, use, "medium" if decision.given or is_declared(decision.owner) else "low")
                return


def _modes(analysis: Analysis, facts: Facts, decision: Decision) -> Iterator[tuple[str, str, bool]]:
    """The tests of a single field of the changes that only readers pass, of those that the function makes and their contraries."""
    def readers(literal: Literal) -> Iterator[Literal]:
        if literal.leaf.owner == decision.owner and literal.leaf.key not in decision.compared:
            yield from filter(says_reader, (literal, msgspec.structs.replace(literal, holds=not literal.holds)))

    def is_asked(literal: Literal) -> bool:
        return any(True for _ in readers(literal))

    asked = [literal for _, literals in _ways(analysis, facts, decision, is_asked) for literal in literals]
    for literal in asked + list(decision.overlap.beside):
        yield from (reader.test for reader in readers(literal))


def _reader_tests(facts: Facts, key: str, kept: frozenset[str]) -> frozenset[tuple[str, str, bool]]:
    """The tests that only readers pass.

    Those by which one function chooses between reading and writing at the field; and, when reads are `kept` beside it, that it
    is empty.
    """
    if kept:
        return frozenset() if key in kept else frozenset([(key, TRUTH, False)])
    found: set[tuple[str, str, bool]] = set()
    stores: dict[FunctionId, list[Use]] = {}
    for store in facts.accesses.uses(key, "write"):
        stores.setdefault(store.function, []).append(store)
    for use in facts.accesses.uses(key, "read"):
        for store in stores.get(use.function, ()):
            if use.places & store.places:
                writing = {(field, text, not holds) for field, text, holds in facts.accesses.tests_at(store)}
                found |= writing & facts.accesses.tests_at(use)
    return frozenset(found)


def _admissions(
    analysis: Analysis, facts: Facts, decision: Decision, asked: frozenset[tuple[str, str, bool]], positive: bool | None, ends: list[_End]
) -> Iterator[tuple[int, frozenset[Literal]]]:
    """What is known of the changes on each way to a positive answer that makes no comparison, and where it is tested.

    Ways are looked for only where one of the tests that are asked about is made.
    """
    beside = frozenset(
        msgspec.structs.replace(literal, holds=not literal.holds) for literal in decision.overlap.beside
    )
    for literal in beside if decision.given else ():
        yield decision.overlap.event, frozenset([literal])
    comparing = {o.event for o in facts.overlaps.of(decision.function) if any(leaf.key in decision.compared for leaf in o.fields)}
    known: dict[tuple[int, frozenset[str]], bool] = {}
    def is_asked(literal: Literal) -> bool:
        return literal.test in asked

    for where, target, literal_set in _branches(analysis, facts, decision, is_asked) if ends else ():
        readers = frozenset(literal.leaf.who for literal in literal_set if literal.test in asked)
        if (target, readers) not in known:
            others = _asking_about_others(analysis, facts, decision, asked, readers)
            known[target, readers] = not _is_asked_before(analysis, decision, where, others) and _leads_to_one(
                analysis.view.graph(decision.function), target, ends, comparing.union(others))
        if known[target, readers]:
            yield where, literal_set
    if positive is not None:
        for where, literal_set in _answers(analysis, facts, decision, positive, is_asked):
            yield where, literal_set


def _asking_about_others(
    analysis: Analysis, facts: Facts, decision: Decision, asked: frozenset[tuple[str, str, bool]], readers: frozenset[str]
) -> frozenset[int]:
    """Where the branches begin at which something is known of other changes than those that only read: what they do, say."""
    function = analysis.view.function(decision.function)
    fields = frozenset(field for field, _, _ in asked)
    found: set[int] = set()
    for block in function.blocks:
        for edge in block.edges:
            if edge.condition is not None and _sign(analysis, decision, edge.condition.value, True) is None:
                target = len(function.events) + edge.target
                if _is_about_others(facts, decision, target, edge.condition.value, readers, fields):
                    found.add(target)
    return frozenset(found)


def _is_asked_before(analysis: Analysis, decision: Decision, where: int, others: frozenset[int]) -> bool:
    """Whether every way to an event leads over one of those branches."""
    graph = analysis.view.graph(decision.function)
    return bool(others) and where not in reachable(graph, graph.entry, others)


def _ways(analysis: Analysis, facts: Facts, decision: Decision, asked: _Asked) -> Iterator[tuple[int, frozenset[Literal]]]:
    for where, _, literal_set in _branches(analysis, facts, decision, asked):
        yield where, literal_set
    for holds in (True, False):
        yield from _answers(analysis, facts, decision, holds, asked)


def _branches(analysis: Analysis, facts: Facts, decision: Decision, asked: _Asked) -> Iterator[tuple[int, int, frozenset[Literal]]]:
    """The branches at which one of those asked about is known: where it is asked, where the branch begins, and what is known there."""
    view = analysis.view
    graph = view.graph(decision.function)
    for block in view.function(decision.function).blocks:
        for edge in block.edges:
            if edge.condition is not None:
                target = graph.size + edge.target
                for found in _alternatives(facts, decision, target, edge.condition.value, edge.condition.holds, asked):
                    yield max(block.last - 1, 0), target, found


def _answers(
    analysis: Analysis, facts: Facts, decision: Decision, holds: bool, asked: _Asked
) -> Iterator[tuple[int, frozenset[Literal]]]:
    """What is known of the changes, by single tests alone, where the function returns the value of a test."""
    for number, event in enumerate(analysis.view.function(decision.function).events):
        if event.kind == "return" and isinstance(event.value, Compound):
            for found in _alternatives(facts, decision, number, event.value, holds, asked):
                yield number, found


def _alternatives(
    facts: Facts, decision: Decision, at: int, value: Value, holds: bool, asked: _Asked
) -> Iterator[frozenset[Literal]]:
    """The sets of literals any of which makes a condition come out this way, of those with one that is asked about."""
    if isinstance(value, Compound):
        if value.operator == "not":
            yield from _alternatives(facts, decision, at, value.parts[0], not holds, asked)
            return
        if value.operator in ("in", "not in") and is_choice(facts.fields.view, decision.function, value):
            for part in value.parts[1].parts if isinstance(value.parts[1], Compound) and holds == (value.operator == "in") else ():
                yield from _alternatives(facts, decision, at, Compound("==", (part, value.parts[0])), True, asked)
            return
        if (value.operator == "or") == holds and value.operator in ("or", "and"):
            for part in value.parts:
                yield from _alternatives(facts, decision, at, part, holds, asked)
            return
    found = frozenset(literals_of(facts.fields, decision.function, at, value, holds))
    if not any(map(asked, found)):
        return
    known = frozenset(literal.leaf.who for literal in found)
    fields = frozenset(literal.leaf.key for literal in found)
    if not (isinstance(value, Compound) and _is_about_others(facts, decision, at, value, known, fields)):
        yield found


def _is_about_others(
    facts: Facts, decision: Decision, at: int, value: Value, readers: frozenset[str], fields: frozenset[str]
) -> bool:
    """Whether a condition asks something of other changes than those known to read: `a.read_only and all(b.read_only for b in others)`."""
    everyone = {leaf.who for leaf in decision.overlap.left | decision.overlap.right if leaf.field}
    return any(
        leaf.who not in readers and (leaf.key in fields or (leaf.who in everyone and leaf.key not in decision.compared))
        for leaf in facts.fields.of(decision.function, at, value) if leaf.field
    )


_End = tuple[int, frozenset[int]]


def _positive_ends(analysis: Analysis, facts: Facts, decision: Decision, positive: bool | None) -> list[_End]:
    """The events that give the answer which disjoint changes get, each with those that give it as well and come before it."""
    events = analysis.view.function(decision.function).events
    ends: list[_End] = [
        (number, frozenset()) for number, event in enumerate(events)
        if event.kind == "return" and isinstance(event.value, Constant) and event.value.kind == "bool"
        and positive is not None and (event.value.text == "True") == positive
    ]
    adding: dict[AccessPath, list[int]] = {}
    for number, event in enumerate(events):
        if event.kind == "call" and event.path is not None and event.path.steps[-1:] in (("append",), ("add",)):
            adding.setdefault(event.path, []).append(number)
    compared = {leaf.instance for leaf in decision.overlap.fields if leaf.field}
    for numbers in adding.values():
        same = {number for number in numbers if _adds(facts, decision, number, compared)} if len(numbers) > 1 else set()
        ends += [(number, frozenset(same - {number})) for number in same if len(same) > 1]
    return ends


def _adds(facts: Facts, decision: Decision, number: int, compared: set[str]) -> bool:
    """Whether an event adds a change itself to a collection."""
    added = facts.fields.of_all(decision.function, number, [
        argument.value for argument in facts.fields.view.event(decision.function, number).arguments if not isinstance(argument.value, Compound)
    ])
    return any(leaf.instance in compared and not leaf.field for leaf in added)


def _leads_to_one(graph: EventGraph, node: int, ends: list[_End], comparing: set[int]) -> bool:
    """Whether an ordinary way from a node comes, without a comparison, to one of the events."""
    after = reachable(graph, node)
    return any(
        number in after and path(graph, node, number, comparing | others, exceptional=False) is not None for number, others in ends
    )


def positive_answer(analysis: Analysis, decision: Decision) -> bool | None:
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
                if sign is not None:
                    for number, event in enumerate(function.events):
                        if event.kind == "return" and isinstance(event.value, Constant) and event.value.kind == "bool":
                            direct = path(graph, graph.size + edge.target, number, exceptional=False)
                            if direct is not None:
                                return (event.value.text == "True") != sign
    return None


def _sign(analysis: Analysis, decision: Decision, value: Value, holds: bool, followed: frozenset[str] = frozenset()) -> bool | None:
    """Whether the value's being true (`holds`) means that the two sides have something in common."""
    if value == decision.overlap.value:
        return holds != decision.overlap.apart
    if isinstance(value, Compound):
        if value.operator == "not":
            return _sign(analysis, decision, value.parts[0], not holds, followed)
        for part in value.parts:
            found = _sign(analysis, decision, part, holds, followed)
            if found is not None:
                return found
    if isinstance(value, Result):
        event = analysis.view.event(decision.function, value.event)
        if event.kind == "call":
            for argument in event.arguments:
                found = _sign(analysis, decision, argument.value, holds, followed)
                if found is not None:
                    return found
    if isinstance(value, Name) and value.scope == "local" and value.name not in followed:     # it may be bound to its own part
        bound = [
            event.value for event in analysis.view.function(decision.function).events
            if event.kind == "local" and event.path is not None and event.path.root == value
        ]
        if len(bound) == 1 and bound[0] is not None and not isinstance(bound[0], Name):
            return _sign(analysis, decision, bound[0], holds, followed | {value.name})
    return None
