"""What branches test, as bits: which answers contradict each other, and which events can change an answer.

A path that answers one question both ways, with nothing in between that could have changed the answer, cannot happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctxlint.flow.bindings import bound_name
from ctxlint.flow.questions import Fact, Read, facts_of, grounded, only_looks, place_key, root_key
from ctxlint.flow.sharing import NOT_SHARED, Sharing
from ctxlint.ir.event import Event
from ctxlint.ir.function import Condition, Function
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

_Readers = dict[str, list[tuple[int, Read]]]

Masks = tuple[int, int]
"""The questions answered yes, and those answered no."""

_NOTHING: Masks = (0, 0)
_NO_ANSWERS = (_NOTHING, _NOTHING)

_NEVER_NONE = frozenset({"tuple", "list", "set", "dict", "f-string", "comprehension-list", "comprehension-set",
                         "comprehension-dict", "comprehension-generator"})

_YES_OR_NO = frozenset({"not", "==", "!=", "is", "is not", "in", "not in", "<", "<=", ">", ">=", "f-string", "format"})

_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "+=", "-=", "*=", "/=", "//=", "%=", "-x", "+x", "~x", "and",
                         "or", "if", "|", "&", "|=", "&="})

_SCALAR_TYPES = frozenset({"bool", "int", "float", "str", "bytes", "None", "Optional", "Union", "Final"})


class ConditionTable(NamedTuple):
    """The questions of one function as bits, so that what a path has assumed is two integers.

    `by_rounds` are those whose answer may be another one in the next round of a loop, whatever happens in the loop: waiting
    for someone else to change it is what loops are written for. Only which object a name holds stays.
    """

    answered: dict[Condition, tuple[Masks, Masks]]
    changes: dict[int, int]
    settlements: dict[int, Masks]
    by_rounds: int

    def answers(self, condition: Condition) -> tuple[Masks, Masks]:
        """What must not be known otherwise for the condition's edge to be taken, and what is known once it is taken."""
        return self.answered.get(condition, _NO_ANSWERS)

    def changed(self, event: int) -> int:
        """The questions whose answer may be another one after the event."""
        return self.changes.get(event, 0)

    def settled(self, event: int) -> Masks:
        """The questions that the event answers: `done = False` answers `if done`."""
        return self.settlements.get(event, _NOTHING)


def condition_table(function: Function, shared: Sharing = NOT_SHARED) -> ConditionTable:
    """Collect what the branches of the function ask and what its events do to the answers."""
    conditions = dict.fromkeys(
        [edge.condition for block in function.blocks for edge in block.edges if edge.condition is not None])
    if not conditions:
        return ConditionTable({}, {}, {}, 0)
    scalars = _scalars(function)
    asked = {condition: facts_of(function, condition.value, condition.holds, scalars) for condition in conditions}
    facts = {fact.key: fact for group in asked.values() for fact in group}
    # A literal has no content: what was settled by one is remembered, as a twin, beyond changes of content.
    twins = {_twin(fact).key: _twin(fact) for fact in facts.values() if fact.test == "truth"}
    bits = {key: 1 << position for position, key in enumerate((*facts, *twins))}
    about: dict[str, list[Fact]] = {}
    for fact in (*facts.values(), *twins.values()):
        if fact.subject:
            about.setdefault(fact.subject, []).append(fact)
    answered = {condition: (_masks([*group, *map(_twin, group)], bits, about), _masks(group, bits, about))
                for condition, group in asked.items()}
    every = (*facts.values(), *twins.values())
    exposed = _exposed(every, bits, shared)
    return ConditionTable(answered, _changes(function, every, bits, exposed), _settlements(function, bits, about),
                          exposed.everyone | exposed.deep)


def _twin(fact: Fact) -> Fact:
    if fact.test != "truth":
        return fact
    return fact._replace(key=f"{fact.key} is a literal that", test="literal",
                         reads=tuple([read._replace(deep=False) for read in fact.reads]))


class _Exposed(NamedTuple):
    """The questions that others can change: `callees` those that any call can, `everyone` those that whoever runs meanwhile
    can, `deep` those that whoever has the object can."""

    callees: int
    everyone: int
    deep: int


def _exposed(facts: Iterable[Fact], bits: dict[str, int], shared: Sharing) -> _Exposed:
    callees = everyone = deep = 0
    for fact in facts:
        bit = bits[fact.key]
        for read in fact.reads:
            if not read.local or read.root in shared.rebound or (read.deep and read.root in shared.captured):
                callees |= bit
            if read.steps:
                everyone |= bit
            if read.deep:
                deep |= bit
    return _Exposed(callees, everyone | callees, deep)


def _masks(facts: list[Fact], bits: dict[str, int], about: dict[str, list[Fact]]) -> tuple[int, int]:
    """The facts and what they imply for other questions about the same subject, as (yes, no) masks."""
    yes = no = 0
    for fact in facts:
        if fact.holds:
            yes |= bits[fact.key]
        else:
            no |= bits[fact.key]
        for other in about.get(fact.subject, ()):
            implied = _implied(fact, other)
            if implied is True:
                yes |= bits[other.key]
            elif implied is False:
                no |= bits[other.key]
    return yes, no


