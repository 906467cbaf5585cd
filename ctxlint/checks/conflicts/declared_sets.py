"""Read sets that nobody is seen to use: fields that hold the same kind of thing as what is compared, by what classes declare and call them.

A name says something where the other things are known: that changes are sorted by the decision, and that what is compared is written by.
"""

from __future__ import annotations

import functools

from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.decisions import SETS, Decision, asks_for_regions, is_declared
from ctxlint.checks.conflicts.declarations import declarations, held_by, is_collection, is_mapping
from ctxlint.checks.conflicts.sides import Facts, Involved, Sides
from ctxlint.checks.conflicts.sorting import is_filed_under, read_in_groups, sorts
from ctxlint.knowledge.words import hints, parts
from ctxlint.roles.accesses import Use


def by_declaration(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A field that is declared like a compared one, and whose use is not in view: names say how sure it is."""
    beside = frozenset(
        key for key in siblings(analysis, facts, decision) - decision.compared if not facts.accesses.selects_from_what_stays(key)
    ) if decision.sets or decision.meets or (not decision.paired and decision.overlap.operator in SETS) else ()
    if not beside or involved().intersection(beside):
        return None
    by_use = read_in_groups(analysis, facts.accesses, decision, beside)
    if by_use is not None:
        return Sides(min(decision.compared), by_use.field, None, by_use, "medium")
    named = named_for_reading(analysis, beside)
    effect = next((key for key in sorted(decision.compared) if is_effect(analysis, key)), None)
    alike = named if effect else named & _alike(analysis, facts, decision)
    if not decision.sets and not alike:
        return None
    return Sides(effect or min(decision.compared), min(alike or named or beside), None, None, "medium" if alike else "low")


def by_place(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A collection of what a compared field holds, where that is seen to select writes, or changes are sorted by it.

    Names say how sure it is that it is a read set; where no writes are seen, they alone say it, and an identity is no place.
    """
    sorted_by = functools.cache(functools.partial(sorts, analysis, decision))
    if not is_declared(decision.owner) or not (decision.given or (decision.paired and sorted_by())):
        return None
    declared = _declared(analysis, decision)
    stores: list[tuple[str, Use | None]] = [
        (use.field, use) for key in sorted(decision.compared) for use in facts.accesses.uses(key, "write")]
    for written, store in stores or [(key, None) for key in sorted(decision.compared) if not _is_identity(analysis, key)]:
        annotation = declared.get(written, "")
        beside = _held_alike(facts, decision, declared, held_by(annotation))
        if not beside or any(facts.accesses.uses(key, "write") or facts.accesses.is_looked_up(key) for key in beside) or involved() & beside:
            continue
        named = named_for_reading(analysis, beside)
        if named and sorted_by() and (store is not None or not is_filed_under(analysis, decision, written)):
            return Sides(written, min(named), store, None, "medium")
        looked = [key for key in sorted(named) if hints(key.rpartition(".")[2], analysis.words.looks)]
        if looked and decision.given and asks_for_regions(decision.overlap):
            return Sides(written, looked[0], store, None, "medium")
        if store is not None and (named or _is_applied(analysis, decision, store, annotation)):
            return Sides(written, min(named or beside), store, None, "medium" if named and _is_applied(
                analysis, decision, store, annotation) else "low")
    return None


def _held_alike(facts: Facts, decision: Decision, declared: dict[str, str], held: frozenset[str]) -> frozenset[str]:
    """The collections of the same things that are not compared, and that do not select from what stays as it is."""
    return frozenset(
        key for key, annotation in declared.items()
        if held and key not in decision.compared and is_collection(annotation) and held_by(annotation) == held
        and not facts.accesses.selects_from_what_stays(key)
    )


def _is_applied(analysis: Analysis, decision: Decision, store: Use, annotation: str) -> bool:
    """Whether whoever asks for the decision writes by the compared field, or that holds many places."""
    askers = {decision.function, *(caller for caller, _ in analysis.view.call_graph.callers(decision.function))}
    return store.function in askers or is_collection(annotation) or is_mapping(annotation)


def _is_identity(analysis: Analysis, key: str) -> bool:
    """Whether a field is called what tells its objects apart (`id`, `Change.change_id`), and not where they write."""
    owner, _, field = key.rpartition(".")
    own = frozenset(parts(field)) - frozenset(parts(owner.rpartition(".")[2]))
    return own <= analysis.words.identities


def _declared(analysis: Analysis, decision: Decision) -> dict[str, str]:
    """What the classes of the changes declare, be it one of the family alone; what stands for a compared one is that."""
    found: dict[str, str] = {}
    names = {key.rpartition(".")[2] for key in decision.compared}
    for relative in sorted(relatives(analysis, decision)):
        declared = declarations(analysis, relative)
        found |= {key: kind for key, kind in declared.items() if key in decision.compared or key.rpartition(".")[2] not in names}
    return found


def relatives(analysis: Analysis, decision: Decision) -> frozenset[str]:
    """The classes whose fields a change has: those of the compared ones, their ancestors, and what is derived from them beside them."""
    info = analysis.program.class_(decision.owner)
    found: set[str] = set()
    for owner in (decision.owner, *(key.rpartition(".")[0] for key in decision.compared)):
        each = analysis.program.class_(owner)
        found.update((owner,) if each is None else each.mro)
    for name in info.subclasses if info is not None else ():
        derived = analysis.program.class_(name)
        if info is not None and derived is not None and derived.module == info.module:
            found.add(name)
    return frozenset(found)


def siblings(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """The collections that a class declares just like a compared one, or of what that one is: they hold the same kind of thing."""
    if not is_declared(decision.owner):
        effects = [key for key in decision.compared if is_effect(analysis, key)]
        named = named_for_reading(analysis, facts.accesses.together(decision.compared))
        return named if effects else named & _alike(analysis, facts, decision)
    declared = declarations(analysis, decision.owner)
    held = {held_by(declared.get(key, "")) for key in decision.compared} - {frozenset()}
    kinds = {declared[key] for key in decision.compared if declared.get(key)}
    masked = decision.overlap.operator in ("&", "&=")    # whatever is asked for common parts is a set, be it the bits of a number
    untold = any(not declared.get(key) and is_effect(analysis, key) for key in decision.compared)
    return _alike(analysis, facts, decision) | named_for_reading(analysis, frozenset(
        key for key, annotation in declared.items()
        if (is_collection(annotation) and held_by(annotation) in held) or (untold and not annotation) or (masked and annotation in kinds)
    ))


def _alike(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """The collections that are declared just like a compared one, or written down to hold the same."""
    if not is_declared(decision.owner):
        return frozenset(key for key in facts.accesses.together(decision.compared) if any(
            key not in decision.compared and facts.accesses.holds_like(key, other) for other in decision.compared))
    declared = declarations(analysis, decision.owner)
    kinds = {declared[key] for key in decision.compared if declared.get(key)}
    return frozenset(key for key, annotation in declared.items() if annotation in kinds and is_collection(annotation))


def named_for_reading(analysis: Analysis, keys: frozenset[str]) -> frozenset[str]:
    """Those that are named for what a change depends on."""
    words = analysis.words.dependencies | analysis.words.looks
    return frozenset(key for key in keys if hints(key.rpartition(".")[2], words))


def is_effect(analysis: Analysis, key: str) -> bool:
    """Whether a field is named for what a change does."""
    return bool(hints(key.rpartition(".")[2], analysis.words.effects))


