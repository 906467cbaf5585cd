"""The retry trap: the guard of a second attempt sees what the first one changed, and leaves.

A test traps when it decides whether the record is reached at all, asks the cell before it is changed, and gets the other answer
after the change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxlint.calls.cells import cells_of
from ctxlint.calls.effects import WRITES
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.ordering import comes_before
from ctxlint.flow.graph import EventGraph
from ctxlint.flow.paths import path
from ctxlint.ir.function import Condition
from ctxlint.ir.value import NONE, AccessPath, Compound, Constant, Name, Result, Value

Relation = Literal["present", "absent", "equal", "different", "opaque"]

_FLIPPED: dict[str, Relation] = {"present": "absent", "absent": "present", "equal": "different", "different": "equal"}
_COMPARED: dict[str, Relation] = {"==": "equal", "is": "equal", "!=": "different", "is not": "different",
                                  "in": "present", "not in": "absent"}


class Test(msgspec.Struct, frozen=True):
    """What a condition says of a value: `subject` stands in `relation` to `other` (None where there is no other).

    A value that is compared with a literal that stands for nothing is "present" or "absent"; `other` is that literal then.
    """

    subject: Value
    relation: Relation
    other: Value | None = None


class Gate(msgspec.Struct, frozen=True):
    """A condition without which the event is not reached, the last event before it is asked, and the node behind it, where every
    name holds what the condition asks about.
    """

    condition: Condition
    at: int
    behind: int


def retry_trap(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: int) -> int | None:
    """The event at which a second attempt leaves because of the mutation, so that the record is never written; or None."""
    for gate in gates(analysis, identity, record):
        if any(
            asks(analysis, identity, mutation, gate.behind, test) and _flips(analysis, identity, mutation, gate.behind, test)
            for test in tests(gate.condition.value, gate.condition.holds)
        ) and not _is_recorded_otherwise(analysis, identity, mutation, record, gate):
            return gate.at
    return None


def _is_recorded_otherwise(analysis: Analysis, identity: FunctionId, mutation: Mutation, record: int, gate: Gate) -> bool:
    """Whether a second attempt that leaves at the gate writes the same store on its way, from what the cell then holds."""
    written = {key for e in analysis.summaries.effects_at(identity, record) if e.kind in WRITES for key in e.keys}
    others = {
        e.event for e in analysis.summaries.of(identity).effects
        if e.kind in WRITES and e.keys & written and not e.deferred and (e.cells.intersection(mutation.cells) or any(
            s.kind == "cell" and s.name in mutation.cells
            for s in analysis.summaries.sources.of_all(identity, e.event, e.contents)
        ))
    } - {record, mutation.event}
    return bool(others) and path(analysis.view.graph(identity), gate.at, others, {record, mutation.event}) is not None


def gates(analysis: Analysis, identity: FunctionId, event: int) -> tuple[Gate, ...]:
    """The conditions that must hold to reach the event: where they fail, the function goes another way and ends."""
    known = analysis.view.graph(identity).derived(_known_gates)
    if event not in known:
        known[event] = tuple(_find_gates(analysis.view.graph(identity), event))
    return known[event]


def _known_gates(graph: EventGraph) -> dict[int, tuple[Gate, ...]]:
    """The gates of a graph's events, as far as somebody has asked: every change before a record asks for the record's."""
    return {}


def _find_gates(graph: EventGraph, event: int) -> Iterator[Gate]:
    for number, block in enumerate(graph.function.blocks):
        for edge in block.edges:
            if edge.condition is None or len(block.edges) < 2:
                continue
            target = graph.size + edge.target
            if len(graph.predecessors(target)) != 1 or not comes_before(graph, target, event):
                continue
            others = [graph.size + other.target for other in block.edges if other is not edge]
            asked_again = {graph.size + number, *range(block.first, block.last)}
            if event not in others and path(graph, others, event, asked_again, consistent=False) is None:
                yield Gate(edge.condition, max(block.last - 1, block.first) if block.last > block.first else event, target)


def tests(value: Value, holds: bool) -> Iterator[Test]:
    """The single questions whose answers the condition fixes."""
    if isinstance(value, Compound) and value.operator == "not":
        yield from tests(value.parts[0], not holds)
    elif isinstance(value, Compound) and value.operator == ("and" if holds else "or"):
        for part in value.parts:
            yield from tests(part, holds)
    elif isinstance(value, Compound) and value.operator in ("and", "or"):
        return
    elif isinstance(value, Compound) and value.operator in _COMPARED and len(value.parts) == 2:
        yield from _comparison(value, holds)
    elif isinstance(value, Compound):
        yield Test(value, "opaque")
    else:
        yield Test(value, "present" if holds else "absent")


def _comparison(value: Compound, holds: bool) -> Iterator[Test]:
    left, right = value.parts
    relation = _COMPARED[value.operator] if holds else _FLIPPED[_COMPARED[value.operator]]
    if value.operator in ("in", "not in"):
        yield Test(right, relation)
        if isinstance(right, Compound):
            yield Test(left, "opaque", right)
        return
    for subject, other in ((left, right), (right, left)):
        if is_nothing(other):
            yield Test(subject, "absent" if relation == "equal" else "present", other)
        else:
            yield Test(subject, relation, other)


def asks(analysis: Analysis, identity: FunctionId, mutation: Mutation, at: int, test: Test) -> bool:
    """Whether the test is about the very cell, as it was before the mutation (or as the mutation found it)."""
    results = [what for kind, what in analysis.view.origins(identity).identity(test.subject, at) if kind == "result"]
    return any(isinstance(what, int) and what <= mutation.event and _tells(analysis, identity, mutation.cells[-1], what)
               for what in results)


def _tells(analysis: Analysis, identity: FunctionId, cell: str, number: int) -> bool:
    """Whether the event's result is the cell, an item of it, or what a method or a builtin says about it."""
    view = analysis.view
    event = view.event(identity, number)
    if event.kind == "read" and event.path is not None:
        return any(
            cells_of(view, identity, number, path)[-1:] == (cell,)
            for path in (event.path, *view.resolve_path(identity, number, event.path))
        )
    if event.kind != "call" or event.path is None:
        return False
    functions = {f for call in view.calls(identity, number) for f in call.functions}
    if functions:
        return any(_reads(analysis, function, cell) for function in functions)
    about = [AccessPath(event.path.root, event.path.steps[:-1])] if event.path.steps else [
        AccessPath(argument.value) for argument in event.arguments[:1]
    ]
    return any(cells_of(view, identity, number, path)[-1:] == (cell,)
               for each in about for path in view.resolve_path(identity, number, each))


