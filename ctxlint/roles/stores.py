"""Who reads a store back, and who writes it.

A store that nothing reads back is telemetry, an export or a mirror: losing a write to it loses nothing that anyone depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.kept_places import kept_places
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.terms import Term, keys, parameters, substitute


class Access(msgspec.Struct, frozen=True, gc=False):
    """A function that reads or writes a store by a primitive operation of its own."""

    function: FunctionId
    effect: StoreEffect


class Stores:
    """The readers and writers of every store of a program, by pairing key."""

    def __init__(self, summaries: Summaries) -> None:
        self._readers: dict[str, list[Access]] = {}
        self._writers: dict[str, list[Access]] = {}
        self._keepers: dict[str, list[Access]] = {}
        for identity in summaries.view.program.functions():
            effects = summaries.of(identity).effects
            for effect in _kept(summaries, identity, effects):
                for key in effect.keys:
                    self._keepers.setdefault(key, []).append(Access(identity, effect))
            for effect in effects:
                if effect.distance > 0 and not _is_new_level(effect):
                    continue
                table = self._readers if effect.kind == "read" else self._writers if effect.kind in WRITES else None
                if table is not None:
                    for key in effect.keys:
                        table.setdefault(key, []).append(Access(identity, effect))

    def kept(self) -> tuple[str, ...]:
        """The keys of the stores that are both written and read back."""
        return tuple(sorted(self._readers.keys() & self._writers.keys()))

    def readers(self, keys: Iterable[str], *, but: Iterable[FunctionId] = ()) -> tuple[Access, ...]:
        """The accesses that read a store with one of `keys`, outside the functions `but`."""
        return tuple(_found(self._readers, keys, frozenset(but)))

    def keeping_readers(self, keys: Iterable[str]) -> tuple[Access, ...]:
        """The accesses that read a file by the path they were told, and keep that path in an attribute of these keys."""
        return tuple(_found(self._keepers, keys, frozenset()))

    def writers(self, keys: Iterable[str], *, but: Iterable[FunctionId] = ()) -> tuple[Access, ...]:
        """The accesses that write a store with one of `keys`, outside the functions `but`."""
        return tuple(_found(self._writers, keys, frozenset(but)))


def _kept(summaries: Summaries, identity: FunctionId, effects: tuple[StoreEffect, ...]) -> list[StoreEffect]:
    """The reads of files whose paths the function was told and keeps in attributes: they read the attributes' files."""
    if summaries.view.program.owner(identity) is None:
        return []
    told = [e for e in effects if e.medium == "file" and e.kind == "read" and parameters(e.place)]
    kept = kept_places(summaries.view, summaries.places, identity) if told else {}
    return [named for e in told if (named := under_kept_names(e, kept, identity.module)) is not None]


def under_kept_names(effect: StoreEffect, kept: dict[str, Term], module: str) -> StoreEffect | None:
    """The effect with the keys that its place has by the attributes in which its arguments are kept; None when none is."""
    if not kept.keys() & parameters(effect.place):
        return None
    named = keys(substitute(effect.place, kept), module)
    return msgspec.structs.replace(effect, keys=effect.keys | named, named=True) if named else None


def _is_new_level(effect: StoreEffect) -> bool:
    """A lifted file effect whose place got its name here (the path was the callee's parameter) is an access of this level."""
    return effect.medium == "file" and effect.named


def _found(table: dict[str, list[Access]], keys: Iterable[str], but: frozenset[FunctionId]) -> Iterator[Access]:
    seen: set[tuple[FunctionId, int]] = set()
    for key in sorted(keys):
        for access in table.get(key, ()):
            where = (access.function, access.effect.event)
            if access.function not in but and where not in seen:
                seen.add(where)
                yield access
