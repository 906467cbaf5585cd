"""Authoring a diff, with its read set kept by what was actually read."""

from __future__ import annotations

from dataclasses import dataclass, field

from .anchors import Anchor
from .diff import AppendTo, Diff, Edit, ReplaceAnchored, SetRegion
from .errors import Reason, StaleBaseError
from .references import Reference
from .snapshot import Snapshot
from .spans import NoSuchPlace, edited_regions


@dataclass(slots=True)
class Transaction:
    """A change in the making on the snapshot `base`; `diff` is what it amounts to so far.

    What is read counts as relied upon. Writing, replacing and appending read nothing.
    Not to be shared between threads or tasks.
    """

    base: Snapshot
    _edits: list[Edit] = field(default_factory=list)
    _read: set[str] = field(default_factory=set)
    _references: list[Reference] = field(default_factory=list)
    _reads_ids: bool = False

    @property
    def diff(self) -> Diff:
        return Diff(tuple(self._edits), frozenset(self._read), tuple(self._references), None, self._reads_ids)

    def get(self, region: str) -> str | None:
        """Return the region's content, own edits included, or None when it does not exist; either is relied upon."""
        self._read.add(region)
        return self._with_own_edits(region)

    def read(self, region: str) -> str:
        """Return the region's content, own edits included; `KeyError` when it does not exist."""
        content = self.get(region)
        if content is None:
            raise KeyError(region)
        return content

    def region_ids(self) -> tuple[str, ...]:
        """Return which regions exist; the diff then relies on no region coming or going."""
        self._reads_ids = True
        return tuple(self.base.regions)

    def write(self, region: str, content: str) -> None:
        """Set the whole region."""
        self._set(region, content)

    def delete(self, region: str) -> None:
        """Remove the region."""
        self._set(region, None)

    def replace(self, region: str, place: Anchor[str] | str, insert: str) -> None:
        """Replace the one place that `place` names in the base; `StaleBaseError` when it does not name one."""
        anchor = Anchor(place, "", "") if isinstance(place, str) else place
        self._add(ReplaceAnchored(region, anchor, insert))

    def append(self, region: str, text: str) -> None:
        """Add `text` at the end of the region, wherever the end is when the diff is applied."""
        self._add(AppendTo(region, text))

    def refer(self, reference: Reference) -> None:
        """Demand that `reference` resolves in the context to which the diff is applied."""
        self._references.append(reference)

    def _set(self, region: str, content: str | None) -> None:
        self._edits = [edit for edit in self._edits if edit.region != region] + [SetRegion(region, content)]

    def _add(self, edit: ReplaceAnchored | AppendTo) -> None:
        if any(isinstance(known, SetRegion) and known.region == edit.region for known in self._edits):
            self._set(edit.region, self._applied_to_own(edit))
        else:
            self._edits.append(edit)
            try:
                self._with_own_edits(edit.region)
            except BaseException:
                self._edits.pop()
                raise

    def _applied_to_own(self, edit: ReplaceAnchored | AppendTo) -> str | None:
        own = self._with_own_edits(edit.region)
        alone = Snapshot(self.base.revision, {} if own is None else {edit.region: own})
        own_edit: list[Edit] = [edit]
        return self._edited(alone, own_edit, edit.region)

    def _with_own_edits(self, region: str) -> str | None:
        own = [edit for edit in self._edits if edit.region == region]
        return self._edited(self.base, own, region) if own else self.base.regions.get(region)

    def _edited(self, snapshot: Snapshot, edits: list[Edit], region: str) -> str | None:
        try:
            return edited_regions(snapshot, Diff(tuple(edits)))[region]
        except NoSuchPlace as missing:
            raise StaleBaseError(
                str(missing),
                reason=Reason.UNRESOLVED_REFERENCE,
                regions=[region],
                base_revision=self.base.revision,
                live_revision=self.base.revision,
            ) from missing
