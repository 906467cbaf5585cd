"""What functions keep that shares structure with something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.types import ClassObject, in_order
from ctxlint.calls.view import Call, argument_of
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.holders import ITEM, Holder, Holders, is_within
from ctxlint.roles.image import Image, as_whole, copied
from ctxlint.roles.images import Images
from ctxlint.roles.likeness import is_formal
from ctxlint.roles.measures import slice_of

LATER = "later"
"""The place of what is handed to something that runs later."""

_ELEMENTS = re.compile(r"(?:\[(?:\*|\d+)\])+$")
_PUTS = frozenset(["append", "appendleft", "add", "insert", "extend", "update", "setdefault", "__setitem__"])


class Stored(msgspec.Struct, frozen=True, gc=False):
    """At an event of a function, `place` gets something that shares structure with a cell."""

    place: Holder
    image: Image
    function: FunctionId
    event: int
    back: bool = False
    """Whether it is an earlier copy of the same place that is put back."""
    to_store: bool = False
    """Whether what runs later is the writing method of a store's interface."""
    made: FunctionId | None = None
    """The function that stores it by itself, if that is another one."""
    user: FunctionId | None = None
    """The function at the other end of the queue that it is put into."""
    entries: int = 0
    """How many of the levels are copied by going through the entries one by one, see `entry_wise`."""
    first: bool = False
    """Whether it is what a constructor gives the place and the cell at first."""

    @property
    def origin(self) -> FunctionId:
        """The function whose own operation stores it."""
        return self.made or self.function


def entry_wise(stored: Stored) -> Iterator[Stored]:
    """A store of an entry in the place of an entry, also as one of the wholes: `live[k] = record[k]` puts back one level of a record."""
    yield stored
    while stored.place.endswith(ITEM) and stored.image.holder.endswith(ITEM):
        image = msgspec.structs.replace(stored.image, holder=stored.image.holder[:-len(ITEM)], depth=stored.image.depth + 1)
        stored = msgspec.structs.replace(stored, place=stored.place[:-len(ITEM)], image=image, entries=stored.entries + 1)
        yield stored


def but_itself(stored: Stored) -> Stored:
    """A store of a whole object in one of its own attributes, as one of all the others: the record is no part of what it records."""
    image = stored.image
    if "[" in image.holder or ":" in image.holder or not stored.place.startswith(f"{image.holder}."):
        return stored
    own = stored.place[len(image.holder) + 1:].partition("[")[0]
    return msgspec.structs.replace(stored, image=msgspec.structs.replace(image, apart=(*image.apart, own)))


def put_back(stored: Stored) -> Stored:
    """A store of an earlier copy of a place in that place; an entry is put back as a part of the whole that was copied."""
    if stored.image.above and stored.place.endswith(ITEM):
        whole = msgspec.structs.replace(stored.image, holder=stored.place[:-len(ITEM)], depth=stored.image.depth + 1)
        stored = msgspec.structs.replace(stored, place=whole.holder, image=whole)
    return msgspec.structs.replace(stored, back=True)


def holds_itself(stored: Stored) -> bool:
    """Whether a value becomes an element of itself, as the neighbours in a chain do; what an entry files under a name is a record."""
    steps = stored.place[len(stored.image.holder):] + "".join(stored.image.within)
    return not stored.image.depth and bool(steps) and is_within(stored.place, stored.image.holder) and _ELEMENTS.match(steps) is not None


def _in_order(stored: Iterable[Stored]) -> tuple[Stored, ...]:
    """Each once, as the function goes, the least copied first: images are sets, and which of them comes first must not count."""
    return tuple(sorted(dict.fromkeys(stored), key=lambda s: (s.event, s.place, s.image.depth, msgspec.structs.astuple(s.image), s.back)))