def _implied(known: Fact, asked: Fact) -> bool | None:
    if known.key == asked.key or not known.holds or asked.test == "literal":
        return None
    if known.test == "truth":
        if asked.test == "none":
            return False
        return False if asked.constant is not None and _truth(asked.constant) is False else None
    return None if known.constant is None else _answer_for(known.constant, asked)


def _answer_for(constant: Constant, asked: Fact) -> bool | None:
    """The answer to a question about something that is this constant."""
    if asked.test in ("truth", "literal"):
        return _truth(constant)
    if asked.test == "none":
        return constant.kind == "none"
    if asked.constant is None or constant.kind == "none":
        return False if asked.constant is not None else None
    return constant.text == asked.constant.text if constant.kind == asked.constant.kind else None


def _truth(constant: Constant) -> bool:
    if constant.kind in ("str", "bytes"):
        return constant.text not in ("", "b''", 'b""')
    return constant.text not in ("None", "False", "0", "0.0", "-0.0", "0j")


def _settlements(function: Function, bits: dict[str, int], about: dict[str, list[Fact]]) -> dict[int, tuple[int, int]]:
    settled: dict[int, tuple[int, int]] = {}
    if not about:
        return settled
    for number, event in enumerate(function.events):
        if event.kind not in ("local", "write") or event.path is None or event.note == "aug" or event.value is None:
            continue
        yes = no = 0
        for fact in about.get(place_key(function, event.path, event.keys), ()):
            answer = _answer_of(event.value, fact)
            if answer is True:
                yes |= bits[fact.key]
            elif answer is False:
                no |= bits[fact.key]
        if yes or no:
            settled[number] = (yes, no)
    return settled


def _answer_of(value: Value, asked: Fact) -> bool | None:
    if isinstance(value, Constant):
        return _answer_for(value, asked)
    fresh = isinstance(value, Closure) or (isinstance(value, Compound) and value.operator in _NEVER_NONE)
    return False if fresh and asked.test == "none" else None


def _changes(function: Function, facts: Iterable[Fact], bits: dict[str, int], exposed: _Exposed) -> dict[int, int]:
    """For every event, the questions it can change the answer of."""
    readers: _Readers = {}
    for fact in facts:
        for read in fact.reads:
            readers.setdefault(read.root, []).append((bits[fact.key], read))
    changed: dict[int, int] = {}
    if not readers:
        return changed
    for number, event in enumerate(function.events):
        mask = 0
        for bit, _ in readers.get(f"#{number}", ()):
            mask |= bit
        if event.kind in ("suspend", "enter"):
            mask |= exposed.everyone
        elif event.kind == "call":
            if not only_looks(event):
                mask |= exposed.callees | _changed_by_call(function, event, readers)
        elif event.kind in ("local", "write", "delete", "catch", "define", "import") and event.path is not None:
            mask |= _changed_by_store(function, event.path, readers)
        if mask:
            changed[number] = mask
    return changed


def _changed_by_store(function: Function, path: AccessPath, readers: _Readers) -> int:
    root, steps = grounded(function, path)
    mask = 0
    for bit, read in readers.get(root_key(root), ()):
        if read.steps[: len(steps)] == steps or (read.deep and steps[: len(read.steps)] == read.steps):
            mask |= bit
    return mask


def _changed_by_call(function: Function, event: Event, readers: _Readers) -> int:
    mask = 0
    if event.path is not None and event.path.steps:
        root, steps = grounded(function, event.path)
        receiver = steps[:-1]
        for bit, read in readers.get(root_key(root), ()):
            below = read.steps[: len(receiver)] == receiver and (read.deep or len(read.steps) > len(receiver))
            if below or (read.deep and receiver[: len(read.steps)] == read.steps):
                mask |= bit
    for argument in event.arguments:
        passed = argument.value
        root, steps = grounded(function, AccessPath(passed))
        if not isinstance(root, Name):
            continue
        for bit, read in readers.get(root_key(root), ()):
            if len(read.steps) > len(steps) and read.steps[: len(steps)] == steps:
                mask |= bit
    return mask


def _scalars(function: Function) -> frozenset[str]:
    """The local names that only ever hold numbers, strings, truth values or None."""
    others = {formal.name for formal in function.formals
              if not _is_scalar_type(formal.annotation)
              and not (isinstance(formal.default, Constant) and formal.default.kind != "none")}
    names = {formal.name for formal in function.formals}
    for event in function.events:
        name = bound_name(event)
        if name is not None:
            names.add(name)
            if event.kind != "local" or event.value is None or not (
                    _is_scalar_type(event.note) or _is_scalar(function, event.value, name)):
                others.add(name)
    return frozenset(names - others)


def _is_scalar(function: Function, value: Value, name: str) -> bool:
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Compound) and part.operator in _ARITHMETIC:
            pending.extend(part.parts)
        elif isinstance(part, Result):
            if not only_looks(function.events[part.event]):
                return False
        elif not (isinstance(part, Constant) or (isinstance(part, Name) and part.name == name)
                  or (isinstance(part, Compound) and part.operator in _YES_OR_NO)):
            return False
    return True


def _is_scalar_type(annotation: str) -> bool:
    words = annotation.replace("[", " ").replace("]", " ").replace("|", " ").replace(",", " ").replace('"', " ").split()
    return bool(words) and _SCALAR_TYPES.issuperset([word.rpartition(".")[2] for word in words])
