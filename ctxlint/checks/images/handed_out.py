"""Records that are copied to the bottom on the way in and handed out as they are: whoever gets one changes what is kept."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.images.image_changes import Changes
from ctxlint.checks.images.kept_records import owner_of
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path
from ctxlint.ir.value import Name, Result, Value
from ctxlint.roles.holders import ITEM, Holder, is_within
from ctxlint.roles.image import DEEP, Image, lies_on, spelled, steps_below
from ctxlint.roles.images import Images
from ctxlint.roles.kept import Kept, Stored
from ctxlint.roles.mutated import Change

FURTHEST_STEPS = 12
"""From how many bindings and reads away a changed part is traced back to what was given."""

FURTHEST = 2
"""How many calls further down a formal is followed."""


class HandedOut(msgspec.Struct, frozen=True):
    """A function gives out a kept record itself, and somebody changes it in place."""

    reader: FunctionId
    image: Image
    change: Change


def handed_out(analysis: Analysis, images: Images, kept: Kept, changes: Changes, save: Stored) -> Iterator[HandedOut]:
    """The functions that give out what a save has copied to the bottom, each with the nearest change of what it gives.

    Who puts what he has changed back under the same name keeps nothing but the present state there, and loses nothing.
    """
    if save.image.depth < DEEP or save.made is not None or not save.place.endswith("]") or ":" in save.place:
        return
    own = frozenset(_methods(analysis, owner_of(save.place)))
    for reader in sorted(own - {save.function}):
        for image in sorted(images.given(reader), key=lambda each: (each.holder, each.where)):
            record = _record_in(image, save.place) if image.where[0] in own and not image.taken else None
            if record is not None:
                change = _Followed(analysis, kept, changes, save).change_of(reader, record)
                if change is not None:
                    yield HandedOut(reader, image, change)
                    break


def _record_in(image: Image, place: Holder) -> Image | None:
    """The record, or a part of it, that a value gives as it is: by itself, in something else, or in a copy of its container."""
    if image.depth and is_within(place, image.holder) and image.depth <= steps_below(place, image.holder):
        return msgspec.structs.replace(image, holder=place, depth=0, within=(*image.within, ITEM))
    return None if image.depth or not is_within(image.holder, place) else image


def _methods(analysis: Analysis, class_id: ClassId) -> Iterator[FunctionId]:
    """The functions of a class body."""
    info = analysis.program.class_(class_id)
    for index, function in enumerate(analysis.program.modules[info.module].ir.functions if info is not None else ()):
        if info is not None and function.owner and analysis.program.owner(FunctionId(info.module, index)) == class_id:
            yield FunctionId(info.module, index)


class _Followed(msgspec.Struct, frozen=True):
    """What is asked of those who get a record."""

    analysis: Analysis
    kept: Kept
    changes: Changes
    save: Stored

    def change_of(self, reader: FunctionId, image: Image) -> Change | None:
        """A change of what a function gives out, by another object's code."""
        owner = owner_of(self.save.place)
        callers = self.analysis.view.call_graph.callers(reader)
        for change in self.changes.seen(image) if not image.around else ():
            if self.analysis.program.owner(change.function) != owner and not self._puts_back(change.function, change.event):
                return change
        for caller, number in callers:
            if self.analysis.program.owner(caller) != owner:
                for passed in self._changed_in(caller, number, image) if image.around else self._passed_on(caller, self._names(caller, number), 0):
                    return passed
        return None

    def _changed_in(self, identity: FunctionId, number: int, image: Image) -> Iterator[Change]:
        """The changes that a function makes of a record which lies in what it got from an event, and does not put back."""
        for at, changed in self.changes.made_by(identity):
            way = spelled(self.analysis.view.event(identity, at))[:len(changed.steps)]
            steps = self._steps_from(identity, at, changed.root, number)
            if steps is not None and lies_on((*steps, *way), image.within) and not self._puts_back(identity, at):
                yield Change(image.holder, identity, at)

    def _steps_from(self, identity: FunctionId, at: int, value: Value, number: int) -> tuple[str, ...] | None:
        """The steps that lead from the result of an event to a value that was read from it and from nothing else."""
        steps: tuple[str, ...] = ()
        for _ in range(FURTHEST_STEPS):
            if value == Result(number):
                return steps
            if isinstance(value, Name) and value.scope == "local":
                bound = self.analysis.view.definitions(identity).definitions(at, value.name)
                at = bound[0] if len(bound) == 1 else -1
            elif isinstance(value, Result):
                at = value.event
            else:
                return None
            event = self.analysis.view.event(identity, at) if at >= 0 else None
            if event is not None and event.kind == "read" and event.path is not None:
                steps, value = (*spelled(event), *steps), event.path.root
            elif event is not None and event.value is not None and (event.kind in ("local", "iterate") or event.note == "await"):
                steps, value = (ITEM, *steps) if event.kind == "iterate" else steps, event.value
            else:
                return None
        return None

    def _names(self, identity: FunctionId, number: int) -> frozenset[Value]:
        """What stands for the result of an event in a function."""
        bound = [e.path.root for e in self.analysis.view.function(identity).events if e.kind == "local" and e.value == Result(number) and e.path]
        return frozenset([Result(number), *bound])

    def _passed_on(self, identity: FunctionId, names: frozenset[Value], depth: int) -> Iterator[Change]:
        """The changes of what a function passes on under these names."""
        for number, event in enumerate(self.analysis.view.function(identity).events):
            if event.kind != "call" or not any(argument.value in names for argument in event.arguments):
                continue
            for call in self.analysis.view.calls(identity, number):
                for target in call.functions[:4]:
                    for formal, value in self.analysis.view.bound(call, target).items():
                        if value in names and target != identity:
                            yield from self._changed_by(target, formal, depth)

    def _changed_by(self, identity: FunctionId, formal: str, depth: int) -> Iterator[Change]:
        """The changes that a function makes of what it is given, and does not put back."""
        if depth > FURTHEST:
            return
        for change in self.changes.below(f"{identity.module}:{formal}"):
            if change.function == identity and not self._puts_back(identity, change.event):
                yield change
        it = Name(formal, "local")
        for number, event in enumerate(self.analysis.view.function(identity).events):
            if event.kind == "call" and event.ignored and any(argument.value == it for argument in event.arguments):
                calls = self.analysis.view.calls(identity, number)
                if all(not call.functions for call in calls) and self._is_recorded_anew(identity, number, formal):
                    yield Change(f"{identity.module}:{formal}", identity, number)
        yield from self._passed_on(identity, frozenset([it]), depth + 1)

    def _puts_back(self, identity: FunctionId, change: int) -> bool:
        """Whether a function stores something in the place of the records once it has changed one."""
        view = self.analysis.view
        saving = [n for n, calls in view.calling(identity) if any(self.save.function in call.functions for call in calls)]
        storing = [stored.event for stored in self.kept.of(identity) if is_within(stored.place, self.save.place)]
        return any(path(view.graph(identity), change, event, consistent=False) is not None for event in (*saving, *storing))

    def _is_recorded_anew(self, identity: FunctionId, number: int, formal: str) -> bool:
        """Whether what was handed to somebody unknown is recorded after each time, under a name of its own: it has changed."""
        view = self.analysis.view
        graph = view.graph(identity)
        loop = graph.derived(Loops).loop_of(number)
        if loop is None or loop.driver is None:
            return False
        turning: set[Value] = {e.path.root for n, e in enumerate(view.function(identity).events) if n in loop.body and e.kind == "local" and e.path is not None}
        return any(
            self.save.function in call.functions and Name(formal, "local") in given and not turning.isdisjoint(given)
            for saving, calls in view.calling(identity) if saving in loop.body
            for given in ([argument.value for argument in view.event(identity, saving).arguments],) for call in calls
        )
