"""Whether a value that is stored and put back is a record of the state, and how sure that is."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.calls.types import Instance, Types
from ctxlint.checks.analysis import Analysis
from ctxlint.diagnostic import Confidence
from ctxlint.flow.graph import EventGraph
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import path
from ctxlint.ir.value import Closure, Value, parts_of
from ctxlint.knowledge.words import hints
from ctxlint.roles.holders import Holder
from ctxlint.roles.image import DEEP, steps_in
from ctxlint.roles.kept import Stored


def sureness(analysis: Analysis, save: Stored, restore: Stored) -> Confidence:
    """How sure it is that one side is a record: it is named so, or one object keeps copies or entries of its own state.

    An object of a class that lies in two places as it is, is more often known by two than recorded.
    """
    if _is_one_step(analysis, save, restore):
        return "low"
    if is_of_closure(analysis, save, restore):
        return "medium" if _is_handed_on(analysis, save.function, restore.origin) else "low"
    if _is_object(analysis, save) and not hints(save.place, analysis.words.snapshots):
        return "low"
    if any(_is_passed_by(analysis, each) for each in (save, restore)) or _is_of_another(analysis, save):
        return "low"
    if not _is_read_where_it_lies(save, restore):
        return "low"
    copied = any(each.image.depth > each.entries for each in (save, restore))
    named = is_named(analysis, save) or hints(analysis.program.symbol(restore.function), analysis.words.recovery)
    if save.first and not named and save.image.depth < DEEP:
        return "low"                                    # a view of a list is a copy that is made anew, too
    entry = save.place.endswith("]")
    own = owner_of(save.place) == owner_of(save.image.holder) or (copied and _is_keeper(analysis, save, restore))
    own = own or (entry and save.image.depth >= DEEP)      # who copies all of an entry means it to stay what it is
    if named and (copied or entry):
        return "high"
    return "medium" if named or (own and (copied or entry)) else "low"


def _is_one_step(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether what one side puts down the other takes up in the same call: a value on its way from place to place is no record."""
    if restore.function == save.function:
        return not hints(save.place, analysis.words.snapshots) and not are_choices(analysis, save, restore)
    inner = save.function
    while inner.module == restore.function.module and inner.index > 0:
        inner = FunctionId(inner.module, analysis.view.function(inner).enclosing)
        if inner == restore.function:
            return True
    return False


