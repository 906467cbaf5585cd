"""The changes that are seen through an image, and whether they can happen before a copy is put back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import between, path, reachable
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Result
from ctxlint.roles.holders import Holder
from ctxlint.roles.image import Image, shares
from ctxlint.roles.kept import Stored
from ctxlint.roles.mutated import Change, Mutated

FURTHEST = 300
"""How many functions behind a call are looked at for a change."""


class Changes:
    """All changes in place, by what they are seen through."""

    def __init__(self, mutated: Mutated) -> None:
        self._mutated = mutated
        self._by_root: dict[Holder, list[Change]] = {}
        self._by_owner: dict[Holder, list[Change]] = {}
        self._seen: dict[tuple[Holder, int, tuple[str, ...], bool], tuple[Change, ...]] = {}
        for change in mutated.changes:
            root = change.place.partition("[")[0]
            self._by_root.setdefault(root, []).append(change)
            self._by_owner.setdefault(root.rpartition(".")[0], []).append(change)

    def below(self, place: Holder) -> tuple[Change, ...]:
        """The changes of what lies where the place does, and of what its objects hold."""
        return (*self._of(place), *self._mutated.through(place))

    def of_fields(self, class_id: str) -> Sequence[Change]:
        """The changes of what the fields of a class's objects hold."""
        return self._by_owner.get(class_id, ())

    def _of(self, place: Holder) -> Sequence[Change]:
        """The changes of what has the place's name, or of the attributes of the class that it names."""
        root = place.partition("[")[0]
        return self._by_root.get(root) or self._by_owner.get(root) or ()

    def seen(self, image: Image, *, through: bool = False) -> Sequence[Change]:
        """The changes that are seen through an image, the nearest first; of a copied object also of what its fields hold.

        The same image is asked about for each of its many restores, so the answers are remembered.
        """
        key = (image.holder, image.depth, image.apart, through)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = tuple(self._find_seen(image, through))
        return found

    def made_by(self, identity: FunctionId) -> Iterator[tuple[int, AccessPath]]:
        """The events of a function that change something in place, each with the path of what it changes."""
        return self._mutated.made_by(identity)

    def _find_seen(self, image: Image, through: bool) -> Iterator[Change]:
        beyond = self._mutated.through(image.holder) if through and image.depth else ()
        for changes in (self._of(image.holder), beyond):
            yield from sorted(
                [c for c in changes if shares(image, c.place)], key=lambda c: (len(c.place), c.function, c.event)
            )

    def first(self, image: Image, but: Iterable[FunctionId], *, through: bool = False) -> Change | None:
        """The nearest change that other functions make."""
        excluded = frozenset(but)
        return next((c for c in self.seen(image, through=through) if c.function not in excluded and c.origin not in excluded), None)


def place_of(analysis: Analysis, stored: Stored, changes: Changes) -> tuple[FunctionId, int]:
    """Where the value is handed out; where it is stored if the one who hands it out gives it to others to be changed."""
    giver = stored.image.where[0]
    if giver not in (stored.function, stored.origin) and not stored.image.depth:
        callers = {caller for caller, _ in analysis.view.call_graph.callers(giver)}
        owner = analysis.program.owner(giver)
        if any(c.function in callers and analysis.program.owner(c.function) != owner for c in changes.seen(stored.image)):
            return stored.function, stored.event
    return stored.image.where


def made_at(analysis: Analysis, put_back: Stored) -> int | None:
    """The event of a function at which the copy that it puts back is made, by itself or by who it calls for that."""
    function, event = put_back.image.where
    if function == put_back.function:
        return event
    makers = [n for n, calls in analysis.view.calling(put_back.function) if any(function in call.functions for call in calls)]
    return makers[0] if len(makers) == 1 else None


def undoes(analysis: Analysis, put_back: Stored) -> bool:
    """Whether a copy is put back on some ways only, or is one of several: what happened since is kept unless it is chosen against."""
    made = made_at(analysis, put_back)
    if made is None or _is_one_of_several(analysis, put_back, made):
        return made is not None
    graph = analysis.view.graph(put_back.function)
    return path(graph, made, graph.exit, {put_back.event}, exceptional=False) is not None


def is_put_back_on_failure(analysis: Analysis, put_back: Stored) -> bool:
    """Whether an exception alone leads from the copy to putting it back: what happened since is taken back.

    On other ways a copy is as often the next state: a list without some of its elements, or a better one of two.
    """
    made = made_at(analysis, put_back)
    graph = analysis.view.graph(put_back.function)
    return made is not None and path(graph, made, put_back.event, exceptional=False) is None


