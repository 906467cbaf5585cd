"""Where a unit of database work ends: what was written before it stands, whatever happens to what is written afterwards.

A unit ends with a commit, with the end of a transaction's context (also of one that the program itself makes), and inside a call
that commits what it has written, as a runner does that is given the work as a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.guards import is_manager
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.sql import commits_transaction
from ctxlint.calls.texts import text_of_value
from ctxlint.calls.types import Instance, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.connections import goes_through, holders, named
from ctxlint.checks.ordering import comes_before
from ctxlint.flow.paths import between, path
from ctxlint.ir.value import AccessPath, Compound, Result, Value

DEEP = 2
"""How many calls down a commit is looked for."""


def ends_between(analysis: Analysis, identity: FunctionId, first: int, second: int, *, inside: bool = True) -> bool:
    """Whether the unit of the first write surely has been committed somewhere on a way to the second, or `inside` its own call."""
    if inside and _commits_inside(analysis, identity, first):
        return True
    connection = holders(analysis, identity, first)
    return any(
        _ends(analysis, identity, number, first, connection) for number in between(analysis.view.graph(identity), first, second)
    )


def is_committed_by_a_call(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether a call behind the write makes it last, rather than the write itself or the end of a context around it."""
    graph, connection = analysis.view.graph(identity), holders(analysis, identity, write)
    return any(
        analysis.view.event(identity, number).kind == "call" and _ends(analysis, identity, number, write, connection)
        for number in between(graph, write, graph.exit)
    )


def _ends(analysis: Analysis, identity: FunctionId, number: int, write: int, connection: frozenset[str]) -> bool:
    event = analysis.view.event(identity, number)
    if event.kind == "exit" and event.value is not None:
        if connection & named(analysis, identity, number, AccessPath(event.value)):
            return True
        return _is_transaction(analysis, identity, event.value, number) and _is_entered_before(analysis, identity, event.value, write)
    if any(is_manager(analysis.view.function(target)) for call in analysis.view.calls(identity, number) for target in call.functions):
        return False                                     # what it does behind its `yield` it does when the context is left
    if any(effect.kind == "commit" for effect in analysis.summaries.effects_at(identity, number)):
        return True
    if event.kind != "call" or not _commits(analysis, identity, number):
        return False
    return bool(holders(analysis, identity, number) & connection) or goes_through(
        analysis, identity, write, holders(analysis, identity, number))


def _is_entered_before(analysis: Analysis, identity: FunctionId, value: Value, write: int) -> bool:
    graph = analysis.view.graph(identity)
    return any(
        event.kind == "enter" and event.value == value and comes_before(graph, number, write)
        for number, event in enumerate(analysis.view.function(identity).events)
    )


def _is_transaction(
    analysis: Analysis, identity: FunctionId, value: Value, at: int, inside: frozenset[FunctionId] = frozenset()
) -> bool:
    """Whether leaving the context commits: as its model says, or as its code does behind the `yield` or in `__exit__`.

    `inside` are the managers whose code enters the context; one that enters itself commits nothing more by that.
    """
    view = analysis.view
    entered = [kind.name for kind in in_order(view.inference.of_value(identity, at, value)) if isinstance(kind, Instance)]
    for kind in entered:
        for name in ("__exit__", "__aexit__"):
            method = view.program.method(kind, name)
            if method is not None and any(_commits(analysis, method, number) for number in _calls(analysis, method)):
                return True
            if any(effect.does == "commits" for effect in view.models.effects(f"{kind}.{name}")):
                return True
    if not isinstance(value, Result):
        return False
    match = view.does(identity, value.event, "transaction")
    if match is not None:
        return not match.effect.nested
    managers = {target for call in view.calls(identity, value.event) for target in call.functions if is_manager(view.function(target))}
    return any(_commits_behind_yield(analysis, manager, inside | {manager}) for manager in managers - inside)


def _commits_behind_yield(analysis: Analysis, manager: FunctionId, inside: frozenset[FunctionId]) -> bool:
    events = analysis.view.function(manager).events
    yields = [n for n, event in enumerate(events) if event.kind == "suspend" and event.note == "yield"]
    commits = [n for n in _calls(analysis, manager) if _commits(analysis, manager, n)]
    return bool(yields and commits) and path(analysis.view.graph(manager), yields, commits, exceptional=False) is not None or any(
        _encloses(analysis, manager, number, inside) for number in yields
    )


def _encloses(analysis: Analysis, manager: FunctionId, number: int, inside: frozenset[FunctionId]) -> bool:
    """Whether the yield stands inside the context of a transaction, or of a connection that commits at its end."""
    view = analysis.view
    return any(
        event.kind == "exit" and event.value is not None and path(view.graph(manager), number, at, exceptional=False) is not None
        and _is_transaction(analysis, manager, event.value, at, inside)
        for at, event in enumerate(view.function(manager).events)
    )


def _commits_inside(analysis: Analysis, identity: FunctionId, write: int) -> bool:
    """Whether the call that writes commits what it has written before it comes back."""
    if any(effect.kind == "commit" for effect in analysis.summaries.effects_at(identity, write)):
        return True
    return any(
        _has_commit(analysis, target, DEEP)
        for call in analysis.view.calls(identity, write) for target in call.functions
    )


def _has_commit(analysis: Analysis, target: FunctionId, depth: int) -> bool:
    view = analysis.view
    for number, event in enumerate(view.function(target).events):
        if event.kind == "exit" and event.value is not None and _is_transaction(analysis, target, event.value, number):
            return True
    calls = tuple(_calls(analysis, target))
    if any(_commits(analysis, target, number) for number in calls):
        return True
    return depth > 1 and any(
        _has_commit(analysis, inner, depth - 1) for number in calls for call in view.calls(target, number) for inner in call.functions
    )


def _calls(analysis: Analysis, target: FunctionId) -> Iterator[int]:
    return (number for number, event in enumerate(analysis.view.function(target).events) if event.kind == "call")


def _commits(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether the call is a commit: one that a model knows, or the statement."""
    if any(effect.kind == "commit" and effect.distance == 0 for effect in analysis.summaries.effects_at(identity, number)):
        return True
    given = analysis.view.event(identity, number).arguments[:1]
    texts = [each for argument in given for each in _alternatives(argument.value)]
    return any(commits_transaction(text_of_value(analysis.view, identity, number, text)) for text in texts)


def _alternatives(value: Value) -> tuple[Value, ...]:
    return value.parts[1:] if isinstance(value, Compound) and value.operator == "if" else (value,)
