"""What branches test: which two tests are the same question, and which events can change its answer.

A path that answers one question both ways, with nothing in between that could have changed the answer, cannot happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctxlint.ir.event import Event
from ctxlint.ir.function import Condition, Function
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

_DEEPEST = 24
"""Values nested deeper than this are not compared; they are generated tables, not questions."""

_LOOKS_ONLY = frozenset({"isinstance", "issubclass", "callable", "hasattr", "len", "bool", "type", "id"})
"""Builtins of the language that answer the same for the same argument and change nothing."""

_OF_IDENTITY = frozenset({"isinstance", "issubclass", "callable", "type", "id"})
"""Those of them whose answer does not change when the argument's content does."""

_NEVER_NONE = frozenset({"tuple", "list", "set", "dict", "f-string", "comprehension-list", "comprehension-set",
                         "comprehension-dict", "comprehension-generator"})

_OPPOSITES = {"is not": "is", "!=": "==", "not in": "in", ">=": "<"}


class Fact(NamedTuple):
    """One question and its answer. `subject` and `test` say what is asked of which value ("truth", "none", "equal")."""

    key: str
    holds: bool
    subject: str
    test: str
    constant: Constant | None
    reads: tuple["_Read", ...]


class _Read(NamedTuple):
    """A place a question looks at. `deep` when the answer depends on the content of the object there."""

    root: str
    local: bool
    steps: tuple[str, ...]
    deep: bool


class ConditionTable:
    """The questions of one function as bits, so that what a path has assumed is two integers."""

    __slots__ = ("_answers", "_changed", "_settled")

    def __init__(self, answers: dict[Condition, tuple[int, int]], changed: dict[int, int],
                 settled: dict[int, tuple[int, int]]) -> None:
        self._answers = answers
        self._changed = changed
        self._settled = settled

    def answers(self, condition: Condition) -> tuple[int, int]:
        """The questions answered yes, and those answered no, when the condition's edge is taken."""
        return self._answers.get(condition, _NOTHING)

    def changed(self, event: int) -> int:
        """The questions whose answer may be another one after the event."""
        return self._changed.get(event, 0)

    def settled(self, event: int) -> tuple[int, int]:
        """The questions that the event answers: `done = False` answers `if done`."""
        return self._settled.get(event, _NOTHING)


_NOTHING = (0, 0)


def condition_key(function: Function, value: Value) -> str:
    """The question a branch on `value` asks, as normalised text: equal for equal questions, whatever their polarity.

    The result of a read is spelled by its access path, the result of any other event by the event's number.
    """
    asked = _atom(function, value, True)
    return "…" if asked is None else asked.key


def condition_table(function: Function) -> ConditionTable:
    """Collect what the branches of the function ask and what its events do to the answers."""
    asked: dict[Condition, list[Fact]] = {}
    for block in function.blocks:
        for edge in block.edges:
            condition = edge.condition
            if condition is not None and condition not in asked:
                asked[condition] = _facts(function, condition.value, condition.holds)
    facts = {fact.key: fact for group in asked.values() for fact in group}
    bits = {key: 1 << position for position, key in enumerate(facts)}
    about: dict[str, list[Fact]] = {}
    for fact in facts.values():
        if fact.subject:
            about.setdefault(fact.subject, []).append(fact)
    answers = {condition: _masks(group, bits, about) for condition, group in asked.items()}
    return ConditionTable(answers, _changes(function, facts.values(), bits), _settlements(function, bits, about))


def _facts(function: Function, value: Value, holds: bool) -> list[Fact]:
    """What is known once `value` was found true (`holds`) or false: its own question and the parts that follow from it."""
    facts: list[Fact] = []
    pending = [(value, holds)]
    while pending:
        part, answer = pending.pop()
        fact = _atom(function, part, answer)
        if fact is not None:
            facts.append(fact)
        if isinstance(part, Compound):
            if part.operator == "not" and len(part.parts) == 1:
                if isinstance(part.parts[0], Compound):
                    pending.append((part.parts[0], not answer))
            elif part.operator == ("and" if answer else "or"):
                pending.extend((each, answer) for each in part.parts)
    return facts


