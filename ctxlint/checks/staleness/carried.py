"""Which fields of a record that was read go into what is written, and whether anybody ever changes them.

The walk goes from the written value back to the reading and asks at every step only for the field that is needed there:
a record that is taken apart and put together again carries the fields that are put in again, no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.types import ClassObject
from ctxlint.calls.view import Call
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import conditions
from ctxlint.checks.records import named_keys
from ctxlint.flow.paths import path
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

DEEPEST = 5
"""How many calls down a record is followed."""

_CHOICES = frozenset({"if", "or", "and"})
_JOINS = frozenset({"+", "-", "|", "*", "list", "set", "tuple"})
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "is", "is not", "in", "not in", "not"})
_PICKERS = frozenset({"get", "pop", "setdefault"})
"""What mappings are asked with for one entry."""


class Leaf(NamedTuple):
    """Where a walk ends: a formal, or the reading itself (no name), and which field of it is needed (empty: all of it).

    It is changed when something is put into it, or it is put together with something, on the way: behind what is computed from it.
    """

    formal: str
    field: str
    is_changed: bool


def carries_only_constants(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> bool:
    """Whether all that the write takes from the reading are its keys and fields that nobody ever changes."""
    fields = carried_fields(analysis, identity, read, write)
    if not fields or "" in fields:
        return False
    formals = _key_formals(analysis, identity, read)
    others = {field for field in fields if not any(name == field or name.endswith(f"_{field}") for name in formals)}
    return others.isdisjoint(leaf.field for leaf in _carried(analysis, identity, read, write) if leaf.is_changed) and all(
        _never_changes(analysis, identity, write, field) for field in others
    )


def carried_fields(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> frozenset[str]:
    """The fields of the reading that go into the write; the empty name if all of it does, which outweighs the others."""
    fields = frozenset(leaf.field for leaf in _carried(analysis, identity, read, write))
    return frozenset({""}) if "" in fields else fields


def _carried(analysis: Analysis, identity: FunctionId, read: int, write: StoreEffect) -> frozenset[Leaf]:
    """What of the reading goes into the write."""
    found = {leaf for value in write.contents for leaf in _Walk(analysis, identity, read, 0).leaves(value, write.event, "")}
    return frozenset(leaf for leaf in found if not leaf.formal)


def is_of_reading(analysis: Analysis, identity: FunctionId, read: int, value: Value, at: int, field: str) -> bool:
    """Whether a field of an object is still what the reading gave."""
    return any(not leaf.formal for leaf in _Walk(analysis, identity, read, 0).leaves(value, at, field))


def _key_formals(analysis: Analysis, identity: FunctionId, read: int) -> frozenset[str]:
    targets = [t for call in analysis.view.calls(identity, read) for t in (*call.functions, *call.abstract)]
    return frozenset(formal.name for target in targets for formal in analysis.view.function(target).formals)


def _never_changes(analysis: Analysis, identity: FunctionId, write: StoreEffect, field: str) -> bool:
    """Whether at most one function around, and not this one, sets the field to something else than its own old value.

    Who writes records of another kind into the store sets theirs.
    """
    if _is_changed_by(analysis, identity, field):
        return False
    named = named_keys(analysis, identity, write.event)
    setters = (
        one for one in sorted(_around(analysis, identity))
        if one != identity and _is_changed_by(analysis, one, field) and not _writes_another_kind(analysis, one, named, write)
    )
    return len(tuple(islice(setters, 2))) < 2


def _is_changed_by(analysis: Analysis, identity: FunctionId, field: str) -> bool:
    return _sets_anew(analysis, identity, field) or _changes_in_place(analysis, identity, field)


def _sets_anew(analysis: Analysis, identity: FunctionId, field: str) -> bool:
    """Whether the function sets the field to something else than its old value, and does not put that in again where there is one."""
    settings = [number for number, _ in _settings(analysis, identity, field)]
    return bool(settings) and not any(
        all(path(analysis.view.graph(identity), again, n, start="completed") is None for n in settings)
        for again in _puts_old_in_again(analysis, identity, settings, field)
    )


def _puts_old_in_again(analysis: Analysis, identity: FunctionId, settings: list[int], field: str) -> Iterator[int]:
    """Where the field gets its old value whenever the record that is read has one: nothing else is asked after the settings."""
    origins = analysis.view.origins(identity)
    asked = set.intersection(*(set(conditions(analysis, identity, n)) for n in settings))
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "write" and event.value is not None and _last_field(event) == field and (
            _is_old_value(analysis, identity, number, event.value, field)
        ):
            old = {a for a in origins.roots(event.value, number) if a[0] == "result"}
            if any(isinstance(what, int) and analysis.summaries.reads_store(identity, what) for _, what in old) and all(
                atom in old or atom[0] == "constant"
                for at, value in set(conditions(analysis, identity, number)) - asked for atom in origins.roots(value, at)
            ):
                yield number


def _writes_another_kind(analysis: Analysis, identity: FunctionId, named: frozenset[str], write: StoreEffect) -> bool:
    """Whether all that the function writes into the store goes under other names that are written there."""
    given = [
        named_keys(analysis, identity, e.event) for e in analysis.summaries.of(identity).effects
        if e.kind in WRITES and e.keys & write.keys
    ] if named else []
    return bool(given) and all(names and names.isdisjoint(named) for names in given)


def _changes_in_place(analysis: Analysis, identity: FunctionId, field: str) -> bool:
    """Whether the function itself changes what the field of something holds."""
    return any(
        field in mutation.path.steps and not mutation.distance and mutation.how not in ("rebind", "field")
        for mutation in analysis.summaries.of(identity).mutations
    )


def _around(analysis: Analysis, identity: FunctionId) -> frozenset[FunctionId]:
    """The functions of the same class (or module), and those of the program that they call."""
    owner = analysis.program.owner(identity)
    info = analysis.program.class_(owner) if owner is not None else None
    own = (
        [FunctionId(info.module, method.function) for method in info.ir.methods] if info is not None
        else analysis.program.functions_in(identity.module)
    )
    found = edge = frozenset(own)
    for _ in range(2):
        edge = frozenset(t for one in edge for e in analysis.view.call_graph.calls(one)
                         for t in analysis.view.call_graph.callees(one, e).functions) - found
        found |= edge
    return found


def _settings(analysis: Analysis, identity: FunctionId, field: str) -> Iterator[tuple[int, Value]]:
    """The values other than the field's own old one that the function puts into the field of something, and where."""
    for number, event in enumerate(analysis.view.function(identity).events):
        for value in _set_by(event, field) if not analysis.summaries.reads_store(identity, number) else ():
            if not _is_old_value(analysis, identity, number, value, field):
                yield number, value


