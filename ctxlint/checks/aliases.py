"""`aliases`: a recorded image and the live cell are the same objects at a depth at which the cell is changed in place.

On save the record gets (a copy that is too shallow of) the live value; on restore the live cell gets the retained record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.diagnostic import Confidence
from ctxlint.knowledge.words import hints
from ctxlint.roles.holders import STORE, Holder, Holders, is_within
from ctxlint.roles.images import Image, Images, Stored, shares, steps_below
from ctxlint.roles.mutated import Change, Mutated


class Pairs(msgspec.Struct, frozen=True):
    """What is stored where, looked up by place and by what is shared."""

    by_place: dict[Holder, list[Stored]]
    by_holder: dict[Holder, list[Stored]]


def aliases(analysis: Analysis) -> Iterator[Finding]:
    """Report images that follow the cell they are taken of, and cells that become the image they are restored from."""
    holders = Holders(analysis.summaries)
    images = Images(analysis.summaries, holders)
    stored = [s for identity in analysis.program.functions() for s in images.stored(identity) if _is_kept(s)]
    pairs = Pairs({}, {})
    for each in stored:
        pairs.by_place.setdefault(_root(each.place), []).append(each)
        pairs.by_holder.setdefault(_root(each.image.holder), []).append(each)
    mutated = Mutated(analysis.summaries, holders)
    changes: dict[Holder, list[Change]] = {}
    for change in mutated.changes:
        changes.setdefault(_root(change.place), []).append(change)
    for save in stored:
        restore = _restore_of(save, pairs)
        if restore is None:
            continue
        finding = _saved(analysis, save, restore, changes) or None
        if finding is not None:
            yield finding
        back = _restored(analysis, save, restore, changes)
        if back is not None:
            yield back


def _is_kept(stored: Stored) -> bool:
    return not stored.place.startswith(STORE) and not stored.image.holder.startswith(STORE)


def _root(holder: Holder) -> Holder:
    return holder.partition("[")[0]


def _restore_of(save: Stored, pairs: Pairs) -> Stored | None:
    """A store that puts something of the record's place back into the cell."""
    for other in pairs.by_holder.get(_root(save.place), ()):
        if other.place == save.image.holder and is_within(other.image.holder, save.place) and other.place != other.image.holder:
            return other
    return None


def _first_shared(image: Image, changes: dict[Holder, list[Change]], but: Iterable[FunctionId]) -> Change | None:
    excluded = frozenset(but)
    found = [c for c in changes.get(_root(image.holder), ()) if shares(image, c.place) and c.function not in excluded]
    return min(found, key=lambda c: (len(c.place), c.function, c.event), default=None)


def _saved(analysis: Analysis, save: Stored, restore: Stored, changes: dict[Holder, list[Change]]) -> Finding | None:
    change = _first_shared(save.image, changes, (save.function, restore.function))
    if change is None or not _is_record(analysis, save, restore):
        return None
    return _finding(analysis, "save", save, change, restore, "high")


def _restored(analysis: Analysis, save: Stored, restore: Stored, changes: dict[Holder, list[Change]]) -> Finding | None:
    if restore.image.taken or not _is_record(analysis, save, restore):
        return None
    if _is_dropped(analysis, restore, save):
        return None
    copied = restore.image.depth + steps_below(restore.image.holder, save.place)
    live = Image(restore.place, copied, restore.image.where)
    change = _first_shared(live, changes, (save.function, restore.function))
    if change is None:
        return None
    return _finding(analysis, "restore", restore, change, save, "high")


def _is_dropped(analysis: Analysis, restore: Stored, save: Stored) -> bool:
    """Whether the restoring function lets go of the record afterwards."""
    root = _root(save.place)
    return any(
        m.event != restore.event and root in m.cells[-1:] and m.how in ("rebind", "clear", "delete", "remove")
        for m in analysis.summaries.of(restore.function).mutations
    )


def _is_record(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether the two stores are a save and its restore, and not one value that is handed to and fro."""
    return save.function != restore.function or hints(save.place, analysis.words.snapshots)


def _finding(analysis: Analysis, kind: str, stored: Stored, change: Change, other: Stored, confidence: Confidence) -> Finding:
    view = analysis.view
    function, event = stored.image.where
    cell = stored.image.holder if kind == "save" else stored.place
    record = stored.place if kind == "save" else stored.image.holder
    mutator = analysis.program.symbol(change.function)
    return Finding(
        function=function, event=event, kind=kind, confidence=confidence,
        fields={
            "cell": _short(cell), "record": _short(record), "mutator": mutator, "change": str(view.line(change.function, change.event)),
            "depth": "no level" if stored.image.depth == 0 else f"{stored.image.depth} level{'s' if stored.image.depth > 1 else ''}",
            "restorer": analysis.program.symbol(other.function if kind == "save" else stored.function),
        },
        flow=(
            FlowStep(function, event, f"copies {'nothing' if stored.image.depth == 0 else 'too little'} of `{_short(cell if kind == 'save' else record)}`"),
            FlowStep(change.function, change.event, f"changes `{_short(change.place)}` in place"),
            FlowStep(other.function, other.event, "the other side of the record"),
        ),
        evidence=(Evidence(f"record: `{analysis.program.symbol(other.function)}` {'restores from' if kind == 'save' else 'saves to'} it",
                           other.function, other.event),),
        chain=("alias", kind, cell),
    )


def _short(holder: Holder) -> str:
    head, _, rest = holder.partition("[")
    name = ".".join(head.replace(":", ".").rsplit(".", 2)[-2:])
    return f"{name}[{rest}" if rest else name
