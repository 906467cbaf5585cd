"""Cells that are written from what they held before another writer could run.

Three kinds: the cell is replaced by what was computed from its old content; it is emptied although only its old content was
handed on; a missing entry is filled although somebody else may have filled it meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ctxlint.calls.effects import WRITES
from ctxlint.calls.elements import LANGUAGE
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.terms import is_fresh
from ctxlint.calls.types import Instance, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.fresh_guards import condition_sources, is_held_over, rechecks_object
from ctxlint.checks.records import keys_of
from ctxlint.checks.staleness.given_out import looks_through_alias, puts_back
from ctxlint.checks.staleness.held_objects import is_of_same_object, values_put_in
from ctxlint.checks.staleness.long_lived import is_long_lived, readings_for, rechecks_variable, writers_beside
from ctxlint.checks.staleness.prefixes import meets_nobody
from ctxlint.checks.staleness.second_writers import is_private, other_writers, runs_as_task, same_function_beside
from ctxlint.checks.staleness.shared_variables import captured_changes, captured_name, readings
from ctxlint.checks.suspensions import comes_before, suspension_between, suspensions, wait_between, waits
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.roles.cells import Change
from ctxlint.roles.tasks import Start

Kind = Literal["attribute-path", "drained-buffer", "get-or-create", "unit-of-work"]

_REPLACES = frozenset({"rebind", "item", "field", "augment"})
_ADDS = frozenset({"add", "item", "augment"})


class StaleCell(msgspec.Struct, frozen=True):
    """A write of a cell, the reading it goes by, the suspension point between them, and who else writes the cell.

    `goes_through` is true when what is waited for at a suspension point works on the reading, or changes a store; `beside` is
    where the function is started several times at once, and `task` where it is started as a task at all.
    """

    kind: Kind
    function: FunctionId
    cell: str
    read: int
    suspension: int
    write: Mutation
    others: tuple[Change, ...]
    goes_through: bool = True
    beside: Start | None = None
    task: Start | None = None


_NOBODY_ELSE = "nobody else can run between the read of the cell and its write"


def stale_cells(analysis: Analysis, identity: FunctionId) -> Iterator[StaleCell]:
    """The stale writes of one function to cells of its own object or module, and to variables of the functions around it."""
    if is_constructor(analysis.view, identity) or analysis.view.function(identity).kind in ("module", "class"):
        return
    suspends = analysis.summaries.of(identity).suspends
    captured = tuple(captured_changes(analysis, identity))
    for write in (*captured, *(m for m in analysis.summaries.of(identity).mutations if m not in captured)):
        if suspends and (write.cells or write in captured) and write.distance <= 1:
            yield from _judged(analysis, identity, write, _stale(analysis, identity, write, write in captured))
        elif not suspends and write.how in _REPLACES and not write.distance:
            beside = _in_threads(analysis, identity, write, write in captured)
            if beside is None:
                analysis.spare(identity, write.event, "this function never lets anybody else run")
            else:
                yield from _judged(analysis, identity, write, _replaced(analysis, identity, write), beside)


def _judged(
    analysis: Analysis, identity: FunctionId, write: Mutation, found: StaleCell | None, beside: Start | None = None
) -> Iterator[StaleCell]:
    if found is None:
        return
    fact = _guard_of(analysis, identity, found)
    if fact:
        analysis.spare(identity, write.event, fact, found.read)
    else:
        yield msgspec.structs.replace(
            found, beside=beside or same_function_beside(analysis, identity, write), task=runs_as_task(analysis, identity))


def _stale(analysis: Analysis, identity: FunctionId, write: Mutation, captured: bool) -> StaleCell | None:
    if captured:
        return _replaced(analysis, identity, write)
    found = _drained(analysis, identity, write)
    if found is not None:
        return found
    if is_long_lived(analysis, identity, write):
        return _replaced(analysis, identity, write) or _filled(analysis, identity, write)
    # Ways through a function are dear: whether anybody else reaches the object is asked before them.
    reached = write.how in _REPLACES and bool(writers_beside(analysis, identity, write, write.cells[-1]))
    found = _replaced(analysis, identity, write) if reached else None
    if found is not None and found.others:
        return found
    analysis.spare(identity, write.event, "what is changed belongs to no object that is seen to outlast the call")
    return None


def _in_threads(analysis: Analysis, identity: FunctionId, write: Mutation, captured: bool) -> Start | None:
    """Where the function, which never suspends itself, is run in several threads at once."""
    if not (captured or write.cells and is_long_lived(analysis, identity, write)):
        return None
    return same_function_beside(analysis, identity, write)


# The cell is replaced.


def _replaced(analysis: Analysis, identity: FunctionId, write: Mutation) -> StaleCell | None:
    if write.distance:
        write = msgspec.structs.replace(write, values=values_put_in(analysis, identity, write))
    elif analysis.view.event(identity, write.event).kind == "call":
        return None
    if write.how not in _REPLACES or not write.values or _is_handle(analysis, identity, write):
        return None
    variable = captured_name(analysis, identity, write)
    cell = variable or write.cells[-1]
    reads = readings_for(analysis, identity, write, cell, bool(variable))
    if write.event in reads:
        analysis.spare(identity, write.event, "what the variable holds now is a part of what it is set to")
        return None
    if reads and not any(min(reads) < point < write.event for point in waits(analysis, identity)):
        analysis.spare(identity, write.event, _NOBODY_ELSE, max(reads))
        return None
    for read in sorted(reads, reverse=True):
        if not comes_before(analysis, identity, read, write.event) or _is_another_entry(analysis, identity, read, write):
            continue
        if not variable and not is_of_same_object(analysis, identity, read, write):
            continue
        suspension = wait_between(analysis, identity, read, write.event)
        if suspension is None or not read < suspension < write.event:
            analysis.spare(identity, write.event, _NOBODY_ELSE, read)
            return None
        if looks_through_alias(analysis, identity, read, write):
            analysis.spare(identity, write.event, "the value is looked up anew through an alias of the live object", read)
            return None
        if puts_back(analysis, identity, read, write):
            analysis.spare(identity, write.event, "the old value itself is put back, as an override that is taken back", read)
            return None
        others = writers_beside(analysis, identity, write, cell)
        return StaleCell("attribute-path", identity, cell, read, suspension, write, others,
                         any(_goes_through(analysis, identity, point, read, write)
                             for point in waits(analysis, identity) if read < point < write.event))
    analysis.spare(identity, write.event, "what is written does not come from an earlier reading of the cell")
    return None


def _goes_through(analysis: Analysis, identity: FunctionId, suspension: int, read: int, write: Mutation) -> bool:
    """Whether the awaited call is given the reading and gives what is written, or itself changes a store."""
    point = analysis.view.event(identity, suspension)
    awaited = suspension if point.kind == "call" else analysis.view.awaited_call(identity, point.value)
    if awaited is None:
        return False
    if any(e.kind in WRITES for e in analysis.summaries.effects_at(identity, awaited)):
        return True
    handed = [a.value for a in analysis.view.event(identity, awaited).arguments]
    given = {s.event for s in analysis.summaries.sources.of_all(identity, awaited, handed)}
    if read not in given and isinstance(write.path.root, Name) and write.path.root.scope != "local":
        given |= readings(analysis, identity, awaited, handed, write.path)
    written = {s.event for s in analysis.summaries.sources.of_all(identity, write.event, write.values)}
    atoms = {a for value in write.values for a in analysis.view.origins(identity).roots(value, write.event, mutations=True)}
    return read in given and (awaited in written or ("result", awaited) in atoms)


def _is_handle(analysis: Analysis, identity: FunctionId, write: Mutation) -> bool:
    """Whether what is written is an object of a library that is no container: a client, a page, a connection."""
    kinds = [k for value in write.values for k in in_order(analysis.view.inference.of_value(identity, write.event, value))]
    return bool(kinds) and all(
        isinstance(k, Instance) and analysis.program.class_(k.name) is None and k.name not in LANGUAGE
        and not k.name.startswith("builtins.")
        for k in kinds
    )


def _reads_of(cell: str, sources: Iterable[Source]) -> set[int]:
    return {s.event for s in sources if s.kind == "cell" and s.name == cell and s.event >= 0}


def _is_another_entry(analysis: Analysis, identity: FunctionId, read: int, write: Mutation) -> bool:
    """Whether read and write name entries of the container by different keys."""
    one, other = (analysis.view.event(identity, number) for number in (read, write.event))
    asked = one.keys[-1:] or tuple(a.value for a in one.arguments[:1])
    if not asked or not other.keys:
        return False
    wanted = set(keys_of(analysis, identity, read, asked[0]))
    given = set(keys_of(analysis, identity, write.event, other.keys[-1]))
    return bool(wanted and given) and wanted.isdisjoint(given)


# The cell is emptied.


def _drained(analysis: Analysis, identity: FunctionId, write: Mutation) -> StaleCell | None:
    if not _empties(analysis, write):
        return None
    cell = write.cells[-1]
    if is_long_lived(analysis, identity, write):
        others = tuple(
            c for c in other_writers(analysis, identity, cell)
            if c.mutation.how in _ADDS and not is_private(analysis, c.function)    # a task of its own may have been ended before
        )
    else:
        others = tuple(_siblings_adding(analysis, identity, write))
    for point in sorted(suspensions(analysis, identity)) if others else ():
        waiting = analysis.view.event(identity, point)
        awaited = analysis.view.awaited_call(identity, waiting.value) if waiting.note == "await" else None
        if awaited is None or awaited == write.event or not comes_before(analysis, identity, point, write.event):
            continue
        if analysis.view.does(identity, awaited, "joins", "calls-argument", "concurrent-executor") or _waits_for_given(analysis, identity, awaited):
            continue                                          # what is waited for is not handed on
        handed = [a.value for a in analysis.view.event(identity, awaited).arguments]
        reads = _reads_of(cell, analysis.summaries.sources.of_all(identity, awaited, handed))
        reads = {r for r in reads if comes_before(analysis, identity, r, point)}
        if reads and _is_refilled_anew(analysis, identity, cell, point, write):
            analysis.spare(identity, write.event, "what came meanwhile is read after the wait and put in again", point)
        elif reads:
            return StaleCell("drained-buffer", identity, cell, max(reads), point, write, others)
    return None


def _is_refilled_anew(analysis: Analysis, identity: FunctionId, cell: str, point: int, write: Mutation) -> bool:
    """Whether what is put into the emptied cell is made of what it held between the wait and the emptying."""
    return any(
        s.kind == "cell" and s.name == cell and comes_before(analysis, identity, point, s.event)
        and comes_before(analysis, identity, s.event, write.event)
        for m in analysis.summaries.mutations_of(identity, cell) if comes_before(analysis, identity, write.event, m.event)
        for s in analysis.summaries.sources.of_all(identity, m.event, m.values)
    )


def _waits_for_given(analysis: Analysis, identity: FunctionId, awaited: int) -> bool:
    """Whether the called functions wait for the tasks that they are given."""
    targets = [target for call in analysis.view.calls(identity, awaited) for target in call.functions]
    return bool(targets) and all(
        any(
            ("param", formal.name) in analysis.view.origins(target).roots(argument.value, number, mutations=True)
            for number, event in enumerate(analysis.view.function(target).events) if event.kind == "call"
            and analysis.view.does(target, number, "joins", "concurrent-executor")
            for argument in event.arguments for formal in analysis.view.function(target).formals
        )
        for target in targets
    )


def _siblings_adding(analysis: Analysis, identity: FunctionId, write: Mutation) -> Iterator[Change]:
    """Public methods of the same class that add to the same cell of the same kind of parameter."""
    owner = analysis.program.owner(identity)
    info = analysis.program.class_(owner) if owner is not None else None
    root = write.path.root
    handed_in = isinstance(root, Name) and root.name != receiver_name(analysis.view.function(identity)) and root.scope == "local"
    for method in info.ir.methods if info is not None and handed_in else ():
        other = FunctionId(info.module, method.function) if info is not None else identity
        if other == identity or method.name.startswith("_"):
            continue
        for mutation in analysis.summaries.of(other).mutations:
            if mutation.cells == write.cells and mutation.how in _ADDS and mutation.distance <= 1:
                yield Change(other, mutation)


def _empties(analysis: Analysis, write: Mutation) -> bool:
    """Whether the write empties the cell, whatever it holds: a callee that looks first, or has taken out what is there, answers for itself."""
    function, event = write.origin
    value = analysis.view.event(function, event).value if write.how == "rebind" else None
    if write.how != "clear" and (value is None or not _is_empty(analysis, function, value)):
        return False
    return not write.distance or not (
        any(s.kind == "cell" and s.name == write.cells[-1] for s in condition_sources(analysis, function, event))
        or _goes_through_content(analysis, function, event, write.cells[-1])
    )


def _goes_through_content(analysis: Analysis, identity: FunctionId, before: int, cell: str) -> bool:
    """Whether the function takes what the cell holds one by one, or a copy of it, before the event."""
    for number, event in enumerate(analysis.view.function(identity).events[:before]):
        taken = [event.value] if event.kind == "iterate" and event.value is not None else [
            a.value for a in event.arguments[:1] if analysis.view.does(identity, number, "copies")]
        if _reads_of(cell, analysis.summaries.sources.of_all(identity, number, taken)):
            return True
    return False


def _is_empty(analysis: Analysis, function: FunctionId, value: Value) -> bool:
    if isinstance(value, Compound):
        return value.operator in ("list", "dict", "set", "tuple") and not value.parts
    if isinstance(value, Constant):
        return value.kind in ("str", "bytes") and not value.text
    if isinstance(value, Result):
        made = analysis.view.event(function, value.event)
        return made.kind == "call" and not made.arguments and made.path is not None and not made.path.steps
    return False


# A missing entry is filled.


def _filled(analysis: Analysis, identity: FunctionId, write: Mutation) -> StaleCell | None:
    event = analysis.view.event(identity, write.event)
    if write.how != "item" or write.distance or event.kind != "write" or not _holds_state(analysis, identity, write):
        return None
    if event.keys and is_fresh(analysis.summaries.places.term(identity, write.event, event.keys[-1])):
        analysis.spare(identity, write.event, "the entry is put under a new key, which nobody else has")
        return None
    cell = write.cells[-1]
    asked = _reads_of(cell, condition_sources(analysis, identity, write.event))
    for read in sorted(asked, reverse=True):
        suspension = suspension_between(analysis, identity, read, write.event)
        if suspension is None:
            analysis.spare(identity, write.event, "nobody else can run between the test and the filling", read)
            return None
        if not _is_another_entry(analysis, identity, read, write):
            return StaleCell("get-or-create", identity, cell, read, suspension, write, other_writers(analysis, identity, cell),
                             _gives_it(analysis, identity, write))
    return None


def _gives_it(analysis: Analysis, identity: FunctionId, write: Mutation) -> bool:
    """Whether the function gives the entry to its caller, who then works on one of two."""
    origins = analysis.view.origins(identity)
    filled = {atom for value in write.values for atom in origins.identity(value, write.event) if atom[0] == "result"}
    return any(
        filled & origins.identity(event.value, number)
        for number, event in enumerate(analysis.view.function(identity).events)
        if event.kind == "return" and event.value is not None
    )


def _holds_state(analysis: Analysis, identity: FunctionId, write: Mutation) -> bool:
    """Whether what is filled in is an object of the program that changes later: a second one made of it loses something."""
    view = analysis.view
    for value in write.values:
        for kind in in_order(view.inference.of_value(identity, write.event, value)):
            if isinstance(kind, Instance) and _has_state(analysis, kind.name):
                return True
    return False


def _has_state(analysis: Analysis, class_name: str) -> bool:
    """Whether a method of the class, or of one that stands for it, changes its object."""
    program = analysis.program
    implementers = program.implementers(class_name)
    if program.is_abstract(class_name) and not implementers:
        return True                                           # anything may stand for it
    for name in (class_name, *implementers):
        info = program.class_(name)
        if info is not None and any(_changes_later(analysis, f"{name}.{field.name}") for field in info.ir.fields):
            return True
        for method in info.ir.methods if info is not None else ():
            changed = FunctionId(info.module, method.function) if info is not None else None
            if changed is not None and not is_constructor(analysis.view, changed) and _changes_itself(analysis, changed):
                return True
    return False


def _changes_later(analysis: Analysis, cell: str) -> bool:
    """Whether somebody changes the attribute of an object that is already made."""
    return any(not is_constructor(analysis.view, change.function) for change in analysis.cells.changes(cell))


def _changes_itself(analysis: Analysis, method: FunctionId) -> bool:
    own = receiver_name(analysis.view.function(method))
    return any(isinstance(m.path.root, Name) and m.path.root.name == own for m in analysis.summaries.of(method).mutations)


# Who else writes, and what keeps them out.


def _guard_of(analysis: Analysis, identity: FunctionId, found: StaleCell) -> str:
    """What keeps other writers out or notices them, in words; empty when nothing does."""
    if is_held_over(analysis, identity, found.read, found.write.event):
        return "one hold of a lock lasts from the read to the write"
    if analysis.guards.held_by_callers(identity):
        return "every known caller holds a lock over the call"
    if rechecks_object(analysis, identity, found.read, found.write.event) or rechecks_variable(analysis, identity, found.read, found.write):
        return "the write depends on a second look after the last suspension point"
    if found.kind == "attribute-path" and found.others and meets_nobody(analysis, identity, found.write.event, found.others):
        return "only the beginning of the sequence is replaced, and everybody else only adds behind it"
    return ""
