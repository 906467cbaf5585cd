"""Entries that are taken out of a container by a key, and what is done with them afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Constant, Name, Result, Value

Mode = Literal["read", "write"]

CHANGES = frozenset(["append", "add", "update", "extend", "insert", "remove", "discard", "clear", "pop", "popleft", "appendleft", "setdefault"])
"""Methods of the language's containers that change them."""
_TAKES = frozenset(["get", "setdefault"])


class Entry(msgspec.Struct, frozen=True):
    """What an event takes out of a container by a key, and the events that use it."""

    event: int
    container: AccessPath
    key: Value
    uses: list[tuple[int, Mode]]


def changed_entries(events: Sequence[Event]) -> Iterator[Entry]:
    """The entries that a function takes out and changes; what holds one is known only of locals that are bound once."""
    taken = {number: entry for number, event in enumerate(events) for entry in _taken(number, event)}
    if not taken:
        return
    carriers: dict[Value, int] = {Result(number): number for number in taken}
    bound: set[Value] = set()
    for event in events:
        if event.kind == "local" and event.path is not None and not event.path.steps:
            carriers.pop(event.path.root, None)
            if event.path.root not in bound and isinstance(event.value, Result) and event.value.event in taken:
                carriers[event.path.root] = event.value.event
            bound.add(event.path.root)
    for number, event in enumerate(events):
        for carrier, mode in _uses(event):
            if carrier in carriers:
                taken[carriers[carrier]].uses.append((number, mode))
    yield from (entry for entry in taken.values() if any(mode == "write" for _, mode in entry.uses))


def _taken(number: int, event: Event) -> Iterator[Entry]:
    path = event.path
    if path is None or not path.steps:
        return
    container = AccessPath(path.root, path.steps[:-1])
    if event.kind == "read" and path.steps[-1] == "[*]" and not isinstance(event.keys[-1], Constant):
        yield Entry(number, container, event.keys[-1], [])
    elif event.kind == "call" and path.steps[-1] in _TAKES and event.arguments and not isinstance(event.arguments[0].value, Constant):
        yield Entry(number, container, event.arguments[0].value, [])
    elif event.kind == "call" and path.steps[-1] in CHANGES and "[*]" in path.steps and not isinstance(event.keys[0], Constant):
        first = path.steps.index("[*]")
        yield Entry(number, AccessPath(path.root, path.steps[:first]), event.keys[0], [(number, "write")])


def _uses(event: Event) -> Iterator[tuple[Value, Mode]]:
    """What an event changes, or reads from."""
    path = event.path
    if path is not None and path.steps:
        changes = event.kind in ("write", "delete") or (event.kind == "call" and path.steps[-1] in CHANGES)
        yield path.root, "write" if changes else "read"
    for value in (event.value, *(argument.value for argument in event.arguments)) if event.kind in ("call", "return") else ():
        if isinstance(value, (Name, Result)):
            yield value, "read"


def is_looked_up(events: Sequence[Event], path: AccessPath) -> bool:
    """Whether a function takes entries out of something: it is a mapping or a sequence then, and no set."""
    taken = AccessPath(path.root, (*path.steps, "[*]"))
    return any(event.kind == "read" and event.path == taken for event in events)
