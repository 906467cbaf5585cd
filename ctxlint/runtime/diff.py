"""What a change to a context depends on and does."""

from __future__ import annotations

from dataclasses import dataclass

from .anchors import Anchor
from .references import Reference


@dataclass(frozen=True, slots=True)
class SetRegion:
    """Give a region this content, whatever it holds; None removes it."""

    region: str
    content: str | None


@dataclass(frozen=True, slots=True)
class ReplaceAnchored:
    """Replace the text that `anchor` names; merges with other changes to the region while it names one place."""

    region: str
    anchor: Anchor[str]
    insert: str


@dataclass(frozen=True, slots=True)
class AppendTo:
    """Add text at the end of a region, wherever that is by then; creates the region."""

    region: str
    insert: str


@dataclass(frozen=True, slots=True)
class SpliceAt:
    """Replace `delete_len` characters at `offset` of the region: a positional anchor.

    Refused when the region has changed at or before `offset`, because offset drift is silent.
    """

    region: str
    offset: int
    delete_len: int
    insert: str

    def __post_init__(self) -> None:
        if self.offset < 0 or self.delete_len < 0:
            raise ValueError(f"no span of {self.delete_len} at {self.offset}")


Edit = SetRegion | ReplaceAnchored | AppendTo | SpliceAt


@dataclass(frozen=True, slots=True)
class Diff:
    """A change authored on one snapshot, to be applied to a later one.

    `edits` are all understood on the same content: positions do not shift within one diff, and two edits must not
    touch the same text. `read_set` names the regions whose content the author relied on, absent ones included;
    `reads_ids` says that the author relied on which regions exist. A blind write need not read what it writes.
    `references` must resolve in the live context. `inverse`, if given, must restore it; otherwise it is derived.
    """

    edits: tuple[Edit, ...]
    read_set: frozenset[str] = frozenset()
    references: tuple[Reference, ...] = ()
    inverse: Diff | None = None
    reads_ids: bool = False

    @property
    def write_set(self) -> frozenset[str]:
        """The regions that the edits change."""
        return frozenset(edit.region for edit in self.edits)

    @property
    def anchors(self) -> tuple[Anchor[str], ...]:
        """The places the edits name by content."""
        return tuple(edit.anchor for edit in self.edits if isinstance(edit, ReplaceAnchored))
