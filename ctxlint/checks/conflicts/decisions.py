"""Where a program decides about two changes: comparisons of the same field of two of them, or of one with what was kept of others.

A comparison decides only when its outcome does: as a function's answer, or as the condition of a branch.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import msgspec

from ctxlint.calls.elements import MAPPINGS, SEQUENCES
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import Instance
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.across import lie_across
from ctxlint.checks.conflicts.left_behind import LeftBehind
from ctxlint.checks.conflicts.predicates import is_predicate
from ctxlint.flow.paths import reachable
from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import Leaf, whose
from ctxlint.roles.overlaps import BEFORE, ORDERED, Overlap, Overlaps

SETS = frozenset(["&", "&=", "isdisjoint", "intersection", "adjacent", "distinct"])
"""Operators of whole sets, and of all that is put in order."""
_MEETING = SETS - {"distinct"}
_MEMBERSHIP = frozenset(["in", "not in"])
_HOLDING = MAPPINGS | SEQUENCES | {"builtins.set", "builtins.frozenset", "builtins.object"}
"""Classes of the language whose objects hold others, or that say nothing."""
_SAMENESS = frozenset(["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"])
"""Methods that say whether two objects are equal, or which comes first: nothing is applied by that."""


class Decision(msgspec.Struct, frozen=True):
    """A comparison of what two changes write, in the function that decides by it.

    `owner` is the class of the changes; or it is empty, and `compared` are formals of the function: the parts of one change.
    `paired` is true when the fields of two changes are compared, false when it is one change and what is kept of others.
    `given` is true when the function is asked about two changes that are handed to it, `sets` when it is moreover asked if
    two sets of theirs have something in common.
    """

    function: FunctionId
    overlap: Overlap
    owner: str
    compared: frozenset[str]
    paired: bool
    given: bool = False
    sets: bool = False

    @property
    def meets(self) -> bool:
        """Whether it is asked if two sets have something in common."""
        return self.paired and any(_is_meeting(self.overlap, leaf) for leaf in self.overlap.left if leaf.key in self.compared)

    @property
    def weight(self) -> tuple[bool, bool]:
        """Which of two comparisons of a function decides: what two changes have in common does, before what is the same in both."""
        return self.paired, self.given and asks_for_regions(self.overlap)

    @property
    def of_tables(self) -> bool:
        """Whether changes are names, under which tables hold their parts."""
        return any(leaf.instance.endswith("]") for leaf in self.overlap.left if leaf.key in self.compared)


class Decisions:
    """Finds the decisions of a program, from their comparisons."""

    def __init__(self, analysis: Analysis, fields: Fields, overlaps: Overlaps) -> None:
        self._analysis = analysis
        self._view = analysis.view
        self._fields = fields
        self._overlaps = overlaps
        self.left_behind = LeftBehind(analysis, fields)
        self._ways: dict[tuple[FunctionId, str], set[tuple[str, str]]] = {}

    def of(self, identity: FunctionId) -> Iterator[Decision]:
        """One decision for each class of changes: about two changes, if there is one."""
        if self._view.function(identity).qualname.rpartition(".")[2] in _SAMENESS:
            return
        found: dict[str, Decision] = {}
        for overlap in self._overlaps.deciding(identity):
            for decision in self._compared(identity, overlap) if not overlap.settled else ():
                known = found.get(decision.owner)
                if known is None or decision.weight > known.weight:
                    found[decision.owner] = decision
        for decision in found.values():
            if self._matters(identity, decision.overlap):
                yield decision

    def asking(self, decision: Decision, apart: bool) -> Iterator[Decision]:
        """The same decision in those who answer a question by it; `apart` when its answer is true of changes that are disjoint."""
        if not decision.paired or not decision.given or not is_predicate(self._analysis, decision.function):
            return
        for caller, number in self._view.call_graph.callers(decision.function):
            lifted = [
                overlap for overlap in self._overlaps.of(caller)
                if overlap.event == number and any(leaf.key in decision.compared for leaf in overlap.fields)
            ] if is_predicate(self._analysis, caller) else []
            if lifted:
                yield msgspec.structs.replace(decision, function=caller, overlap=msgspec.structs.replace(lifted[0], apart=apart))

    def _compared(self, identity: FunctionId, overlap: Overlap) -> Iterator[Decision]:
        """What an overlap compares: fields of two changes, a field of one with what else changed, or a formal with what is kept."""
        met = {leaf for pair in overlap.between(functools.partial(self._may_meet, identity, overlap)) for leaf in pair}
        keys: dict[str, set[str]] = {}
        classes = {leaf.owner for leaf in met}
        for leaf in met:
            keys.setdefault(self._eldest(leaf.owner, classes), set()).add(leaf.key)
        owners = {owner for owner in keys if owner}
        given = self._given(identity, overlap, met) if owners else frozenset()
        sets = any(_is_meeting(overlap, leaf) or _has_elements_in_order(overlap) for leaf in given)
        for owner in sorted(owners) if self._is_answer(identity, overlap) else ():
            if is_declared(owner) or given or asks_for_regions(overlap):
                yield Decision(identity, overlap, owner, frozenset(keys[owner]), paired=True, given=bool(given), sets=sets)
        if not owners:
            for leaf in sorted(overlap.fields, key=lambda leaf: leaf.key):
                if leaf.field and leaf.owner and is_declared(leaf.owner) and (
                    self._meets_others(identity, overlap, leaf) or self._lies_across_others(identity, overlap, leaf)
                ):
                    yield Decision(identity, overlap, leaf.owner, frozenset([leaf.key]), paired=False)
            formals = self._formals_that_meet_others(identity, overlap)
            if formals:
                yield Decision(identity, overlap, "", formals, paired=False)

    def _may_meet(self, identity: FunctionId, overlap: Overlap, one: Leaf, other: Leaf) -> bool:
        """Whether two fields are two changes': both are objects of their class, and it is asked what they have in common.

        A single thing is looked for among the same things of those before it.  That two ranges overlap is asked both ways round.
        """
        if one.field.startswith("__") or not all(
            may_be_of(self._analysis, identity, overlap.event, leaf.instance, leaf.owner) for leaf in (one, other)
        ):
            return False
        if one.instance == other.instance and not self._is_one_of_many(identity, one.instance):
            return False
        if overlap.operator in _MEMBERSHIP:
            return overlap.iterated or one.instance == other.instance or one.collected == other.collected
        return overlap.operator not in ORDERED or self._are_both_ways_round(identity, overlap, one, other)

    def _is_one_of_many(self, identity: FunctionId, name: str) -> bool:
        """Whether a name holds another object in each round of a loop: only then what was collected before is of others."""
        function = self._view.function(identity)
        if name not in function.locals and not any(formal.name == name for formal in function.formals):
            return True
        graph = self._view.graph(identity)
        return any(
            event.path is not None and event.path.root == Name(name, "local") and not event.path.steps and number in reachable(graph, number)
            for number, event in enumerate(function.events) if event.kind == "local"
        )

    def _are_both_ways_round(self, identity: FunctionId, overlap: Overlap, one: Leaf, other: Leaf) -> bool:
        """Whether it is also asked the other way round, or the ranges are put in order before: else it is one bound, or a number."""
        ways = self._ways_round(identity, one.owner)
        return ((one.who, other.who) in ways and (other.who, one.who) in ways) or any(
            each.operator == "adjacent" and each.event == overlap.event for each in self._overlaps.of(identity))

    def _ways_round(self, identity: FunctionId, owner: str) -> set[tuple[str, str]]:
        """Which objects of a class are asked to be before which others."""
        known = self._ways.get((identity, owner))
        if known is None:
            known = self._ways[identity, owner] = {
                (first, second) if each.operator in BEFORE else (second, first)
                for each in self._overlaps.of(identity) if each.operator in ORDERED
                for first in _whose(each.left, owner) for second in _whose(each.right, owner)
            }
        return known

    def _eldest(self, owner: str, classes: set[str]) -> str:
        """The class of a family's changes: the one that others among them are derived from."""
        info = self._analysis.program.class_(owner) if is_declared(owner) else None
        return next((each for each in reversed(info.mro) if each in classes), owner) if info is not None else owner

    def _is_answer(self, identity: FunctionId, overlap: Overlap) -> bool:
        """Whether it is no mere validation: that names are distinct is required of much that is no change, and raised otherwise."""
        return overlap.operator != "distinct" or any(
            event.kind == "return" and event.value is not None and overlap.value is not None and _holds(event.value, {overlap.value})
            for event in self._view.function(identity).events
        )

    def _given(self, identity: FunctionId, overlap: Overlap, met: set[Leaf]) -> frozenset[Leaf]:
        """The compared fields of two objects that the function is given, or of one and those in a collection that it is given."""
        formals = {formal.name for formal in self._view.function(identity).formals}
        parts = {whose(leaf.instance): leaf for leaf in met}       # what an object is a part of does not depend on the field
        named = {name: whose(self._fields.from_formal(identity, overlap.event, leaf).instance) for name, leaf in parts.items()}
        passed = {leaf: name for leaf in met if (name := named[whose(leaf.instance)]) in formals}

        def meets(one: Leaf, other: Leaf) -> bool:
            return one in passed and other in passed and passed[one] != passed[other] and self._may_meet(identity, overlap, one, other)

        return frozenset(leaf for pair in overlap.between(meets) for leaf in pair) if len(set(passed.values())) > 1 else frozenset()

    # What is kept of other changes.

    def _meets_others(self, identity: FunctionId, overlap: Overlap, leaf: Leaf) -> bool:
        """Whether a change's field is compared with what others changed: two states of one place, or what they left behind."""
        if leaf in overlap.looked:
            return True
        other = overlap.right if leaf in overlap.left else overlap.left
        if not _is_meeting(overlap, leaf) or any(each.owner == leaf.owner and each.field for each in other):
            return False
        return any(self._has_two_states(identity, each) or self.left_behind.is_kept(leaf, each.key) for each in other if each.field)

    def _lies_across_others(self, identity: FunctionId, overlap: Overlap, leaf: Leaf) -> bool:
        """Whether a change's ranges are compared with those that others left behind."""
        return any(
            self.left_behind.is_kept(leaf, other.key) for other in (overlap.right if leaf in overlap.left else overlap.left)
            if other.field and other.owner != leaf.owner and lie_across(self._overlaps.own(identity), leaf, other)
        )

    def _has_two_states(self, identity: FunctionId, leaf: Leaf) -> bool:
        """Whether a function reads the same field of another object as well: what changed between two states."""
        return any(
            each.key == leaf.key and each.instance != leaf.instance
            for number, event in enumerate(self._view.function(identity).events)
            if event.kind in ("read", "call") and event.path is not None and leaf.field in event.path.steps
            for each in self._fields.of(identity, number, Result(number)) if each.field
        )

    def _formals_that_meet_others(self, identity: FunctionId, overlap: Overlap) -> frozenset[str]:
        """The formals on one side of a comparison, when the other side holds what the function was given before."""
        formals = {formal.name for formal in self._view.function(identity).formals[1:]}
        for one, other in ((overlap.left, overlap.right), (overlap.right, overlap.left)):
            passed = {
                leaf.instance for leaf in one if not leaf.field and leaf.instance in formals and _is_meeting(overlap, leaf)
            }
            kept = () if any(leaf.instance in formals for leaf in other) else [leaf.key for leaf in other if leaf.field]
            if passed and any(self._was_given(identity, passed, key) for key in kept):
                return frozenset(passed)
        return frozenset()

    def _was_given(self, identity: FunctionId, formals: set[str], container: str) -> bool:
        """Whether the function, or a caller with what it passes for the formals, puts them into a container."""
        for where, number in self.left_behind.puts_into(container):
            put = {leaf.instance for leaf in self.left_behind.put_at(where, number) if not leaf.field}
            if put & (formals if where == identity else self._passed(where, identity, formals)):
                return True
        return False

    def _passed(self, outer: FunctionId, identity: FunctionId, formals: set[str]) -> set[str]:
        """The names that a function, or a lambda in it, passes for formals of another one."""
        return {
            value.name for caller, number in self._view.call_graph.callers(identity)
            if outer in (caller, FunctionId(caller.module, self._view.function(caller).enclosing))
            for call in self._view.calls(caller, number) if identity in call.functions
            for name, value in self._view.bound(call, identity).items() if name in formals and isinstance(value, Name)
        }

    # What a comparison decides.

    def _matters(self, identity: FunctionId, overlap: Overlap) -> bool:
        """Whether a branch, or the function's answer, depends on the comparison."""
        if overlap.value is None:
            return False
        function = self._view.function(identity)
        conditions = [edge.condition.value for block in function.blocks for edge in block.edges if edge.condition is not None]
        carriers: set[Value] = {overlap.value}
        grown = True
        while grown:
            if any(_holds(value, carriers) for value in conditions):
                return True
            grown = False
            for number, event in enumerate(function.events):
                values = [a.value for a in event.arguments] + ([event.value] if event.value is not None else [])
                if any(_holds(value, carriers) for value in values):
                    if event.kind in ("return", "iterate") or event.note == "yield":
                        return True
                    carrier = _bound(number, event)
                    if carrier is not None and carrier not in carriers:
                        carriers.add(carrier)
                        grown = True
        return False


