"""Every role of a program in one list, with the evidence for it: what the checks believe when they argue."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.guards import Guards
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.roles.cells import Cells
from ctxlint.roles.stores import Access, Stores


class Shown(msgspec.Struct, frozen=True):
    """A reason for a role, and the event that shows it."""

    text: str
    function: FunctionId
    event: int


class Role(msgspec.Struct, frozen=True):
    """`kind` is `cell` (rebuilt from a store), `store` (written and read back) or `lock`."""

    kind: str
    name: str
    evidence: tuple[Shown, ...]


def roles_of(summaries: Summaries, stores: Stores, cells: Cells, guards: Guards) -> Iterator[Role]:
    """The roles of a program: cells, then stores, then locks, each by name."""
    symbol = summaries.view.program.symbol
    for name in cells.restored():
        evidence = [
            Shown(f"rebuilt by `{symbol(r.function)}` from {', '.join(sorted(r.keys))}", r.function, r.event) for r in cells.restores((name,))
        ]
        writers = [c for c in cells.changes(name) if not is_constructor(summaries.view, c.function)]
        evidence += [Shown(f"changed by `{symbol(c.function)}` ({c.mutation.how})", c.function, c.mutation.event) for c in writers]
        yield Role("cell", name, tuple(evidence))
    for key in stores.kept():
        yield Role("store", key, (*_said(summaries, "written", stores.writers((key,))), *_said(summaries, "read back", stores.readers((key,)))))
    yield from sorted(_locks(summaries, guards), key=lambda role: role.name)


def _said(summaries: Summaries, what: str, accesses: tuple[Access, ...]) -> Iterator[Shown]:
    for access in accesses:
        atomic = ", replaced atomically" if access.effect.atomic else ""
        text = f"{what} by `{summaries.view.program.symbol(access.function)}` ({access.effect.kind}{atomic})"
        yield Shown(text, access.function, access.effect.event)


def _locks(summaries: Summaries, guards: Guards) -> Iterator[Role]:
    """One role for each lock, by what is spelled where it is acquired."""
    found: dict[str, list[Shown]] = {}
    for identity in summaries.view.program.functions():
        for event, name in guards.acquired(identity):
            found.setdefault(name, []).append(Shown(f"acquired by `{summaries.view.program.symbol(identity)}`", identity, event))
    for name, evidence in found.items():
        yield Role("lock", name, tuple(evidence))
