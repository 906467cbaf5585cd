"""`aliases`: a recorded image and the live cell are the same objects at a depth at which the cell is changed in place.

On save the record gets (a copy that is too shallow of) the live value; on restore the live cell gets the retained record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import Instance, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.images.handed_out import HandedOut, handed_out
from ctxlint.checks.images.image_changes import (
    Changes,
    is_emptied_meanwhile,
    is_known_meanwhile,
    is_put_back_on_failure,
    meanwhile,
    place_of,
    undoes,
)
from ctxlint.checks.images.image_facts import image_facts
from ctxlint.checks.images.kept_records import (
    are_choices,
    is_left_once,
    is_named,
    is_of_closure,
    is_record,
    is_way_back,
    owner_of,
    sureness,
    types_of,
)
from ctxlint.checks.images.read_back import is_read_back
from ctxlint.checks.images.renewed import goes_on, is_dropped, is_left, is_replaced_before, is_saved_again
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path
from ctxlint.ir.value import Name, Result
from ctxlint.knowledge.words import hints
from ctxlint.roles.first_values import first_values
from ctxlint.roles.handed_on import HandedOn
from ctxlint.roles.holders import STORE, Holder, Holders, is_within
from ctxlint.roles.image import DEEP, Image, steps_below
from ctxlint.roles.images import Images
from ctxlint.roles.kept import LATER, Kept, Stored, but_itself, entry_wise, holds_itself
from ctxlint.roles.mutated import Change, Mutated


class Facts(msgspec.Struct, frozen=True):
    """What the check asks about images and changes."""

    holders: Holders
    images: Images
    mutated: Mutated
    changes: Changes
    pairs: dict[tuple[Holder, Holder], list[Stored]]
    """What is stored, by the root of what it shares and the place it is stored in."""
    given: Given
    built: Built


class Built:
    """What the fields of objects share with something when the objects are made; found when first asked for."""

    def __init__(self, kept: Kept, functions: Sequence[FunctionId]) -> None:
        self._kept = kept
        self._functions = functions
        self._found: dict[tuple[Holder, Holder], list[Stored]] | None = None

    def pairs(self) -> Mapping[tuple[Holder, Holder], Sequence[Stored]]:
        """By the root of what is shared and the field."""
        if self._found is None:
            self._found = _paired(each for identity in self._functions for each in self._kept.built(identity))
        return self._found


class Given:
    """Which functions give out what lies below a place; found when first asked for, which is seldom."""

    def __init__(self, images: Images, functions: Sequence[FunctionId]) -> None:
        self._images = images
        self._functions = functions
        self._found: dict[Holder, list[tuple[FunctionId, Holder]]] | None = None

    def below(self, place: Holder) -> Iterator[FunctionId]:
        """The functions that return something at or below the place."""
        if self._found is None:
            self._found = {}
            for identity in self._functions:
                for image in self._images.given(identity):
                    self._found.setdefault(_root(image.holder), []).append((identity, image.holder))
        return (identity for identity, given in self._found.get(_root(place), ()) if is_within(given, place))


def aliases(analysis: Analysis) -> Iterator[Finding]:
    """Report images that follow the cell they are taken of, and cells that become the image they are restored from."""
    holders = Holders(analysis.summaries)
    images = Images(analysis.summaries, holders)
    functions = list(analysis.program.functions())
    kept = Kept(analysis.summaries, holders, images)
    stored = [but_itself(s) for identity in functions for s in kept.of(identity) if _is_kept(s) and _is_ours(analysis, s.image.holder)]
    handed = HandedOn(analysis.summaries, holders, images)
    mutated = Mutated(analysis.summaries, holders, images)
    facts = Facts(
        holders, images, mutated, Changes(mutated), _paired(stored), Given(images, functions), Built(kept, functions),
    )
    linked = {_root(each.place) for each in stored if holds_itself(each)}
    for save in stored:
        if linked & {_root(save.place), _root(save.image.holder)}:
            analysis.spare(save.function, save.event, "the value holds itself: a link from part to part is no image")
        elif save.back:
            yield from _put_back(analysis, facts, save)
        else:
            yield from _both_sides(analysis, facts, save)
            for out in handed_out(analysis, images, kept, facts.changes, save):
                yield _given_out(analysis, facts, save, out)
    for identity in functions:
        if is_constructor(analysis.view, identity):
            for save in first_values([s for s in kept.of(identity) if _is_ours(analysis, s.image.holder)]):
                yield from _first_put_back(analysis, facts, save)
        for save in handed.of(identity):
            yield from _later(analysis, facts, save)


def _both_sides(analysis: Analysis, facts: Facts, save: Stored) -> Iterator[Finding]:
    restores = _restores_of(save, facts.pairs)
    if not restores and save.image.around and _can_change(analysis, facts, save):
        restores = [r for r in _restores_of(save, facts.built.pairs()) if sureness(analysis, save, r) != "low"]
    if restores:
        yield from _saved(analysis, facts, save, restores[0])
        for restore in restores:
            yield from _restored(analysis, facts, save, restore)
    elif save.image.depth:
        yield from _handed_back(analysis, facts, save)


def _can_change(analysis: Analysis, facts: Facts, save: Stored) -> bool:
    """Whether anything changes what an image is taken of, however little of it was copied on the way back."""
    return bool(facts.changes.below(save.image.holder)) or _first_shared_object(analysis, facts, save, fields=True) is not None


def _first_put_back(analysis: Analysis, facts: Facts, save: Stored) -> Iterator[Finding]:
    """What was there at first, and is put back by somebody else; what changes by itself is no record of it."""
    if any(is_within(change.place, save.place) for change in facts.changes.below(save.place)):
        return
    for restore in _restores_of(save, facts.pairs):
        if not is_constructor(analysis.view, restore.function):
            yield from _saved(analysis, facts, save, restore)
            yield from _restored(analysis, facts, save, restore)


def _is_kept(stored: Stored) -> bool:
    """Whether the place outlives the call: an attribute, a variable, an entry of a container; not a formal that was bound anew."""
    if any(each.startswith(STORE) or each.endswith("#") for each in (stored.place, stored.image.holder)):
        return False
    return stored.back or "[" in stored.place or ":" not in stored.place or "." in stored.place.partition(":")[2]


def _is_ours(analysis: Analysis, holder: Holder) -> bool:
    """Whether a place belongs to the program: to one of its classes, modules or functions."""
    owner = owner_of(holder)
    return ":" in holder or not owner or owner in analysis.program.modules or analysis.program.class_(owner) is not None


def _root(holder: Holder) -> Holder:
    return holder.partition("[")[0]


def _paired(stored: Iterable[Stored]) -> dict[tuple[Holder, Holder], list[Stored]]:
    found: dict[tuple[Holder, Holder], list[Stored]] = {}
    for each in stored:
        for form in entry_wise(each):
            found.setdefault((_root(form.image.holder), form.place), []).append(form)
    return found


def _restores_of(save: Stored, pairs: Mapping[tuple[Holder, Holder], Sequence[Stored]]) -> list[Stored]:
    """The stores that put something of the record's place back into the cell."""
    root, cell = _root(save.place), save.image.holder
    if _root(cell) == root:
        return []
    return [other for other in pairs.get((root, cell), ()) if is_within(other.image.holder, save.place)]


