"""Undo records in memory: which container they lie in, what each of their parts was when they were made, who takes them back.

A container into which a function that edits a cell puts the position of the edit, or what it overwrote, holds undo records by
that flow alone.
A *replay* is an edit of the same cell at a place that comes from such a record, in a function that takes it from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries, is_constructor
from ctxlint.calls.view import Call, View
from ctxlint.flow.paths import dominates, path, reachable
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value
from ctxlint.roles.commands import Commands
from ctxlint.roles.edit import Edit
from ctxlint.roles.edits import Edits
from ctxlint.roles.holders import ITEM, STORE, Holder, Holders, is_within
from ctxlint.roles.in_the_making import InTheMaking
from ctxlint.roles.measures import Measures
from ctxlint.roles.mentions import Mentions
from ctxlint.roles.parts import Part, Parts
from ctxlint.roles.record import Record, Replay, Uses
from ctxlint.roles.registered import Registered
from ctxlint.roles.shared_lists import SharedLists
from ctxlint.roles.structures import structures
from ctxlint.roles.sums import leaves

MAX_DISTANCE = 3
PUSHES = frozenset(["append", "insert", "prepend", "store"])


class UndoRecords:
    """The records that functions of a program put away while they edit cells, and the functions that take them back."""

    def __init__(self, summaries: Summaries) -> None:
        self.summaries = summaries
        self.view: View = summaries.view
        self.holders = Holders(summaries, by_attribute=True)
        self.measures = Measures(self.view, self.holders)
        self.edits = Edits(summaries, self.holders, self.measures)
        self.mentions = Mentions(summaries, self.holders)
        self.shared = SharedLists(self.view, self.holders)
        self._parts = Parts(self.view, self.measures, self.edits)
        self.commands = Commands(self.view, self.holders, self.edits, self._parts)
        self.registered = Registered(self.view)
        self._making = InTheMaking(self.view)
        self._used: Uses | None = None
        self._records = Recall[FunctionId, tuple[Record, ...]](lambda identity: (), first=min)
        self._takes: dict[FunctionId, frozenset[Holder]] = {}
        self._moved: frozenset[Holder] | None = None

    def records(self, identity: FunctionId) -> tuple[Record, ...]:
        """What the function, or a helper it calls, puts into containers, in event order."""
        return self._records.ask(identity, lambda: tuple(
            [
                *self._own_records(identity), *self._journal_records(identity), *self._lifted_records(identity),
                *self._command_records(identity), *self._registered_records(identity),
            ]
        ))

    def takes(self, identity: FunctionId) -> frozenset[Holder]:
        """The containers whose entries a function reads or removes."""
        found = self._takes.get(identity)
        if found is None:
            found = self._takes[identity] = frozenset(self._find_takes(identity)) - {""}
        return found

    def replays(self, record: Record) -> Iterator[Replay]:
        """The edits, in other functions than the recording one, at places that come from the container of a record."""
        seen: set[tuple[FunctionId, Edit]] = set()
        for part in record.parts if record.command is None else ():
            for function, edit, places in self.uses.within(part):
                if (function, edit) in seen or (function == record.function and not self.is_taken_back_here(record, edit)):
                    continue
                seen.add((function, edit))
                if any(is_within(holder, record.container) for holder in edit.holders):
                    continue
                if self._reaches(function, record.container, 2) and not self._has_just_put(function, record.container, edit):
                    yield Replay(function, edit, record.container, places)

    def _has_just_put(self, function: FunctionId, container: Holder, edit: Edit) -> bool:
        """Whether what the function takes is the entry that it has put there itself: then it makes the recorded edit."""
        graph = self.view.graph(function)
        return any(
            record.container == container and record.event != edit.event and dominates(graph, record.event, edit.event)
            for record in self.records(function)
        )

    def is_of_something_new(self, function: FunctionId, edit: Edit) -> bool:
        """Whether a function edits what lies in an object that it has made: another one than that of the records."""
        changed = self.view.event(function, edit.event).path
        root = changed.root if changed is not None else None
        return isinstance(root, Name) and root.scope == "local" and self._making.holds(function, edit.event, root.name)

    def is_of_one_call(self, record: Record) -> bool:
        """Whether the log is a list of the function itself: what a failure makes it take back."""
        return record.container in self.holders.of_one_call(record.function)

    def is_taken_back_here(self, record: Record, edit: Edit) -> bool:
        """Whether the function itself takes the recorded edit back by another one, when something has failed."""
        graph = self.view.graph(record.function)
        return self.is_of_one_call(record) and edit.event in reachable(graph, record.event) and (
            path(graph, record.event, edit.event, exceptional=False) is None)

    @property
    def uses(self) -> Uses:
        """Which places the positions and extents of all edits of the program come from."""
        if self._used is None:
            self._used = Uses()
            for identity in self.view.program.functions():
                for edit in self.edits.placed(identity):
                    self._used.add(identity, edit, self.places(identity, edit))
        return self._used

    def is_kept_up_to_date(self, container: Holder) -> bool:
        """Whether some function moves positions that lie in the container: it knows what its edits do to them.

        Then it is an index of what lies where, whose entries follow the elements.
        """
        if self._moved is None:
            self._moved = frozenset(
                record.container for identity in self.view.program.functions() for record in self.records(identity)
                for part in record.parts.values()
                if any(atom[0] == "place" and is_within(str(atom[1]), record.container) for atom in part.number.atoms)
            )
        return container in self._moved

    def _command_records(self, identity: FunctionId) -> Iterator[Record]:
        for command in self.commands.of(identity):
            if self._is_made_where_it_is_done(command.owner, identity):
                continue                                   # who makes the object knows where: the record is judged there
            made = max((p.at for p in command.parts.values() if p.where == identity), default=command.edit.event)
            yield Record(identity, command.edit.event, command.owner, command.parts, made, command=command)

    def _is_made_where_it_is_done(self, owner: ClassId, forward: FunctionId) -> bool:
        """Whether every known caller of the forward method makes the object itself."""
        callers = {caller for caller, _ in self.view.call_graph.callers(forward)}
        return bool(callers) and all(
            any(
                self.view.program.owner(target) == owner and is_constructor(self.view, target)
                for number, event in enumerate(self.view.function(caller).events) if event.kind == "call"
                for call in self.view.calls(caller, number) for target in call.functions
            )
            for caller in callers
        )

    def kept_in(self, container: Holder, near: FunctionId) -> frozenset[FunctionId]:
        """The functions that lie in a container of inverses, as functions of one module put them there."""
        if self.records(near) and all(record.kept is None for record in self.records(near)):
            return frozenset()
        return frozenset(
            record.kept for identity in self.view.program.functions() if identity.module == near.module
            for record in self.records(identity) if record.container == container and record.kept is not None
        )

    def called_replays(self, record: Record) -> Iterator[Replay]:
        """The edits of the function, or of the postponed call, that a record holds."""
        if record.command is not None:
            yield Replay(record.command.inverse, record.command.undone, record.container, frozenset(record.parts))
        if record.bound is not None and record.bound.positions:
            yield Replay(record.function, record.bound, record.container, frozenset(record.parts))
        if record.inverse is not None:
            for edit in self.edits.of(record.inverse):
                used = self.places(record.inverse, edit) & record.parts.keys()
                if used:
                    yield Replay(record.inverse, edit, record.container, frozenset(used))

    def places(self, identity: FunctionId, edit: Edit) -> frozenset[Holder]:
        """Everything that the position and the extent of an edit are made of; what is added at the end needs no position."""
        sums = [s for s in (edit.start, edit.removed) if s is not None and not (s is edit.start and edit.at_tail)]
        named = {str(atom[1]) for s in sums for atom in leaves(s) if atom[0] == "place"}
        return frozenset(named - edit.holders) | self.mentions.of_all(identity, edit.event, edit.positions)

    def _reaches(self, identity: FunctionId, container: Holder, depth: int) -> bool:
        """Whether the function, or a caller that can hand it the record, takes entries of the container."""
        if container in self.takes(identity):
            return True
        return depth > 0 and any(
            self._reaches(caller, container, depth - 1)
            for caller, _ in self.view.call_graph.callers(identity)[:8] if caller != identity
        )

    # Taking.

    def _find_takes(self, identity: FunctionId) -> Iterator[Holder]:
        for number, event in enumerate(self.view.function(identity).events):
            if event.kind == "iterate" and event.value is not None:
                yield from (h.rstrip("#") for h in self.holders.of(identity, number, event.value))
            elif event.kind == "call" and event.path is not None:
                if event.path.steps and event.path.steps[-1] in _TAKING:
                    yield from self.holders.of_receiver(identity, number)
                for holder in self.holders.of(identity, number, Result(number)):
                    yield holder.rpartition("[")[0]
            elif event.kind == "read" and event.path is not None and "[*]" in event.path.steps:
                for holder in self.holders.of_event(identity, number):
                    yield holder.rpartition("[")[0]
                    yield holder.partition(ITEM)[0]
            elif event.kind in ("read", "delete") and event.path is not None and event.path.steps:
                yield from self.holders.of_event(identity, number)

    # Putting.

    def _own_records(self, identity: FunctionId) -> Iterator[Record]:
        for edit in self.edits.made(identity):
            if edit.operation in PUSHES:
                for content in edit.contents:
                    yield from self._record(identity, edit.event, edit.holders, content)
        for number, event in enumerate(self.view.function(identity).events):
            if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.value is not None:
                holders = self.holders.of_path(identity, number, AccessPath(event.path.root, event.path.steps[:-1]), event.keys[:-1])
                key = event.keys[-1] if event.keys else None
                if not (isinstance(key, Compound) and key.operator == "slice"):
                    yield from self._record(identity, number, holders, event.value)
            elif event.kind == "return" and event.value is not None:
                yield from self._given_back(identity, number, event.value)
            elif event.kind == "write" and event.path is not None and self._is_entry(identity, event.value):
                assert event.value is not None
                yield from self._record(identity, number, self.holders.of_event(identity, number), event.value, "")

    def _given_back(self, identity: FunctionId, number: int, value: Value) -> Iterator[Record]:
        """An inverse that the caller gets, to be called when it likes."""
        if self._closure(identity, number, value) is not None:
            yield from self._record(identity, number, [f"{identity.module}:{self.view.function(identity).qualname}()"], value)

    def _is_entry(self, identity: FunctionId, value: Value | None) -> bool:
        """Whether a value that is kept by itself is put together like an entry: the one that can be taken back."""
        if isinstance(value, Compound):
            return value.operator in ("tuple", "dict") and len(value.parts) > 1
        return isinstance(value, Closure)

    def _journal_records(self, identity: FunctionId) -> Iterator[Record]:
        """Entries of a store: what is put together for one writing call, looked for behind the serialiser."""
        for effect in self.summaries.of(identity).effects:
            if effect.kind in ("append", "write") and effect.keys and effect.distance == 0:
                container = f"{STORE}{min(effect.keys)}"
                parts: dict[Holder, Part] = {}
                made = effect.event
                for content in effect.contents:
                    for at, value in structures(self.view, identity, effect.event, content):
                        self._parts.take_apart(identity, at, value, f"{container}{ITEM}", parts, 0)
                        made = at
                if parts:
                    yield Record(identity, effect.event, container, parts, made)

    def _record(
        self, identity: FunctionId, event: int, containers: Iterable[Holder], value: Value, step: str = ITEM
    ) -> Iterator[Record]:
        for container in sorted(containers):
            parts: dict[Holder, Part] = {}
            made = self._parts.take_apart(identity, event, value, f"{container}{step}", parts, 0)
            inverse = self._closure_in(identity, event, value, parts)
            bound = self._bound_in(identity, event, value, 0) or self._looked_up(identity, event, parts)
            record = Record(identity, event, container, parts, made, value, 0, inverse, bound=bound)
            if self._may_be_replayed(record):
                yield record

    def _can_be_taken(self, record: Record, actuals: dict[str, Value]) -> bool:
        """Whether a caller can see more in a callee's record than the callee: the rest is looked at where it is made."""
        return record.container in self.uses.containers or any(
            isinstance(part.value, Name) and part.value.name in actuals for part in record.parts.values()
        ) or ":" in record.container

    def _may_be_replayed(self, record: Record) -> bool:
        """Whether some edit of the program is at a part of the record, or the record itself can be called.

        What is only passed on as a whole may be taken apart by a caller.
        """
        return (
            record.inverse is not None or record.bound is not None or record.container in self.uses.containers
            or any(self.uses.knows(part) for part in record.parts)
            or any(isinstance(part.value, Name) and part.number.terms[:1] and part.number.terms[0][0][0] == "param" for part in record.parts.values())
        )

    def _bound_in(self, identity: FunctionId, at: int, value: Value, depth: int) -> Edit | None:
        """The call that a record postpones: `partial(items.pop, i)`, `(items.insert, (i, x))`, `partial(take_out, items, i)`."""
        given: tuple[Value, ...] = ()
        if isinstance(value, Result) and depth < 3:
            event = self.view.event(identity, value.event)
            if event.kind == "call":
                given = tuple(a.value for a in event.arguments)
        elif isinstance(value, Compound) and value.operator in ("tuple", "list"):
            given = value.parts
        for index, each in enumerate(given):
            if isinstance(each, (Result, Name)):
                rest = [p for v in given[index + 1:] for p in (v.parts if isinstance(v, Compound) and v.operator in ("tuple", "list") else (v,))]
                read = each.event if isinstance(each, Result) else value.event if isinstance(value, Result) else at
                found = self.edits.by_function(identity, read, each, rest) if rest else None
                if isinstance(each, Result) and found is None:
                    found = self.edits.by_method(identity, each.event, rest) or self._bound_in(identity, at, each, depth + 1)
                if found is not None:
                    return msgspec.structs.replace(found, event=at)
        return None

    def _looked_up(self, identity: FunctionId, at: int, parts: dict[Holder, Part]) -> Edit | None:
        """The call that a record postpones by name: a key of a table of functions, and what to call that with."""
        keys = [part.constant for part in parts.values() if part.constant is not None]
        targets = [target for key in keys for target in self.registered.named(key, identity.module)]
        if len(targets) != 1:
            return None
        given = [part.value for part in parts.values() if part.constant is None and part.where == identity]
        found = self.edits.when_called(identity, at, targets[0], _RECEIVER, given)
        return None if found is None else msgspec.structs.replace(found, event=at)

    def _registered_records(self, identity: FunctionId) -> Iterator[Record]:
        """The arguments of a call, which whoever undoes it passes to the function that is registered for it."""
        inverses = self.registered.inverses(identity)
        formals = self.view.function(identity).formals if inverses else ()
        for edit in self.edits.own(identity) if inverses else ():
            if edit.operation == "whole" or not edit.positions:
                continue
            for inverse in inverses:
                known = [f.name for f in self.view.function(inverse).formals]
                if known != [f.name for f in formals]:
                    continue
                given = [Name(formal.name, "local") for formal in formals]
                bound = self.edits.when_called(
                    identity, edit.event, inverse, _RECEIVER, given[1:] if self.view.function(inverse).owner else given
                )
                if bound is not None and bound.holders & edit.holders:
                    container = f"calls of {identity.module}.{self.view.function(identity).qualname}"
                    self.registered.logs.add(container)
                    parts = {f"{container}.{f.name}": self._parts.part(identity, edit.event, Name(f.name, "local")) for f in formals}
                    yield Record(identity, edit.event, container, parts, edit.event, bound=bound)

    def _closure_in(self, identity: FunctionId, at: int, value: Value, parts: dict[Holder, Part]) -> FunctionId | None:
        """The function among the parts of a record; what it captures becomes parts as well."""
        for each in (value, *(part.value for part in list(parts.values()) if part.where == identity)):
            closure = self._closure(identity, at, each)
            if closure is not None:
                for name in self.view.function(closure).captures:
                    if name in self.view.function(identity).locals:
                        holder = f"{identity.module}:{self.view.function(identity).qualname}.{name}"
                        parts[holder] = self._parts.part(identity, at, Name(name, "local"))
                return closure
        return None

    def _closure(self, identity: FunctionId, at: int, value: Value) -> FunctionId | None:
        if isinstance(value, Closure):
            return FunctionId(identity.module, value.function)
        if isinstance(value, Name) and value.scope == "local":
            for number in self.view.definitions(identity).definitions(at, value.name):
                event = self.view.event(identity, number) if number >= 0 else None
                if event is not None and event.kind in ("define", "local") and isinstance(event.value, Closure):
                    return FunctionId(identity.module, event.value.function)
        return None

    # Through calls.

    def _lifted_records(self, identity: FunctionId) -> Iterator[Record]:
        for number, calls in self.view.calling(identity):
            if self.view.event(identity, number).kind != "call":
                continue
            for call in calls:
                for target in call.functions[:6]:
                    if target == identity or is_constructor(self.view, target):
                        continue
                    for record in self.records(target):
                        if record.command is None and record.distance < MAX_DISTANCE:
                            yield from self._seen_from(identity, number, call, target, record)

    def _seen_from(
        self, identity: FunctionId, number: int, call: Call, target: FunctionId, record: Record
    ) -> Iterator[Record]:
        actuals = self.view.bound(call, target)
        if not self._can_be_taken(record, actuals) or self.is_of_one_call(record):
            return
        containers = [record.container]
        head, _, rest = record.container.partition(".")
        if head.partition(":")[2] in actuals and head.startswith(f"{target.module}:"):
            passed = self.holders.of(identity, number, actuals[head.partition(":")[2]])
            containers = sorted(f"{h}.{rest}" if rest else h for h in passed)
        for container in containers:
            parts: dict[Holder, Part] = {}
            made = number
            for holder, part in record.parts.items():
                prefix = holder.replace(record.container, container, 1) if is_within(holder, record.container) else holder
                if isinstance(part.value, Name) and part.value.name in actuals and part.where == target:
                    made = self._parts.take_apart(identity, number, actuals[part.value.name], prefix, parts, 0)
                else:
                    parts[prefix] = self._parts.moved(identity, number, part, target, actuals)
            inverse = self._closure_in(identity, number, Constant("none", "None"), parts)
            called = any(isinstance(p.value, Name) and p.value.name in actuals and p.where == target for p in record.parts.values())
            bound = self._bound_in(identity, number, Result(number), 0) if called else None
            seen = Record(
                identity, number, container, parts, made if len(record.parts) == 1 else number, None, record.distance + 1, inverse,
                bound=bound, below=record.below or ((target, record.made) if len(record.parts) > 1 else None),
            )
            if self._may_be_replayed(seen):
                yield seen


_RECEIVER = AccessPath(Name("self", "local"))
_TAKING = frozenset(["pop", "popleft", "get", "popitem", "get_nowait", "peek"])
