"""What every function does, callees included, bottom-up over the condensation of the call graph.

A summary holds the effects on stores and the mutations of cells that a call of the function may have, in terms of its
formals, and whether it really suspends. What its result is made of is found when somebody asks.
Strongly connected functions are iterated together until nothing changes (at most `ROUNDS` times: effects of a recursion
repeat).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from ctxlint.calls.components import components
from ctxlint.calls.effects import StoreEffect, primitive_effects, written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation, lifted_mutations, primitive_mutations
from ctxlint.calls.opened import handle_cells, handle_contents, hands_out
from ctxlint.calls.places import Places
from ctxlint.calls.sources import Flow, Source, Sources, result_flow
from ctxlint.calls.terms import UNKNOWN, Term, keys, parameters, substitute
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import Name, Value

K = TypeVar("K")
T = TypeVar("T")

MAX_DISTANCE = 5
"""Effects further down than this many calls are not reported from here: they belong to the callee."""
MAX_EFFECTS = 60
"""A function with more effects than this is a dispatcher; the nearest are kept."""
ROUNDS = 3
NESTED = 40
"""A chain of functions that give back one another's results is followed from its end when it is longer than this."""


class Summary(msgspec.Struct, frozen=True, gc=False):
    """What a call of the function may do. `effects` and `mutations` carry the events of the function itself."""

    effects: tuple[StoreEffect, ...] = ()
    mutations: tuple[Mutation, ...] = ()
    suspends: bool = False


