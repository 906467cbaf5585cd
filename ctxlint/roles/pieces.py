"""Which part of a value something is: the keys of a mapping that a helper makes, the second of the pairs that a loop takes apart.

A part is named by steps that lead to it from the whole: a position, `EACH` element (of a mapping its keys), or `HELD`, what is
held under the keys.
Steps are followed backwards to where the whole was put together, through locals, collections, the language's functions for
pairs and mappings, and what functions of the program return.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeGuard

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.view import View
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.filters import goes_through
from ctxlint.roles.leaf import Leaf, gathered, is_in_record
from ctxlint.roles.shapes import Shapes

Step = int | str
Steps = tuple[Step, ...]
EACH = "each"
HELD = "held"

MAX_DEPTH = 14
MAX_STEPS = 5

_SAME = frozenset(["sorted", "list", "tuple", "set", "frozenset", "reversed", "iter", "deque", "chain", "Counter"])
"""Functions of the language whose result has the elements of what they are given."""
_MAPPINGS = frozenset(["dict", "OrderedDict", "defaultdict"])
_PUTS = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait"])
_MERGES = frozenset(["update", "extend", "__ior__"])
_JOINS = frozenset(["+", "|", "&", "-", "^", "|=", "+=", "or", "and", "if", "*"])
_SETS = frozenset(["comprehension-list", "comprehension-set", "comprehension-generator"])

Found = frozenset[Leaf] | None


class Pieces:
    """Finds the fields that a part of a value is made of; memoised. None: nothing is known of how the whole is put together."""

    def __init__(
        self,
        view: View,
        recall: Recall[Hashable, Found],
        content: Callable[[FunctionId, int, Value], frozenset[Leaf]],
        content_of_path: Callable[[FunctionId, int, AccessPath, tuple[Value, ...]], frozenset[Leaf]],
        lifted: Callable[[FunctionId, int, FunctionId, int, frozenset[Leaf]], Iterable[Leaf]],
        selected: Callable[[FunctionId, int, Compound | None, Name], frozenset[Leaf]],
        shapes: Shapes,
    ) -> None:
        self._shapes = shapes
        self._view = view
        self._content = content
        self._content_of_path = content_of_path
        self._lifted = lifted
        self._selected = selected
        self._recall = recall

    def of(self, identity: FunctionId, at: int, value: Value, steps: Steps, depth: int = 0) -> Found:
        """The fields that a part of a value, as it is at an event, is made of."""
        if not steps:
            return self._content(identity, at, value)
        if len(steps) > MAX_STEPS:
            return None
        return self._recall.ask((identity, at, value, steps), lambda: self._find(identity, at, value, steps, depth + 1), depth, MAX_DEPTH)

    def _find(self, identity: FunctionId, at: int, value: Value, steps: Steps, depth: int) -> Found:
        if isinstance(value, Compound):
            return self._of_display(identity, at, value, steps, depth)
        if isinstance(value, Name) and value.scope == "local":
            return self._of_local(identity, at, value, steps, depth)
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind in ("iterate", "suspend") and event.value is not None:
                inner = (EACH, *steps) if event.kind == "iterate" else steps
                return self.of(identity, value.event, event.value, inner, depth)
            if event.kind == "call" and event.path is not None:
                return self._of_call(identity, value.event, event, event.path, steps, depth)
            if event.kind == "read" and event.path is not None:
                return self._of_read(identity, value.event, event, event.path, steps, depth)
        return None

    # What the program writes down.

    def _of_display(self, identity: FunctionId, at: int, value: Compound, steps: Steps, depth: int) -> Found:
        first, rest = steps[0], steps[1:]
        operator, parts = value.operator, value.parts
        if operator == "item" and isinstance(parts[1], Constant) and parts[1].text.isdigit():
            return self.of(identity, at, parts[0], (int(parts[1].text), *steps), depth)
        if operator in _SETS and first == EACH:
            return self._of_element(identity, at, value, parts[0], rest, depth)
        if operator == "comprehension-dict" and first in (EACH, HELD):
            return self._of_element(identity, at, value, parts[0 if first == EACH else 1], rest, depth)
        if operator in ("tuple", "list", "set"):
            if isinstance(first, int):
                chosen = parts[first:first + 1] if not any(isinstance(p, Compound) and p.operator == "*" for p in parts) else ()
            elif first == EACH:
                return self._of_all(identity, at, [(p.parts[0], steps) if _is_spread(p) else (p, rest) for p in parts], depth)
            else:
                chosen = ()
            return self._joined(self.of(identity, at, part, rest, depth) for part in chosen)
        if operator == "dict" and first in (EACH, HELD):
            return self._joined(self._of_entry(identity, at, k, v, steps, depth) for k, v in zip(parts[::2], parts[1::2]))
        if operator in _JOINS:
            return self._of_all(identity, at, [(part, steps) for part in (parts[1:] if operator == "if" else parts)], depth)
        return None

    def _of_all(self, identity: FunctionId, at: int, parts: list[tuple[Value, Steps]], depth: int) -> Found:
        """What is in one of several collections; where nothing is known of some, a part of them is content of the field they are."""
        found = [self.of(identity, at, part, steps, depth) for part, steps in parts]
        if all(each is None for each in found):
            return None
        return self._joined(
            each if each is not None else frozenset(leaf for leaf in self._content(identity, at, part) if leaf.field)
            for each, (part, _) in zip(found, parts)
        )

    def _of_entry(self, identity: FunctionId, at: int, key: Value, held: Value, steps: Steps, depth: int) -> Found:
        if isinstance(key, Compound) and key.operator == "**":
            return self.of(identity, at, held, steps, depth)
        if isinstance(key, Constant) and steps[0] == EACH:
            return frozenset()
        return self.of(identity, at, key if steps[0] == EACH else held, steps[1:], depth)

    def _of_element(self, identity: FunctionId, at: int, whole: Compound, element: Value, steps: Steps, depth: int) -> Found:
        """A part of what a comprehension makes; its variables are parts of what it goes through."""
        if isinstance(element, Compound) and element.operator in ("tuple", "list") and steps and isinstance(steps[0], int):
            chosen = element.parts[steps[0]:steps[0] + 1]
            return self._joined(self._of_element(identity, at, whole, part, steps[1:], depth) for part in chosen)
        if not isinstance(element, Name) or element.scope != "local":
            return self.of(identity, at, element, steps, depth)
        found = self._joined(
            self.of(identity, number, bound.value, steps, depth)
            for number in self._view.definitions(identity).definitions(at, element.name) if number >= 0
            for bound in (self._view.event(identity, number),)
            if bound.kind == "local" and bound.value is not None and goes_through(self._view, identity, whole, bound.value)
        )
        if not steps and not any(leaf.field for leaf in found or ()):
            found = (found or frozenset()) | self._selected(identity, at, whole, element)
        return found

    # What locals hold.

    def _of_local(self, identity: FunctionId, at: int, name: Name, steps: Steps, depth: int) -> Found:
        definitions = self._view.definitions(identity)
        found: list[Found] = []
        for number in definitions.definitions(at, name.name):
            event = self._view.event(identity, number) if number >= 0 else None
            if event is not None and event.kind == "local" and event.value is not None and not _is_empty(event.value):
                found.append(self.of(identity, number, event.value, steps, depth))
            elif number < 0:
                passed = self._as_whole(identity, at, name, steps)
                found.append(passed and frozenset(leaf for leaf in passed if not leaf.collected))
        for number in definitions.additions(at, name.name):
            added = self._added(identity, number, self._view.event(identity, number), steps, depth)
            found.append(added and frozenset(map(gathered, added)))
        return self._joined(found)

    def _added(self, identity: FunctionId, number: int, event: Event, steps: Steps, depth: int) -> Found:
        """What an event adds to a collection, as a part of that collection; None when it adds nothing there."""
        first, rest = steps[0], steps[1:]
        path = event.path
        if path is None:
            return None
        if event.kind == "call" and len(path.steps) == 1 and event.arguments:
            last = event.arguments[-1].value
            if path.steps[0] in _PUTS and first == EACH:
                return self.of(identity, number, last, rest, depth)
            if path.steps[0] in _MERGES and len(event.arguments) == 1:
                pairs = self._of_pairs(identity, number, last, steps, depth) if path.steps[0] == "update" else None
                return pairs if pairs is not None else self.of(identity, number, last, steps, depth)
            if path.steps[0] == "setdefault" and first in (EACH, HELD):
                return self.of(identity, number, event.arguments[0 if first == EACH else -1].value, rest, depth)
        if event.kind == "write" and path.steps == ("[*]",) and event.keys:
            value = event.keys[0] if first == EACH else event.value
            return self.of(identity, number, value, rest, depth) if value is not None and first in (EACH, HELD) else None
        return None

    def _of_pairs(self, identity: FunctionId, at: int, value: Value, steps: Steps, depth: int) -> Found:
        """A part of a mapping that is made of pairs, when that is what it is made of."""
        if steps[0] not in (EACH, HELD) or not are_pairs(value):
            return None
        return self.of(identity, at, value, (EACH, 0 if steps[0] == EACH else 1, *steps[1:]), depth)

    def _as_whole(self, identity: FunctionId, at: int, value: Value, steps: Steps) -> Found:
        """The elements of what is only known as a whole are content of it; which of its parts one is stays unknown."""
        return None if any(isinstance(step, int) for step in steps) else self._content(identity, at, value)

    def _of_read(self, identity: FunctionId, number: int, event: Event, path: AccessPath, steps: Steps, depth: int) -> Found:
        if path.steps == ("[*]",) and isinstance(path.root, (Name, Result)):
            key = event.keys[-1]
            if isinstance(key, Compound) and key.operator == "slice":
                return self.of(identity, number, path.root, steps, depth)
            whole = self._content(identity, number, Result(number)) if isinstance(key, Constant) and key.kind == "str" else ()
            if any(leaf.field for leaf in whole):
                return self._as_whole(identity, number, Result(number), steps)
            step: Step = int(key.text) if is_in_record(path, event.keys) and isinstance(key, Constant) else HELD
            found = self.of(identity, number, path.root, (step, *steps), depth)
            if found is None and step != HELD:
                part = self._content(identity, number, Result(number))
                if any(leaf.field for leaf in part):
                    return self._as_whole(identity, number, Result(number), steps)
                return self.of(identity, number, path.root, (EACH, *steps), depth)
            return found
        return self._as_whole(identity, number, Result(number), steps)

    # What functions give back.

    def _of_call(self, identity: FunctionId, number: int, event: Event, path: AccessPath, steps: Steps, depth: int) -> Found:
        targets = [target for call in self._view.calls(identity, number) for target in call.functions][:6]
        targets = targets or list(self._shapes.called(identity, number))
        if targets:
            return self._joined([self._returned(identity, number, target, steps, depth) for target in targets])
        name = path.steps[-1] if path.steps else getattr(path.root, "name", "")
        given = [argument.value for argument in event.arguments]
        if path.steps and not (isinstance(path.root, Name) and path.root.scope == "global"):
            return self._of_method(identity, number, event, path, name, steps, depth)
        first, rest = steps[0], steps[1:]
        if name in _SAME and given:
            return self._of_all(identity, number, [(each, steps) for each in given], depth)
        if name == "fromkeys" and given and first == EACH:
            return self.of(identity, number, given[0], steps, depth)
        if name in _MAPPINGS and given and first in (EACH, HELD):
            pairs = self.of(identity, number, given[-1], (EACH, 0 if first == EACH else 1, *rest), depth)
            return pairs if pairs is not None else self.of(identity, number, given[-1], steps, depth) or self._as_whole(
                identity, number, given[-1], steps)
        if name == "zip" and first == EACH and rest and isinstance(rest[0], int) and rest[0] < len(given):
            return self._or_whole(identity, number, given[rest[0]], (EACH, *rest[1:]), depth)
        if name == "enumerate" and first == EACH and rest and given:
            return self._or_whole(identity, number, given[0], (EACH, *rest[1:]), depth) if rest[0] == 1 else frozenset()
        if name == "filter" and given:
            return self.of(identity, number, given[-1], steps, depth)
        return None

    def _or_whole(self, identity: FunctionId, at: int, value: Value, steps: Steps, depth: int) -> Found:
        found = self.of(identity, at, value, steps, depth)
        return found if found is not None else self._as_whole(identity, at, value, steps)

    def _of_method(
        self, identity: FunctionId, number: int, event: Event, path: AccessPath, name: str, steps: Steps, depth: int
    ) -> Found:
        first, rest = steps[0], steps[1:]
        if name == "items" and first == EACH and rest and rest[0] in (0, 1):
            steps = (EACH if rest[0] == 0 else HELD, *rest[1:])
        elif name == "values" and first == EACH:
            steps = (HELD, *rest)
        elif name not in ("keys", "copy", "elements", "most_common"):
            return None
        if len(path.steps) == 1:
            found = self.of(identity, number, path.root, steps, depth)
            if found is not None:
                return found
        if any(isinstance(step, int) for step in steps):
            return None
        return self._content_of_path(identity, number, AccessPath(path.root, path.steps[:-1]), event.keys)

    def _returned(self, identity: FunctionId, number: int, target: FunctionId, steps: Steps, depth: int) -> Found:
        """A part of what a callee gives back, in terms of what it is passed; what it keeps to itself says nothing."""
        parts: list[tuple[int, Value, Found]] = []
        for at, event in enumerate(self._view.function(target).events):
            if event.value is None:
                continue
            if event.kind == "return" or event.note == "yield-from":
                parts.append((at, event.value, self.of(target, at, event.value, steps, depth)))
            elif event.kind == "suspend" and event.note.startswith("yield") and steps[0] == EACH:
                parts.append((at, event.value, self.of(target, at, event.value, steps[1:], depth)))
        known = any(part for _, _, part in parts)
        found: list[Found] = []
        for at, value, part in parts:
            if part is None and known:
                part = frozenset(leaf for leaf in self._content(target, at, value) if leaf.field)
            lifted = frozenset(self._lifted(identity, number, target, at, part)) if part is not None else frozenset()
            found.append(lifted or (None if part is None or part else frozenset()))
        return self._joined(found)

    def _joined(self, found: Iterable[Found]) -> Found:
        known = [each for each in found if each is not None]
        return frozenset().union(*known) if known else None


def are_pairs(value: Value) -> bool:
    """Whether a value is written down as one pair after the other."""
    element = value.parts[0] if isinstance(value, Compound) and value.operator in _SETS else None
    return isinstance(element, Compound) and element.operator == "tuple" and len(element.parts) == 2


def _is_spread(value: Value) -> TypeGuard[Compound]:
    return isinstance(value, Compound) and value.operator == "*" and len(value.parts) == 1


def _is_empty(value: Value) -> bool:
    return isinstance(value, Compound) and value.operator in ("dict", "list", "set", "tuple") and not value.parts