class Kept:
    """The stores of every function; memoised."""

    def __init__(self, summaries: Summaries, holders: Holders, images: Images) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self._images = images
        self._stored = Recall[FunctionId, tuple[Stored, ...]](lambda identity: (), first=min)
        self._built = Recall[FunctionId, tuple[Stored, ...]](lambda identity: (), first=min)
        self._by_default: dict[str, dict[int, frozenset[str]]] = {}

    def of(self, identity: FunctionId) -> tuple[Stored, ...]:
        """What a function, or a callee, stores into attributes and containers that shares structure with something."""
        return self._stored.ask(
            identity, lambda: _in_order([*self._own_stores(identity), *self._lifted_stores(identity)]))

    def _own_stores(self, identity: FunctionId) -> Iterator[Stored]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind == "local" and event.value is not None:
                if self._outlives(identity, event):
                    assert event.path is not None
                    yield from self._parts(identity, number, number, event.value, self._holders.of(identity, number, event.path.root))
                for place in self._taken_below(identity, event):
                    for image in self._images.of(identity, number, event.value):
                        if not image.around and not is_formal(image.holder):
                            yield Stored(place, image, identity, number)
            if event.path is None or not (event.path.steps or event.kind == "call"):
                continue
            if event.kind == "write" and event.value is not None:
                levels = 1 if slice_of(event) is not None else 0
                places = self._images.objects.of_path(identity, number, event.path) or self._holders.of_event(identity, number)
                if event.path.steps[-1].startswith("["):
                    around = self._images.through(identity, number, AccessPath(event.path.root, event.path.steps[:-1]))
                    places |= {f"{place}{event.path.steps[-1]}" for place in around}
                stored = self._parts(identity, number, number, event.value, places, levels)
            elif event.kind == "call" and self._view.does(identity, number, "mutates") is not None and not event.path.steps:
                stored = self._set_by_name(identity, number, event)
            elif event.kind == "call" and event.path.steps[-1:] and event.path.steps[-1] in _PUTS and event.arguments:
                stored = self._put(identity, number, event, event.path.steps[-1])
            else:
                continue
            found = list(stored)
            whole = AccessPath(event.path.root, event.path.steps[:-1])
            if found and not self._images.is_new(identity, number, whole) and not self._images.decided.never(identity, number):
                yield from found

    def _put(self, identity: FunctionId, number: int, event: Event, method: str) -> Iterator[Stored]:
        """What a method of a container puts into it."""
        assert event.path is not None
        receiver = AccessPath(event.path.root, event.path.steps[:-1])
        holders = self._images.objects.of_path(identity, number, receiver) or self._holders.of_receiver(identity, number)
        holders |= self._images.through(identity, number, receiver)
        if method in ("append", "appendleft", "add", "insert", "__setitem__"):
            places, levels = [f"{holder}{ITEM}" for holder in holders], 0
        else:
            places, levels = list(holders), 1
        yield from self._parts(identity, number, number, event.arguments[-1].value, places, levels)

    def _set_by_name(self, identity: FunctionId, number: int, event: Event) -> Iterator[Stored]:
        """What a call sets as an attribute by its name; when that is computed, any attribute of the object is one of its entries."""
        match = self._view.does(identity, number, "mutates")
        if match is None or not isinstance(match.target, (Name, Result)) or not isinstance(match.content, (Name, Result, Compound)):
            return
        name = argument_of(match.call, match.effect.key)
        if isinstance(name, Constant):
            places = self._holders.of_path(identity, number, AccessPath(match.target, (name.text,)))
            yield from self._parts(identity, number, number, match.content, places)
            return
        objects = self._images.objects.of(identity, number, AccessPath(match.target))
        yield from self._parts(identity, number, number, match.content, [f"{each}{ITEM}" for each in objects])

    def _outlives(self, identity: FunctionId, event: Event) -> bool:
        """Whether a function gives a value to a variable that is not its own: of its module, or of a function around it."""
        root = event.path.root if event.path is not None else None
        return isinstance(root, Name) and root.scope != "local" and self._view.function(identity).kind not in ("module", "class")

    def _taken_below(self, identity: FunctionId, event: Event) -> Iterator[Holder]:
        """The place of a function's own variable that a function inside it takes, and may keep."""
        root = event.path.root if event.path is not None else None
        if isinstance(root, Name) and root.scope == "local" and identity.index:
            if self._holders.is_shared_below(identity, root.name) or root.name in self._defaults(identity):
                yield self._holders.own(identity, root.name)

    def _defaults(self, identity: FunctionId) -> frozenset[str]:
        """The variables of a function that formals of functions inside it are by default: `lambda old=old: …`."""
        known = self._by_default.get(identity.module)
        if known is None:
            known = self._by_default[identity.module] = {}
            for function in self._view.program.modules[identity.module].ir.functions:
                names = [f.default.name for f in function.formals if isinstance(f.default, Name) and f.default.scope == "local"]
                if names:
                    known[function.enclosing] = known.get(function.enclosing, frozenset()).union(names)
        return known.get(identity.index, frozenset())

    def built(self, identity: FunctionId) -> tuple[Stored, ...]:
        """What the fields of the objects that a function, or a callee, makes share with something, wherever the objects go."""
        return self._built.ask(identity, lambda: _in_order(self._find_built(identity)))

    def _find_built(self, identity: FunctionId) -> Iterator[Stored]:
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind != "call":
                continue
            for place, image, constructor in self._constructed(identity, number):
                yield Stored(place, image, identity, number, made=constructor)
            for call in self._view.effective_calls(identity, number):
                for target in call.functions[:4]:
                    if target != identity and not is_constructor(self._view, target):
                        yield from self._lifted(identity, number, call, target, self.built(target))

    def _parts(
        self, identity: FunctionId, number: int, at: int, value: Value, places: Iterable[Holder], levels: int = 0, level: int = 0
    ) -> Iterator[Stored]:
        """The parts of what is stored, each with its own place."""
        if isinstance(value, Name) and value.scope == "local" and level < 4:
            definitions = self._view.definitions(identity)
            bindings = definitions.definitions(at, value.name)
            bound = self._view.event(identity, bindings[0]) if len(bindings) == 1 and bindings[0] >= 0 else None
            if bound is not None and bound.kind == "local" and bound.value is not None and not definitions.additions(at, value.name):
                yield from self._parts(identity, number, bindings[0], bound.value, places, levels, level + 1)
                return
        if levels == 1 and isinstance(value, Compound) and value.operator in ("dict", "list", "tuple"):
            yield from self._entries(identity, number, at, value, places, level)
            return
        if isinstance(value, Compound) and value.operator == "dict" and not levels:
            for key, part in zip(value.parts[::2], value.parts[1::2]):
                if isinstance(key, Compound) and key.operator == "**":
                    yield from self._parts(identity, number, at, part, places, 1, level + 1)
                else:
                    step = f"[{key.text}]" if isinstance(key, Constant) else ITEM
                    yield from self._parts(identity, number, at, part, [f"{p}{step}" for p in places], 0, level + 1)
            return
        if isinstance(value, Compound) and value.operator == "tuple" and not levels:
            for index, part in enumerate(value.parts):
                yield from self._parts(identity, number, at, part, [f"{p}[{index}]" for p in places], 0, level + 1)
            return
        if isinstance(value, Result) and not levels:
            fields = list(self._constructed(identity, value.event))
            if fields:
                for place, image, constructor in fields:
                    yield Stored(place, image, identity, number, made=constructor)
                return
        for place in sorted(places):
            for image in map(as_whole, self._images.of(identity, at, value)):
                if image.holder == place and (image.above or (image.depth and level)):
                    yield put_back(Stored(place, image, identity, number))
                elif image.holder != place:
                    yield Stored(place, copied(image, levels), identity, number)

    def _entries(
        self, identity: FunctionId, number: int, at: int, value: Compound, places: Iterable[Holder], level: int
    ) -> Iterator[Stored]:
        """What a container gets of another one that is put together for it: `x.update({key: value})`, `x.extend([value])`."""
        parts = zip(value.parts[::2], value.parts[1::2]) if value.operator == "dict" else ((None, part) for part in value.parts)
        for key, part in parts:
            spread = part.parts[0] if isinstance(part, Compound) and part.operator == "*" else part
            whole = spread is not part or (isinstance(key, Compound) and key.operator == "**")
            step = f"[{key.text}]" if isinstance(key, Constant) else ITEM
            yield from self._parts(identity, number, at, spread, [p if whole else f"{p}{step}" for p in places], int(whole), level + 1)

    def _constructed(self, identity: FunctionId, number: int) -> Iterator[tuple[Holder, Image, FunctionId | None]]:
        """The fields of an object that a call makes, what they share with something, and the constructor that sees to it."""
        event = self._view.event(identity, number)
        if event.kind != "call" or event.path is None or not self._images.is_construction(identity, number, event.path):
            return
        for built in in_order(self._view.inference.of_path(identity, number, event.path)):
            if isinstance(built, ClassObject):
                made = False
                for call in self._view.calls(identity, number):
                    for target in call.functions:
                        if is_constructor(self._view, target):
                            made = True
                            passing = self._images.passing(identity, number, call, target)
                            for stored in self.of(target):
                                for image in passing.translated(stored.image):
                                    yield stored.place, image, stored.origin
                if not made:
                    for name, value in self._fields(built.name, event):
                        for image in self._images.of(identity, number, value):
                            yield f"{attribute_owner(self._view, built.name, name)}.{name}", image, None

    def _fields(self, class_id: ClassId, event: Event) -> Iterator[tuple[str, Value]]:
        names = self._view.program.declared_fields(class_id)
        for index, argument in enumerate(event.arguments):
            name = argument.keyword or (names[index] if index < len(names) else "")
            if name and name not in ("*", "**"):
                yield name, argument.value

    def _lifted_stores(self, identity: FunctionId) -> Iterator[Stored]:
        for number, calls in self._view.calling(identity):
            if self._view.event(identity, number).kind != "call":
                continue
            for call in calls:
                for target in call.functions[:4]:
                    if target == identity or is_constructor(self._view, target):
                        continue
                    yield from self._lifted(identity, number, call, target, self.of(target))

    def _lifted(
        self, identity: FunctionId, number: int, call: Call, target: FunctionId, below: Iterable[Stored]
    ) -> Iterator[Stored]:
        """What a callee stores of its formals, as stored here of what the call passes."""
        passing = self._images.passing(identity, number, call, target)
        for stored in below:
            if stored.image.holder.startswith(f"{target.module}:"):
                for image in passing.translated(stored.image):
                    if image != stored.image:
                        lifted = Stored(stored.place, image, identity, number, made=stored.origin)
                        yield put_back(lifted) if image.holder == stored.place else lifted