class Summaries:
    """The summaries of a program, and the questions that need them."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.places = Places(view)
        self.sources = Sources(view, self._flow, self.reads_store)
        self._known: dict[FunctionId, Summary] = {}
        self._flows: dict[FunctionId, Flow] = {}
        self._nested = 0
        self._lifting: dict[FunctionId, tuple[_Lifting, ...]] = {}
        self._by_event: dict[FunctionId, dict[int, tuple[StoreEffect, ...]]] = {}
        self._mutations_by_event: dict[FunctionId, dict[int, tuple[Mutation, ...]]] = {}
        self._mutations_by_cell: dict[FunctionId, dict[str, tuple[Mutation, ...]]] = {}
        self._mutations_by_origin: dict[FunctionId, dict[tuple[tuple[FunctionId, int], int], tuple[Mutation, ...]]] = {}
        self._compute()

    def of(self, identity: FunctionId) -> Summary:
        """The summary of a function."""
        return self._known.get(identity, _EMPTY)

    def effects_at(self, identity: FunctionId, event: int) -> tuple[StoreEffect, ...]:
        """The effects one event may have."""
        return self._by_event.get(identity, {}).get(event, ())

    def mutations_at(self, identity: FunctionId, event: int) -> tuple[Mutation, ...]:
        """The cells one event may change."""
        return self._mutations_by_event.get(identity, {}).get(event, ())

    def mutations_of(self, identity: FunctionId, cell: str) -> tuple[Mutation, ...]:
        """The mutations of the function's summary that change the cell, in the summary's order."""
        by_cell = self._mutations_by_cell.get(identity)
        if by_cell is None:
            groups: dict[str, list[Mutation]] = {}
            for mutation in self.of(identity).mutations:
                for each in dict.fromkeys(mutation.cells):
                    groups.setdefault(each, []).append(mutation)
            by_cell = self._mutations_by_cell[identity] = {each: tuple(group) for each, group in groups.items()}
        return by_cell.get(cell, ())

    def mutations_from(self, identity: FunctionId, origin: tuple[FunctionId, int], distance: int) -> tuple[Mutation, ...]:
        """The mutations of the function's summary that come from this primitive one, so many calls away."""
        by_origin = self._mutations_by_origin.get(identity)
        if by_origin is None:
            by_origin = self._mutations_by_origin[identity] = _grouped(self.of(identity).mutations, lambda m: (m.origin, m.distance))
        return by_origin.get((origin, distance), ())

    def reads_store(self, identity: FunctionId, event: int) -> bool:
        """Whether the event's result is content of a store: its nearest effect is a read."""
        effects = [e for e in self.effects_at(identity, event) if e.kind != "commit"]
        if not effects:
            return False
        nearest = min(e.distance for e in effects)
        return all(e.kind == "read" for e in effects if e.distance == nearest)

    def suspends(self, identity: FunctionId, event: int) -> bool:
        """Whether another writer can really run at the event: awaits of coroutines that never suspend do not count."""
        it = self.view.event(identity, event)
        if it.kind != "suspend":
            return False
        if it.note != "await" or it.value is None:
            return True
        awaited = self.view.awaited_call(identity, it.value)
        if awaited is None:
            return True
        calls = self.view.calls(identity, awaited)
        targets = [target for call in calls for target in call.functions]
        opaque = any(call.unknown or call.externals or call.abstract for call in calls) or not targets
        return opaque or any(self.of(target).suspends for target in targets)

    def flow(self, identity: FunctionId) -> Flow:
        """What the function's result is made of, in terms of its formals."""
        found = self._flows.get(identity)
        if found is None:
            if self._nested == NESTED:
                for below in components([identity], self._called_without_flow):
                    self._flows.update((each, result_flow(self.view, self.sources, each)) for each in below)
                return self._flows[identity]
            self._nested += 1
            found = self._flows[identity] = result_flow(self.view, self.sources, identity)
            self._nested -= 1
        return found

    def _called_without_flow(self, identity: FunctionId) -> Iterator[FunctionId]:
        return (target for target in _called(self.view, identity) if target not in self._flows)

    def _flow(self, identity: FunctionId) -> Flow | None:
        """The flow of a function that has a summary: in a recursion, not all have one yet."""
        return None if identity not in self._known or self.view.function(identity).stub else self.flow(identity)

    def _compute(self) -> None:
        for component in _bottom_up(self.view):
            if len(component) == 1 and component[0] not in _called(self.view, component[0]):
                self._known[component[0]] = self._summary(component[0])
            else:
                self._iterate(component)

    def _iterate(self, component: list[FunctionId]) -> None:
        """Summarise functions that call one another, the sources of their results included."""
        for _ in range(ROUNDS if len(component) > 1 else 1):
            before = [(self._known.get(identity), self._flows.get(identity)) for identity in component]
            for identity in component:
                summary = self._summary(identity)
                self._flows[identity] = result_flow(self.view, self.sources, identity)
                self._known[identity] = summary
                self._lifting.pop(identity, None)
            if before == [(self._known[identity], self._flows[identity]) for identity in component]:
                break
            # Nobody outside the component has asked about it yet: callers come later.
            self.sources.forget(component)
            for identity in component:
                self._lifting.pop(identity, None)

    def _summary(self, identity: FunctionId) -> Summary:
        effects = sorted(
            [*primitive_effects(self.view, self.places, identity), *self._lifted_effects(identity)],
            key=lambda e: (e.event, e.distance),
        )
        effects = _mark_staged(effects)
        self._by_event[identity] = _grouped(effects, lambda e: e.event)
        mutations = sorted(
            [*primitive_mutations(self.view, identity), *self._lifted_mutations(identity)], key=lambda m: (m.event, m.distance)
        )
        self._mutations_by_event[identity] = _grouped(mutations, lambda m: m.event)
        events = self.view.function(identity).events
        suspends = any(self.suspends(identity, n) for n, e in enumerate(events) if e.kind == "suspend")
        return Summary(tuple(effects), tuple(mutations), suspends)

    def _lifted_effects(self, identity: FunctionId) -> Iterator[StoreEffect]:
        for number, calls in self.view.calling(identity):
            found: dict[object, StoreEffect] = {}
            for call in calls:
                for target in call.functions:
                    for effect in self._seen_from(identity, number, call, target):
                        kept = found.get(_essence(effect))
                        if kept is None or effect.distance < kept.distance:
                            found[_essence(effect)] = effect
            yield from sorted(found.values(), key=lambda e: e.distance)[:MAX_EFFECTS]

    def _seen_from(self, identity: FunctionId, number: int, call: Call, target: FunctionId) -> Iterator[StoreEffect]:
        """The target's effects in terms of this function: places with the actual arguments, contents as passed."""
        lifting = self._lifting_of(target) if target in self._known and target != identity else ()
        if not lifting:
            return
        actuals = self.view.bound(call, target)
        terms: dict[str, Term] | None = None
        for effect, is_told, cells, stored, compared, handed, captured in lifting:
            place, source, found = effect.place, effect.source, effect.keys
            if is_told:
                if terms is None:
                    terms = {n: self.places.term(identity, number, v) for n, v in actuals.items()}
                place, source = substitute(place, terms), substitute(source, terms)
                found = found | keys(place, identity.module)
            named = effect.medium == "file" and bool(found - effect.keys)
            contents = _passed(stored, actuals) + self._held(identity, target, captured)
            if handed:                                        # what goes into the handle is said here
                contents = (*contents, *handle_contents(self.view, identity, number))
                cells = cells | handle_cells(self.view, identity, number)
            yield msgspec.structs.replace(
                effect, place=place, source=source, keys=found, event=number, distance=effect.distance + 1,
                contents=contents, selects=_passed(compared, actuals), cells=cells,
                deferred=effect.deferred or call.deferred, named=named, mode=effect.mode if handed else "",
            )

    def _held(self, identity: FunctionId, target: FunctionId, captured: tuple[str, ...]) -> tuple[Value, ...]:
        """The variables of this function that a function defined in it takes without being passed them."""
        inside = self.view.function(target)
        if not captured or target.module != identity.module or inside.enclosing != identity.index:
            return ()
        function = self.view.function(identity)
        return tuple([Name(n, "local" if n in function.locals else "captured") for n in captured if n in inside.captures])

    def _lifting_of(self, target: FunctionId) -> tuple[_Lifting, ...]:
        """What every caller of the function needs to know of its effects."""
        known = self._lifting.get(target)
        if known is None:
            known = self._lifting[target] = tuple([
                self._lifting_effect(target, effect) for effect in self._known[target].effects
                if effect.distance < MAX_DISTANCE and not effect.staged
            ])
        return known

    def _lifting_effect(self, target: FunctionId, effect: StoreEffect) -> _Lifting:
        entering = self.sources.of_all(target, written_at(self.view, target, effect), effect.contents)
        at = written_at(self.view, target, effect)
        whole = [self.sources.of(target, at, value, additions=False) for value in effect.contents] if self.view.function(target).captures else ()
        captured = {s.name for found in whole for s in found if s.kind == "captured"}
        return _Lifting(
            effect,
            bool(parameters(effect.place) or parameters(effect.source)),
            effect.cells | {s.name for s in entering if s.kind == "cell" and s.name},
            _formals(self.sources.of_all(target, effect.event, effect.contents)),
            _formals(self.sources.of_all(target, effect.event, effect.selects)),
            effect.mode != "" and effect.kind != "read" and hands_out(self.view, target, effect.event),
            tuple(sorted(captured)),
        )

    def _lifted_mutations(self, identity: FunctionId) -> Iterator[Mutation]:
        for number, calls in self.view.calling(identity):
            found: dict[object, Mutation] = {}
            for mutation in self._mutations_seen_from(identity, number, calls):
                found.setdefault((mutation.path, mutation.how), mutation)
                if len(found) == MAX_EFFECTS:
                    break
            yield from found.values()

    def _mutations_seen_from(self, identity: FunctionId, number: int, calls: tuple[Call, ...]) -> Iterator[Mutation]:
        for call in calls:
            for target in call.functions:
                summary = self._known.get(target)
                if summary is None or target == identity or not summary.mutations or is_constructor(self.view, target):
                    continue
                near = (m for m in summary.mutations if m.distance < MAX_DISTANCE)
                yield from lifted_mutations(self.view, identity, number, call, target, near)


