"""What a constructor gives two places that share nothing, or only what lies deeper: one of them keeps the first value of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxlint.roles.image import Image, steps_below
from ctxlint.roles.kept import Stored


def first_values(stored: Sequence[Stored]) -> Iterator[Stored]:
    """The stores of one constructor, as records of a first value: `self.start = deepcopy(given); self.live = given`.

    Which of the two is live is seen only by who puts back what, so each is taken for the record of the other. Two names for
    one value are no record.
    """
    whole = [s for s in stored if not s.place.endswith("]") and not s.image.around and not s.image.taken]
    for one in whole:
        if one.image.depth and not steps_below(one.image.holder, one.image.holder.partition("[")[0]) and ":" not in one.image.holder:
            yield _as_record(one, one.image.holder, one.place)
        for other in whole:
            if one.place != other.place and one.image.holder == other.image.holder and one.image.depth > other.image.depth == 0:
                yield _as_record(one, one.place, other.place)
                yield _as_record(one, other.place, one.place)


def _as_record(stored: Stored, record: str, live: str) -> Stored:
    """What was stored, as a record of the live place."""
    image = Image(live, stored.image.depth, stored.image.where)
    return msgspec.structs.replace(stored, place=record, image=image, first=True)
