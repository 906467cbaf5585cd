"""What a value shares with a cell: which cell, and how many of its levels were copied on the way.

An alias copies no level, `list(x)` one, `[dict(m) for m in x]` two, a deep copy all of them.
Two objects share what lies at least as many steps below the cell as levels were copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.ir.event import Event
from ctxlint.ir.value import Constant, Value
from ctxlint.roles.holders import ITEM, Holder

DEEP = 99
FIELD = "."
"""The step to what some field of an object holds."""

IMMUTABLE = frozenset(f"builtins.{name}" for name in ("str", "bytes", "int", "float", "complex", "bool", "NoneType", "range"))
"""The classes of the language whose objects nobody can change."""

_STEP = re.compile(r"\[[^\]]*\]|\.\w+")


class Image(msgspec.Struct, frozen=True, gc=False):
    """A value shares the structure of `holder` below `depth` levels; `where` is the deepest event that hands it out.

    `taken` is true when it was removed from its container: nobody else has it any more.
    `within` are the steps from the value itself to it: `[*]` in `[x]`, `[a]` and `[b]` in `{"a": {"b": x}}`.
    `apart` are fields that the copy of an object was given values of its own for. `folded` is how many of the levels are
    those of the containers around it: a list of copied rows is its table copied two levels deep. `above` is how many levels
    around it were copied where it was taken out: one for an entry of `list(x)`. `chosen` is true when it was taken out of a
    container that was put together here, and may hold others like it.
    """

    holder: Holder
    depth: int
    where: tuple[FunctionId, int]
    taken: bool = False
    within: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    folded: int = 0
    above: int = 0
    chosen: bool = False

    @property
    def around(self) -> int:
        """How many steps below the value itself it lies."""
        return len(self.within)


def shares(image: Image, mutated: Holder) -> bool:
    """Whether a change of the object at a place is seen through the image."""
    if not mutated.startswith(image.holder):
        return False
    below = _STEP.findall(mutated[len(image.holder):])
    if image.apart and below and below[0][1:] in image.apart:
        return False
    return (mutated == image.holder or mutated[len(image.holder)] in ".[") and len(below) >= image.depth


def as_whole(image: Image) -> Image:
    """The image as one of the whole whose elements were put together anew: `[row[:] for row in table]` copies `table`."""
    while image.around and image.within[-1].startswith("[") and image.holder.endswith(ITEM) and not image.taken:
        image = msgspec.structs.replace(
            image, holder=image.holder[:-len(ITEM)], depth=min(image.depth + 1, DEEP), within=image.within[:-1], folded=image.folded + 1,
        )
    return image


def steps_below(inner: Holder, outer: Holder) -> int:
    """How many steps a place lies below another one."""
    return len(steps_in(inner[len(outer):]))


def steps_in(way: str) -> list[str]:
    """The steps of which the end of a place's name consists."""
    return _STEP.findall(way)


def levels_left(depth: int, steps: int) -> int:
    """How many levels of a copy are left so many steps further down; a copy to the bottom ends nowhere."""
    return DEEP if depth >= DEEP else max(depth - steps, 0)


def copied(image: Image, levels: int) -> Image:
    """The image in a copy of so many levels of the whole that it is a part of; levels that are copied already stay as they are."""
    return msgspec.structs.replace(image, depth=max(image.depth, levels_left(levels, image.around)))


def deeper(images: Iterable[Image], levels: int, where: tuple[FunctionId, int]) -> Iterator[Image]:
    """The images in a copy of so many levels that an event makes."""
    for image in images:
        moved = copied(image, levels)
        yield msgspec.structs.replace(moved, where=where) if moved.depth > image.depth or not image.around else image


def out_of(images: Iterable[Image], step: str = ITEM) -> Iterator[Image]:
    """An element of what the images are of, under a key if that is known; what lies under another key is left out."""
    for image in images:
        if image.around:
            if step == image.within[0] or (ITEM in (step, image.within[0]) and step[0] == image.within[0][0]):
                chosen = image.chosen or image.within[0] == ITEM
                yield msgspec.structs.replace(image, within=image.within[1:], above=image.above + 1, chosen=chosen)
        else:
            above = image.above + 1 if image.depth else image.above
            # A position in a container is any of its entries, see `holders`.
            known = ITEM if step[1:-1].isdigit() and not image.holder.endswith("]") else step
            yield msgspec.structs.replace(image, holder=f"{image.holder}{known}", depth=levels_left(image.depth, 1), above=above)


def lies_on(below: Sequence[str], within: Sequence[str]) -> bool:
    """Whether steps from a value lead through where an image lies in it, as far as the steps are known."""
    return len(below) >= len(within) and all(
        one == other or (one[0] == other[0] and (ITEM in (one, other) or FIELD in (one, other))) for one, other in zip(below, within)
    )


def inside(images: Iterable[Image], steps: tuple[str, ...] = (ITEM,)) -> Iterator[Image]:
    """The images as parts of a new object, so many steps below it."""
    for image in images:
        yield msgspec.structs.replace(image, within=(*steps, *image.within))


def key_step(key: Value | None) -> str:
    """The step to what lies under a key: constants that count from the front, or name a part, keep their text."""
    if isinstance(key, Constant) and not key.text.startswith("-"):
        return f"[{key.text}]"
    return ITEM


def spelled(event: Event) -> tuple[str, ...]:
    """The steps of an event's path, with what is known of the keys."""
    keys = iter(event.keys)
    steps = event.path.steps if event.path is not None else ()
    return tuple(key_step(next(keys, None)) if step.startswith("[") else f".{step}" for step in steps)