def may_be_of(analysis: Analysis, identity: FunctionId, at: int, name: str, owner: str) -> bool:
    """Whether what a function knows of a name allows that it is an object of a class."""
    if not is_declared(owner) or not name.isidentifier():
        return True
    types = [type for type in analysis.view.inference.of_value(identity, at, Name(name, "local")) if isinstance(type, Instance)]
    classes = [type.name for type in types if type.name not in _HOLDING]
    return not classes or len(classes) < len(types) or any(_are_related(analysis, owner, name) for name in classes)


def _are_related(analysis: Analysis, one: str, other: str) -> bool:
    infos = [info for info in map(analysis.program.class_, (one, other)) if info is not None]
    return len(infos) == 2 and any(name in (*info.mro, *info.subclasses) for info, name in zip(infos, (other, one)))


def _bound(number: int, event: Event) -> Value | None:
    """What holds the value of an event: a local, or the event's own result."""
    if event.kind == "local" and event.path is not None and isinstance(event.path.root, Name):
        return event.path.root
    return Result(number) if event.kind == "call" else None


def _holds(value: Value, carriers: set[Value]) -> bool:
    return value in carriers or (isinstance(value, Compound) and any(_holds(part, carriers) for part in value.parts))


def _is_meeting(overlap: Overlap, leaf: Leaf) -> bool:
    """Whether it is asked if two sets have something in common, be it one element after the other."""
    if overlap.operator in _MEMBERSHIP:
        return overlap.iterated and leaf in overlap.left
    return overlap.operator in _MEETING


def _has_elements_in_order(overlap: Overlap) -> bool:
    """Whether elements are compared by a helper that knows their bounds."""
    return overlap.operator in ORDERED and isinstance(overlap.value, Result)


def is_declared(owner: str) -> bool:
    """Whether changes are objects of a known class; entries of dictionaries and parts of tuples are found again everywhere."""
    return not owner.endswith(("{}", "()"))


def asks_for_regions(overlap: Overlap) -> bool:
    """Whether sets or bounds are compared: a single key that was there before is looked for in much that is no change."""
    return overlap.operator in _MEETING or overlap.operator in ORDERED or (overlap.operator in _MEMBERSHIP and overlap.iterated)


def _whose(side: frozenset[Leaf], owner: str) -> frozenset[str]:
    """The objects of a class whose fields stand on a side."""
    return frozenset(leaf.who for leaf in side if leaf.field and leaf.owner == owner)