def _saved(analysis: Analysis, facts: Facts, save: Stored, restore: Stored) -> Iterator[Finding]:
    closed_over = is_of_closure(analysis, save, restore)
    if save.image.taken or (is_way_back(save) and not closed_over and not hints(save.place, analysis.words.snapshots)):
        return
    if not is_record(analysis, save, restore) or is_left(analysis, facts.holders, save):
        return
    change = _changed_next(analysis, facts, save, closed_over=closed_over)
    change = change or facts.changes.first(save.image, _sides(analysis, save, restore), through=True)
    if change is not None:
        yield _finding(analysis, facts, "save", save, change, restore, sureness(analysis, save, restore))
        return
    meant = restore.image.depth >= DEEP                # who copies what he takes out wants it to stay what it is
    change = _first_shared_object(analysis, facts, save, fields=meant)
    if change is not None:
        sure = meant or hints(save.place, analysis.words.snapshots)
        yield _finding(analysis, facts, "save", save, change, restore, "medium" if sure else "low")


def _sides(analysis: Analysis, save: Stored, restore: Stored) -> tuple[FunctionId, ...]:
    """The functions whose changes belong to saving and restoring; one that does what it is told changes the cell besides."""
    return () if are_choices(analysis, save, restore) else (save.function, restore.function)


