"""Local copies of cells and of what stores hold, which are put back when they have been edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.view import View
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.holders import STORE, Holder, Holders


def written_back(summaries: Summaries, holders: Holders, identity: FunctionId, number: int, name: Name) -> Iterator[Holder]:
    """The cells and stores that get the content of a local object back after an event."""
    view = summaries.view
    sources = summaries.sources.of(identity, number, name, additions=False)
    cells = {s.name for s in sources if s.kind == "cell"}
    reads = {s.event for s in sources if s.kind == "read" and s.event >= 0}
    after = reachable(view.graph(identity), number)
    for mutation in summaries.of(identity).mutations if cells else ():
        if mutation.event in after and mutation.how in _REPLACES and cells.intersection(mutation.cells[-1:]):
            if _holds(view, identity, name, mutation.event, mutation.values):
                yield from holders.of_event(identity, mutation.event) if mutation.how == "item" else mutation.cells[-1:]
    loaded = {k for read in reads for e in summaries.effects_at(identity, read) if e.kind == "read" for k in e.keys}
    for effect in summaries.of(identity).effects if loaded else ():
        if effect.event in after and effect.kind in ("write", "move") and effect.keys & loaded:
            if effect.kind == "move" or _holds(view, identity, name, effect.event, effect.contents):
                yield f"{STORE}{min(effect.keys & loaded)}"
    places = {p for read in reads for p in holders.file_at(identity, read)}
    for effect in summaries.of(identity).effects if places else ():
        if effect.event in after and effect.kind == "write" and _holds(view, identity, name, effect.event, effect.contents):
            yield from places & holders.file_at(identity, effect.event)


_REPLACES = frozenset(["rebind", "field", "item"])


def _holds(view: View, identity: FunctionId, name: Name, at: int, values: Iterable[Value]) -> bool:
    """Whether one of the values is made of what the local name holds."""
    pending, seen = [(value, at) for value in values], set()
    definitions = view.definitions(identity)
    while pending:
        value, where = pending.pop()
        if (value, where) in seen:
            continue
        seen.add((value, where))
        if isinstance(value, Name):
            if value == name:
                return True
            for number in definitions.definitions(where, value.name):
                bound = view.event(identity, number).value if number >= 0 else None
                if bound is not None:
                    pending.append((bound, number))
        elif isinstance(value, Compound):
            pending += [(part, where) for part in value.parts]
        elif isinstance(value, Result):
            event = view.event(identity, value.event)
            pending += [(a.value, value.event) for a in event.arguments]
            pending += [(each, value.event) for each in (event.value, event.path.root if event.path else None) if each is not None]
    return False
