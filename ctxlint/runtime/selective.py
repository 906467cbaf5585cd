"""Taking back one splice from the middle of the log.

Defined as: undo everything from the head down to that splice, then apply the others again, each moved by what the
missing splice no longer adds.
Where a later splice touched what the missing one had written there is no such moved place, and the whole is refused.
The moved positions are those of operational transformation for non-overlapping edits (Ellis and Gibbs, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence

from .anchors import Content, replace_span
from .digests import digest
from .errors import Reason, RollbackIntegrityError
from .inverse import Inverse, anchor_mismatch, undo_all


def without(content: Content, log: Sequence[Inverse[Content]], index: int) -> tuple[Content, list[Inverse[Content]]]:
    """Return the content and the log from `index` on, as if splice `index` had not happened.

    Raises `RollbackIntegrityError` (reason overlap, or anchor-mismatch) and changes nothing.
    """
    undone = undo_all(content, log[index:])
    missing, later = log[index], log[index + 1 :]
    start, end = missing.offset, missing.offset + len(missing.inserted)
    shift = len(missing.removed) - len(missing.inserted)
    again: list[Inverse[Content]] = []
    current = digest(undone)
    for inverse in later:
        offset, size = inverse.offset, len(inverse.removed)
        if _lies_behind(offset, size, start, end):
            moved = offset + shift
        elif _lies_ahead(offset, size, start, end):
            moved = offset
            start, end = (bound + len(inverse.inserted) - size for bound in (start, end))
        else:
            raise RollbackIntegrityError(
                f"a later splice at {offset} touched what this one wrote; take that one back first",
                reason=Reason.OVERLAP,
            )
        if undone[moved : moved + size] != inverse.removed:
            raise anchor_mismatch(f"a later splice does not find its before-image at {moved}")
        changed = replace_span(undone, moved, moved + size, inverse.inserted)
        following = digest(changed)
        again.append(Inverse.of_splice(undone, moved, size, inverse.inserted, current, following))
        undone, current = changed, following
    return undone, again


def _lies_behind(offset: int, size: int, start: int, end: int) -> bool:
    """Say whether an edit is behind a span, beyond doubt when both are empty and meet."""
    return offset > end or (offset == end and (size > 0 or end > start))


def _lies_ahead(offset: int, size: int, start: int, end: int) -> bool:
    return offset + size < start or (offset + size == start and (size > 0 or end > start))
