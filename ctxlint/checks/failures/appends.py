"""Which events are mainly a change of durable state, how much else runs with them, and who depends on what they write.

The nearest effect decides: an event is an *append* (or an overwrite, or a removal) when what it does first to any store is to
write it. A helper that creates tables deep down is no append, and neither is a dispatcher behind which everything happens.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.interfaces import interface_effect
from ctxlint.calls.recall import Recall
from ctxlint.calls.terms import are_apart
from ctxlint.calls.view import Call
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import is_same_place
from ctxlint.checks.connections import committed_at
from ctxlint.checks.failures.readers import is_used
from ctxlint.checks.failures.through_handles import written_through
from ctxlint.checks.key_spaces import expires_by_itself, in_other_spaces
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.wording import store_name
from ctxlint.knowledge.words import hints, parts
from ctxlint.roles.stores import Access

NEAR = 3
"""A change further down than this many calls belongs to the callee."""
LIGHT = frozenset({"telemetry", "pure", "total", "fresh", "serialises", "parses", "copies", "same-place", "inner-place",
                   "sibling-place", "outer-place", "lists", "measures", "exists", "digests", "snapshot"})
"""What a step may do without being another purpose of the code round an append."""
MAX_WEIGHT = 40


class Append(msgspec.Struct, frozen=True):
    """A change of durable state at one event.

    `effects` are the changes, the nearest first; `readers` are the accesses that read one of the stores back; `rebuilt`
    says that what some of them read becomes a cell again (then `restored` too), or goes to somebody of this program.
    """

    event: int
    effects: tuple[StoreEffect, ...]
    readers: tuple[Access, ...]
    rebuilt: bool
    restored: bool

    @property
    def effect(self) -> StoreEffect:
        """The change that is talked about."""
        return self.effects[0]

    def reader(self, analysis: Analysis) -> Access:
        """The access to show: the one whose name has most in common with the change's, since a store keeps many things."""
        changed = set(parts(analysis.program.symbol(self.effect.origin[0]))) | set(_called(analysis, self.effect))
        return max(self.readers, key=lambda a: (len(changed & _spoken(analysis, a)), -self.readers.index(a)))

    @property
    def keys(self) -> frozenset[str]:
        """The stores that are changed."""
        return frozenset().union(*(effect.keys for effect in self.effects))


