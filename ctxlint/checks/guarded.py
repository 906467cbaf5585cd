"""Conditions that make a step harmless: it only runs when there is nothing to lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.opened import handle_uses
from ctxlint.calls.terms import UNKNOWN, Term, is_folder_of
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.handlers import caught
from ctxlint.checks.torn_loads import handlers_of_garbage
from ctxlint.flow.assumptions import NOTHING, Assumed, follow
from ctxlint.flow.graph import EventGraph, GraphEdge
from ctxlint.flow.paths import dominates
from ctxlint.ir.function import Condition
from ctxlint.ir.value import NONE, AccessPath, Compound, Constant, Name, Result, Value
from ctxlint.roles.stores import Access


def runs_only_if_missing(analysis: Analysis, identity: FunctionId, event: int, place: Term) -> bool:
    """Whether every way to the event passes a test that found no file (or an empty one) at `place`, or its absence caught.

    For a function defined in another one, the ways to its definition count as well.
    """
    while True:
        if not _reachable_with_content(analysis, identity, event, place):
            return True
        defined = analysis.program.definition(identity)
        if defined is None or defined[0].index == 0:
            return False
        identity, event = defined
        place = _seen_inside(place, f"{identity.module}.{analysis.program.symbol(identity)}")


def conditions_before(
    analysis: Analysis, identity: FunctionId, event: int, wanted: Callable[[Condition], bool] | None = None
) -> Iterator[Condition]:
    """The conditions that hold on every way to the event, of those that are wanted; what is not costs no look at the ways."""
    graph = analysis.view.graph(identity)
    for number, block in enumerate(analysis.view.function(identity).blocks):
        for edge in block.edges:
            if edge.condition is None or (wanted is not None and not wanted(edge.condition)):
                continue
            target = graph.size + edge.target
            if len(graph.predecessors(target)) == 1 and dominates(graph, target, event):
                yield edge.condition


def _reachable_with_content(analysis: Analysis, identity: FunctionId, event: int, place: Term) -> bool:
    """Whether some way leads to the event on which nothing says that the file is missing, or that it could not be read.

    A way may not contradict itself: what it was told once (`found = True`) holds until something changes it.
    """
    graph = analysis.view.graph(identity)
    events = analysis.view.function(identity).events
    absent = {n for n, it in enumerate(events) if it.kind == "catch" and _caught_missing(analysis, identity, n)}
    absent |= _caught_unreadable(analysis, identity, place)
    told: dict[tuple[int, GraphEdge], bool] = {}

    def says_nothing_is_there(node: int, edge: GraphEdge) -> bool:
        condition = edge.condition
        if condition is None:
            return False
        if (node, edge) not in told:
            told[node, edge] = _holds_missing(analysis, identity, condition.value, condition.holds, place) or _found_nothing(
                analysis, identity, edge.target, condition.value, condition.holds, place
            )
        return told[node, edge]

    for follows in (_plainly, _consistently):
        state: _State = (graph.entry, NOTHING)
        seen, pending, reached = {state}, [state], False
        while pending and not reached and len(seen) < _STATES:
            node, assumed = pending.pop()
            reached = node == event
            for edge in graph.successors(node):
                after = None if edge.target in absent else follows(graph, node, edge, assumed)
                if after is not None and (edge.target, after) not in seen and not says_nothing_is_there(node, edge):
                    seen.add((edge.target, after))
                    pending.append((edge.target, after))
        if not reached and len(seen) < _STATES:
            return False
    return True


_State = tuple[int, Assumed]

_STATES = 4000


def _plainly(graph: EventGraph, node: int, edge: GraphEdge, assumed: Assumed) -> Assumed | None:
    return assumed


def _consistently(graph: EventGraph, node: int, edge: GraphEdge, assumed: Assumed) -> Assumed | None:
    clash, after = follow(graph, graph.conditions, node, edge, assumed)
    return None if clash else after


def _caught_unreadable(analysis: Analysis, identity: FunctionId, place: Term) -> set[int]:
    """The handlers in which the function lands when what is at the place makes no sense."""
    reads = [
        Access(identity, e) for e in analysis.summaries.of(identity).effects
        if e.kind == "read" and not e.distance and e.place == place and place != UNKNOWN
    ]
    return {handler.catch for reader in reads for handler in handlers_of_garbage(analysis, reader)}


def _seen_inside(place: Term, outer: str) -> Term:
    """A place of an inner function in terms of the formals of the function around it."""
    if place.kind == "field" and place.name.startswith(f"{outer}.<") and not place.parts:
        return Term("param", place.name[len(outer) + 2 : -1])
    if not place.parts:
        return place
    return Term(place.kind, place.name, tuple(_seen_inside(part, outer) for part in place.parts))


def _holds_missing(analysis: Analysis, identity: FunctionId, value: Value, holds: bool, place: Term) -> bool:
    if isinstance(value, Compound) and value.operator == "not":
        return _holds_missing(analysis, identity, value.parts[0], not holds, place)
    if isinstance(value, Compound) and ((value.operator == "and" and holds) or (value.operator == "or" and not holds)):
        return any(_holds_missing(analysis, identity, part, holds, place) for part in value.parts)
    if isinstance(value, Compound) and ((value.operator == "or" and holds) or (value.operator == "and" and not holds)):
        return all(_holds_missing(analysis, identity, part, holds, place) for part in value.parts)
    if isinstance(value, Compound) and value.operator == "==" and holds:
        return any(isinstance(p, Constant) and p.text == "0" for p in value.parts) and any(
            _asks_about(analysis, identity, p, place, "measures") for p in value.parts
        )
    return not holds and _asks_about(analysis, identity, value, place, "exists")


def _found_nothing(analysis: Analysis, identity: FunctionId, at: int, value: Value, holds: bool, place: Term) -> bool:
    """Whether the condition says that reading `place` gave nothing: there was no file, or nothing of use in it."""
    if isinstance(value, Compound) and value.operator == "not":
        return _found_nothing(analysis, identity, at, value.parts[0], not holds, place)
    if isinstance(value, Compound) and value.operator in ("and", "or"):
        decides = holds == (value.operator == "and")
        return (any if decides else all)(_found_nothing(analysis, identity, at, part, holds, place) for part in value.parts)
    if isinstance(value, Compound) and value.operator in ("is", "==") and value.parts[-1] == NONE:
        return holds and _is_what_was_read(analysis, identity, at, value.parts[0], place)
    if isinstance(value, Compound) and value.operator in ("is not", "!=") and value.parts[-1] == NONE:
        return not holds and _is_what_was_read(analysis, identity, at, value.parts[0], place)
    return not holds and _is_what_was_read(analysis, identity, at, value, place)


def _is_what_was_read(analysis: Analysis, identity: FunctionId, at: int, value: Value, place: Term) -> bool:
    """Whether the value is what was read at `place`, or a display that stands for it when there was nothing."""
    read = False
    pending, seen = [(value, at)], set()
    while pending:
        part, where = pending.pop()
        if (part, where) in seen or isinstance(part, Constant):
            continue
        seen.add((part, where))
        if isinstance(part, Name) and part.scope == "local":
            for number in analysis.view.definitions(identity).definitions(where, part.name):
                bound = analysis.view.event(identity, number) if number >= 0 else None
                if bound is None or bound.kind != "local" or bound.value is None:
                    return False
                pending.append((bound.value, number))
        elif isinstance(part, Compound) and part.operator in ("if", "or"):
            pending += [(each, where) for each in (part.parts[1:] if part.operator == "if" else part.parts)]
        elif isinstance(part, Result) and _reads(analysis, identity, part.event, place):
            read = True
        elif not (isinstance(part, Compound) and part.operator in ("list", "dict", "set", "tuple")):
            return False
    return read


def _reads(analysis: Analysis, identity: FunctionId, number: int, place: Term) -> bool:
    """Whether the event itself reads `place`, or makes a value of all that was read there."""
    if place == UNKNOWN or analysis.view.event(identity, number).kind != "call":
        return False
    read = {e.event for e in analysis.summaries.of(identity).effects if e.kind == "read" and not e.distance and e.place == place}
    uses = read | {use for each in read for use in handle_uses(analysis.view, identity, each)}
    if number in uses:
        return True
    if analysis.view.does(identity, number, "parses") is None:
        return False
    given = [argument.value for argument in analysis.view.event(identity, number).arguments[:1]]
    return any(
        kind == "result" and what in uses
        for each in given for kind, what in analysis.view.origins(identity).identity(each, number)
    )


def _asks_about(analysis: Analysis, identity: FunctionId, value: Value, place: Term, verb: str) -> bool:
    """Whether the value is the answer of a call that tests this very place or a folder that it lies in, or measures the place."""
    if not isinstance(value, Result):
        return False
    event = analysis.view.event(identity, value.event)
    if event.kind == "read" and event.path is not None and isinstance(event.path.root, Result):
        return _asks_about(analysis, identity, event.path.root, place, verb)
    if event.kind == "suspend" and event.value is not None:
        return _asks_about(analysis, identity, event.value, place, verb)
    match = analysis.view.does(identity, value.event, verb)
    if match is None:
        return False
    asked = match.target
    places = analysis.summaries.places
    term = places.of_path(identity, value.event, asked) if isinstance(asked, AccessPath) else (
        UNKNOWN if asked is None else places.term(identity, value.event, asked)
    )
    return term != UNKNOWN and (term == place or (verb == "exists" and is_folder_of(term, place)))


def asks_whether_there(analysis: Analysis, identity: FunctionId, place: Term) -> bool:
    """Whether the function tests that there is something at `place`."""
    return any(
        event.kind == "call" and _asks_about(analysis, identity, Result(number), place, "exists")
        for number, event in enumerate(analysis.view.function(identity).events)
    )


def _caught_missing(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether a handler catches only that a file is missing."""
    event = analysis.view.event(identity, number)
    names = caught(analysis, identity, number)
    return event.value is not None and bool(names) and all(name == "builtins.FileNotFoundError" for name in names)