class _Lifting(NamedTuple):
    """An effect with what its callers decide: whether its place, and which formals are stored and which compared.

    `cells` are those whose content goes in; `handed` tells that the caller gets the open handle; `captured` are the variables
    of the enclosing functions that go in.
    """

    effect: StoreEffect
    is_told: bool
    cells: frozenset[str]
    stored: tuple[str, ...]
    compared: tuple[str, ...]
    handed: bool
    captured: tuple[str, ...]


_EMPTY = Summary()


def _formals(sources: frozenset[Source]) -> tuple[str, ...]:
    return tuple(sorted([source.name for source in sources if source.kind == "param"]))


def _passed(formals: tuple[str, ...], actuals: dict[str, Value]) -> tuple[Value, ...]:
    """What the caller passes for the formals."""
    return tuple(dict.fromkeys([actuals[name] for name in formals if name in actuals]))


def _essence(effect: StoreEffect) -> object:
    return (effect.kind, effect.medium, effect.keys, effect.place, effect.source, effect.contents)


def _mark_staged(effects: Sequence[StoreEffect]) -> list[StoreEffect]:
    """A write to a path that is later moved into place is only staged; the move is the write that counts, and what was staged
    is what it writes.
    """
    moves = [(e.event, e.source, keys(e.source, "")) for e in effects if e.kind == "move" and e.source != UNKNOWN]
    if not moves:
        return list(effects)

    def is_staged(effect: StoreEffect) -> bool:
        own = keys(effect.place, "")
        return any(at > effect.event and (source == effect.place or own & moved) for at, source, moved in moves)

    marked = [
        msgspec.structs.replace(e, staged=True)
        if e.kind in ("write", "create", "append", "delete") and e.medium == "file" and is_staged(e)
        else e
        for e in effects
    ]
    return [_with_staged(e, marked) if e.kind == "move" and e.source != UNKNOWN and not e.contents else e for e in marked]


def _with_staged(move: StoreEffect, effects: Sequence[StoreEffect]) -> StoreEffect:
    """The move with the contents that were written to its source before."""
    moved = keys(move.source, "")
    staged = [e for e in effects if e.staged and e.event < move.event and e.kind != "delete"
              and (e.place == move.source or keys(e.place, "") & moved)]
    return msgspec.structs.replace(
        move,
        contents=tuple(dict.fromkeys(value for e in staged for value in e.contents)),
        cells=move.cells.union(*(e.cells for e in staged)),
    )


def _grouped(items: Sequence[T], key_of: Callable[[T], K]) -> dict[K, tuple[T, ...]]:
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key_of(item), []).append(item)
    return {key: tuple(group) for key, group in groups.items()}


def _bottom_up(view: View) -> Iterator[list[FunctionId]]:
    """Strongly connected components of the call graph, callees first, each in a fixed order."""
    for component in components(view.program.functions(), lambda identity: _called(view, identity)):
        yield sorted(component)


def _called(view: View, identity: FunctionId) -> Iterator[FunctionId]:
    return (target for _, calls in view.calling(identity) for call in calls for target in call.functions)


def is_constructor(view: View, identity: FunctionId) -> bool:
    """Whether the function makes its receiver: nobody else knows the object yet."""
    return view.program.symbol(identity).rpartition(".")[2] in ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