def _atom(function: Function, value: Value, holds: bool) -> Fact | None:
    while isinstance(value, Compound) and value.operator == "not" and len(value.parts) == 1:
        value, holds = value.parts[0], not holds
    if isinstance(value, Compound) and len(value.parts) == 2:
        operator, (left, right) = value.operator, value.parts
        if operator in (">", "<="):
            operator, left, right = ("<" if operator == ">" else ">="), right, left
        if operator in _OPPOSITES:
            operator, holds = _OPPOSITES[operator], not holds
        if operator in ("is", "==") and isinstance(left, Constant) and not isinstance(right, Constant):
            left, right = right, left
        if operator in ("is", "==") and isinstance(right, Constant):
            subject = _Spelling(function, deep=False).of(left)
            if subject is None:
                return None
            if right.kind == "none":
                return Fact(f"{subject.text} is None", holds, subject.text, "none", right, subject.reads)
            return Fact(f"{subject.text} == {right.kind} {right.text}", holds, subject.text, "equal", right, subject.reads)
        if operator in ("is", "==", "in", "<"):
            both = _Spelling(function, deep=operator != "is").of(Compound(operator, (left, right)))
            return None if both is None else Fact(both.text, holds, "", "", None, both.reads)
    plain = _Spelling(function, deep=True).of(value)
    return None if plain is None else Fact(plain.text, holds, plain.text, "truth", None, plain.reads)


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
    if known.key == asked.key or not known.holds:
        return None
    if known.test == "truth":
        if asked.test == "none":
            return False
        return False if asked.constant is not None and _truth(asked.constant) is False else None
    return None if known.constant is None else _answer_for(known.constant, asked)


def _answer_for(constant: Constant, asked: Fact) -> bool | None:
    """The answer to a question about something that is this constant."""
    if asked.test == "truth":
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
        spelled = _Spelling(function, deep=False).of_path(event.path, event.keys)
        yes = no = 0
        for fact in about.get(spelled.text, ()) if spelled is not None else ():
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


def _changes(function: Function, facts: Iterable[Fact], bits: dict[str, int]) -> dict[int, int]:
    """For every event, the questions it can change the answer of."""
    readers: dict[str, list[tuple[int, _Read]]] = {}
    outside = elsewhere = 0
    for fact in facts:
        bit = bits[fact.key]
        for read in fact.reads:
            readers.setdefault(read.root, []).append((bit, read))
            if not read.local:
                elsewhere |= bit
            if read.steps or not read.local:
                outside |= bit
    changed: dict[int, int] = {}
    if not readers:
        return changed
    for number, event in enumerate(function.events):
        mask = 0
        for bit, _ in readers.get(f"#{number}", ()):
            mask |= bit
        if event.kind == "suspend":
            mask |= outside
        elif event.kind == "call":
            if not _only_looks(event):
                mask |= elsewhere | _changed_by_call(function, event, readers)
        elif event.kind in ("local", "write", "delete", "catch", "define", "import") and event.path is not None:
            mask |= _changed_by_store(function, event.path, readers)
        if mask:
            changed[number] = mask
    return changed


def _changed_by_store(function: Function, path: AccessPath, readers: dict[str, list[tuple[int, _Read]]]) -> int:
    root, steps = _grounded(function, path)
    mask = 0
    for bit, read in readers.get(root, ()):
        if read.steps[: len(steps)] == steps or (read.deep and steps[: len(read.steps)] == read.steps):
            mask |= bit
    return mask


def _changed_by_call(function: Function, event: Event, readers: dict[str, list[tuple[int, _Read]]]) -> int:
    mask = 0
    if event.path is not None and event.path.steps:
        root, steps = _grounded(function, event.path)
        receiver = steps[:-1]
        for bit, read in readers.get(root, ()):
            below = read.steps[: len(receiver)] == receiver and (read.deep or len(read.steps) > len(receiver))
            if below or (read.deep and receiver[: len(read.steps)] == read.steps):
                mask |= bit
    for argument in event.arguments:
        passed = argument.value
        if isinstance(passed, Name):
            root, steps = passed.name, ()
        elif isinstance(passed, Result) and function.events[passed.event].kind == "read":
            root, steps = _grounded(function, AccessPath(passed))
        else:
            continue
        for bit, read in readers.get(root, ()):
            if len(read.steps) > len(steps) and read.steps[: len(steps)] == steps:
                mask |= bit
    return mask