def _changed_next(analysis: Analysis, facts: Facts, save: Stored, *, closed_over: bool) -> Change | None:
    """A change that the saving function itself makes once it has saved, be it when it is called the next time."""
    if not save.image.depth and not is_named(analysis, save) and not closed_over:
        return None                                     # an entry that goes from one container to another, and is marked there
    graph = analysis.view.graph(save.function)
    own = [c for c in facts.changes.seen(save.image) if c.function == save.function != c.origin and c.event != save.event]
    after = next((c for c in own if path(graph, save.event, c.event, start="completed") is not None), None)
    return after or (own[0] if own and goes_on(analysis, save) else None)


def _restored(analysis: Analysis, facts: Facts, save: Stored, restore: Stored) -> Iterator[Finding]:
    if restore.image.taken or not is_record(analysis, save, restore) or is_dropped(analysis, facts.holders, restore, save):
        return
    if is_way_back(save) or is_left_once(analysis, save, restore) or is_of_closure(analysis, save, restore):
        return
    if is_replaced_before(analysis, save, restore):
        analysis.spare(restore.function, restore.event, "the record of what is live is made anew before another one is restored",
                       (save.function, save.event))
        return
    copied = restore.image.depth + max(steps_below(restore.image.holder, save.place) - save.image.around, 0)
    live = Image(restore.place, copied, restore.image.where, apart=save.image.apart)
    change = facts.changes.first(live, _sides(analysis, save, restore), through=True)
    if change is not None:
        yield _finding(analysis, facts, "restore", restore, change, save, sureness(analysis, save, restore))


def _put_back(analysis: Analysis, facts: Facts, save: Stored) -> Iterator[Finding]:
    """A copy in a local that one function makes and puts back."""
    if is_emptied_meanwhile(analysis, save):
        analysis.spare(save.function, save.event, "the live container is emptied after the copy: what is changed since is not in it",
                       save.image.where)
        return
    confidence: Confidence = "medium" if is_put_back_on_failure(analysis, save) else "low"
    undone = undoes(analysis, save)
    change = meanwhile(analysis, save, facts.changes.seen(save.image, through=True)) if undone else None
    if change is not None:
        yield _finding(analysis, facts, "save", save, change, save, confidence)
        return
    if undone and is_known_meanwhile(analysis, save):
        analysis.spare(save.function, save.event, "nothing that runs before the copy is put back changes what it shares", save.image.where)
        return
    change = facts.changes.first(save.image, (save.function,))
    if change is not None and save.image.depth and save.image.where[0] == save.function:
        yield _finding(analysis, facts, "save", save, change, save, confidence if ":" in save.image.holder else "low")


def _handed_back(analysis: Analysis, facts: Facts, save: Stored) -> Iterator[Finding]:
    """A copy that is kept and given out again: somebody meant it to stay what it is."""
    change = facts.changes.first(save.image, (save.function,))
    if change is None or ":" in save.image.holder or ":" in save.place or _root(save.place) == _root(save.image.holder):
        return
    for identity in facts.given.below(save.place):
        if identity != save.function:
            reader = Stored(save.place, save.image, identity, _return_of(analysis, identity))
            named = hints(save.place, analysis.words.snapshots)
            yield _finding(analysis, facts, "save", save, change, reader, "medium" if named else "low")
            return


def _given_out(analysis: Analysis, facts: Facts, save: Stored, out: HandedOut) -> Finding:
    """The record itself in the hands of whoever asks for it."""
    given = Stored(out.image.holder, out.image, *out.image.where)
    return _finding(analysis, facts, "handed-out", given, out.change, save, "medium")