def _reads(analysis: Analysis, function: FunctionId, cell: str) -> bool:
    """Whether the function itself looks at the cell and changes nothing."""
    summary = analysis.summaries.of(function)
    return not summary.mutations and not summary.effects and any(
        event.kind == "read" and event.path is not None and cells_of(analysis.view, function, number, event.path)[-1:] == (cell,)
        for number, event in enumerate(analysis.view.function(function).events)
    )


def _flips(analysis: Analysis, identity: FunctionId, mutation: Mutation, at: int, test: Test) -> bool:
    """Whether the test is answered otherwise once the mutation has been made."""
    if test.relation == "opaque" or _is_call(analysis, identity, test.subject, mutation.event):
        return mutation.how in ("rebind", "field")
    if mutation.how in ("rebind", "field"):
        return _flips_value(analysis, identity, mutation, at, test)
    if mutation.how == "item" and test.relation == "different" and test.other is not None:
        return _enters(analysis, identity, mutation, at, test.other)
    if depth_inside(mutation) > 0:
        return False
    if mutation.how in ("remove", "delete", "clear"):
        return test.relation == "present"
    if test.relation == "different" and test.other is not None:
        return _enters(analysis, identity, mutation, at, test.other)
    return test.relation == "absent"


def _flips_value(analysis: Analysis, identity: FunctionId, mutation: Mutation, at: int, test: Test) -> bool:
    value = mutation.values[0] if len(mutation.values) == 1 else None
    if test.relation == "different" and test.other is not None:
        return value == test.other or _enters(analysis, identity, mutation, at, test.other)
    if test.relation == "equal" and isinstance(test.other, Constant):
        return isinstance(value, Constant) and value != test.other
    if test.relation == "present":
        return value is not None and is_nothing(value)
    if test.relation == "absent" and value is not None:
        if isinstance(value, Constant):
            return not is_nothing(value)
        return test.other == NONE and _is_something(analysis, identity, mutation, value)
    return False


def _is_something(analysis: Analysis, identity: FunctionId, mutation: Mutation, value: Value) -> bool:
    """Whether the stored value is no None: what is set once, where it was None, is not set to None again.

    So are a formal that does not say that it may be None, and what a display or an operator makes.
    """
    if isinstance(value, Compound):
        return value.operator not in ("or", "and", "if", "element", "item", "rest")
    if isinstance(value, Name) and value.scope == "local" and mutation.distance == 0:
        formal = next((f for f in analysis.view.function(identity).formals if f.name == value.name), None)
        only = analysis.view.origins(identity).identity(value, mutation.event)
        return formal is not None and only == {("param", value.name)} and formal.default is None and not (
            formal.annotation.startswith("Optional") or any(word in formal.annotation for word in ("None", ".Optional", "Any"))
        )
    return False


def _enters(analysis: Analysis, identity: FunctionId, mutation: Mutation, at: int, other: Value) -> bool:
    """Whether the value compared against is the one that the mutation stores."""
    asked = {what for kind, what in analysis.view.origins(identity).identity(other, at) if kind == "param"}
    return any(s.kind == "param" and s.name in asked for s in analysis.cells.entering.content(identity, mutation))


def depth_inside(mutation: Mutation) -> int:
    """How many items deep inside the cell's own container the mutation happens: 0 adds or removes an item of the cell itself."""
    items = 0
    for step in reversed(mutation.path.steps):
        if not step.startswith("["):
            break
        items += 1
    return items - 1 if mutation.how in ("item", "delete", "augment") else items


def _is_call(analysis: Analysis, identity: FunctionId, value: Value, mutation: int) -> bool:
    """Whether the value is what some method of the program says about the object: only its code knows when it changes."""
    if not isinstance(value, Result) or value.event == mutation:
        return False
    event = analysis.view.event(identity, value.event)
    return event.kind == "call" and any(call.functions for call in analysis.view.calls(identity, value.event))


def is_nothing(value: Value) -> bool:
    """Whether the value is a literal that stands for nothing: None, false, zero, an empty text or display."""
    if isinstance(value, Constant):
        return value.kind == "none" or value.text in ("", "False", "0")
    return isinstance(value, Compound) and value.operator in ("list", "dict", "set", "tuple") and not value.parts


def named(source: Source) -> tuple[str, str, int]:
    """What makes two sources the same content: a formal, a variable, one result of one call."""
    return (source.kind, source.name, source.event if source.kind in ("call", "read") else -1)
