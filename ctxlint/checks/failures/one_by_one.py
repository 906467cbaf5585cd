"""Elements that are written one by one: no later turn of the loop makes up for the one whose write failed.

What is told of all of them afterwards is then told of the failed one as well: an entry in another store, a cell that takes them
all in. So is what a turn itself says of its element in a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.compensation import is_same_place
from ctxlint.checks.failures.appends import Append, Appends
from ctxlint.checks.failures.background import used_values
from ctxlint.checks.failures.ingredients import ingredients
from ctxlint.checks.failures.swallowing import Swallow
from ctxlint.checks.wording import short_cell
from ctxlint.flow.loops import Loop, Loops
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Result, Value, parts_of
from ctxlint.knowledge.words import hints
from ctxlint.roles.entering import REMOVALS

Told = Union[Mutation, StoreEffect]


def told_of_all(analysis: Analysis, appends: Appends, identity: FunctionId, swallow: Swallow) -> tuple[Append, Told] | None:
    """The write of a turn's own element whose failure is passed over, and what says all the same that it was made."""
    graph = analysis.view.graph(identity)
    loop = graph.derived(Loops).loop_of(min(swallow.tried)) if swallow.tried else None
    if loop is None or loop.driver is None or swallow.at not in loop.body:
        return None
    for number in sorted(swallow.tried & loop.body):
        append = _own(analysis, appends, identity, number, loop.driver)
        if append is not None and not _keeps_count(analysis, identity, loop, swallow):
            told = next(_told(analysis, appends, identity, append, loop, swallow), None)
            if told is not None:
                return append, told
    return None


def is_made_of_it(analysis: Analysis, append: Append, told: Told) -> bool:
    """Whether somebody reads the store that is told of all elements, and writes with it what the failed write belongs to."""
    return isinstance(told, StoreEffect) and any(
        writer.function == reader.function
        for reader in analysis.stores.readers(told.keys) for writer in analysis.stores.writers(append.keys)
        if writer.effect.event != reader.effect.event
    )


def _own(analysis: Analysis, appends: Appends, identity: FunctionId, number: int, driver: int) -> Append | None:
    """The change of durable state, when what it adds is made of the element of the turn."""
    if analysis.view.event(identity, number).kind != "call":
        return None
    append = appends.at(identity, number)
    if append is None or not append.readers or append.effect.kind not in ("append", "write"):
        return None
    made_of = (ingredients(analysis, appends, identity, e.event, e.contents) for e in append.effects)
    return append if any(("result", driver) in each for each in made_of) else None


def _keeps_count(analysis: Analysis, identity: FunctionId, loop: Loop, swallow: Swallow) -> bool:
    """Whether the turns leave something in a local, by which it is known behind the loop how many of them went well."""
    function, size = analysis.view.function(identity), analysis.view.graph(identity).size
    events = function.events
    used: set[Value] = set()
    for number in swallow.after - loop.body:
        used.update(used_values(events[number]))
    for number, block in enumerate(function.blocks):
        if size + number not in loop.body:
            used.update(part for edge in block.edges if edge.condition is not None for part in parts_of(edge.condition.value))
    for number in loop.body:
        if number >= len(events):
            continue
        event = events[number]
        if event.kind == "local" and event.path is not None and event.path.root in used:
            return True
        for mutation in analysis.summaries.mutations_at(identity, number):
            if not mutation.cells and (mutation.path.root in used or _binds(analysis, identity, mutation.path.root, used)):
                return True
    return False


def _binds(analysis: Analysis, identity: FunctionId, root: Value, used: set[Value]) -> bool:
    """Whether one of the names stands for the object, which a call or a read gave."""
    return isinstance(root, Result) and any(
        e.kind == "local" and e.path is not None and e.path.root in used and e.value == root
        for e in analysis.view.function(identity).events
    )


def _told(
    analysis: Analysis, appends: Appends, identity: FunctionId, append: Append, loop: Loop, swallow: Swallow
) -> Iterator[Told]:
    assert loop.driver is not None
    graph, origins = analysis.view.graph(identity), analysis.view.origins(identity)
    goes_on = {n for n in reachable(graph, swallow.at, {loop.driver}) if n < graph.size}
    for effect in analysis.summaries.of(identity).effects:
        if effect.kind in ("append", "write") and effect.event not in loop.body and effect.event in swallow.after and effect.keys:
            if not is_same_place(effect, append.effect) and not effect.deferred and appends.is_durable(effect) and any(
                _holds_all(analysis, appends, identity, loop, value, effect.event) for value in effect.contents
            ):
                yield effect
    for mutation in analysis.summaries.of(identity).mutations:
        if not mutation.cells or mutation.distance > 1 or mutation.event == append.event or mutation.how in REMOVALS:
            continue
        if hints(short_cell(mutation.cells), analysis.words.caches):
            continue
        if mutation.event in loop.body:
            stands = mutation.event in goes_on or path(graph, mutation.event, append.event, {loop.driver}) is not None
            if stands and mutation.how != "augment" and any(("result", loop.driver) in origins.roots(value, mutation.event) for value in mutation.values):
                yield mutation
        elif mutation.event in swallow.after or path(graph, mutation.event, loop.driver) is not None:
            if any(_holds_all(analysis, appends, identity, loop, value, mutation.event) for value in mutation.values):
                yield mutation


def _holds_all(analysis: Analysis, appends: Appends, identity: FunctionId, loop: Loop, value: Value, at: int) -> bool:
    """Whether the value is put together from the very collection whose elements the loop takes."""
    assert loop.driver is not None
    origins, events = analysis.view.origins(identity), analysis.view.function(identity).events
    taken = events[loop.driver].value
    if taken is None or any(e.kind == "local" and e.path is not None and e.path.root == taken and n > min(loop.driver, at)
                            for n, e in enumerate(events)):
        return False                                     # the name may stand for another collection there
    atoms = origins.identity(taken, loop.driver)
    pending, seen = [(value, at)], set[int]()
    while pending:
        whole, where = pending.pop()
        for part in parts_of(whole):
            if part == taken or atoms and origins.identity(part, where) == atoms:
                return True
            if isinstance(part, Result) and part.event not in seen and events[part.event].kind == "call":
                seen.add(part.event)
                if appends.is_light(identity, part.event):
                    pending += [(argument.value, part.event) for argument in events[part.event].arguments]
    return False
