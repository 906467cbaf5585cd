"""`compares`: whether two changes may both be applied is decided by what they write, although what they read is known.

The two facts: the decision compares fields by which the changes write, and the same changes carry fields by which they read,
which nothing on the way compares.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.admissions import admitted, positive_answer
from ctxlint.checks.conflicts.conflict_sets import asks_the_state, formal_left_out, left_out, told_with
from ctxlint.checks.conflicts.decisions import SETS, Decision, Decisions, asks_for_regions, is_declared
from ctxlint.checks.conflicts.declarations import declarations
from ctxlint.checks.conflicts.optimistic import WritesAlone, writes_alone
from ctxlint.checks.conflicts.predicates import is_predicate, is_question
from ctxlint.checks.conflicts.reducers import combines
from ctxlint.checks.conflicts.sides import Facts, Sides
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.diagnostic import Confidence
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.accesses import Accesses
from ctxlint.roles.carriers import put
from ctxlint.roles.fields import Fields
from ctxlint.roles.overlaps import Overlaps
from ctxlint.roles.selecting import Selecting
from ctxlint.roles.starred import filled

_ASKED_OF_ONE = frozenset(["==", "!=", "distinct", "startswith", "is_relative_to"])
"""Operators that single keys of two changes are compared by."""
_SURENESS: tuple[Confidence, ...] = ("high", "medium", "low")


def compares(analysis: Analysis) -> Iterator[Finding]:
    """Report decisions that compare what changes write and leave out what they read."""
    fields = Fields(analysis.summaries)
    overlaps = Overlaps(analysis.summaries, fields)
    all_decisions = Decisions(analysis, fields, overlaps)
    decisions = [decision for identity in analysis.program.functions() for decision in all_decisions.of(identity) if _may_decide(analysis, fields, decision)]
    found = list(_of_decisions(analysis, fields, overlaps, all_decisions, decisions)) if decisions else []
    known = {finding.function for finding in found}
    found += [finding for finding in map(functools.partial(_of_validation, analysis), writes_alone(analysis)) if finding.function not in known]
    yield from _surest(found)


def _of_decisions(
    analysis: Analysis, fields: Fields, overlaps: Overlaps, all_decisions: Decisions, decisions: list[Decision],
) -> list[Finding]:
    """What decisions about changes, known by their fields, leave out."""
    selecting = Selecting(analysis.summaries, fields)
    concerned = [_concerned(analysis, decision) for decision in decisions]
    asking = _asking(analysis, decisions)
    names, modules = (frozenset().union(*parts) for parts in zip(*((each.names, each.modules) for each in concerned)))
    selecting.keys.follow(selecting.concerned(names, modules, frozenset().union(*asking.values())))
    found: list[Finding] = []
    accesses: dict[tuple[_Concerned, str], Accesses] = {}
    for decision, each in zip(decisions, concerned):
        key = (each, decision.owner)
        if key not in accesses:
            accesses[key] = Accesses(selecting, each.names, each.modules, asking[decision.owner], each.owners)
        facts = Facts(fields, accesses[key], overlaps, selecting.fills, all_decisions.left_behind)
        if asks_the_state(facts, decision):
            continue
        sides = left_out(analysis, facts, decision) if decision.owner else formal_left_out(analysis, facts, decision)
        if sides is not None and _is_sure(analysis, decision, sides) and not combines(analysis, fields, decision):
            found.append(_finding(
                analysis, _where_it_is_left_out(analysis, facts, decision, sides.read), "reads-left-out", sides, _are_masks(analysis, decision)))
        elif sides is None and decision.paired:
            apart = positive_answer(analysis, decision)
            answering = all_decisions.asking(decision, apart) if apart is not None else ()
            found += [
                _finding(analysis, (each.function, event), "reader-admitted", sides)
                for each in (decision, *answering) for event, sides in admitted(analysis, facts, each)
            ]
    return found


def _may_decide(analysis: Analysis, fields: Fields, decision: Decision) -> bool:
    """Whether the outcome can say what becomes of changes: yes or no is the answer, or the function itself does something with them.

    Sets are compared for that; bounds and single keys only where the function writes under them.
    Whether keys are among others is asked of two changes that are handed over, or by whoever then goes on with the change itself.
    """
    overlap = decision.overlap
    if is_question(analysis, decision.function) or overlap.operator in SETS:
        return True
    if overlap.iterated and overlap.operator in ("in", "not in"):
        put_together = isinstance(overlap.value, Result) and len(decision.compared) > 1     # an identity, of which a helper looks for doubles
        return decision.given or not decision.owner or not decision.paired or (
            not put_together and _handles_whole(analysis, fields, decision))
    bounds = asks_for_regions(overlap) and (is_declared(decision.owner) or not decision.paired)
    return bounds or (overlap.operator not in ("in", "not in") and _handles_whole(analysis, fields, decision, kept=True)
                      and (asks_for_regions(overlap) or _asks_a_flag(analysis, fields, decision))) or _writes_under(analysis, fields, decision)


def _writes_under(analysis: Analysis, fields: Fields, decision: Decision) -> bool:
    """Whether a function writes under keys that it compares."""
    return any(
        event.keys and event.kind in ("write", "delete")
        and any(leaf.key in decision.compared for leaf in fields.of_all(decision.function, number, event.keys))
        for number, event in enumerate(analysis.view.function(decision.function).events)
    )


def _handles_whole(analysis: Analysis, fields: Fields, decision: Decision, kept: bool = False) -> bool:
    """Whether a function hands a change on, keeps it or gives it back, or what stands in its way; with `kept` not only hands it on."""
    compared = {leaf.instance for leaf in decision.overlap.fields if leaf.key in decision.compared}
    for number, event in enumerate(analysis.view.function(decision.function).events):
        if event.kind in ("return", "write") or event.note == "yield" or (event.kind == "call" and not (kept and put(event)[0] is None)):
            for value in _whole((event.value, *(argument.value for argument in event.arguments))):
                if value.name in compared or any(
                    leaf.key in decision.compared and event.kind == "return" if leaf.field else leaf.owner == decision.owner
                    for leaf in fields.of(decision.function, number, value)
                ):
                    return True
    return False


def _asks_a_flag(analysis: Analysis, fields: Fields, decision: Decision) -> bool:
    """Whether a branch depends on another field of the change alone, as on its mode of access."""
    function = analysis.view.function(decision.function)
    asked = {edge.condition.value for block in function.blocks for edge in block.edges if edge.condition is not None}
    return any(
        leaf.field and leaf.owner == decision.owner and leaf.key not in decision.compared
        for value in asked if isinstance(value, Result) and function.events[value.event].kind == "read"
        for leaf in fields.of(decision.function, value.event, value)
    )


def _whole(values: Iterable[Value | None]) -> Iterator[Name]:
    """The names that are handed on themselves, alone or in a display."""
    for value in values:
        if isinstance(value, Name):
            yield value
        elif isinstance(value, Compound) and value.operator in ("tuple", "list", "set", "dict", "+", "*", "comprehension-list"):
            yield from _whole(value.parts)


def _is_sure(analysis: Analysis, decision: Decision, sides: Sides) -> bool:
    """Whether it is seen that there is a decision about two changes; where that is unsure, what both are named for says nothing."""
    if sides.confidence != "low":
        return True
    asked = decision.overlap.operator in _ASKED_OF_ONE or (decision.given and (decision.sets or decision.meets))
    return asked and is_predicate(analysis, decision.function)


def _surest(findings: list[Finding]) -> Iterator[Finding]:
    """One finding for each comparison: of the classes whose changes are compared there, about the one it is surest of."""
    best: dict[tuple[FunctionId, int], Finding] = {}
    for finding in findings:
        known = best.get((finding.function, finding.event))
        if known is None or _SURENESS.index(finding.confidence) < _SURENESS.index(known.confidence):
            best[finding.function, finding.event] = finding
    yield from best.values()


def _asking(analysis: Analysis, decisions: list[Decision]) -> dict[str, frozenset[FunctionId]]:
    """Who asks for a decision about changes of a class, or calls a method of theirs: changes may be applied there unnamed."""
    found: dict[str, frozenset[FunctionId]] = {}
    for decision in decisions:
        callers = frozenset(caller for caller, _ in analysis.view.call_graph.callers(decision.function))
        known = found.get(decision.owner)
        found[decision.owner] = callers | (known if known is not None else _calling_methods(analysis, decision.owner))
    return found


def _calling_methods(analysis: Analysis, owner: str) -> frozenset[FunctionId]:
    """The functions in a class's module that store something and call what may be a method of it that is told something."""
    program = analysis.program
    info = program.class_(owner) if owner else None
    if info is None:
        return frozenset()
    told = {
        method.name for method in info.ir.methods
        if len(program.function_at(info.module, method.function).formals) > 1 and not method.name.startswith("__")
    }
    return frozenset(
        FunctionId(info.module, index) for index, function in enumerate(program.modules[info.module].ir.functions)
        if any(e.kind == "call" and e.path is not None and len(e.path.steps) == 1 and e.path.steps[0] in told for e in function.events)
        and any(e.path is not None and ((e.kind == "write" and e.keys) or e.path.steps[-1:] == ("update",)) for e in function.events)
    )


