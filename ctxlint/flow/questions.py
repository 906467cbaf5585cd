"""The questions that branches ask, in normal form: two branches that ask the same question have the same key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

_DEEPEST = 24
"""Values nested deeper than this are not compared; they are generated tables, not questions."""

_LOOKS_ONLY = frozenset({"isinstance", "issubclass", "callable", "hasattr", "len", "bool", "type", "id"})
"""Builtins of the language that answer the same for the same argument and change nothing."""

_OF_IDENTITY = frozenset({"isinstance", "issubclass", "callable", "type", "id"})
"""Those of them whose answer does not change when the argument's content does."""

_OPPOSITES = {"is not": "is", "!=": "==", "not in": "in", ">=": "<"}

_Look = Literal["content", "object", "fixed"]
"""How a question looks at a value: at its content, at which object it is, or as at something that stays what it is (a class,
a member of an enumeration: a global name that is compared with)."""


class Fact(NamedTuple):
    """One question and its answer. `subject` and `test` say what is asked of which value ("truth", "none", "equal")."""

    key: str
    holds: bool
    subject: str
    test: str
    constant: Constant | None
    reads: tuple[Read, ...]


class Read(NamedTuple):
    """A place a question looks at. `root` is a name, or "#n" for what event n produced; `deep` when the answer depends on
    the content of the object there, not only on which object it is."""

    root: str
    local: bool
    steps: tuple[str, ...]
    deep: bool


def condition_key(function: Function, value: Value) -> str:
    """The question a branch on `value` asks, as normalised text: equal for equal questions, whatever their polarity.

    The result of a read is spelled by its access path, the result of any other event by the event's number.
    """
    asked = _atom(function, value, True, frozenset())
    return "…" if asked is None else asked.key


def facts_of(function: Function, value: Value, holds: bool, scalars: Collection[str]) -> list[Fact]:
    """What is known once `value` was found true (`holds`) or false: its own question and the parts that follow from it.

    `scalars` are local names whose objects have no content that could change.
    """
    facts: list[Fact] = []
    pending = [(value, holds)]
    while pending:
        part, answer = pending.pop()
        fact = _atom(function, part, answer, scalars)
        if fact is not None:
            facts.append(fact)
        if isinstance(part, Compound):
            if part.operator == "not" and len(part.parts) == 1:
                if isinstance(part.parts[0], Compound):
                    pending.append((part.parts[0], not answer))
            elif part.operator == ("and" if answer else "or"):
                pending.extend((each, answer) for each in part.parts)
    return facts


def _atom(function: Function, value: Value, holds: bool, scalars: Collection[str]) -> Fact | None:
    while isinstance(value, Compound) and value.operator == "not" and len(value.parts) == 1:
        value, holds = value.parts[0], not holds
    spelling = _Spelling(function, scalars)
    if isinstance(value, Compound) and len(value.parts) == 2:
        operator, (left, right) = value.operator, value.parts
        if operator in (">", "<="):
            operator, left, right = ("<" if operator == ">" else ">="), right, left
        if operator in _OPPOSITES:
            operator, holds = _OPPOSITES[operator], not holds
        if operator in ("is", "==") and isinstance(left, Constant) and not isinstance(right, Constant):
            left, right = right, left
        if operator in ("is", "==") and isinstance(right, Constant):
            subject = spelling.of(left, "object")
            if right.kind == "none":
                return spelling.fact(f"{subject} is None", holds, subject, "none", right)
            return spelling.fact(f"{subject} == {right.kind} {right.text}", holds, subject, "equal", right)
        if operator in ("is", "=="):
            looked = spelling.of(left, "object" if operator == "is" else "content")
            return spelling.fact(f"{looked} {operator} {spelling.of(right, 'fixed')}", holds)
        if operator in ("in", "<"):
            looked = spelling.of(left, "content")
            return spelling.fact(f"{looked} {operator} {spelling.of(right, 'content')}", holds)
    plain = spelling.of(value, "content")
    return spelling.fact(plain, holds, plain, "truth")