def _later(analysis: Analysis, facts: Facts, save: Stored) -> Iterator[Finding]:
    """The live value in the hands of something that uses it later."""
    change = facts.changes.first(save.image, ())
    if change is None or (change.function, change.event) == (save.function, save.event):
        return
    callers = {caller for caller, _ in analysis.view.call_graph.callers(save.function)} | {save.function}
    if ":" in save.image.holder and change.function not in callers:
        return                                          # a formal is only one object on the way from its caller
    if save.to_store and is_saved_again(analysis, change.function, change.event, save.image.holder):
        analysis.spare(save.function, save.event, "whoever changes the value saves it afterwards: the store gets the same in the end",
                       (change.function, change.event))
        return
    makers = {save.image.where[0], save.function} if save.user is None else {save.image.where[0]}
    named = any(hints(analysis.program.symbol(each), analysis.words.snapshots) for each in makers)
    sure = save.to_store or is_read_back(analysis, facts.images, save) or named
    yield _finding(analysis, facts, "deferred", save, change, save, "medium" if sure else "low")


def _return_of(analysis: Analysis, identity: FunctionId) -> int:
    events = analysis.view.function(identity).events
    return next((number for number, event in enumerate(events) if event.kind == "return" and event.value is not None), 0)


def _first_shared_object(analysis: Analysis, facts: Facts, save: Stored, *, fields: bool) -> Change | None:
    """A change of an object of a class that the image shares, or of what its fields hold, by the class alone; in the record's module."""
    types = types_of(analysis, save)
    for level in range(2):
        for type in in_order(types):
            if isinstance(type, Instance) and level >= save.image.depth and analysis.program.class_(type.name) is not None:
                changes: list[Change] = [*facts.mutated.of_class.get(type.name, ()), *(facts.changes.of_fields(type.name) if fields else ())]
                for change in changes:
                    if change.function.module == save.function.module:
                        return change
        types = analysis.view.inference.item(types)
    return None


_RESTORES = ("restore", "handed-out")
_ROLES = {"save": "restores from it", "restore": "saves to it", "handed-out": "saves to it", "deferred": "hands it to something that runs later"}


def _finding(analysis: Analysis, facts: Facts, kind: str, stored: Stored, change: Change, other: Stored, confidence: Confidence) -> Finding:
    function, event = place_of(analysis, stored, facts.changes)
    cell = stored.image.holder if kind not in _RESTORES else stored.place
    record = stored.place if kind not in _RESTORES else stored.image.holder
    mutator = analysis.program.symbol(change.function)
    levels = max(stored.image.depth, stored.image.above if stored.back else 0)
    return Finding(
        function=function, event=event, kind=kind, confidence=confidence,
        fields={
            "cell": _short(cell), "record": _copy_name(analysis, stored) or _short(record), "mutator": mutator, "change": At(change.function, change.event),
            "depth": "no level" if levels == 0 else f"{levels} level{'s' if levels > 1 else ''}",
            "restorer": analysis.program.symbol(other.function if kind not in _RESTORES else stored.function),
        },
        flow=(
            FlowStep(function, event, f"copies {'nothing' if levels == 0 else 'too little'} of `{_short(cell if kind not in _RESTORES else record)}`"),
            FlowStep(change.function, change.event, f"changes `{_short(change.place)}` in place"),
            FlowStep(other.function, other.event, "the other side of the record"),
        ),
        evidence=(Evidence(f"record: `{analysis.program.symbol(other.function)}` {_ROLES[kind]}",
                           other.function, other.event),),
        chain=("alias", kind, cell),
        facts=image_facts(analysis, stored.image, facts.changes.below(stored.image.holder)),
    )


def _copy_name(analysis: Analysis, stored: Stored) -> str:
    """The variable that holds a copy which the same function puts back."""
    made = Result(stored.image.where[1])
    for event in analysis.view.function(stored.function).events if stored.back else ():
        if event.kind == "local" and event.value == made and event.path is not None and isinstance(event.path.root, Name):
            return event.path.root.name
    return ""


def _short(holder: Holder) -> str:
    if holder == LATER:
        return "what runs later"
    head, _, rest = holder.partition("[")
    name = ".".join(head.replace(":", ".").rsplit(".", 2)[-2:])
    return f"{name}[{rest}" if rest else name
