"""The image of what is about to be destroyed could not be made, and it is destroyed all the same."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.terms import UNKNOWN, Term, keys, text_of
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.failures.same_entry import is_same_entry
from ctxlint.checks.failures.swallowing import Swallow, is_secondary
from ctxlint.checks.finding import PLACE, At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name
from ctxlint.flow.paths import path
from ctxlint.ir.value import Result

NEAR = 2


def lost_images(analysis: Analysis, appends: Appends, identity: FunctionId, swallow: Swallow) -> Iterator[Finding]:
    """Report a copy whose failure ends here although what it was copied from is overwritten or removed afterwards."""
    for number in sorted(swallow.tried):
        for effect in analysis.summaries.effects_at(identity, number):
            if effect.kind in WRITES and effect.kind != "delete" and not effect.staged and _is_main(appends, identity, effect):
                if effect.medium != "file" and not analysis.stores.readers(effect.keys):
                    continue                             # what nobody reads back is no image
                destroyed = _destroyed_after(analysis, identity, effect, swallow)
                if destroyed is not None and _is_only_for_here(analysis, identity, effect, destroyed):
                    analysis.spare(identity, number, "the new file is moved into place whole, and then the image is removed: it "
                                   "was never to be kept", destroyed.event)
                elif destroyed is not None:
                    yield _finding(analysis, identity, effect, destroyed, swallow)
                    return


def _is_main(appends: Appends, identity: FunctionId, image: StoreEffect) -> bool:
    """Whether the event is there to make the image: it does so itself, or its callee does nothing else to stores first."""
    if image.distance == 0:
        return True
    append = appends.at(identity, image.event) if image.distance <= NEAR else None
    return append is not None and image in append.effects


def _destroyed_after(analysis: Analysis, identity: FunctionId, image: StoreEffect, swallow: Swallow) -> StoreEffect | None:
    """The overwrite or removal, behind the swallowed failure, of the place that the image was made of."""
    places = frozenset(_originals(analysis, identity, image)) - {UNKNOWN, image.place}
    entries = tuple(_entries(analysis, identity, image))
    for number in sorted(swallow.after - swallow.tried) if places or entries else ():
        for effect in analysis.summaries.effects_at(identity, number):
            if effect.kind not in ("write", "delete", "move") or effect.staged:
                continue
            if effect.medium == "file" and places & {effect.place, effect.source} and (effect.place != image.place or effect.place == UNKNOWN):
                return effect
            if effect.kind == "delete" and any(is_same_entry(analysis, identity, read, effect) for read in entries):
                return effect
    return None


def _entries(analysis: Analysis, identity: FunctionId, image: StoreEffect) -> Iterator[StoreEffect]:
    """The readings of stores other than files that what goes into the image is, or is a part of."""
    view, origins = analysis.view, analysis.view.origins(identity)
    pending = [(value, image.event) for value in image.contents]
    seen: set[int] = set()
    while pending:
        for kind, what in origins.roots(*pending.pop(), mutations=True):
            if kind != "result" or not isinstance(what, int) or what in seen:
                continue
            seen.add(what)
            event = view.event(identity, what)
            yield from (e for e in analysis.summaries.effects_at(identity, what)
                        if e.kind == "read" and e.medium in ("sql", "store") and not e.keys & image.keys)
            if event.kind == "call" and event.path is not None and isinstance(event.path.root, Result):
                pending.append((event.path.root, what))      # the rows of a cursor
            if event.kind == "call" and view.does(identity, what, "serialises", "copies"):
                pending += [(argument.value, what) for argument in event.arguments]


def _is_only_for_here(analysis: Analysis, identity: FunctionId, image: StoreEffect, destroyed: StoreEffect) -> bool:
    """Whether the original is replaced in one step, and the function itself removes the image once that is done."""
    return destroyed.kind == "move" and destroyed.distance == 0 and any(
        effect.kind == "delete" and effect.place == image.place
        and path(analysis.view.graph(identity), destroyed.event, effect.event, start="completed") is not None
        for effect in analysis.summaries.of(identity).effects
    )


def _originals(analysis: Analysis, identity: FunctionId, image: StoreEffect) -> Iterator[Term]:
    """The places whose content went into the image: named by a copy, or read into what was written."""
    for value in image.contents:
        yield analysis.summaries.places.term(identity, image.event, value)
        for kind, what in analysis.view.origins(identity).identity(value, image.event):
            if kind == "result" and isinstance(what, int):
                for effect in analysis.summaries.effects_at(identity, what):
                    if effect.kind == "read":
                        yield effect.place
    if image.kind == "move":
        yield image.source


def _finding(
    analysis: Analysis, identity: FunctionId, image: StoreEffect, destroyed: StoreEffect, swallow: Swallow
) -> Finding:
    readers = analysis.stores.readers(image.keys)
    store = store_name(image)
    original = text_of(destroyed.place) if destroyed.medium == "file" else store_name(destroyed)
    reader = analysis.program.symbol(readers[0].function) if readers else "an undo"
    flow = [FlowStep(identity, image.event, f"makes an image of {original}; can fail"),
            FlowStep(swallow.owner, swallow.at, "the failure ends here"),
            FlowStep(identity, destroyed.event, f"overwrites or removes {original} all the same")]
    evidence = [Evidence(f"{original} is what the image was made of", identity, destroyed.event)]
    if readers:
        evidence.append(Evidence(f"`{reader}` reads {store} back", readers[0].function, readers[0].effect.event))
    return Finding(
        function=identity, event=image.event, kind="before-image",
        confidence="low" if swallow.told or is_secondary(analysis, swallow) else "high" if readers or _copied_back(analysis, image) else "medium",
        fields={"store": store, "original": original, "line": At(identity, image.event), "reader": reader,
                "handler": At(swallow.owner, swallow.at), "destroys": At(identity, destroyed.event)},
        flow=tuple(flow), evidence=tuple(evidence), chain=("before-image", image.kind, destroyed.kind),
        facts={"handler": At(swallow.owner, swallow.at, PLACE)} if swallow.owner == identity else {},
    )


def _copied_back(analysis: Analysis, image: StoreEffect) -> bool:
    """Whether some function copies from where the image is kept."""
    places = analysis.summaries.places
    return any(
        keys(places.term(identity, effect.event, value), identity.module) & image.keys
        for identity in analysis.program.functions()
        for effect in analysis.summaries.of(identity).effects
        if effect.kind == "write" and effect.medium == "file" and effect.distance == 0 and effect.origin != image.origin
        for value in effect.contents
    )