class _Concerned(msgspec.Struct, frozen=True):
    """What a decision asks of fields: the names by which they are found, the modules of those without, and their classes."""

    names: frozenset[str]
    modules: frozenset[str]
    owners: frozenset[str] | None


def _concerned(analysis: Analysis, decision: Decision) -> _Concerned:
    """What has to be known of fields: of those that the changes have, where they or their classes are named.

    The parts of changes without a class are looked for in the modules around the decision.
    """
    program = analysis.program
    info = program.class_(decision.owner) if decision.owner else None
    if info is None:
        modules = {decision.function.module, *(caller.module for caller, _ in analysis.view.call_graph.callers(decision.function))}
        name = decision.owner.removesuffix("()").rpartition(".")[2]
        return _Concerned(frozenset([name] if name else []), frozenset(modules), None)
    names: set[str] = set()
    asked = {1, *(told_with(analysis, key) for key in decision.compared)}
    for class_id in (*info.mro, *info.subclasses):
        each = program.class_(class_id)
        if each is not None:
            names.add(class_id.rpartition(".")[2])
            names |= {field.name for field in each.ir.fields} | {
                method.name for method in each.ir.methods if len(program.function_at(each.module, method.function).formals) in asked
            }
            names |= set(analysis.view.inference.stores(class_id))
    return _Concerned(frozenset(name for name in names if not name.startswith("__")), frozenset(), frozenset((*info.mro, *info.subclasses)))


