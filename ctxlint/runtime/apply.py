"""When a self-authored diff may be applied, and what becomes of the context.

The order is the point: staleness of what was read first, then positions and references, and only what survives is
reconciled; last, the inverse must be reachable. (Read-set validation is Kung and Robinson's, 1981.)
Who authored the drift is not asked: the author's own writes count like any other's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from .buffer import common_prefix
from .diff import Diff, SetRegion, SpliceAt
from .errors import ConflictError, Reason, StaleBaseError, UnreachableRollbackError
from .inversion import derive_inverse, survives_one_more_write
from .snapshot import Snapshot
from .spans import NoSuchPlace, edited_regions


@dataclass(frozen=True, slots=True)
class Commit:
    """A diff that was applied: to what, leading to what, and how to take it back.

    `inverse` is authored on `snapshot` and is subject to the same checks when its time comes.
    """

    diff: Diff
    before: Snapshot
    snapshot: Snapshot
    inverse: Diff


def apply_self_diff(base: Snapshot, live: Snapshot, diff: Diff) -> Snapshot:
    """Return `live` with `diff`, authored on `base`, applied; or raise, changing nothing.

    The diff is valid when base and live are identical, or when everything it reads is. Drift elsewhere is accepted;
    drift in what it only writes is merged when every anchor still names exactly one place.

    Raises `StaleBaseError` (read-set-drift, positional-anchor, unresolved-reference, unknown-base), `ConflictError`
    (write-set-drift), `UnreachableRollbackError`.
    """
    return commit_on(base, live, diff).snapshot


def commit_on(base: Snapshot, live: Snapshot, diff: Diff) -> Commit:
    """Do what `apply_self_diff` does, and return the inverse too."""
    _require_known_base(base, live)
    drift = base.drift(live)
    if drift:
        _require_fresh_reads(base, live, diff, drift)
        _require_fresh_positions(base, live, diff, drift)
    _require_references(base, live, diff)
    changed = _reconcile(base, live, diff, drift)
    revision = live.revision + (1 if changed else 0)
    after = Snapshot(revision, _with_regions(live, changed)) if changed else live
    return Commit(diff, live, after, _reachable_inverse(base, live, after, diff))


def _require_known_base(base: Snapshot, live: Snapshot) -> None:
    if base.revision > live.revision:
        _refuse(StaleBaseError, Reason.UNKNOWN_BASE, base, live, "which has not seen that revision")


def _require_fresh_reads(base: Snapshot, live: Snapshot, diff: Diff, drift: frozenset[str]) -> None:
    stale = drift & diff.read_set
    if diff.reads_ids:
        stale |= base.regions.keys() ^ live.regions.keys()
    if stale:
        _refuse(
            StaleBaseError,
            Reason.READ_SET_DRIFT,
            base,
            live,
            f"and the diff reads {_names(stale)}, which changed in between; no merge can repair that",
            stale,
        )


def _require_fresh_positions(base: Snapshot, live: Snapshot, diff: Diff, drift: frozenset[str]) -> None:
    for edit in diff.edits:
        if isinstance(edit, SpliceAt) and edit.region in drift:
            first_change = _first_change(base, live, edit.region)
            if first_change <= edit.offset:
                _refuse(
                    StaleBaseError,
                    Reason.POSITIONAL_ANCHOR,
                    base,
                    live,
                    f"and region {edit.region!r} changed at {first_change}, at or before position {edit.offset}",
                    [edit.region],
                )


def _first_change(base: Snapshot, live: Snapshot, region: str) -> int:
    return common_prefix(base.regions.get(region, ""), live.regions.get(region, ""))


def _require_references(base: Snapshot, live: Snapshot, diff: Diff) -> None:
    for reference in diff.references:
        if not reference.resolves(live):
            region = reference.region
            _refuse(
                StaleBaseError,
                Reason.UNRESOLVED_REFERENCE,
                base,
                live,
                f"where {reference} does not resolve",
                [] if region is None else [region],
            )


def _reconcile(base: Snapshot, live: Snapshot, diff: Diff, drift: frozenset[str]) -> dict[str, str | None]:
    """Return the new content of each written region, merged with drift where every anchor stands."""
    for edit in diff.edits:
        if isinstance(edit, SetRegion) and edit.region in drift:
            _refuse_conflict(base, live, edit.region, "a whole region has no anchor to merge by")
        if (
            isinstance(edit, SpliceAt)
            and edit.region in drift
            and _first_change(base, live, edit.region) < edit.offset + edit.delete_len
        ):
            _refuse_conflict(base, live, edit.region, "the text at the position to replace is another")
    try:
        return edited_regions(live, diff)
    except NoSuchPlace as missing:
        if missing.region in drift:
            _refuse_conflict(base, live, missing.region, str(missing))
        _refuse(StaleBaseError, Reason.UNRESOLVED_REFERENCE, base, live, str(missing), [missing.region])


def _reachable_inverse(base: Snapshot, live: Snapshot, after: Snapshot, diff: Diff) -> Diff:
    """Return an inverse that restores `live`, now and after at least one more intervening write."""
    inverse = derive_inverse(live, after, diff) if diff.inverse is None else diff.inverse
    try:
        restored = edited_regions(after, inverse)
    except NoSuchPlace as missing:
        _refuse_irreversible(base, live, missing.region, str(missing))
    for region in live.drift(Snapshot(after.revision, _with_regions(after, restored))):
        _refuse_irreversible(base, live, region, "the inverse does not restore it")
    for region in sorted(inverse.write_set):
        if not survives_one_more_write(after, inverse, region):
            _refuse_irreversible(base, live, region, "one more write would leave the inverse without its anchor")
    return inverse


def _with_regions(snapshot: Snapshot, changed: dict[str, str | None]) -> dict[str, str]:
    merged = {**snapshot.regions, **changed}
    return {region: content for region, content in merged.items() if content is not None}


def _refuse_conflict(base: Snapshot, live: Snapshot, region: str, detail: str) -> NoReturn:
    _refuse(
        ConflictError,
        Reason.WRITE_SET_DRIFT,
        base,
        live,
        f"and region {region!r}, which the diff writes, changed in between: {detail}",
        [region],
    )


def _refuse_irreversible(base: Snapshot, live: Snapshot, region: str, detail: str) -> NoReturn:
    _refuse(
        UnreachableRollbackError,
        Reason.UNREACHABLE_ROLLBACK,
        base,
        live,
        f"and its rollback of region {region!r} is unreachable: {detail}; refusing an irreversible apply",
        [region],
    )


def _refuse(
    kind: type[StaleBaseError],
    reason: Reason,
    base: Snapshot,
    live: Snapshot,
    detail: str,
    regions: Iterable[str] = (),
) -> NoReturn:
    raise kind(
        f"diff authored on r={base.revision} ({base.digest}) meets r={live.revision} ({live.digest}), {detail}",
        reason=reason,
        regions=regions,
        base_revision=base.revision,
        live_revision=live.revision,
    )


def _names(regions: Iterable[str]) -> str:
    return ", ".join(repr(region) for region in sorted(regions))
