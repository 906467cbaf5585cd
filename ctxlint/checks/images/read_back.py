"""Whether what runs later writes what it is handed into records of their own that are read again."""

from __future__ import annotations

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import Term, constant_text, subterms
from ctxlint.checks.analysis import Analysis
from ctxlint.roles.images import Images
from ctxlint.roles.kept import Stored

SHORTEST = 3
"""A name has a pattern when it begins with so many characters that are always the same."""


def is_read_back(analysis: Analysis, images: Images, save: Stored) -> bool:
    """Whether what runs later writes the one cell into a record of its own for each call, and the records are read again.

    A file that is only overwritten has the newest state in the end, whenever it is written.
    """
    if "[" in save.image.holder or ":" in save.image.holder:
        return False
    if save.user is not None:
        effects = analysis.summaries.of(save.user).effects
    else:
        effects = analysis.summaries.effects_at(save.function, save.event)
    return any(
        effect.kind in WRITES and _has_readers(analysis, save, effect) and _is_of_one_call(analysis, save.function, effect)
        and (save.user is not None or _goes_in(images, save, effect))
        for effect in effects if effect.medium == "file"
    )


def _is_of_one_call(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> bool:
    """Whether each call has a record of its own: it is told which, or counts them."""
    if effect.kind == "append":
        return True
    counted = {
        mutation.cells[-1] for mutation in analysis.summaries.of(identity).mutations
        if mutation.how in ("augment", "rebind", "field") and mutation.cells
    }
    return any(part.kind in ("unknown", "param") or (part.kind == "attribute" and part.name in counted) for part in subterms(effect.place))


def _has_readers(analysis: Analysis, save: Stored, effect: StoreEffect) -> bool:
    """Whether somebody reads the file, or in the same module a file whose name is put together from the same texts."""
    if analysis.stores.readers(effect.keys):
        return True
    pattern = _pattern(effect.place)
    return len(pattern.partition("*")[0]) >= SHORTEST and any(
        other.kind == "read" and other.medium == "file" and _pattern(other.place) == pattern
        for identity in analysis.program.functions() if identity.module == save.function.module
        for other in analysis.summaries.of(identity).effects
    )


def _pattern(place: Term) -> str:
    """The name of a file with a star for what is computed in it; empty when all of it is."""
    if place.kind in ("helper", "join") and place.parts:
        return _pattern(place.parts[0] if place.kind == "helper" else place.parts[-1])
    parts = place.parts if place.kind == "concat" else (place,)
    return "".join(constant_text(part) or "*" for part in parts)


def _goes_in(images: Images, save: Stored, effect: StoreEffect) -> bool:
    """Whether the cell itself, or what it holds, is among what is written."""
    root = save.image.holder.partition("[")[0]
    return any(
        image.holder.partition("[")[0] == root
        for content in effect.contents for image in images.of(save.function, save.event, content)
    )