def _set_by(event: Event, field: str) -> Iterator[Value]:
    if event.kind == "write" and event.value is not None and _last_field(event) == field:
        yield event.value
    for argument in event.arguments:
        if argument.keyword == field:
            yield argument.value
    pending = [value for value in (event.value, *(a.value for a in event.arguments)) if isinstance(value, Compound)]
    while pending:
        shown = pending.pop()
        pending += [part for part in shown.parts if isinstance(part, Compound)]
        for key, part in zip(shown.parts[::2], shown.parts[1::2]) if shown.operator == "dict" else ():
            if isinstance(key, Constant) and key.text == field:
                yield part


def _is_old_value(analysis: Analysis, identity: FunctionId, at: int, value: Value, field: str) -> bool:
    if isinstance(value, Compound) and value.operator in _CHOICES:
        return any(_is_old_value(analysis, identity, at, part, field) for part in value.parts)
    if not isinstance(value, Result):
        return False
    event = analysis.view.event(identity, value.event)
    if event.kind == "read":
        return _last_field(event) == field
    return event.kind == "call" and _picked(event) == field


def _last_field(event: Event) -> str:
    """The field that an access path ends in; empty for an item whose key is not written there."""
    if event.path is None or not event.path.steps:
        return ""
    if event.path.steps[-1] != "[*]":
        return event.path.steps[-1]
    key = event.keys[-1] if event.keys else None
    return key.text if isinstance(key, Constant) and key.kind == "str" else ""


