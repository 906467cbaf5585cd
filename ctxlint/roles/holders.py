"""What a value is a part of: names of places that hold across functions, down to the fields of what a container holds.

`Buffer.text` is an attribute of its owning class, `Buffer.log[*][0]` the first part of any entry of a log, `Edit.at` a field
of a typed record.
Untyped parameters and the variables of an enclosing function are named by their function; they hold inside one module only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name
from ctxlint.calls.program import is_property
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance, Types, in_order
from ctxlint.calls.view import View
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.event import Event
from ctxlint.ir.function import Formal, Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.cased import cased

Holder = str

ITEM = "[*]"
MAX_DEPTH = 12
"""Longer chains of reads name nothing that two functions could share."""

STORE = "store "
"""How the name of something kept outside of memory begins; its pairing key follows."""

_TEXTS = frozenset(["splitlines", "split", "strip", "rstrip", "decode", "read", "readlines", "readline", "fetchone", "fetchall"])
_TAKES = frozenset(["pop", "popleft", "get", "__getitem__", "popitem", "setdefault", "peek", "get_nowait"])
_SAME_ITEMS = frozenset(["reversed", "list", "tuple", "iter", "sorted", "enumerate", "next", "filter", "deque", "set", "dict"])
_COPIES = frozenset(["copy", "values"])


class Holders:
    """Names the places of values, one function at a time; memoised."""

    def __init__(self, summaries: Summaries, *, by_attribute: bool = False) -> None:
        self._by_attribute = by_attribute
        self._having: dict[str, dict[str, list[str]]] = {}
        self._journals: dict[FunctionId, frozenset[str]] = {}
        self._summaries = summaries
        self._view: View = summaries.view
        self._recall = Recall[Hashable, frozenset[Holder]](lambda question: frozenset())
        self._taken: dict[str, dict[int, frozenset[str]]] = {}

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Holder]:
        """The places that `value`, as evaluated at event `at`, can be read from; empty for what is made here."""
        return self._of(identity, at, value, 0)

    def of_path(self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...] = ()) -> frozenset[Holder]:
        """The places that an access path names at an event."""
        return self._path(identity, at, path, keys, 0)

    def of_event(self, identity: FunctionId, number: int) -> frozenset[Holder]:
        """The places that an event's own path names."""
        event = self._view.event(identity, number)
        return frozenset() if event.path is None else self._path(identity, number, event.path, event.keys, 0)

    def of_receiver(self, identity: FunctionId, number: int) -> frozenset[Holder]:
        """The places of the object whose method a call event calls."""
        event = self._view.event(identity, number)
        if event.path is None or not event.path.steps:
            return frozenset()
        return self._path(identity, number, AccessPath(event.path.root, event.path.steps[:-1]), event.keys, 0)

    def file_at(self, identity: FunctionId, number: int) -> frozenset[Holder]:
        """The file that an event reads or writes, named by where its path was found."""
        match = self._view.does(identity, number, "loads", "saves", "opens", "reads")
        target = match.target if match is not None and match.effect.store == "file" else None
        if isinstance(target, AccessPath):
            found = self._path(identity, number, target, self._view.event(identity, number).keys, 0)
        else:
            found = frozenset() if target is None else self.of(identity, number, target)
        return frozenset(f"{STORE}file {holder}" for holder in found)

    def is_instance(self, identity: FunctionId, at: int, path: AccessPath) -> bool:
        """Whether the path holds an object of a class of the program, so that its methods are not those of a container."""
        return any(
            isinstance(t, Instance) and self._view.program.class_(t.name) is not None
            for t in self._view.inference.of_path(identity, at, path)
        )

    def _of(self, identity: FunctionId, at: int, value: Value, depth: int) -> frozenset[Holder]:
        return self._recall.ask((identity, at, value), lambda: frozenset(self._find(identity, at, value, depth + 1)), depth, MAX_DEPTH)

    def _find(self, identity: FunctionId, at: int, value: Value, depth: int) -> Iterable[Holder]:
        if isinstance(value, Name):
            return self._name(identity, at, value, depth)
        if isinstance(value, Result):
            return self._result(identity, value.event, depth)
        if isinstance(value, Compound):
            if value.operator == "item":
                return self._item(identity, at, value.parts[0], value.parts[1], depth)
            if value.operator == "element":
                return _below(self._of(identity, at, value.parts[0], depth), ITEM)
            if value.operator == "if":
                return frozenset().union(*(self._of(identity, at, part, depth) for part in value.parts[1:]))
            if value.operator in ("or", "and"):
                return frozenset().union(*(self._of(identity, at, part, depth) for part in value.parts))
        return ()

    def _name(self, identity: FunctionId, at: int, name: Name, depth: int) -> Iterable[Holder]:
        if name.scope == "global":
            found = resolve_name(self._view.program, identity.module, identity.index, name.name)
            return () if not found or found.startswith("builtins.") else (found,)
        if name.scope == "captured":
            return (self._outer(identity, name.name),)
        events = self._view.function(identity).events
        found_here: set[Holder] = set()
        for number in self._view.definitions(identity).definitions(at, name.name):
            if number == ENTRY_VALUE:
                if any(formal.name == name.name for formal in self._view.function(identity).formals):
                    found_here.add(f"{identity.module}:{name.name}")
                continue
            event = events[number]
            if event.kind == "local" and event.value is not None:
                found_here |= self._of(identity, number, event.value, depth)
        if not found_here and (self.is_shared_below(identity, name.name) or name.name in self.journals(identity)):
            found_here.add(self.own(identity, name.name))
        return found_here

    def _outer(self, identity: FunctionId, name: str) -> Holder:
        current = identity
        while True:
            enclosing = self._view.function(current).enclosing
            if enclosing < 0:
                return f"{identity.module}:{name}"
            current = FunctionId(current.module, enclosing)
            if name in self._view.function(current).locals and name not in self._view.function(current).captures:
                return self.own(current, name)

    def own(self, identity: FunctionId, name: str) -> Holder:
        """A variable of a function that functions inside it take."""
        return f"{identity.module}:{self._view.function(identity).qualname}.{name}"

    def given_first(self, identity: FunctionId, formal: Formal) -> Holder:
        """The variable of the function around that a formal is when nothing is passed: `lambda old=old: …`; empty if there is none."""
        if not isinstance(formal.default, Name) or formal.default.scope != "local":
            return ""
        return self.own(FunctionId(identity.module, self._view.function(identity).enclosing), formal.default.name)

    def is_plain(self, identity: FunctionId) -> bool:
        """Whether a call of the function does nothing but work out what it gives."""
        function = self._view.function(identity)
        return function.kind == "function" and (not function.decorators or is_property(function)) and not (
            self._summaries.of(identity).mutations or self._summaries.of(identity).effects)

    def journals(self, identity: FunctionId) -> frozenset[str]:
        """The local lists that begin empty, are added to, and from which what was added is taken again."""
        known = self._journals.get(identity)
        if known is None:
            known = frozenset()
            if self._by_attribute:
                events = self._view.function(identity).events
                begun = {e.path.root for e in events if e.kind == "local" and e.path is not None and e.value == Compound("list", ())}
                added = {e.path.root for e in events if e.kind == "call" and e.path is not None and e.path.steps == ("append",)}
                taken = {e.path.root for e in events if e.kind == "call" and e.path is not None and e.path.steps == ("pop",)}
                for event in events if begun & added else ():
                    taken |= {a.value for a in event.arguments} | ({event.value} if event.kind == "iterate" and event.value is not None else set())
                known = frozenset(root.name for root in begun & added & taken if isinstance(root, Name) and root.scope == "local")
            self._journals[identity] = known
        return known

    def of_one_call(self, identity: FunctionId) -> frozenset[Holder]:
        """The places of those lists: nobody sees them before or after one call of the function."""
        return frozenset(self.own(identity, name) for name in self.journals(identity))

    def is_shared_below(self, identity: FunctionId, name: str) -> bool:
        """Whether a function defined inside this one takes the variable."""
        return name in self.shared_below(identity)

    def shared_below(self, identity: FunctionId) -> frozenset[str]:
        """The variables of a function that functions defined inside it take."""
        taken = self._taken.get(identity.module)
        if taken is None:
            taken = self._taken[identity.module] = {}
            for function in self._view.program.modules[identity.module].ir.functions:
                if function.captures:
                    taken[function.enclosing] = taken.get(function.enclosing, frozenset()).union(function.captures)
        return taken.get(identity.index, frozenset())

    def _result(self, identity: FunctionId, number: int, depth: int) -> Iterable[Holder]:
        event = self._view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            return self._path(identity, number, event.path, event.keys, depth)
        if event.kind == "iterate" and event.value is not None:
            return self._element(identity, number, event.value, depth)
        if event.kind == "suspend" and event.note == "await" and event.value is not None:
            return self._of(identity, number, event.value, depth)
        if event.kind == "enter" and event.value is not None:
            return self._of(identity, number, event.value, depth)
        if event.kind == "call" and event.path is not None:
            return self._loaded(identity, number, event, depth) or self._call(identity, number, event, depth)
        return ()

    def _loaded(self, identity: FunctionId, number: int, event: Event, depth: int) -> frozenset[Holder]:
        """A store that is read, and what is taken apart or parsed from its text."""
        effects = self._summaries.effects_at(identity, number)
        nearest = min((e.distance for e in effects), default=0)
        if effects and all(e.kind != "read" or not e.keys for e in effects if e.distance == nearest):
            return frozenset()
        found = frozenset(f"{STORE}{min(e.keys)}" for e in effects if e.kind == "read" and e.keys and e.distance == nearest)
        if found or event.path is None:
            return found
        parsed = self._view.does(identity, number, "parses")
        if parsed is not None and isinstance(parsed.content, (Name, Result, Compound)):
            return self._of(identity, number, parsed.content, depth)
        if event.path.steps and event.path.steps[-1] in _TEXTS:
            holders = self._path(identity, number, AccessPath(event.path.root, event.path.steps[:-1]), event.keys, depth)
            return frozenset(h for h in holders if h.startswith(STORE))
        return frozenset()

    def _call(self, identity: FunctionId, number: int, event: Event, depth: int) -> Iterable[Holder]:
        """What takes an entry out of a container, and what gives the same entries in another container."""
        assert event.path is not None
        steps = event.path.steps
        if steps:
            receiver = AccessPath(event.path.root, steps[:-1])
            if steps[-1] in _TAKES and not self.is_instance(identity, number, receiver):
                holders = self._path(identity, number, receiver, event.keys, depth)
                first = event.arguments[0].value if event.arguments else None
                return _below(holders, _key(first) if steps[-1] in ("get", "pop", "setdefault") else ITEM)
            if steps[-1] in _COPIES and not self.is_instance(identity, number, receiver):
                return self._path(identity, number, receiver, event.keys, depth)
            if steps[-1] == "items":
                return {f"{holder}#" for holder in self._path(identity, number, receiver, event.keys, depth)}
        name = steps[-1] if steps else getattr(event.path.root, "name", "")
        if name in _SAME_ITEMS and event.arguments and not self._view.calls(identity, number)[0].functions:
            same = self._of(identity, number, event.arguments[-1 if name == "filter" else 0].value, depth)
            return _below(same, ITEM) if name == "next" else same
        return self._returned(identity, number, depth)

    def _returned(self, identity: FunctionId, number: int, depth: int) -> Iterable[Holder]:
        """What a callee of the program gives back as it is: a getter, a take from a log in a helper."""
        found: set[Holder] = set()
        for call in self._view.calls(identity, number):
            for target in call.functions[:4]:
                if target == identity or not self._recall.reaches(depth + 4, MAX_DEPTH):
                    continue
                gives = "yield" if _is_manager(self._view.function(target)) else ""
                for at, event in enumerate(self._view.function(target).events):
                    if event.value is not None and (event.note == gives if gives else event.kind == "return"):
                        found |= {h for h in self._of(target, at, event.value, depth + 2) if not _is_formal(h)}
        return found

    def _element(self, identity: FunctionId, at: int, container: Value, depth: int) -> Iterable[Holder]:
        if isinstance(container, Result):
            event = self._view.event(identity, container.event)
            if event.kind == "call" and event.path == AccessPath(Name("enumerate", "global")) and event.arguments:
                return {f"{holder}#" for holder in self._of(identity, at, event.arguments[0].value, depth)}
        holders = self._of(identity, at, container, depth)
        pairs = {holder for holder in holders if holder.endswith("#")}
        return pairs | _below(holders - pairs, ITEM)

    def _item(self, identity: FunctionId, at: int, whole: Value, position: Value, depth: int) -> Iterable[Holder]:
        holders = self._of(identity, at, whole, depth)
        numbered = {h[:-1] for h in holders if h.endswith("#")}
        if numbered:
            return _below(numbered, ITEM) if isinstance(position, Constant) and position.text == "1" else ()
        types = self._asked_for(identity, at, whole, self._view.inference.of_value(identity, at, whole))
        field = self._field_at(types, position)
        return (field,) if field else _below(holders, f"[{position.text}]" if isinstance(position, Constant) else ITEM)

    def _only_having(self, module: str, attribute: str, holders: Iterable[Holder]) -> Types:
        """The class of a module which alone sets such an attribute, for an object of which only its places are known.

        What lies in an object of that class is taken for something else.
        """
        if not self._by_attribute:
            return frozenset()
        having = self._having.get(module)
        if having is None:
            having = self._having[module] = {}
            for class_id in self._view.program.classes():
                if class_id.startswith(f"{module}."):
                    for name in self._view.inference.stores(class_id):
                        having.setdefault(name, []).append(class_id)
        found = having.get(attribute, ())
        if len(found) != 1 or any(is_within(holder, found[0]) for holder in holders):
            return frozenset()
        return frozenset([Instance(found[0])])

    def _behind(self, class_id: str, name: str, depth: int) -> frozenset[Holder]:
        """The places that a property gives as they are."""
        method = self._view.program.method(class_id, name) if self._by_attribute and self._recall.reaches(depth + 5, MAX_DEPTH) else None
        if method is None or "property" not in self._view.function(method).decorators:
            return frozenset()
        return frozenset().union(*(
            self._of(method, at, event.value, depth + 2) for at, event in enumerate(self._view.function(method).events)
            if event.kind == "return" and event.value is not None
        ))

    def types_of(self, identity: FunctionId, at: int, path: AccessPath) -> Types:
        """The types of what a path names, through objects that are only known by their attributes too."""
        types = self._view.inference.of_value(identity, at, path.root)
        for index, step in enumerate(path.steps):
            if step.startswith("["):
                types = self._view.inference.item(types, None)
            else:
                holders = self._path(identity, at, AccessPath(path.root, path.steps[:index]), (), 0)
                types = self._view.inference.members(types or self._only_having(identity.module, step, holders), step)
        return types

    def _asked_for(self, identity: FunctionId, at: int, subject: Value, types: Types) -> Types:
        """Of several types of a value those that the `case` around an event asks for."""
        asked = cased(self._view, identity, at, subject) if len(types) > 1 else frozenset()
        return frozenset(t for t in types if isinstance(t, Instance) and t.name in asked) or types

    def _field_at(self, types: Types, position: Value) -> Holder:
        """The field of a named tuple that a position stands for."""
        if isinstance(position, Constant) and position.text.isdigit():
            for type in in_order(types):
                info = self._view.program.class_(type.name) if isinstance(type, Instance) else None
                if info is not None and int(position.text) < len(info.ir.fields):
                    assert isinstance(type, Instance)
                    return f"{type.name}.{info.ir.fields[int(position.text)].name}"
        return ""

    def _path(
        self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...], depth: int
    ) -> frozenset[Holder]:
        inference = self._view.inference
        types = self._asked_for(identity, at, path.root, inference.of_value(identity, at, path.root)) if path.steps else frozenset()
        holders = set(self._of(identity, at, path.root, depth))
        remaining = iter(keys)
        for step in path.steps:
            if step.startswith("["):
                key = next(remaining, None)
                if isinstance(key, Compound) and key.operator == "slice":
                    continue
                field = self._field_at(types, key) if key is not None else ""
                holders = {field} if field else {f"{h}{_part(h, key)}" for h in holders}
                types = inference.item(types, key)
                continue
            types = types or self._only_having(identity.module, step, holders)
            owners = [t.name for t in in_order(types) if isinstance(t, Instance) and self._view.program.class_(t.name) is not None]
            behind = self._behind(owners[0], step, depth) if owners else frozenset()
            holders = set(behind) or (
                {f"{attribute_owner(self._view, owners[0], step)}.{step}"} if owners else {f"{h}.{step}" for h in holders}
            )
            types = inference.members(types, step)
        return frozenset(holders)


def is_within(holder: Holder, outer: Holder) -> bool:
    """Whether a place is `outer` or lies in it."""
    return holder == outer or (holder.startswith(outer) and holder[len(outer)] in ".[")


def _below(holders: Iterable[Holder], step: str) -> frozenset[Holder]:
    return frozenset(f"{holder}{step}" for holder in holders)


def _key(key: Value | None) -> str:
    """The step for a key: constants that name a field keep their name, positions from an end and variables are any item."""
    if isinstance(key, Constant) and key.kind == "str":
        return f"[{key.text}]"
    return ITEM


def _part(holder: Holder, key: Value | None) -> str:
    """The step below one place: a constant position in an entry names a part of it, one in a container any of its entries."""
    if isinstance(key, Constant) and key.kind == "int" and holder.endswith("]") and not key.text.startswith("-"):
        return f"[{key.text}]"
    return _key(key)


def _is_manager(function: Function) -> bool:
    """Whether a call of the function is for a `with`, which is given what the function yields."""
    return function.kind in ("generator", "async-generator") and any(text.rpartition(".")[2].endswith("contextmanager") for text in function.decorators)


def _is_formal(holder: Holder) -> bool:
    head = holder.partition("[")[0].partition(":")[2]
    return bool(head) and "." not in head
