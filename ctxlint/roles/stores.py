"""Who reads a store back, and who writes it.

A store that nothing reads back is telemetry, an export or a mirror: losing a write to it loses nothing that anyone depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries


class Access(msgspec.Struct, frozen=True, gc=False):
    """A function that reads or writes a store by a primitive operation of its own."""

    function: FunctionId
    effect: StoreEffect


class Stores:
    """The readers and writers of every store of a program, by pairing key."""

    def __init__(self, summaries: Summaries) -> None:
        self._readers: dict[str, list[Access]] = {}
        self._writers: dict[str, list[Access]] = {}
        for identity in summaries.view.program.functions():
            for effect in summaries.of(identity).effects:
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

    def writers(self, keys: Iterable[str], *, but: Iterable[FunctionId] = ()) -> tuple[Access, ...]:
        """The accesses that write a store with one of `keys`, outside the functions `but`."""
        return tuple(_found(self._writers, keys, frozenset(but)))


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
