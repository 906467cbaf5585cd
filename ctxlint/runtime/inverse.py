"""The inverse record of one splice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from .anchors import Anchor, Content, replace_span, surroundings
from .errors import Reason, RollbackIntegrityError

CONTEXT = 32
"""How many units of the surroundings an inverse record quotes on each side."""


@dataclass(frozen=True, slots=True)
class Inverse(Generic[Content]):
    """How to undo one splice: what it removed, what it put there, and between what.

    `offset` is the absolute position in the content as it was then; since every mutation is in the log and
    rollback goes strictly backwards, the position is right again when its turn comes, and `before`, `inserted` and
    `after` prove it. The digests name the whole content before and after the splice.
    """

    offset: int
    removed: Content
    inserted: Content
    before: Content
    after: Content
    digest_before: str
    digest_after: str

    @classmethod
    def of_splice(
        cls, content: Content, offset: int, delete_len: int, insert: Content, digest_before: str, digest_after: str
    ) -> Inverse[Content]:
        """Record the splice that is about to happen to `content`."""
        end = offset + delete_len
        before, after = surroundings(content, offset, end, CONTEXT)
        return cls(offset, content[offset:end], insert, before, after, digest_before, digest_after)

    def redo(self, content: Content) -> Content | None:
        """Return `content` with the splice applied, or None when its before-image does not stand there."""
        if not Anchor(self.removed, self.before, self.after).stands_at(content, self.offset):
            return None
        return replace_span(content, self.offset, self.offset + len(self.removed), self.inserted)

    def undo(self, content: Content) -> Content | None:
        """Return `content` with the splice taken back, or None when its after-image does not stand there."""
        if not Anchor(self.inserted, self.before, self.after).stands_at(content, self.offset):
            return None
        return replace_span(content, self.offset, self.offset + len(self.inserted), self.removed)


def undo_all(content: Content, inverses: Sequence[Inverse[Content]]) -> Content:
    """Return `content` with `inverses` taken back, last first; raise on the first that does not anchor."""
    for inverse in reversed(inverses):
        undone = inverse.undo(content)
        if undone is None:
            raise anchor_mismatch(f"the inserted content does not stand at {inverse.offset}")
        content = undone
    return content


def anchor_mismatch(detail: str) -> RollbackIntegrityError:
    """Build the error of a record that does not describe the content."""
    return RollbackIntegrityError(
        f"anchor mismatch: buffer diverged from undo log, rollback would corrupt context ({detail})",
        reason=Reason.ANCHOR_MISMATCH,
    )