def place_key(function: Function, path: AccessPath, keys: tuple[Value, ...]) -> str:
    """The place spelled as questions about it spell it."""
    return _Spelling(function, ()).of_path(path, keys, "object")


def only_looks(event: Event) -> bool:
    """Whether the call asks a builtin that changes nothing."""
    path = event.path
    return (path is not None and not path.steps and isinstance(path.root, Name) and path.root.scope == "global"
            and path.root.name in _LOOKS_ONLY)


def grounded(function: Function, path: AccessPath) -> tuple[Value, tuple[str, ...]]:
    """The path as seen from where it was first read: `#5.append` is `self.items.append` if event 5 read self.items."""
    root, steps = path.root, path.steps
    while isinstance(root, Result):
        event = function.events[root.event]
        if event.kind != "read" or event.path is None:
            break
        root, steps = event.path.root, event.path.steps + steps
    return root, steps


def root_key(root: Value) -> str:
    """The `root` of reads from there."""
    return root.name if isinstance(root, Name) else f"#{root.event}" if isinstance(root, Result) else ""


class _Spelling:
    """Spells the values of one question and gathers what the answer depends on; nothing of values nested too deeply."""

    __slots__ = ("_function", "_scalars", "_reads", "_opaque")

    def __init__(self, function: Function, scalars: Collection[str]) -> None:
        self._function = function
        self._scalars = scalars
        self._reads: list[Read] = []
        self._opaque = False

    def fact(self, key: str, holds: bool, subject: str = "", test: str = "", constant: Constant | None = None) -> Fact | None:
        """The question spelled so far, unless a part of it could not be spelled."""
        return None if self._opaque else Fact(key, holds, subject, test, constant, tuple(self._reads))

    def of(self, value: Value, look: _Look, depth: int = 0) -> str:
        if depth > _DEEPEST:
            self._opaque = True
            return "…"
        if isinstance(value, Constant):
            return f"{value.kind} {value.text!r}"
        if isinstance(value, Name):
            self._note(value, (), look)
            return value.name
        if isinstance(value, Closure):
            return f"function {value.function}"
        if isinstance(value, Compound):
            parts = ", ".join([self.of(part, look, depth + 1) for part in value.parts])
            return f"({value.operator} {parts})"
        event = self._function.events[value.event]
        if event.kind == "read" and event.path is not None:
            return self.of_path(event.path, event.keys, look, depth + 1)
        if event.kind == "call" and event.path is not None and isinstance(event.path.root, Name) and only_looks(event):
            return f"{event.path.root.name}({self._arguments(event, event.path.root.name, depth + 1)})"
        self._reads.append(Read(f"#{value.event}", True, (), False))
        return f"#{value.event}"

    def of_path(self, path: AccessPath, keys: tuple[Value, ...], look: _Look, depth: int = 0) -> str:
        if depth > _DEEPEST:
            self._opaque = True
            return "…"
        spelled_keys = iter([self.of(key, "object", depth + 1) for key in keys])
        steps = [f"[{next(spelled_keys, '…')}]" if step == "[*]" else f".{step}" for step in path.steps]
        root, from_root = grounded(self._function, path)
        if isinstance(root, (Name, Result)):
            self._note(root, from_root, look)
        text = path.root.name if isinstance(path.root, Name) else self.of(path.root, "object", depth + 1)
        return text + "".join(steps)

    def _arguments(self, event: Event, called: str, depth: int) -> str:
        look: _Look = "object" if called in _OF_IDENTITY else "content"
        spelled = []
        for argument in event.arguments:
            spelled.append(argument.keyword + self.of(argument.value, look, depth))
            look = "fixed"
        return ", ".join(spelled)

    def _note(self, root: Name | Result, steps: tuple[str, ...], look: _Look) -> None:
        scope = root.scope if isinstance(root, Name) else "local"
        if look == "fixed" and scope == "global":
            return
        deep = look == "content" and (bool(steps) or root_key(root) not in self._scalars)
        self._reads.append(Read(root_key(root), scope == "local", steps, deep))
