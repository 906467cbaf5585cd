"""The compensating diff, and whether it will still anchor."""

from __future__ import annotations

from itertools import count

from .anchors import anchor_at
from .diff import Diff, Edit, ReplaceAnchored, SetRegion
from .snapshot import Snapshot
from .spans import NoSuchPlace, Span, spans


def derive_inverse(live: Snapshot, after: Snapshot, diff: Diff) -> Diff:
    """Return the diff that takes `after` back to `live`: whole regions as wholes, spans by content anchors.

    A region that was created, or of which nothing is left, has no content to anchor a span in: it is a whole too.
    """
    edits: list[Edit] = []
    for region in dict.fromkeys(edit.region for edit in diff.edits):
        forward = [edit for edit in diff.edits if edit.region == region]
        before = live.regions.get(region)
        if before is None or not after.regions.get(region) or any(isinstance(edit, SetRegion) for edit in forward):
            edits.append(SetRegion(region, before))
        else:
            edits.extend(_anchored(region, before, after.regions[region], spans(live, region, forward)))
    return Diff(tuple(edits))


def survives_one_more_write(after: Snapshot, inverse: Diff, region: str) -> bool:
    """Say whether the inverse still anchors in `region` when another write comes between.

    An edit of a span must find its place, and the right one, after text was added ahead of it and behind it.
    A whole region is its own anchor: a write to any other region leaves it, and one to itself is a conflict.
    """
    edits = [edit for edit in inverse.edits if edit.region == region]
    content = after.regions.get(region)
    if content is None or any(isinstance(edit, SetRegion) for edit in edits):
        return all(isinstance(edit, SetRegion) for edit in edits)
    # A write on both sides shifts every position; what it writes does not itself look like what is anchored.
    intervening = next(character for character in map(chr, count()) if character not in content)
    grown = {**after.regions, region: intervening + content + intervening}
    try:
        moved = spans(Snapshot(after.revision, grown), region, edits)
    except NoSuchPlace:
        return False
    return moved == [Span(span.start + 1, span.end + 1, span.insert) for span in spans(after, region, edits)]


def _anchored(region: str, before: str, after: str, forward: list[Span]) -> list[Edit]:
    """Invert `forward`, given in the order of the content, in the coordinates of `after`."""
    edits: list[Edit] = []
    shift = 0
    for span in forward:
        start = span.start + shift
        place = anchor_at(after, start, start + len(span.insert), width=16)
        edits.append(ReplaceAnchored(region, place, before[span.start : span.end]))
        shift += len(span.insert) - (span.end - span.start)
    return edits