def _picked(event: Event) -> str | None:
    """The entry that a call takes out of a mapping by a key that is written there."""
    if event.path is None or not event.path.steps or event.path.steps[-1] not in _PICKERS or not event.arguments:
        return None
    key = event.arguments[0].value
    return key.text if isinstance(key, Constant) and key.kind == "str" else None


class _Walk:
    """One question inside one function; `read` is the reading, or -1 in a callee."""

    def __init__(self, analysis: Analysis, identity: FunctionId, read: int, depth: int) -> None:
        self._analysis = analysis
        self._view = analysis.view
        self._identity = identity
        self._read = read
        self._depth = depth
        self._seen: set[tuple[Value, int, str, bool, bool]] = set()
        self._found: set[Leaf] = set()
        self._pending: list[tuple[Value, int, str, bool, bool]] = []
        self._is_changed = self._is_argument = False

    def leaves(self, value: Value, at: int, field: str) -> frozenset[Leaf]:
        """What the value's field (or all of it) is made of."""
        self._pending.append((value, at, field, False, False))
        while self._pending:
            question = self._pending.pop()
            if question not in self._seen:
                self._seen.add(question)
                part, where, wanted, self._is_changed, self._is_argument = question
                if isinstance(part, Compound):
                    self._compound(part, where, wanted)
                elif isinstance(part, Name):
                    self._name(part, where, wanted)
                elif isinstance(part, Result):
                    self._event(part.event, wanted)
        return frozenset(self._found)

    def _ask(self, values: Iterable[Value], at: int, field: str, *, changed: bool = False, argument: bool = False) -> None:
        """An `argument` is what something is computed from outside the program: what is put into it before makes another question."""
        is_changed = self._is_changed or (changed and not self._is_argument)
        self._pending.extend((value, at, field, is_changed, argument or self._is_argument) for value in values)

    def _compound(self, value: Compound, at: int, field: str) -> None:
        if value.operator in _TESTS:
            return
        if value.operator in _CHOICES:
            self._ask(value.parts[1:] if value.operator == "if" else value.parts, at, field)
        elif value.operator == "dict":
            for key, part in zip(value.parts[::2], value.parts[1::2]):
                if isinstance(key, Constant):
                    if field in ("", key.text):
                        self._ask((part,), at, "")
                else:
                    self._ask((part,), at, field)
        else:
            self._ask(value.parts, at, "", changed=value.operator in _JOINS and len(value.parts) > 1)

    def _name(self, name: Name, at: int, field: str) -> None:
        definitions = self._view.definitions(self._identity)
        stored = [n for n in definitions.added.listed(definitions.added.bits(at, name.name))] if name.scope == "local" else []
        setting: set[int] = set()
        is_changed = False
        for number in stored:
            event = self._view.event(self._identity, number)
            is_changed |= event.ignored if event.kind == "call" else not _last_field(event)      # what is called for its effect
            if event.kind == "write" and event.path is not None and len(event.path.steps) == 1:
                last = _last_field(event)
                if event.value is not None and (not field or not last or last == field):
                    self._ask((event.value,), number, "")
                if field and last == field:
                    setting.add(number)
            elif event.kind == "call":
                self._ask([a.value for a in event.arguments if not a.keyword], number, field)
                self._ask([a.value for a in event.arguments if a.keyword and field in ("", a.keyword)], number, "")
        for number in definitions.definitions(at, name.name):
            if setting and self._is_set_on_all_ways(number, at, setting):
                continue
            if number == ENTRY_VALUE:
                if name.scope == "local":
                    self._found.add(Leaf(name.name, field, self._is_changed or (is_changed and not self._is_argument)))
                continue
            event = self._view.event(self._identity, number)
            bound = event.value if event.kind == "local" and event.value is not None else Result(number)
            self._ask((bound,), number, field, changed=is_changed)

    def _is_set_on_all_ways(self, bound: int, at: int, setting: set[int]) -> bool:
        """Whether the object that was bound gets the field set before it is used."""
        graph = self._view.graph(self._identity)
        return path(graph, graph.entry if bound == ENTRY_VALUE else bound, at, setting, consistent=False) is None

    def _event(self, number: int, field: str) -> None:
        event = self._view.event(self._identity, number)
        if number == self._read:
            self._found.add(Leaf("", field, self._is_changed))
        elif event.kind == "read" and event.path is not None:
            self._ask((event.path.root,), number, _last_field(event))
        elif event.kind == "suspend" and event.value is not None:
            self._ask((event.value,), number, field)
        elif event.kind == "call":
            self._call(number, event, field)
        elif event.value is not None:
            self._ask((event.value,), number, "")

    def _call(self, number: int, event: Event, field: str) -> None:
        if self._analysis.summaries.reads_store(self._identity, number):
            return
        for call in self._view.calls(self._identity, number):
            if call.functions and self._depth < DEEPEST:
                for target in call.functions:
                    self._through(number, call, target, field)
            else:
                self._outside(number, event, call, field)

    def _through(self, number: int, call: Call, target: FunctionId, field: str) -> None:
        actuals = self._view.bound(call, target)
        function = self._view.function(target)
        inner = _Walk(self._analysis, target, -1, self._depth + 1)
        for at, event in enumerate(function.events):
            if event.kind == "return" and event.value is not None:
                for leaf in inner.leaves(event.value, at, field):
                    if leaf.formal in actuals:
                        self._ask((actuals[leaf.formal],), number, leaf.field, changed=leaf.is_changed)
                    elif leaf.formal == receiver_name(function) and call.receiver is not None:
                        self._ask((call.receiver.root,), number, leaf.field, changed=leaf.is_changed)

    def _outside(self, number: int, event: Event, call: Call, field: str) -> None:
        """A mapping asked for one entry, a record made of keywords, a copy with changes; anything else is made of all it gets."""
        picked = _picked(event)
        if picked is not None and call.receiver is not None:
            self._receiver(number, call.receiver, picked)
            return
        named = [a.value for a in call.arguments if a.keyword == field] if field else []
        computes = bool(call.externals or call.unknown or call.abstract) and not self._makes_record(number, event)
        for argument in call.arguments:
            if named or (field and not computes and argument.keyword not in ("", "*", "**")):
                continue
            whole = isinstance(argument.value, Compound) or argument.keyword not in ("", "*", "**")
            self._ask((argument.value,), number, "" if whole else field, argument=computes)
        self._ask(named, number, "")
        if not named and call.receiver is not None and not self._is_awaited(number):
            self._receiver(number, call.receiver, field)

    def _makes_record(self, number: int, event: Event) -> bool:
        """Whether a class of the program is called, which has no `__init__` of its own: what it is given by name are its fields."""
        types = self._view.inference.of_path(self._identity, number, event.path) if event.path is not None else ()
        return any(isinstance(t, ClassObject) and self._analysis.program.class_(t.name) is not None for t in types)

    def _is_awaited(self, number: int) -> bool:
        """Whether the call is waited for: a client's answer is not made of the client."""
        events = self._view.function(self._identity).events
        return any(e.kind == "suspend" and self._view.awaited_call(self._identity, e.value) == number for e in events)

    def _receiver(self, number: int, path: AccessPath, field: str) -> None:
        self._ask((path.root,), number, field)