class Appends:
    """Memoised answers for one program."""

    def __init__(self, analysis: Analysis, levels: frozenset[str] = frozenset()) -> None:
        self._analysis = analysis
        self._levels = levels
        self._weights: dict[FunctionId, int] = {}
        self._tells = Recall[FunctionId, bool](lambda target: True)
        self._durable = Recall[ClassId, bool](lambda interface: False)
        self._rebuilt_keys = frozenset(
            key for key in analysis.cells.rebuilt_stores() if not self._is_coarse(key)
        )

    def _is_coarse(self, key: str) -> bool:
        """Whether a key stands for whatever an interface, or a client of unknown owner, keeps: too much to tell a cell from."""
        holder, bracket, _ = key.partition("[")
        return key.startswith("interface ") or (
            bool(bracket) and self._analysis.program.class_(holder.rpartition(".")[0]) is None
        )

    def at(self, identity: FunctionId, event: int) -> Append | None:
        """The change of durable state that the event is mainly for; None when it is for something else."""
        found = committed_at(self._analysis, identity, event) or self._analysis.summaries.effects_at(identity, event)
        return self._of(identity, event, found)

    def through_handle(self, identity: FunctionId, event: int) -> Append | None:
        """The change of durable state that the event makes through a handle which was opened before."""
        return self._of(identity, event, written_through(self._analysis, identity, event))

    def _of(self, identity: FunctionId, event: int, found: Sequence[StoreEffect]) -> Append | None:
        effects = [e for e in found if e.kind != "commit"]
        if not effects:
            return None
        nearest = min(e.distance for e in effects)
        if nearest > NEAR:
            return None
        first = [e for e in effects if e.distance == nearest]
        changes = [e for e in first if e.kind in WRITES and not e.staged and self.is_durable(e)
                   and (e.keys or self._own_readers(identity, e)) and not expires_by_itself(self._analysis, e)]
        written = frozenset().union(*(e.keys for e in changes))
        if not changes or any(e.kind == "read" and not e.keys & written for e in first):
            return None
        if not self._most_callees_write(identity, event):
            return None
        own = tuple(reader for e in changes if not e.keys for reader in self._own_readers(identity, e))
        paired = (
            reader for reader in (*self._analysis.stores.readers(written), *self._analysis.stores.keeping_readers(written))
            if not all(
                are_apart(reader.effect.place, change.place) or in_other_spaces(self._analysis, change, reader.effect)
                for change in changes if change.keys & reader.effect.keys
            )
        )
        readers = (*paired, *own)
        restored = bool(written & self._rebuilt_keys)
        rebuilt = restored or bool(own) or any(is_used(self._analysis, a.function) for a in readers)
        return Append(event, tuple(changes), readers, rebuilt, restored)

    def _own_readers(self, identity: FunctionId, effect: StoreEffect) -> tuple[Access, ...]:
        """The reads of the same file by which the function begins: of one that it is only told, its next call reads what this
        one has written. An overwrite has to be made of what was read: anything else is a mark of its own.
        """
        if effect.keys or effect.medium != "file":
            return ()
        view = self._analysis.view
        made_of = {s.event for s in self._analysis.summaries.sources.of_all(identity, effect.event, effect.contents) if s.kind == "read"}
        return tuple(
            Access(identity, e) for e in self._analysis.summaries.of(identity).effects
            if e.kind == "read" and is_same_place(e, effect) and not view.event(identity, e.event).ignored
            and (effect.kind == "append" or e.event in made_of)
            and comes_before(view.graph(identity), e.event, effect.event)
        )

    def is_by_the_way(self, identity: FunctionId, append: Append) -> bool:
        """Whether names say that what is written is told or can be computed again; that a cell is restored from it says more."""
        words = self._analysis.words
        names = (self._analysis.program.symbol(identity), identity.module.rpartition(".")[2], store_name(append.effect))
        return any(hints(name, words.caches) for name in names) or (
            not append.restored and any(hints(name, words.telemetry) for name in names)
        )

    def weight(self, identity: FunctionId, event: int) -> int:
        """How many calls with a purpose of their own the event stands for, callees included."""
        calls = self._analysis.view.effective_calls(identity, event)
        return 0 if self.is_light(identity, event) else max((self._weight_of(call) for call in calls), default=0)

    def is_light(self, identity: FunctionId, event: int) -> bool:
        """Whether the event only computes, looks or tells."""
        effects = self._analysis.summaries.effects_at(identity, event)
        calls = self._analysis.view.effective_calls(identity, event)
        return bool(calls) and all(
            self.logs(identity, event, call) or (not effects and self._is_light(identity, event, call)) for call in calls
        )

    def logs(self, identity: FunctionId, event: int, call: Call) -> bool:
        """Whether it is a level method of a logger: of an object that has most of them, whatever its class is called."""
        if call.name not in self._levels or call.receiver is None:
            return False
        if not call.functions:
            return call.unknown
        owners = [self._analysis.program.owner(target) for target in call.functions]
        return all(
            owner is not None
            and 2 * sum(self._analysis.program.method(owner, level) is not None for level in self._levels) > len(self._levels)
            for owner in owners
        )

    def _is_light(self, identity: FunctionId, event: int, call: Call) -> bool:
        if call.functions:
            return all(self.only_tells(target) for target in call.functions) and not call.abstract
        modelled = self._analysis.view.modelled(identity, event)
        return bool(modelled) and all(m.effect.does in LIGHT for m in modelled)

    def only_tells(self, target: FunctionId) -> bool:
        """Whether a function only computes, looks or tells: no store, no cell, nobody else is called."""
        return self._tells.ask(target, lambda: self._only_tells(target))

    def _only_tells(self, target: FunctionId) -> bool:
        summary = self._analysis.summaries.of(target)
        calls = [n for n, event in enumerate(self._analysis.view.function(target).events) if event.kind == "call"]
        logging = {n for n in calls if any(self.logs(target, n, call) for call in self._analysis.view.effective_calls(target, n))}
        tells = bool(logging) or any(self._analysis.view.does(target, n, "telemetry") for n in calls)
        return (
            not any(e.event not in logging for e in summary.effects)
            and not any(m.cells and m.event not in logging for m in summary.mutations)
            and all(self.is_light(target, n) or (tells and self._only_asks(target, n)) for n in calls)
        )

    def _only_asks(self, target: FunctionId, event: int) -> bool:
        """Whether it is an unknown call that is given nothing: in a function that tells, it asks for what to tell."""
        return not self._analysis.view.event(target, event).arguments and not any(
            call.functions for call in self._analysis.view.effective_calls(target, event)
        )

    def _weight_of(self, call: Call) -> int:
        if call.abstract or not call.functions:
            return 1
        return min(1 + max(self.weight_within(target) for target in call.functions), MAX_WEIGHT)

    def weight_within(self, target: FunctionId) -> int:
        """How many calls with a purpose of their own a function makes, callees included."""
        known = self._weights.get(target)
        if known is None:
            self._weights[target] = MAX_WEIGHT                      # a recursion is no small step
            events = self._analysis.view.function(target).events
            known = sum(self.weight(target, n) for n, event in enumerate(events) if event.kind == "call")
            self._weights[target] = known = min(known, MAX_WEIGHT)
        return known

    # Stores.

    def is_durable(self, effect: StoreEffect) -> bool:
        """Whether what an effect writes lasts: an interface may also be one to a screen, a wire or a table in memory."""
        if effect.medium != "interface":
            return True
        return any(
            self._lasts(key.partition(" ")[2]) and self._is_kept(key.partition(" ")[2], effect) for key in effect.keys
        )

    def _is_kept(self, interface: ClassId, effect: StoreEffect) -> bool:
        """Whether some implementer's method of the called name writes, or none is known."""
        function, event = effect.origin
        path = self._analysis.view.event(function, event).path
        name = path.steps[-1] if path is not None and path.steps else ""
        program = self._analysis.program
        declared = program.method(interface, name) if name else None
        if declared is not None and any("Callable" in formal.annotation for formal in self._analysis.view.function(declared).formals):
            return False                                     # a callable is registered, not kept
        found = (program.method(each, name) for each in program.implementers(interface)) if name else ()
        bodies = [body for body in found if body is not None and not program.is_abstract_method(body)]
        return not bodies or any(
            e.kind in WRITES and e.medium != "interface" for body in bodies for e in self._analysis.summaries.of(body).effects
        )

    def _lasts(self, interface: ClassId) -> bool:
        """Whether an interface keeps what it is given: some implementer does, or none is known."""
        return self._durable.ask(interface, lambda: self._implementers_last(interface))

    def _implementers_last(self, interface: ClassId) -> bool:
        program = self._analysis.program
        info = program.class_(interface)
        if info is None:
            return False
        roles: dict[str, str | None] = {}
        for method in info.ir.methods:
            roles[method.name] = interface_effect(self._analysis.view, FunctionId(info.module, method.function))
        kept = [self._kept_by(each, roles) for each in program.implementers(interface) if each != interface]
        known = [each for each in kept if each is not None]
        if not known:                                        # the signatures alone must say that it is a store and little else
            return 2 * sum(role is not None for role in roles.values()) >= len(roles)
        return any(known)

    def _kept_by(self, implementer: ClassId, roles: dict[str, str | None]) -> bool | None:
        """Whether an implementer reads back from something lasting what it writes there; None when it has no bodies."""
        written: list[StoreEffect] = []
        read: list[StoreEffect] = []
        bodies = 0
        for name, role in roles.items():
            body = self._analysis.program.method(implementer, name)
            if role is None or body is None or self._analysis.program.is_abstract_method(body):
                continue
            bodies += 1
            for effect in self._analysis.summaries.of(body).effects:
                if effect.distance > 2:
                    continue
                if effect.medium != "interface" and role != "read" and effect.kind in WRITES:
                    written.append(effect)
                elif effect.medium != "interface" and role == "read" and effect.kind == "read":
                    read.append(effect)
        return any(_may_be_one_store(w, r) for w in written for r in read) if bodies else None

    def _most_callees_write(self, identity: FunctionId, event: int) -> bool:
        """Whether an event with several possible callees is an append for at least half of them."""
        targets = {t for call in self._analysis.view.effective_calls(identity, event) for t in call.functions}
        if len(targets) < 2:
            return True
        writing = [t for t in targets if any(e.kind in WRITES for e in self._analysis.summaries.of(t).effects)]
        return 2 * len(writing) >= len(targets)


def _may_be_one_store(written: StoreEffect, read: StoreEffect) -> bool:
    """Whether two effects of one implementer can be on the same thing: a common key, or one of them does not say on what."""
    if written.keys and read.keys:
        return bool(written.keys & read.keys)
    return written.medium == read.medium


def _spoken(analysis: Analysis, access: Access) -> set[str]:
    return set(parts(analysis.program.symbol(access.function).rpartition(".")[2])) | set(_called(analysis, access.effect))


def _called(analysis: Analysis, effect: StoreEffect) -> tuple[str, ...]:
    """The words of the method that is called at the place where an effect comes from."""
    function, event = effect.origin
    path = analysis.view.event(function, event).path
    return parts(path.steps[-1]) if path is not None and path.steps else ()

