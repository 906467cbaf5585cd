"""Where the edits of a diff land in a given content."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from .anchors import replace_span
from .diff import AppendTo, Diff, Edit, ReplaceAnchored, SetRegion, SpliceAt
from .snapshot import Snapshot


class NoSuchPlace(LookupError):
    """An edit does not name exactly one place; callers turn this into the refusal it means for them."""

    def __init__(self, region: str, detail: str) -> None:
        super().__init__(f"{detail} in region {region!r}")
        self.region = region


@dataclass(frozen=True, slots=True)
class Span:
    """``content[start:end]`` is to become `insert`."""

    start: int
    end: int
    insert: str


def edited_regions(snapshot: Snapshot, diff: Diff) -> dict[str, str | None]:
    """Return the new content of every region that `diff` writes, None for a removed one.

    Raises `NoSuchPlace`, and `ValueError` when the edits of one region contradict each other.
    """
    changed: dict[str, str | None] = {}
    for region in dict.fromkeys(edit.region for edit in diff.edits):
        edits = [edit for edit in diff.edits if edit.region == region]
        whole = next((edit for edit in edits if isinstance(edit, SetRegion)), None)
        if whole is None:
            changed[region] = spliced(snapshot.regions.get(region, ""), spans(snapshot, region, edits))
        elif len(edits) == 1:
            changed[region] = whole.content
        else:
            raise ValueError(f"region {region!r} is set as a whole and edited in the same diff")
    return changed


def spans(snapshot: Snapshot, region: str, edits: list[Edit]) -> list[Span]:
    """Return where `edits` land in the region, in the order of the content; they must not overlap."""
    content = snapshot.regions.get(region)
    if content is None and not all(isinstance(edit, AppendTo) for edit in edits):
        raise NoSuchPlace(region, "there is nothing to edit")
    found = sorted((_span(content or "", edit) for edit in edits), key=lambda span: (span.start, span.end))
    for left, right in pairwise(found):
        if right.start < left.end:
            raise NoSuchPlace(region, f"two edits touch {right.start}:{left.end}")
    return found


def spliced(content: str, found: list[Span]) -> str:
    """Return `content` with all of `found` replaced, from the back so that none shifts another."""
    for span in reversed(found):
        content = replace_span(content, span.start, span.end, span.insert)
    return content


def _span(content: str, edit: Edit) -> Span:
    if isinstance(edit, AppendTo):
        return Span(len(content), len(content), edit.insert)
    if isinstance(edit, SpliceAt):
        if edit.offset + edit.delete_len > len(content):
            raise NoSuchPlace(edit.region, f"there is no span of {edit.delete_len} at {edit.offset}")
        return Span(edit.offset, edit.offset + edit.delete_len, edit.insert)
    if isinstance(edit, ReplaceAnchored):
        start = edit.anchor.find(content)
        if start is None:
            raise NoSuchPlace(edit.region, f"{edit.anchor} does not name exactly one place")
        return Span(start, start + len(edit.anchor.text), edit.insert)
    raise TypeError(f"{type(edit).__name__} has no span")
