"""When two keys, or two containers, may be one; and the names of a record that a call makes."""

from __future__ import annotations

from ctxlint.ir.event import Event
from ctxlint.ir.value import Compound, Constant, Name, Value
from ctxlint.roles.keyed import Places


def may_be_one(one: Places, other: Places) -> bool:
    """Whether two functions may name one container: a formal is whatever is passed, and states of one thing have many names."""
    return any(map(is_formal, one)) and any(map(is_formal, other))


def is_formal(place: str) -> bool:
    """Whether a place is whatever is passed to a function of a module."""
    return ":" in place and "." not in place.partition(":")[2]


def field_names(made: Event) -> tuple[str, ...]:
    """The names that a call of `namedtuple` is given: a text, or a list of texts."""
    root = made.path.root if made.kind == "call" and made.path is not None else None
    called = made.path.steps[-1:] or (root.name if isinstance(root, Name) else "",) if made.path is not None else ("",)
    if called[0] not in ("namedtuple", "NamedTuple") or len(made.arguments) < 2:
        return ()
    listed = made.arguments[1].value
    if isinstance(listed, Constant):
        return tuple(listed.text.replace(",", " ").split())
    parts = listed.parts if isinstance(listed, Compound) else ()
    names = [part.parts[0] if isinstance(part, Compound) and part.parts else part for part in parts]
    return tuple(name.text for name in names if isinstance(name, Constant))


def whole_of(stem: Value) -> Value:
    """What a stem is, or a part of."""
    return stem.parts[0] if isinstance(stem, Compound) else stem


def share(one: frozenset[Value], other: frozenset[Value]) -> bool:
    """Whether two keys are made of the same, or one of a part of what the other is."""
    for left, right in ((one, other), (other, one)):
        whole = {value for value in left if not isinstance(value, Compound)}
        if whole & right or any(isinstance(value, Compound) and value.parts[0] in whole for value in right):
            return True
    return False
