"""What tests have established where a value is used: `isinstance`, and `case` with a class.

A test holds at an event when every path from the function's entry to the event's block takes an edge on which it holds:
a block that is only entered by such edges dominates the event's block (Cooper, Harvey and Kennedy, 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ctxlint.ir.function import ENTRY, Function
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value

Place = tuple[str, tuple[str, ...]]
"""A variable and attribute steps from it."""


class Established(NamedTuple):
    """The place is an instance of one of `classes`; `event` is where it was tested, if that is an event."""

    place: Place
    event: int | None
    classes: tuple[Value, ...]


class Test(NamedTuple):
    """In blocks dominated by `block`, what was established of the place holds."""

    block: int
    event: int | None
    classes: tuple[Value, ...]


class Narrowings(msgspec.Struct, frozen=True):
    """The tests of one function by place, and each block's dominators."""

    tests: dict[Place, tuple[Test, ...]]
    dominators: tuple[int, ...]
    block_of: tuple[int, ...]

    def holding(self, event: int, place: Place) -> tuple[Test, ...]:
        """The tests on the place that hold at the event, the last one first."""
        candidates = self.tests.get(place)
        if not candidates or event >= len(self.block_of):
            return ()
        found: list[Test] = []
        block = self.block_of[event]
        while True:
            found += [test for test in candidates if test.block == block]
            above = self.dominators[block]
            if above == block or above < 0:
                return tuple(found)
            block = above


NOTHING = Narrowings({}, (), ())


def narrowings_of(function: Function, instance_tests: frozenset[int]) -> Narrowings:
    """The tests of the function, whose calls of `isinstance` are given; cheap for the many functions that have none."""
    said: dict[tuple[int, int], list[Established]] = {}
    for number, block in enumerate(function.blocks):
        edges = block.edges
        for position, edge in enumerate(edges) if len(edges) > 1 else ():
            condition = edge.condition
            if condition is not None and _can_establish(condition.value, instance_tests):
                found = established(function, condition.value, condition.holds)
                if found:
                    said[number, position] = found
    if not said:
        return NOTHING
    tests: dict[Place, list[Test]] = {}
    for target, entries in _entries(function, said).items():
        for place, event, classes in _in_all(entries):
            tests.setdefault(place, []).append(Test(target, event, classes))
    block_of = [0] * len(function.events)
    for number, block in enumerate(function.blocks):
        for event in range(block.first, block.last):
            block_of[event] = number
    return Narrowings({place: tuple(found) for place, found in tests.items()}, _dominators(function), tuple(block_of))


def place_of(function: Function, value: Value) -> Place | None:
    """The variable, or attribute of one, whose content the value is."""
    if isinstance(value, Name):
        return (value.name, ())
    if isinstance(value, Result):
        event = function.events[value.event]
        if event.kind == "read" and event.path is not None:
            return place_of_path(event.path)
    return None


def place_of_path(path: AccessPath) -> Place | None:
    """The place a path names, if it has no items in it."""
    return (path.root.name, path.steps) if isinstance(path.root, Name) and "[*]" not in path.steps else None


def established(function: Function, value: Value, holds: bool) -> list[Established]:
    """What the condition says about instances when it is true (or, not `holds`, false)."""
    if isinstance(value, Compound):
        if value.operator == "not" and value.parts:
            return established(function, value.parts[0], not holds)
        if value.operator == ("and" if holds else "or"):
            return [found for part in value.parts for found in established(function, part, holds)]
        if value.operator == "or" and holds:
            return _in_all([established(function, part, True) for part in value.parts])
        if value.operator == "match" and holds and len(value.parts) > 1:
            place = place_of(function, value.parts[0])
            return [Established(place, None, tuple(map(_class_of, value.parts[1:])))] if place is not None else []
        return []
    if isinstance(value, Result) and holds:
        call = function.events[value.event]
        if call.kind == "call" and len(call.arguments) == 2 and call.path == ISINSTANCE:
            place = place_of(function, call.arguments[0].value)
            if place is not None:
                return [Established(place, value.event, (call.arguments[1].value,))]
    return []


def _class_of(pattern: Value) -> Value:
    """The class of a pattern that asks for parts as well: `case Move(start, end)`."""
    return pattern.parts[0] if isinstance(pattern, Compound) and pattern.operator == "and" else pattern


def _can_establish(value: Value, instance_tests: frozenset[int]) -> bool:
    if isinstance(value, Result):
        return value.event in instance_tests
    if isinstance(value, Compound):
        return value.operator == "match" or bool(instance_tests and value.operator in ("not", "and", "or"))
    return False


def _entries(function: Function, said: dict[tuple[int, int], list[Established]]) -> dict[int, list[list[Established]]]:
    """For every block that some test leads to, what each way into it establishes."""
    targets = {function.blocks[number].edges[position].target for number, position in said}
    entries: dict[int, list[list[Established]]] = {target: [] for target in targets}
    for number, block in enumerate(function.blocks):
        for position, edge in enumerate(block.edges):
            if edge.target in targets:
                entries[edge.target].append(said.get((number, position), []))
        if block.pad in targets and block.first < block.last:
            entries[block.pad].append([])
    return entries


def _in_all(sides: list[list[Established]]) -> list[Established]:
    """What every side says of the same place: one of the classes of any side."""
    found: list[Established] = []
    for place, event, _ in sides[0]:
        same = [next((e for e in side if e.place == place), None) for side in sides]
        kept = [e for e in same if e is not None]
        if len(kept) == len(sides):
            found.append(Established(place, event, tuple(dict.fromkeys(c for e in kept for c in e.classes))))
    return found


def _dominators(function: Function) -> tuple[int, ...]:
    """The immediate dominator of every block; -1 for those that cannot be reached."""
    order = _reverse_postorder(function)
    position = {block: index for index, block in enumerate(order)}
    predecessors: dict[int, list[int]] = {}
    for block in order:
        for target in _targets(function, block):
            predecessors.setdefault(target, []).append(block)
    immediate = [-1] * len(function.blocks)
    immediate[ENTRY] = ENTRY
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            best = -1
            for before in predecessors[block]:
                if immediate[before] >= 0:
                    best = before if best < 0 else _meet(best, before, immediate, position)
            if best != immediate[block]:
                immediate[block] = best
                changed = True
    return tuple(immediate)


def _meet(one: int, other: int, immediate: list[int], position: dict[int, int]) -> int:
    while one != other:
        while position[one] > position[other]:
            one = immediate[one]
        while position[other] > position[one]:
            other = immediate[other]
    return one


def _reverse_postorder(function: Function) -> list[int]:
    seen = {ENTRY}
    finished: list[int] = []
    pending = [(ENTRY, iter(_targets(function, ENTRY)))]
    while pending:
        block, targets = pending[-1]
        following = next((target for target in targets if target not in seen), None)
        if following is None:
            finished.append(block)
            pending.pop()
        else:
            seen.add(following)
            pending.append((following, iter(_targets(function, following))))
    return finished[::-1]


def _targets(function: Function, number: int) -> list[int]:
    block = function.blocks[number]
    targets = [edge.target for edge in block.edges]
    if block.first < block.last:
        targets.append(block.pad)
    return targets


ISINSTANCE = AccessPath(Name("isinstance", "global"))