def is_of_closure(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether the record is a variable of the saving function that a function inside it puts back: each call has a record of its own."""
    function = analysis.view.function(save.function)
    if not save.place.startswith(f"{save.function.module}:{function.qualname}.") or save.function.module != restore.origin.module:
        return False
    outer = restore.origin.index
    while outer > 0 and outer != save.function.index:
        outer = analysis.view.function(FunctionId(save.function.module, outer)).enclosing
    return outer == save.function.index != restore.origin.index


def _is_handed_on(analysis: Analysis, outer: FunctionId, inner: FunctionId) -> bool:
    """Whether a function gives a function inside it to somebody who may call it later."""
    events = analysis.view.function(outer).events
    it: set[Value] = {Closure(inner.index)}
    it |= {e.path.root for e in events if e.kind in ("define", "local") and e.path is not None and e.value == Closure(inner.index)}
    return any(
        each in it for event in events
        for value in (*[a.value for a in event.arguments], event.value if event.kind in ("write", "return") else None)
        for each in (parts_of(value) if value is not None else ())
    )


def _is_passed_by(analysis: Analysis, stored: Stored) -> bool:
    """Whether the place is a formal, or an entry of it, that is not named as a record: one object on the way from a caller."""
    head = stored.place.partition("[")[0].partition(":")[2]
    formals = {formal.name for each in (stored.function, stored.origin) for formal in analysis.view.function(each).formals}
    return head in formals and not hints(head, analysis.words.snapshots)


def _is_read_where_it_lies(save: Stored, restore: Stored) -> bool:
    """Whether what is put back can be the part of the record that was saved: an entry is no attribute."""
    read = steps_in(restore.image.holder[len(save.place):])
    return all(step[0] == kept[0] for step, kept in zip(read, save.image.within))


def _is_of_another(analysis: Analysis, save: Stored) -> bool:
    """Whether a constructor stores what an attribute of the same class holds: that of another object, its own is made only now."""
    own = owner_of(save.place)
    return not save.first and is_constructor(analysis.view, save.function) and own == owner_of(save.image.holder) != ""


def is_named(analysis: Analysis, save: Stored) -> bool:
    words = analysis.words.snapshots | analysis.words.journals
    return hints(save.place, words) or hints(analysis.program.symbol(save.function), words)


def is_record(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether the two stores are a save and its restore, and not one value that is handed to and fro."""
    apart = save.function != restore.function and save.origin != restore.origin
    return apart or hints(save.place, analysis.words.snapshots) or are_choices(analysis, save, restore)


def are_choices(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether one function both saves and restores by itself, as it is told: the one does not follow the other in the same round."""
    identity = save.function
    if not identity == save.origin == restore.function == restore.origin:
        return False
    if not (save.place.endswith("]") or save.image.depth or restore.image.depth):
        return False                                    # two names for one value say nothing of a record
    graph = analysis.view.graph(identity)
    events = min(save.event, restore.event), max(save.event, restore.event)
    known = graph.derived(_known_choices)
    found = known.get(events)
    if found is None:
        heads = frozenset(loop.head for loop in graph.derived(Loops).all if loop.body.issuperset(events))
        found = known[events] = not any(
            path(graph, one, other, heads, exceptional=False) is not None for one, other in (events, events[::-1])
        )
    return found


def _known_choices(graph: EventGraph) -> dict[tuple[int, int], bool]:
    """Which of two events does not follow the other in the same round, as far as somebody has asked: each pair of sides is asked about often."""
    return {}


def is_way_back(save: Stored) -> bool:
    """Whether an entry of a container becomes what a place holds by itself: that is how a record is put back, not how it is made."""
    return save.image.holder.endswith("]") and not save.place.endswith("]")


def is_left_once(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether a `with` saves when it is entered, into a place for one record, and restores when it is left: once for each record."""
    names = [analysis.program.symbol(each.function).rpartition(".")[2] for each in (save, restore)]
    return not save.place.endswith("]") and names in (["__enter__", "__exit__"], ["__aenter__", "__aexit__"])


def types_of(analysis: Analysis, save: Stored) -> Types:
    """What is known of the value that the image is taken of."""
    inference = analysis.view.inference
    function, event = save.image.where
    it = analysis.view.event(function, event)
    return inference.of_event(function, event) if it.kind in ("read", "call") else inference.of_value(function, event, it.value)


def owner_of(holder: Holder) -> str:
    return holder.partition("[")[0].rpartition(".")[0]


def _is_keeper(analysis: Analysis, save: Stored, restore: Stored) -> bool:
    """Whether methods of one class, or functions inside one, save and restore, and the record is theirs: it is kept for nothing else."""
    keeper = _keeper(analysis, save.function)
    return bool(keeper) and keeper == _keeper(analysis, restore.function) == owner_of(save.place)


def _keeper(analysis: Analysis, identity: FunctionId) -> Holder:
    """How the places begin that belong to the class or the function in which a function is defined."""
    outer = analysis.view.function(identity).enclosing
    inside = FunctionId(identity.module, outer)
    if outer <= 0 or analysis.view.function(inside).kind == "class":
        return analysis.program.owner(identity) or ""
    return f"{identity.module}:{analysis.view.function(inside).qualname}"


def _is_object(analysis: Analysis, save: Stored) -> bool:
    """Whether what is stored is, uncopied, an object of a class of the program."""
    return save.image.depth == 0 and any(
        isinstance(t, Instance) and analysis.program.class_(t.name) is not None for t in types_of(analysis, save)
    )
