"""Which field of which object a value is made of: `a.paths` and `b.paths` are two objects' same field.

Objects are told apart by the name that a function gives them (two formals, two loop variables, an object and what was
collected from those before it), fields by the class that owns them.
Untyped objects have the class of the program that has all fields by which the function knows them, if there is one.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator

import msgspec

from ctxlint.calls.cells import attribute_owner
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance, in_order
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.asked_parts import asked_of_its_part, is_asked_of, registered_under
from ctxlint.roles.copies import paired_in
from ctxlint.roles.entries import declaring, is_made, is_of_items, kept_in, makes_records
from ctxlint.roles.filters import tested_fields
from ctxlint.roles.leaf import (
    ASKS,
    CHOOSING,
    CONTENT,
    JOINING,
    Leaf,
    gathered,
    grows,
    is_in_record,
    spelled,
    translated,
    whose,
)
from ctxlint.roles.pieces import EACH, Found, Pieces, are_pairs
from ctxlint.roles.selectors import chosen, selected
from ctxlint.roles.shapes import Shapes
from ctxlint.roles.starred import bindings, filled
from ctxlint.roles.tables import Tables

MAX_DEPTH = 12


class Fields:
    """Finds the fields that values are made of; memoised."""

    def __init__(self, summaries: Summaries) -> None:
        self._summaries = summaries
        self.view = summaries.view
        self._recall = Recall[Hashable, Found](lambda question: frozenset(), lambda question: None)
        self.shapes = Shapes(self.view)
        self.tables = Tables(self.view)
        self.pieces = Pieces(self.view, self._recall, self.of, self.of_path, self._lifted, self.tested, self.shapes)

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Leaf]:
        """The fields whose content `value` is made of; keys by which something else was looked up are none."""
        return self._of(identity, at, value, 0)

    def tested(self, identity: FunctionId, at: int, whole: Compound | None, name: Name) -> frozenset[Leaf]:
        """The fields by which a variable is tested before it is used, or before it becomes an element of a comprehension."""
        return tested_fields(self.view, self.of, identity, at, whole, name)

    def of_path(self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...]) -> frozenset[Leaf]:
        """The field that an access path ends in, or the object that it is."""
        if is_in_record(path, keys):
            return frozenset(self._subscripted(identity, at, path, keys, 0))
        leaf = self._field(identity, at, path, keys)
        return frozenset([leaf]) if leaf is not None else self.of(identity, at, path.root)

    def of_all(self, identity: FunctionId, at: int, values: Iterable[Value]) -> frozenset[Leaf]:
        """The fields of several values."""
        return frozenset().union(*(self.of(identity, at, value) for value in values))

    def _of(self, identity: FunctionId, at: int, value: Value, depth: int) -> frozenset[Leaf]:
        if not isinstance(value, (Compound, Result)) and not (isinstance(value, Name) and value.scope == "local"):
            return frozenset()                       # nothing else is made of fields, whoever asks
        found = self._recall.ask((identity, at, value), lambda: frozenset(self._find(identity, at, value, depth + 1)), depth, MAX_DEPTH)
        return found or frozenset()

    def _find(self, identity: FunctionId, at: int, value: Value, depth: int) -> Iterator[Leaf]:
        if isinstance(value, Compound):
            if value.operator == "item":
                yield from self._item(identity, at, value, depth)
                return
            parts = value.parts[1:] if value.operator == "if" else value.parts
            if value.operator in ("comprehension-list", "comprehension-set", "comprehension-generator") and isinstance(parts[0], Name):
                parts = parts[1:]                    # the variable is an element of the iterables
            found = frozenset().union(*(self._of(identity, at, part, depth) for part in parts))
            if len(parts) < len(value.parts) and value.operator != "if" and not any(leaf.field for leaf in found):
                assert isinstance(value.parts[0], Name)
                yield from self.tested(identity, at, value, value.parts[0])
            yield from found
        elif isinstance(value, Name):
            yield from self._name(identity, at, value, depth)
        elif isinstance(value, Result):
            yield from self._event(identity, value.event, depth)

    def _item(self, identity: FunctionId, at: int, value: Compound, depth: int) -> Iterator[Leaf]:
        """A part of what is unpacked: of a named tuple its field, of anything else the content of the whole."""
        position = value.parts[1]
        for type in in_order(self.view.inference.of_value(identity, at, value.parts[0])):
            info = self.view.program.class_(type.name) if isinstance(type, Instance) else None
            if info is not None and isinstance(type, Instance) and isinstance(position, Constant) and position.text.isdigit():
                if int(position.text) < len(info.ir.fields):
                    yield Leaf(spelled(value.parts[0]), type.name, info.ir.fields[int(position.text)].name)
                    return
        number = int(position.text) if isinstance(position, Constant) and position.text.isdigit() else None
        for where, whole in paired_in(self.view, identity, value.parts[0], position):
            yield from self._of(identity, where, whole, depth)
            return
        found = self.pieces.of(identity, at, value.parts[0], (number,)) if number is not None else None
        parts = frozenset(self._part(identity, at, value.parts[0], position, depth)) if found is None else found
        if number is not None and not any(leaf.field for leaf in parts) and makes_records(self.view, identity, value.parts[0]):
            yield Leaf(spelled(value.parts[0]), f"{identity.module}()", f"[{number}]")
        else:
            yield from parts

    def keys_of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Leaf]:
        """The fields that the keys of a mapping are made of; of one that nothing is known of, those that it is kept in."""
        found = self.pieces.of(identity, at, value, (EACH, 0) if are_pairs(value) else (EACH,))
        if found is None and not is_made(self.view, identity, at, value):
            found = self.of(identity, at, value)
        return found or frozenset()

    def _part(self, identity: FunctionId, at: int, whole: Value, position: Value, depth: int) -> Iterator[Leaf]:
        """A part of a record without names: of one that a container keeps, or of one that nothing else is known of.

        What is taken apart from a field, be it a pair of bounds, is content of that field.
        """
        below = self._of(identity, at, whole, depth)
        number = position.text if isinstance(position, Constant) and position.text.isdigit() else ""
        kept = kept_in(self.view, self._field, identity, at, whole) if number and not is_of_items(self.view, identity, whole) else ""
        if kept:
            yield Leaf(spelled(whole), f"{kept}()", f"[{number}]")
            yield from below
            return
        unknown = number and not any(leaf.field or leaf.owner for leaf in below)
        for leaf in below:
            if unknown:
                yield Leaf(spelled(whole), f"{identity.module}()", f"[{number}]", leaf.collected)
            else:
                yield leaf

    def _name(self, identity: FunctionId, at: int, name: Name, depth: int) -> Iterator[Leaf]:
        if name.scope != "local":
            return
        function = self.view.function(identity)
        definitions = self.view.definitions(identity)
        found: set[Leaf] = set()
        for number in definitions.definitions(at, name.name):
            event = function.events[number] if number >= 0 else None
            if event is not None and event.kind == "local" and event.value is not None:
                below = self._of(identity, number, event.value, depth)
                found |= {gathered(leaf) for leaf in below} if grows(event.value, name) else below
        for number in definitions.additions(at, name.name):
            event = function.events[number]
            if event.kind == "call" and event.path is not None and event.path.steps[-1:] and event.path.steps[-1] in ASKS:
                continue                             # asked, and not added to
            values = [*event.keys, *(a.value for a in event.arguments), *([event.value] if event.value is not None else [])]
            for each in values:
                found |= {gathered(leaf) for leaf in self._of(identity, number, each, depth)}
        yield from found
        if not any(leaf.field for leaf in found):
            yield Leaf(name.name, self.owner(identity, at, name), "")

    def _event(self, identity: FunctionId, number: int, depth: int) -> Iterator[Leaf]:
        event = self.view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            yield from self._read(identity, number, event, event.path, depth)
        elif event.kind == "call" and event.path is not None:
            yield from self._call(identity, number, event, event.path, depth)
        elif event.kind in ("iterate", "suspend", "enter") and event.value is not None:
            yield from self._of(identity, number, event.value, depth)

    def _read(self, identity: FunctionId, number: int, event: Event, path: AccessPath, depth: int) -> Iterator[Leaf]:
        calls = self.view.calls(identity, number)
        targets = [target for call in calls for target in call.functions]
        if targets and path.steps:
            yield from self._returned(identity, number, AccessPath(path.root, path.steps[:-1]), targets, depth)
            return
        leaf = self._field(identity, number, path, event.keys)
        if leaf is None and path.steps == ("[*]",):
            leaf = selected(self.view, identity, number, AccessPath(path.root), event.keys[-1])
        if is_in_record(path, event.keys):
            yield from self._subscripted(identity, number, path, event.keys, depth)
        elif leaf is not None:
            yield from self._behind(leaf)
            yield from self._around(identity, number, event, path)
        elif not (isinstance(path.root, Name) and path.root.scope == "global"):
            yield from self._of(identity, number, path.root, depth)

    def _around(self, identity: FunctionId, number: int, event: Event, path: AccessPath) -> Iterator[Leaf]:
        """The field that holds what the last one belongs to: the bounds of `edit.target` are content of `target`."""
        if len(path.steps) == 2 and "[*]" not in path.steps and isinstance(path.root, Name) and path.root.scope == "local":
            outer = self._field(identity, number, AccessPath(path.root, path.steps[:1]), ())
            if outer is not None and self.view.program.class_(outer.owner) is not None:
                yield outer

    def _subscripted(
        self, identity: FunctionId, number: int, path: AccessPath, keys: tuple[Value, ...], depth: int
    ) -> Iterator[Leaf]:
        """The part of a record at a constant position; a part of what a field holds is content of that field."""
        if len(path.steps) == 1:
            yield from self._item(identity, number, Compound("item", (path.root, keys[-1])), depth)
            return
        leaf = self._field(identity, number, AccessPath(path.root, path.steps[:-1]), keys[:-1])
        if leaf is not None:
            yield from self._behind(leaf)
        else:
            yield from self._of(identity, number, path.root, depth)

    def _behind(self, leaf: Leaf) -> Iterator[Leaf]:
        """The field, and for a property or a method what it gives back."""
        yield leaf
        program = self.view.program
        method = program.method(leaf.owner, leaf.field) if leaf.owner and program.class_(leaf.owner) else None
        for method in (method, *program.overriders(leaf.owner, leaf.field)) if method is not None else ():
            own = receiver_name(self.view.function(method))
            passed = {own: frozenset([Leaf(leaf.instance, leaf.owner, "", leaf.collected)])}
            for given in self.given(method):
                yield from translated(given, passed)

    def given(self, identity: FunctionId) -> frozenset[Leaf]:
        """What a function's result is made of, in terms of its formals."""
        return self._recall.ask(identity, lambda: frozenset(self._gives(identity))) or frozenset()

    def _gives(self, identity: FunctionId) -> Iterator[Leaf]:
        for at, e in enumerate(self.view.function(identity).events):
            if e.value is not None and (e.kind == "return" or (e.kind == "suspend" and e.note.startswith("yield"))):
                yield from (self.from_formal(identity, at, leaf) for leaf in self.of(identity, at, e.value))

    def from_formal(self, identity: FunctionId, at: int, leaf: Leaf) -> Leaf:
        """An element of a formal as the formal itself: `op` of `for op in patch` is a part of what is passed for `patch`."""
        if not leaf.field:
            return leaf
        formals = {formal.name for formal in self.view.function(identity).formals}
        head = whose(leaf.instance)
        if head in formals:
            return leaf
        if head.startswith("#"):                     # one of the records that a field of the formal holds
            number = int(head[1:])
            roots = [each.instance for each in self.of(identity, number, Result(number)) if each.instance in formals]
        else:
            roots = [each.instance for each in self.of(identity, at, Name(head, "local")) if not each.field and each.instance in formals]
        return msgspec.structs.replace(leaf, instance=min(roots)) if roots else leaf

    def _field(self, identity: FunctionId, at: int, path: AccessPath, keys: tuple[Value, ...]) -> Leaf | None:
        """The last named field on a path, and the object that has it."""
        remaining = list(keys)
        named = -1
        words: list[str] = []
        constant: dict[int, str] = {}
        for index, step in enumerate(path.steps):
            if step.startswith("["):
                key = remaining.pop(0) if remaining else None
                if isinstance(key, Constant) and key.kind == "str":
                    constant[index] = key.text
                    named = index
                words.append(f"[{spelled(key)}]")
            else:
                named = index
                words.append(f".{step}")
        if named < 0 or (isinstance(path.root, Name) and path.root.scope == "global" and len(path.steps) == 1):
            return self.tables.entry(identity, path, keys)
        holder = AccessPath(path.root, path.steps[:named])
        instance = registered_under(self.view, identity, holder, keys) or spelled(path.root) + "".join(words[:named])
        if named in constant:
            declared = declaring(self.view, identity, at, holder, keys, constant[named])
            return Leaf(instance, declared or f"{identity.module}{{}}", constant[named])
        owner = self._owner_of_path(identity, at, holder, path.steps[named])
        if not owner and not (isinstance(path.root, Name) and path.root.scope != "local"):
            owner = f"{identity.module}{{}}"           # objects without a known class are told apart by what is used of them
        return Leaf(instance, owner, path.steps[named])

    def _owner_of_path(self, identity: FunctionId, at: int, path: AccessPath, field: str) -> str:
        for type in in_order(self.view.inference.of_path(identity, at, path)):
            if isinstance(type, Instance) and self.view.program.class_(type.name) is not None:
                return attribute_owner(self.view, type.name, field)
        if isinstance(path.root, Name) and not path.steps:
            shape = self.shapes.of(identity, path.root.name)
            return attribute_owner(self.view, shape, field) if shape else ""
        return ""

    def owner(self, identity: FunctionId, at: int, name: Name) -> str:
        """The class of the object that a name holds."""
        for type in in_order(self.view.inference.of_value(identity, at, name)):
            if isinstance(type, Instance) and self.view.program.class_(type.name) is not None:
                return type.name
        return self.shapes.of(identity, name.name)

    def _call(self, identity: FunctionId, number: int, event: Event, path: AccessPath, depth: int) -> Iterator[Leaf]:
        name = path.steps[-1] if path.steps else getattr(path.root, "name", "")
        if name in ("len", "range", "isinstance", "type", "id"):
            return
        targets = [target for call in self.view.calls(identity, number) for target in (*call.functions, *call.abstract)][:6]
        receiver = AccessPath(path.root, path.steps[:-1]) if path.steps else None
        if targets and not (receiver is None and name in CHOOSING):
            yield from self._returned(identity, number, receiver, targets, depth)
            return
        if path.steps[-1:] == ("[*]",) and isinstance(event.keys[-1], Constant):
            leaf = self._field(identity, number, path, event.keys)
            if leaf is not None:
                yield leaf                           # what a function that is an entry of a record says
                return
        called = self.shapes.called(identity, number) if receiver is not None and isinstance(path.root, Name) else ()
        for target in called:
            owner = self.shapes.of(identity, path.root.name) if isinstance(path.root, Name) else ""
            for passed in self.passed(identity, number, target) if owner else ():
                leaf = Leaf(spelled(path.root), owner, name)
                own = receiver_name(self.view.function(target))
                others = (other for name_of, leaves in passed.items() if name_of != own for other in leaves)
                yield from [leaf] if is_asked_of(self.view, identity, number, leaf, others) else ()
                for given in self.given(target):
                    yield from translated(given, passed) if whose(given.instance) in passed else ()
        if called:
            return
        if receiver is not None and not (isinstance(receiver.root, Name) and receiver.root.scope == "global"):
            if name in ("get", "pop", "setdefault") and event.arguments:
                key = event.arguments[0].value
                if isinstance(key, Constant) and key.kind == "str":
                    yield Leaf(spelled(receiver.root) + "".join(f".{s}" for s in receiver.steps), f"{identity.module}{{}}", key.text)
                    return
                part = selected(self.view, identity, number, receiver, key)
                if part is not None:
                    yield part
                    return
            if name in CONTENT:
                yield from self._of_receiver(identity, number, event, receiver, depth)
            if name not in JOINING:
                return
        for argument in event.arguments:
            yield from self._of(identity, number, argument.value, depth)

    def _of_receiver(self, identity: FunctionId, number: int, event: Event, receiver: AccessPath, depth: int) -> Iterator[Leaf]:
        keys = event.keys
        leaf = self._field(identity, number, receiver, keys) if receiver.steps else None
        if is_in_record(receiver, keys):
            yield from self._subscripted(identity, number, receiver, keys, depth)
        elif leaf is not None:
            yield leaf
        else:
            yield from self._of(identity, number, receiver.root, depth)

    def _returned(
        self, identity: FunctionId, number: int, receiver: AccessPath | None, targets: list[FunctionId], depth: int
    ) -> Iterator[Leaf]:
        """What a callee gives back: fields of its receiver and of what is passed."""
        for target in targets:
            own = receiver_name(self.view.function(target))
            for call in self.view.calls(identity, number):
                if target not in call.functions and target not in call.abstract:
                    continue
                actuals = filled(self.view, call, target)
                given = self.given(target)
                asked = {whose(leaf.instance) for leaf in given}   # what else is passed does not come back
                passed = {name: self._of(identity, number, value, depth) for name, value in actuals.items() if name in asked}
                if own and receiver is not None and own not in actuals:
                    passed[own] = self._handed(identity, number, receiver if receiver.steps else receiver.root)
                    held = asked_of_its_part(self.view, identity, number, receiver)
                    if held is not None:
                        yield held
                        continue
                    for leaf in passed[own]:
                        if not leaf.field and leaf.owner and is_asked_of(self.view, identity, number, leaf, (
                            other for value in actuals.values() for other in self._of(identity, number, value, depth)
                        )):
                            yield Leaf(leaf.instance, leaf.owner, self.view.function(target).qualname.rpartition(".")[2], leaf.collected)
                for leaf in given:
                    yield from translated(chosen(self.view, leaf, actuals), passed) if whose(leaf.instance) in passed else ()

    # Through calls.

    def _lifted(self, identity: FunctionId, number: int, target: FunctionId, at: int, leaves: frozenset[Leaf]) -> Iterator[Leaf]:
        """What a callee's leaves are in terms of what the call passes; what the callee keeps to itself is left out."""
        given = [self.from_formal(target, at, leaf) for leaf in leaves]
        for passed in self.passed(identity, number, target, {whose(leaf.instance) for leaf in given}) if given else ():
            for leaf in given:
                yield from translated(leaf, passed) if whose(leaf.instance) in passed else ()

    def passed(
        self, identity: FunctionId, number: int, target: FunctionId, asked: Container[str] | None = None
    ) -> Iterator[dict[str, frozenset[Leaf]]]:
        """What a callee is given for its formals, or those that are asked about, the receiver included."""
        for bound in bindings(self.view, self.shapes, identity, number, target):
            yield {name: self._handed(identity, number, value) for name, value in bound.items() if asked is None or name in asked}

    def _handed(self, identity: FunctionId, at: int, value: Value | AccessPath) -> frozenset[Leaf]:
        """What is passed: an object by its name, also when it is one of those that a field holds."""
        if isinstance(value, AccessPath):
            return self.of_path(identity, at, value, self.view.event(identity, at).keys)
        found = self.of(identity, at, value)
        if isinstance(value, Name) and found and all(leaf.field for leaf in found):
            owner = self.owner(identity, at, value)
            if owner and self.view.program.class_(owner) is not None:
                return frozenset([Leaf(value.name, owner, "")])
        return found