def is_emptied_meanwhile(analysis: Analysis, put_back: Stored) -> bool:
    """Whether the function empties the live container itself, or binds it anew, before anything else can use it.

    What is put into the container since then are objects that the copy does not know.
    """
    made = made_at(analysis, put_back)
    if made is None:
        return False
    emptied = {
        m.event for m in analysis.summaries.of(put_back.function).mutations
        if m.how == "clear" and m.event != put_back.event and put_back.image.holder in m.cells[-1:]
    }
    graph = analysis.view.graph(put_back.function)
    calls = {number for number, found in analysis.view.calling(put_back.function) if number not in emptied and any(c.functions for c in found)}
    return bool(emptied) and path(graph, made, calls - {made}, emptied, start="completed", exceptional=False) is None


def _is_one_of_several(analysis: Analysis, put_back: Stored, made: int) -> bool:
    """Whether copies are made again and again, and one of them is put back afterwards."""
    loop = analysis.view.graph(put_back.function).derived(Loops).loop_of(made)
    return put_back.image.chosen or (loop is not None and put_back.event not in loop.body)


def meanwhile(analysis: Analysis, put_back: Stored, changes: Iterable[Change]) -> Change | None:
    """The first of the changes that can happen after a function has made its copy and before it puts it back."""
    identity = put_back.function
    inside = _inside(analysis, put_back)
    run: frozenset[FunctionId] | None = None
    for change in changes:
        if change.function == identity and change.origin is None:
            if change.event in inside:
                return change
            continue
        if run is None:
            if any(_can_run_anything(analysis, identity, number, put_back.image.holder) for number in inside):
                return change
            run = _run_from(analysis, identity, inside)
        if (change.origin or change.function) in run:
            return change
    return None


def is_known_meanwhile(analysis: Analysis, put_back: Stored) -> bool:
    """Whether all that a function calls between its copy and putting it back is known, so that nothing else can change the cell."""
    identity = put_back.function
    return not any(
        analysis.view.event(identity, number).kind == "suspend" or any(c.unknown or c.abstract for c in analysis.view.calls(identity, number))
        for number in _inside(analysis, put_back)
    )


def _inside(analysis: Analysis, put_back: Stored) -> frozenset[int]:
    """The events between the copy and putting it back; while others of several copies are made, too."""
    graph = analysis.view.graph(put_back.function)
    made, back = made_at(analysis, put_back), put_back.event
    if made is None:
        return frozenset()
    if _is_one_of_several(analysis, put_back, made):
        return reachable(graph, made, {back}) & between(graph, graph.entry, back)
    return between(graph, made, back)


def _can_run_anything(analysis: Analysis, identity: FunctionId, number: int, cell: Holder) -> bool:
    """Whether somebody else's code has its turn: a `with` body, what was handed in, a method that gets hold of the cell's owner."""
    event = analysis.view.event(identity, number)
    if event.kind == "suspend":
        return event.note in ("yield", "yield-from")
    if event.kind != "call" or event.path is None or not all(c.unknown or c.abstract for c in analysis.view.calls(identity, number)):
        return False
    if not event.path.steps:
        return True
    return any(_holds(analysis, identity, number, event, cell))


def _holds(analysis: Analysis, identity: FunctionId, number: int, event: Event, cell: Holder) -> Iterator[bool]:
    """For each argument whether what it gives can be reached from what lies around the cell."""
    owner = cell.partition("[")[0].rpartition(".")[0]
    for argument in event.arguments:
        value = argument.value
        if isinstance(value, Result) and analysis.view.event(identity, value.event).kind == "call":
            continue
        types = analysis.view.inference.of_value(identity, number, value)
        yield any(getattr(type, "name", "") == owner for type in types)


def _run_from(analysis: Analysis, identity: FunctionId, events: Iterable[int]) -> frozenset[FunctionId]:
    """The functions that the events call, and those that are called by them."""
    pending = [target for number in events for target in _called_at(analysis, identity, number)]
    found: set[FunctionId] = set()
    while pending and len(found) < FURTHEST:
        current = pending.pop()
        if current not in found:
            found.add(current)
            pending.extend(t for _, calls in analysis.view.calling(current) for call in calls for t in call.functions)
    return frozenset(found)


def _called_at(analysis: Analysis, identity: FunctionId, number: int) -> Iterator[FunctionId]:
    """The functions that an event calls; of a generator whose next element is taken, those that it is made by."""
    event = analysis.view.event(identity, number)
    if event.kind == "iterate" and isinstance(event.value, Result):
        number = event.value.event
    for call in analysis.view.effective_calls(identity, number):
        yield from call.functions