def _only_looks(event: Event) -> bool:
    path = event.path
    return (path is not None and not path.steps and isinstance(path.root, Name) and path.root.scope == "global"
            and path.root.name in _LOOKS_ONLY)


def _grounded(function: Function, path: AccessPath) -> tuple[str, tuple[str, ...]]:
    """The path from the root's name (or number), looking through reads: `#5.append` is `self.items.append`."""
    root, steps = path.root, path.steps
    while isinstance(root, Result):
        event = function.events[root.event]
        if event.kind != "read" or event.path is None:
            return f"#{root.event}", steps
        root, steps = event.path.root, event.path.steps + steps
    return (root.name if isinstance(root, Name) else "", steps)


class _Spelled(NamedTuple):
    text: str
    reads: tuple[_Read, ...]


class _Spelling:
    """Spells one value and gathers what the text depends on; it gives up (None) on values nested too deeply."""

    __slots__ = ("_function", "_deep", "_reads", "_opaque")

    def __init__(self, function: Function, *, deep: bool) -> None:
        self._function = function
        self._deep = deep
        self._reads: list[_Read] = []
        self._opaque = False

    def of(self, value: Value) -> _Spelled | None:
        text = self._value(value, self._deep, 0)
        return None if self._opaque else _Spelled(text, tuple(self._reads))

    def of_path(self, path: AccessPath, keys: tuple[Value, ...]) -> _Spelled | None:
        text = self._path(path, keys, self._deep, 0)
        return None if self._opaque else _Spelled(text, tuple(self._reads))

    def _value(self, value: Value, deep: bool, depth: int) -> str:
        if depth > _DEEPEST:
            self._opaque = True
            return "…"
        if isinstance(value, Constant):
            return f"{value.kind} {value.text!r}"
        if isinstance(value, Name):
            self._reads.append(_Read(value.name, value.scope == "local", (), deep))
            return value.name
        if isinstance(value, Closure):
            return f"function {value.function}"
        if isinstance(value, Compound):
            parts = ", ".join([self._value(part, deep, depth + 1) for part in value.parts])
            return f"({value.operator} {parts})"
        event = self._function.events[value.event]
        if event.kind == "read" and event.path is not None:
            return self._path(event.path, event.keys, deep, depth + 1)
        if event.kind == "call" and event.path is not None and isinstance(event.path.root, Name) and _only_looks(event):
            called = event.path.root.name
            shallow = called in _OF_IDENTITY
            arguments = ", ".join(
                [argument.keyword + self._value(argument.value, not shallow, depth + 1) for argument in event.arguments])
            return f"{called}({arguments})"
        self._reads.append(_Read(f"#{value.event}", True, (), False))
        return f"#{value.event}"

    def _path(self, path: AccessPath, keys: tuple[Value, ...], deep: bool, depth: int) -> str:
        if depth > _DEEPEST:
            self._opaque = True
            return "…"
        spelled_keys = iter([self._value(key, False, depth + 1) for key in keys])
        steps = [f"[{next(spelled_keys, '…')}]" if step == "[*]" else f".{step}" for step in path.steps]
        root, grounded = _grounded(self._function, path)
        if isinstance(path.root, Name):
            text = path.root.name
            self._reads.append(_Read(root, path.root.scope == "local", grounded, deep))
        elif isinstance(path.root, Result):
            text = self._value(path.root, False, depth + 1)
            self._reads.append(_Read(root, self._is_local(path.root), grounded, deep))
        else:
            text = self._value(path.root, False, depth + 1)
        return text + "".join(steps)

    def _is_local(self, root: Value) -> bool:
        while isinstance(root, Result):
            event = self._function.events[root.event]
            if event.kind != "read" or event.path is None:
                return True
            root = event.path.root
        return not isinstance(root, Name) or root.scope == "local"