# Words.


def _where_it_is_left_out(analysis: Analysis, facts: Facts, decision: Decision, read: str) -> tuple[FunctionId, int]:
    """The comparison; in the helper that makes it when that knows the change, or is told what it reads as well."""
    number = decision.overlap.event
    for call in analysis.view.calls(decision.function, number):
        for target in call.functions[:1]:
            passed = facts.fields.of_all(decision.function, number, filled(analysis.view, call, target).values())
            own = facts.overlaps.own(target)
            knows = [overlap for overlap in own if any(leaf.key in decision.compared for leaf in overlap.fields)]
            if own and (knows or any(leaf.key == read for leaf in passed)):
                return target, (knows or own)[0].event
    return decision.function, number


def _are_masks(analysis: Analysis, decision: Decision) -> bool:
    """Whether what is compared is declared to be a number, or an object of a class of the program: its bits are the set then."""
    info = analysis.program.class_(decision.owner)
    declared = declarations(analysis, decision.owner)
    kinds = {declared.get(key, "") for key in decision.compared} - {""}
    return any(kind == "int" or (info is not None and analysis.program.class_(f"{info.module}.{kind}") is not None) for kind in kinds)


def _finding(analysis: Analysis, where: tuple[FunctionId, int], kind: str, sides: Sides, masks: bool = False) -> Finding:
    function, event = where
    use, store = sides.use, sides.store
    written, read = _short(sides.written), _short(sides.read)
    flow = [FlowStep(function, event, f"decides by `{written}`, what changes write")]
    if use is not None:
        flow.insert(0, FlowStep(use.function, use.event, f"`{read}` says what a change reads"))
    if store is not None:
        flow.insert(0, FlowStep(store.function, store.event, f"`{written}` says what a change writes"))
    evidence = Evidence(f"`{read}` is a read set", use.function, use.event) if use is not None else Evidence(
        f"`{read}` is kept beside `{written}` and " + (
            "holds the same kind of thing" if sides.confidence == "low" else "is named for what a change depends on"))
    return Finding(
        function=function, event=event, kind=kind, confidence=sides.confidence,
        fields={
            "decision": analysis.program.symbol(function), "written": written, "read": read,
            "where": At(use.function, use.event, "line {line}") if use is not None else f"`{read}`",
        },
        flow=tuple(flow), evidence=(evidence,), chain=("compare", sides.written, sides.read),
        facts={"masks": "yes"} if masks else {},
    )


def _of_validation(analysis: Analysis, found: WritesAlone) -> Finding:
    test, noted, written, read = found.test, found.noted, found.written.name, found.read.name
    return Finding(
        function=test.function, event=test.event, kind="reads-left-out", confidence="medium",
        fields={
            "decision": analysis.program.symbol(test.function), "written": written, "read": read,
            "where": At(noted.function, noted.event, "line {line}"),
        },
        flow=(
            FlowStep(noted.function, noted.event, f"`{read}` says what a change reads"),
            FlowStep(test.function, test.event, f"decides by `{written}`, what changes write"),
        ),
        evidence=(Evidence(f"`{read}` is noted where the state is read, and compared nowhere", noted.function, noted.event),),
        chain=("compare", written, read),
    )


def _short(key: str) -> str:
    owner, _, field = key.rpartition(".")
    return f"{owner.rpartition('.')[2]}.{field}" if owner and not owner.endswith("{}") else field

