"""Where keys select what is read from a container, or written to it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal as OneOf

from ctxlint.calls.effects import WRITES, EffectKind
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.view import Modelled, argument_of
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.conditions import asked_at
from ctxlint.roles.copies import copied_from
from ctxlint.roles.displays import bounds, is_open, keys_of, memberships, pieces_of, spread_in
from ctxlint.roles.entry_uses import changed_entries, is_looked_up
from ctxlint.roles.fields import Fields
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.leaf import Leaf
from ctxlint.roles.starred import filled

Mode = OneOf["read", "write"]
Places = frozenset[Holder]

HELPERS = 2
"""How many calls deep a key is followed."""
FILES: Places = frozenset(["file"])
"""The container of everything that a path selects."""

_LOOKS = frozenset(["get", "__getitem__"])
_STORES = frozenset(["__setitem__", "__delitem__", "setdefault", "insert", "pop"])
_EMPTY = {"dict": 0, "list": 0, "set": 0, "OrderedDict": 0, "Counter": 0, "defaultdict": 1}
"""Containers of the language, and how many arguments they may be given without being filled."""
_OF_DICTIONARIES = AccessPath(Name("dict", "global"))
_SUPER = AccessPath(Name("super", "global"))
_FIRST = Constant("int", "0")
_STORE_VERBS = ("loads", "reads", "saves", "appends", "deletes", "opens", "replaces", "creates", "truncates")
_NOT_DURABLE = frozenset(["", "memory", "lock", "handle", "process", "socket"])


class Keyed:
    """A key, made of `values`, selects what is read or written at an event; what it selects from is found when it is asked for."""

    def __init__(
        self, event: int, mode: Mode, values: tuple[Value, ...], leaves: Callable[[], frozenset[Leaf]], places: Callable[[], Places],
        sought: bool = False, merges: bool = False, each: bool = False,
    ) -> None:
        self.event = event
        self.mode: Mode = mode
        self.values = values
        self.sought = sought             # it is only asked whether the key is there
        self.merges = merges             # a whole mapping is merged
        self.each = each                 # each of what the values hold selects, one after the other
        self._find_leaves = leaves
        self._find_places = places

    @functools.cached_property
    def leaves(self) -> frozenset[Leaf]:
        """The fields that the key is made of."""
        return self._find_leaves()

    @functools.cached_property
    def places(self) -> Places:
        """The container that the key selects from."""
        return self._find_places()


class Keys:
    """The selecting events of every function; memoised."""

    def __init__(self, summaries: Summaries, fields: Fields, holders: Holders) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._fields = fields
        self._holders = holders
        self._depths: dict[FunctionId, int] = {}
        self._own: dict[FunctionId, tuple[Keyed, ...]] = {}
        # A recursion selects by nothing else.
        self._recall = Recall[tuple[bool, FunctionId, Mode], tuple[Any, ...]](lambda question: (), first=min)

    def follow(self, functions: Iterable[FunctionId]) -> None:
        """Set how many calls deep the keys of these functions, and of those that they call, are followed.

        Each function is followed once, from the nearest that none of them calls: with what is left of `HELPERS` there.
        """
        asked = {identity for identity in functions if identity not in self._depths}
        for near in (asked - self._called(asked), asked) if asked else ():
            for depth in range(HELPERS, -1, -1):
                near = {identity for identity in near if identity not in self._depths}
                self._depths.update(dict.fromkeys(near, depth))
                near = self._called(near) if depth else set()

    def _called(self, functions: Iterable[FunctionId]) -> set[FunctionId]:
        """Whom these functions call, but for themselves."""
        return {
            target for identity in functions for _, calls in self._view.calling_inside(identity) for call in calls
            for target in call.functions[:4] if target != identity
        }

    def of(self, identity: FunctionId, mode: Mode) -> tuple[Keyed, ...]:
        """Every event of a function at which a key selects what is read, or what is written."""
        return self._recall.ask((False, identity, mode), lambda: self._find_all(identity, mode))

    def _find_all(self, identity: FunctionId, mode: Mode) -> tuple[Keyed, ...]:
        self.follow([identity])
        if identity not in self._own:
            self._own[identity] = tuple(self._find_own(identity))
        passed = self._through_calls(identity, mode) if self._depths[identity] else ()
        return tuple(sorted([*(own for own in self._own[identity] if own.mode == mode), *passed], key=lambda keyed: keyed.event))

    def container(self, identity: FunctionId, at: int, value: Value | AccessPath) -> Places:
        """The places that a value is, as something that keys select from."""
        if isinstance(value, AccessPath):
            return self._container(identity, at, value, self._view.event(identity, at).keys)
        if isinstance(value, Name):
            return self._container(identity, at, AccessPath(value), ())
        return frozenset(holder.partition("[")[0] for holder in self._holders.of(identity, at, value))

    def _find_own(self, identity: FunctionId) -> Iterator[Keyed]:
        """The keys by which the function itself selects."""
        for number, event in enumerate(self._view.function(identity).events):
            if not event.keys and event.kind != "call" and not isinstance(event.value, Compound):
                continue                                   # nothing selects, and nothing is put together
            yield from self._merged(identity, number, event)
            for mode, values, places in self._selecting(identity, number, event):
                yield from self._by(identity, number, mode, values, places)
            if event.kind == "local" and isinstance(event.value, Compound):
                yield from self._taken_along(identity, number, event.value)
            yield from self._handed_over(identity, number, event) if event.kind == "call" else ()
            match = self._view.does(identity, number, *_STORE_VERBS) if event.kind == "call" else None
            if match is not None:
                yield from self._of_store(identity, number, match)
                yield from self._on_receiver(identity, number, event, match)
        yield from self._sought(identity)
        yield from self._changed_entries(identity)

    def _by(
        self, identity: FunctionId, number: int, mode: Mode, values: Iterable[Value], places: Callable[[], Places]
    ) -> Iterator[Keyed]:
        """The key that some values are, unless it is a constant."""
        selecting = tuple(v for v in bounds(values) if not isinstance(v, Constant))
        if selecting:
            yield Keyed(number, mode, selecting, functools.partial(self._made_of, identity, number, selecting), places)

    def _made_of(self, identity: FunctionId, number: int, values: tuple[Value, ...]) -> frozenset[Leaf]:
        """The fields that a key is made of, or else those by which it was tested before."""
        found = self._fields.of_all(identity, number, values)
        if not any(leaf.field for leaf in found):
            found = found.union(*(self._fields.tested(identity, number, None, v) for v in values if isinstance(v, Name)))
        return found

    def _selecting(
        self, identity: FunctionId, number: int, event: Event
    ) -> Iterator[tuple[Mode, Iterable[Value], Callable[[], Places]]]:
        if event.kind in ("read", "write", "delete") and event.keys and event.path is not None:
            container = AccessPath(event.path.root, event.path.steps[:event.path.steps.index("[*]")])
            places = functools.partial(self._container, identity, number, container, event.keys)
            yield "read" if event.kind == "read" else "write", event.keys, places
        elif event.kind == "call" and event.path is not None and event.path.steps and event.arguments:
            name, first = event.path.steps[-1], event.arguments[0].value
            receiver = AccessPath(event.path.root, event.path.steps[:-1])
            places = functools.partial(self._container, identity, number, receiver, event.keys)
            if receiver == _OF_DICTIONARIES and len(event.arguments) > 1:          # `dict.__getitem__(self, key)`
                first, places = event.arguments[1].value, functools.partial(self._entries, identity, number, first)
            if name in _LOOKS:
                yield "read", (first,), places
            elif name in _STORES and not isinstance(event.path.root, Constant):
                yield "write", (first,), places
        if event.kind in ("local", "write", "return") and isinstance(event.value, Compound):
            yield from self._spliced(identity, number, event.value)

    def _handed_over(self, identity: FunctionId, number: int, event: Event) -> Iterator[Keyed]:
        """Keys that a function of the language looks up one after the other: `map(state.get, keys)`, `itemgetter(*keys)(state)`."""
        if event.path is None or event.path.steps or len(event.arguments) == 0:
            return
        values: list[Value] = []
        first = event.arguments[0].value
        got = self._view.event(identity, first.event) if isinstance(first, Result) else None
        made = self._view.event(identity, event.path.root.event) if isinstance(event.path.root, Result) else None
        places: Callable[[], Places] | None = None
        if event.path.root == Name("map", "global") and got is not None and got.kind == "read" and got.path is not None:
            if got.path.steps and got.path.steps[-1] in _LOOKS and isinstance(first, Result):
                values = [argument.value for argument in event.arguments[1:2]]
                places = functools.partial(self._container, identity, first.event, AccessPath(got.path.root, got.path.steps[:-1]), got.keys)
        elif made is not None and made.kind == "call" and made.path is not None:
            if (made.path.steps[-1:] or (getattr(made.path.root, "name", ""),))[0] == "itemgetter":
                values = [argument.value for argument in made.arguments]
                places = functools.partial(self.container, identity, number, first)
        if values and places is not None:
            yield Keyed(number, "read", tuple(values), functools.partial(self._fields.of_all, identity, number, values), places, each=True)

    def _container(self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...]) -> Places:
        """What a key selects from: an attribute, a variable of a module, a formal, or else a local of this function.

        What begins empty in this function is an index of its own, and no state that changes could be applied to.
        """
        if isinstance(path.root, Result) and self._view.event(identity, path.root.event).path == _SUPER:
            return self._own_entries(identity)
        found = self._holders.of_path(identity, at, path, keys)
        if not found and isinstance(path.root, Name) and not path.steps:
            found = frozenset().union(*(
                self._holders.of(identity, where, source) for where, source in copied_from(self._view, identity, at, path.root)))
        if not found and isinstance(path.root, Name):
            if not path.steps and self._begins_empty(identity, at, path.root):
                return frozenset()
            words = ".".join((path.root.name, *path.steps))
            return frozenset([f"{identity.module}:{self._view.function(identity).qualname}.{words}"])
        return frozenset(self._named_as_passed(identity, path, holder.partition("[")[0]) for holder in found)

    def _entries(self, identity: FunctionId, at: int, value: Value) -> Places:
        """The entries of an object whose class is derived from the dictionary's."""
        owner = self._fields.owner(identity, at, value) if isinstance(value, Name) else ""
        return frozenset([f"{owner}{{}}"]) if owner else self.container(identity, at, value)

    def _own_entries(self, identity: FunctionId) -> Places:
        """What the base class of a method's class keeps: `super().__getitem__(key)`."""
        owner = f"{identity.module}.{self._view.function(identity).qualname.rpartition('.')[0]}"
        return frozenset([f"{owner}{{}}"]) if self._view.program.class_(owner) is not None else frozenset()

    def _named_as_passed(self, identity: FunctionId, path: AccessPath, place: Holder) -> Holder:
        """A formal that an inner function takes from the one around it is the same place in both."""
        outer = self._view.function(identity).enclosing
        while isinstance(path.root, Name) and path.root.scope == "captured" and outer >= 0:
            around = self._view.function(FunctionId(identity.module, outer))
            own = f"{identity.module}:{around.qualname}.{path.root.name}"
            if place.startswith(own) and any(formal.name == path.root.name for formal in around.formals):
                return f"{identity.module}:{path.root.name}{place[len(own):]}"
            outer = around.enclosing
        return place

    def _begins_empty(self, identity: FunctionId, at: int, name: Name) -> bool:
        numbers = self._view.definitions(identity).definitions(at, name.name) if name.scope == "local" else ()
        bound = [self._view.event(identity, number) if number >= 0 else None for number in numbers]
        return bool(bound) and all(e is not None and e.kind == "local" and self._is_empty(identity, e.value) for e in bound)

    def _is_empty(self, identity: FunctionId, value: Value | None) -> bool:
        """Whether a value is an empty display, or what a class without arguments, or with a factory alone, makes."""
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            made = event.path.root if event.kind == "call" and event.path is not None and not event.path.steps else None
            return isinstance(made, Name) and made.name in _EMPTY and len(event.arguments) <= _EMPTY[made.name]
        return isinstance(value, Compound) and value.operator in ("dict", "list", "set") and not value.parts

    def _spliced(self, identity: FunctionId, at: int, value: Value) -> Iterator[tuple[Mode, Iterable[Value], Callable[[], Places]]]:
        """What is put between two slices is written at their bounds, what is spread over a mapping by its keys."""
        pieces = list(pieces_of(value))
        for piece in pieces if len(pieces) > 1 else ():
            event = self._view.event(identity, piece.event) if isinstance(piece, Result) else None
            key = event.keys[-1] if event is not None and event.kind == "read" and event.keys else None
            if isinstance(piece, Result) and event is not None and event.path is not None and isinstance(key, Compound):
                if key.operator == "slice" and any(is_open(bound) for bound in key.parts[:2]):
                    container = AccessPath(event.path.root, event.path.steps[:-1])
                    yield "write", key.parts[:2], functools.partial(self._container, identity, piece.event, container, event.keys)

    def _merged(self, identity: FunctionId, number: int, event: Event) -> Iterator[Keyed]:
        """A mapping that is merged into another one writes by its keys, wherever these were put together."""
        path = event.path
        if event.kind == "call" and path is not None and path.steps[-1:] == ("update",) and len(event.arguments) == 1:
            receiver = AccessPath(path.root, path.steps[:-1])
            yield self._merge(identity, number, event.arguments[0].value, functools.partial(
                self._container, identity, number, receiver, event.keys))
        elif path is not None and isinstance(event.value, Compound) and event.value.operator == "|=":
            if is_looked_up(self._view.function(identity).events, path):
                yield self._merge(identity, number, event.value.parts[1], functools.partial(self._container, identity, number, path, event.keys))
        elif event.kind in ("local", "write", "return"):
            spread = list(spread_in(event.value)) if isinstance(event.value, Compound) else []
            for part in spread[1:]:
                yield self._merge(identity, number, part, functools.partial(self.container, identity, number, spread[0]))

    def _merge(self, identity: FunctionId, number: int, mapping: Value, places: Callable[[], Places]) -> Keyed:
        return Keyed(number, "write", tuple(keys_of(mapping)), functools.partial(self._fields.keys_of, identity, number, mapping), places, merges=True)

    def _sought(self, identity: FunctionId) -> Iterator[Keyed]:
        """What is looked for among the keys of something is read there, be it only that it is there."""
        function = self._view.function(identity)
        size = len(function.events)
        for index, block in enumerate(function.blocks if size else ()):
            asked = dict.fromkeys(test for edge in block.edges if edge.condition is not None for test in memberships(edge.condition.value))
            where = asked_at(self._view, identity, index, block) if asked else 0
            for test in asked:
                key, container = test.parts
                if not isinstance(key, Constant) and isinstance(container, (Name, Result)):
                    yield Keyed(
                        min(where, size - 1), "read", (key,), functools.partial(self._fields.of, identity, where, key),
                        functools.partial(self.container, identity, where, container), sought=True)

    def _taken_along(self, identity: FunctionId, number: int, value: Compound) -> Iterator[Keyed]:
        """An entry that is gone through with its key is read by that key: by what the key is tested for."""
        whole = value.parts[0] if value.operator == "item" else None
        gone = self._view.event(identity, whole.event) if isinstance(whole, Result) else None
        made = self._view.event(identity, gone.value.event) if gone is not None and isinstance(gone.value, Result) else None
        bound = self._view.event(identity, number).path
        if gone is None or gone.kind != "iterate" or made is None or made.path is None or made.kind != "call" or bound is None:
            return
        container: Value | AccessPath | None = None
        if made.path == AccessPath(Name("enumerate", "global")) and made.arguments:
            container = made.arguments[0].value
        elif made.path.steps[-1:] == ("items",):
            container = AccessPath(made.path.root, made.path.steps[:-1])
        if container is not None and value.parts[1] == _FIRST and isinstance(bound.root, Name) and isinstance(gone.value, Result):
            yield Keyed(
                number, "read", (bound.root,), functools.partial(self._tested_along, identity, number, bound.root, gone.value),
                functools.partial(self._container, identity, number, container, made.keys) if isinstance(container, AccessPath)
                else functools.partial(self.container, identity, number, container))

    def _tested_along(self, identity: FunctionId, number: int, key: Name, through: Value) -> frozenset[Leaf]:
        """The fields that a key is tested by, where the entry that is gone through beside it is used."""
        events = self._view.function(identity).events
        for at, event in enumerate(events):
            for value in (event.value, *(argument.value for argument in event.arguments)):
                if isinstance(value, Compound) and value.operator.startswith("comprehension") and through in value.parts:
                    return self._fields.tested(identity, number + 1, value, key)
        beside = events[number + 1].path if number + 1 < len(events) else None
        used = [
            at for at, event in enumerate(events)
            if beside is not None and at > number + 1 and (
                event.path == beside or beside.root in (event.value, *(argument.value for argument in event.arguments)))
        ]
        return frozenset().union(*(self._fields.tested(identity, at, None, key) for at in used[:4]))

    def _changed_entries(self, identity: FunctionId) -> Iterator[Keyed]:
        """An entry that is taken out and changed is written by its key, and read by it where it is used: `rows = tables[name]`."""
        events = self._view.function(identity).events
        for entry in changed_entries(events):
            places = functools.partial(self._container, identity, entry.event, entry.container, events[entry.event].keys)
            for at, mode in entry.uses:
                yield from self._by(identity, at, mode, (entry.key,), places)

    def _of_store(self, identity: FunctionId, number: int, match: Modelled) -> Iterator[Keyed]:
        """Files and records of a store that are chosen by an argument, or by the path whose method is called."""
        if match.effect.store in _NOT_DURABLE:
            return
        places = _files if match.effect.store == "file" else functools.partial(self._holders.of_receiver, identity, number)
        chosen = [argument_of(match.call, which) for which in (match.effect.target, match.effect.key) if which]
        values = [v for v in chosen if v is not None and not isinstance(v, AccessPath)]
        roots = [v.root for v in chosen if isinstance(v, AccessPath) and not v.steps]
        for effect in self._summaries.effects_at(identity, number) if values or roots else ():
            if effect.distance == 0 and effect.kind != "commit":
                yield from self._by(identity, number, _mode(effect.kind), values, places)
                yield from self._by(identity, number, _mode(effect.kind), roots, places)

    def _on_receiver(self, identity: FunctionId, number: int, event: Event, match: Modelled) -> Iterator[Keyed]:
        """How a path that is a field of something is read or written: `edit.target.write_text(…)`."""
        if match.effect.store != "file" or not isinstance(match.target, AccessPath) or not match.target.steps:
            return
        leaves = functools.partial(self._fields.of_path, identity, number, match.target, event.keys)
        for effect in self._summaries.effects_at(identity, number):
            if effect.distance == 0:
                yield Keyed(number, _mode(effect.kind), (), leaves, _files)

    def _through_calls(self, identity: FunctionId, mode: Mode) -> Iterator[Keyed]:
        """Keys that are passed to a helper which reads or writes by them; one by which it writes is none by which it reads."""
        for number, calls in self._view.calling_inside(identity):
            for call in calls:
                for target in call.functions[:4] if call.arguments else ():
                    inner = self._selecting_formals(target, mode) if target != identity else ()
                    actuals = filled(self._view, call, target) if inner else {}
                    for formal, keyed in inner:
                        if formal in actuals:
                            value = actuals[formal]
                            yield Keyed(
                                number, mode, (value,), functools.partial(self._fields.of, identity, number, value),
                                functools.partial(self._passed_places, identity, number, keyed, target, actuals),
                            )

    def _selecting_formals(self, identity: FunctionId, mode: Mode) -> tuple[tuple[str, Keyed], ...]:
        """The formals of a function that are keys, as a whole."""
        return self._recall.ask((True, identity, mode), lambda: self._find_selecting_formals(identity, mode))

    def _find_selecting_formals(self, identity: FunctionId, mode: Mode) -> tuple[tuple[str, Keyed], ...]:
        written = {formal for formal, _ in self._selecting_formals(identity, "write")} if mode == "read" else ()
        formals = {formal.name for formal in self._view.function(identity).formals}.difference(written)
        return tuple(
            (leaf.instance, keyed) for keyed in (self.of(identity, mode) if formals else ()) for leaf in keyed.leaves
            if not leaf.field and leaf.instance in formals
        )

    def _passed_places(self, identity: FunctionId, number: int, keyed: Keyed, target: FunctionId, actuals: dict[str, Value]) -> Places:
        """The containers that a callee selects from, in terms of what it is passed."""
        return frozenset().union(*(self._passed_place(identity, number, place, target, actuals) for place in keyed.places))

    def _passed_place(
        self, identity: FunctionId, number: int, place: Holder, target: FunctionId, actuals: dict[str, Value]
    ) -> Places:
        """A callee's container: the one that was passed, when it is a formal."""
        formal = place.partition(":")[2]
        if place.startswith(f"{target.module}:") and formal in actuals:
            return self.container(identity, number, actuals[formal])
        return frozenset([place])


def _files() -> Places:
    return FILES


def _mode(kind: EffectKind) -> Mode:
    return "write" if kind in WRITES or kind == "create" else "read"
