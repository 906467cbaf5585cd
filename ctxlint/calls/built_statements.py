"""Statements of SQL that are put together by calls: `update(Job).where(…).values(…)`, executed where they are handed to a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name
from ctxlint.calls.view import Modelled, View
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

Kind = Literal["read", "write", "append", "delete"]

_STATES: dict[str, Kind] = {
    "states-read": "read", "states-write": "write", "states-append": "append", "states-delete": "delete",
}

MAX_PARTS = 12
"""Calls that put one statement together; a longer chain is cut."""


class Built(msgspec.Struct, frozen=True):
    """What a statement does to which table; `contents` go in, `selects` are what its conditions compare with, `columns` are the
    columns that it reads or writes (empty when it may be all).

    `locks` is true for a reading that keeps the rows locked until its transaction ends, `swaps` for a change whose conditions
    ask for the old value of a column that it sets.
    """

    kind: Kind
    table: str
    contents: tuple[Value, ...]
    selects: tuple[Value, ...]
    columns: frozenset[str]
    locks: bool = False
    swaps: bool = False


def executed(view: View, identity: FunctionId, event: int) -> Iterator[Built]:
    """The statements that a call is handed; a call that only puts a statement together executes none."""
    it = view.event(identity, event)
    if not it.arguments or _builds(view, identity, event):
        return
    for number, argument in enumerate(it.arguments):
        given = tuple(rest.value for rest in it.arguments[number + 1 :] if not rest.keyword)
        for built in _built(view, identity, event, argument.value):
            yield _filled(built, given) if given else built


def _filled(built: Built, given: tuple[Value, ...]) -> Built:
    """The statement with what is handed over beside it: rows for one that writes, or what its conditions compare with."""
    if built.kind in ("append", "write"):
        return msgspec.structs.replace(built, contents=(*built.contents, *given), columns=frozenset())
    return msgspec.structs.replace(built, selects=(*built.selects, *given))


def _builds(view: View, identity: FunctionId, event: int) -> bool:
    return any(m.effect.does in _STATES or m.effect.does == "pure" or m.effect.store == "statement" for m in view.modelled(identity, event))


def _built(view: View, identity: FunctionId, at: int, value: Value) -> Iterator[Built]:
    """Every statement that the value can be, by following what each part was put to."""
    pending: list[tuple[Value, int, tuple[int, ...]]] = [(value, at, ())]
    seen: set[tuple[Value, int]] = set()
    while pending:
        part, where, parts = pending.pop()
        if (part, where) in seen or len(parts) > MAX_PARTS:
            continue
        seen.add((part, where))
        if isinstance(part, Name) and part.scope == "local":
            for number in view.definitions(identity).definitions(where, part.name):
                bound = view.event(identity, number) if number >= 0 else None
                if bound is not None and bound.kind == "local" and bound.value is not None:
                    pending.append((bound.value, number, parts))
        elif isinstance(part, Compound) and part.operator == "if":
            pending += [(each, where, parts) for each in part.parts[1:]]
        elif isinstance(part, Result) and view.event(identity, part.event).kind == "call":
            began = next((m for m in view.modelled(identity, part.event) if m.effect.does in _STATES), None)
            path = view.event(identity, part.event).path
            if began is not None:
                yield from _stated(view, identity, part.event, began, parts)
            elif path is not None and len(path.steps) == 1:
                pending.append((path.root, part.event, (*parts, part.event)))


def _stated(view: View, identity: FunctionId, event: int, began: Modelled, parts: tuple[int, ...]) -> Iterator[Built]:
    target = began.target
    table = _table(view, identity, target) if target is not None and not isinstance(target, AccessPath) else ""
    if not table:
        return
    contents: list[Value] = []
    selects: list[Value] = []
    compared: dict[str, Value] = {}
    changed: dict[str, Value] = {}
    locks = False
    columns = _columns(view, identity, event) if _STATES[began.effect.does] == "read" else []
    for part in parts:
        given = [argument.value for argument in view.event(identity, part).arguments]
        modelled = [m.effect for m in view.modelled(identity, part) if m.effect.store == "statement"]
        if any(effect.does == "mutates" for effect in modelled):
            contents += [value for value in given if not _goes_by_column(view, identity, value, table)]
            columns += [argument.keyword for argument in view.event(identity, part).arguments]
            changed.update(_set_columns(view, identity, part))
        elif modelled:
            locks = True
        else:
            selects += [side for value in given for side in _compared(value)]
            compared.update((a.keyword, a.value) for a in view.event(identity, part).arguments if a.keyword)
            compared.update(pair for value in given for pair in _compared_columns(view, identity, part, value, table))
    known = frozenset() if "" in columns or "**" in columns else frozenset(columns)
    swaps = any(not _is_same(view, identity, compared[column], changed[column]) for column in compared.keys() & changed.keys())
    yield Built(_STATES[began.effect.does], table, tuple(contents), tuple(selects), known, locks, swaps)


def _columns(view: View, identity: FunctionId, event: int) -> list[str]:
    """The columns that a reading statement names; the empty one stands for what is no column."""
    found = []
    for argument in view.event(identity, event).arguments:
        read = view.event(identity, argument.value.event) if isinstance(argument.value, Result) else None
        named = read is not None and read.kind == "read" and read.path is not None and len(read.path.steps) == 1
        found.append(read.path.steps[0] if named and read is not None and read.path is not None else "")
    return found


def _goes_by_column(view: View, identity: FunctionId, value: Value, table: str) -> bool:
    """Whether the database computes the value from what the row holds by then: `Job.spent + cost`."""
    if isinstance(value, Compound):
        return any(_goes_by_column(view, identity, part, table) for part in value.parts)
    return isinstance(value, Result) and view.event(identity, value.event).kind == "read" and _table(view, identity, value) == table


def _compared(value: Value) -> tuple[Value, ...]:
    """What a condition compares the columns with."""
    return value.parts[1:] if isinstance(value, Compound) and value.operator == "==" else (value,)


def _set_columns(view: View, identity: FunctionId, event: int) -> Iterator[tuple[str, Value]]:
    """The columns that a call sets, by keyword or by a dictionary that is written there or bound before, each with its value."""
    for argument in view.event(identity, event).arguments:
        if argument.keyword not in ("", "**"):
            yield argument.keyword, argument.value
            continue
        shown = display_of(view, identity, event, argument.value)
        for key, value in zip(shown.parts[::2], shown.parts[1::2]) if shown is not None and shown.operator == "dict" else ():
            if isinstance(key, Constant):
                yield key.text, value


def _compared_columns(view: View, identity: FunctionId, at: int, value: Value, table: str) -> Iterator[tuple[str, Value]]:
    """The columns for whose value a condition asks, each with that: `Job.rev == rev`, also as one of several that have to hold."""
    value = _bound_once(view, identity, at, value)
    parts: Iterable[Value] = ()
    if isinstance(value, Compound) and value.operator == "==":
        for column, wanted in (value.parts, value.parts[::-1]):
            read = view.event(identity, column.event) if isinstance(column, Result) else None
            if read is not None and read.kind == "read" and read.path is not None and read.path.steps and _table(view, identity, column) == table:
                yield read.path.steps[-1], wanted
    elif isinstance(value, Compound) and value.operator == "&":
        parts = value.parts
    elif isinstance(value, Result) and view.event(identity, value.event).kind == "call":
        parts = [argument.value for argument in view.event(identity, value.event).arguments]
    for part in parts:
        yield from _compared_columns(view, identity, at, part, table)


def _is_same(view: View, identity: FunctionId, one: Value, other: Value) -> bool:
    """Whether a column is set to what it is compared with, as a key that the row keeps."""
    return one == other or (isinstance(one, Result) and isinstance(other, Result) and bool(
        set(view.resolve_path(identity, one.event, AccessPath(one))) & set(view.resolve_path(identity, other.event, AccessPath(other)))
    ))


def display_of(view: View, identity: FunctionId, event: int, value: Value) -> Compound | None:
    """The tuple, list or dict display that a value is."""
    value = _bound_once(view, identity, event, value)
    shown = isinstance(value, Compound) and value.operator in ("tuple", "list", "dict")
    starred = isinstance(value, Compound) and any(isinstance(p, Compound) and p.operator in ("*", "**") for p in value.parts)
    return value if isinstance(value, Compound) and shown and not starred else None


def _bound_once(view: View, identity: FunctionId, event: int, value: Value) -> Value:
    """What a local is bound to, if nothing else can be in it by the event."""
    if isinstance(value, Name) and value.scope == "local":
        bindings = [d for d in view.definitions(identity).definitions(event, value.name) if d >= 0]
        bound = view.event(identity, bindings[0]).value if len(bindings) == 1 else None
        return bound if bound is not None else value
    return value


def _table(view: View, identity: FunctionId, value: Value) -> str:
    """The class or variable that stands for the table; of a column, what it is a column of."""
    if isinstance(value, Result):
        read = view.event(identity, value.event)
        return _table(view, identity, read.path.root) if read.kind == "read" and read.path is not None else ""
    if isinstance(value, Name) and value.scope == "global":
        return resolve_name(view.program, identity.module, identity.index, value.name)
    return ""
