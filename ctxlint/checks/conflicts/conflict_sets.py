"""What a decision about two changes compares, and what it leaves out: their write sets and their read sets."""

from __future__ import annotations

import functools
import itertools

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.decisions import Decision, asks_for_regions, is_declared
from ctxlint.checks.conflicts.declarations import declarations, held_by, is_collection, is_mapping, parts_of
from ctxlint.checks.conflicts.declared_sets import by_declaration, by_place, is_effect, named_for_reading, relatives, siblings
from ctxlint.checks.conflicts.picking import picked_from
from ctxlint.checks.conflicts.sides import Facts, Involved, Sides
from ctxlint.checks.conflicts.sorting import sorts
from ctxlint.checks.conflicts.validation import holds_until_applied, is_of_two
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import AccessPath, Compound, Name, Result
from ctxlint.roles.accesses import Use
from ctxlint.roles.keyed import Places
from ctxlint.roles.overlaps import Overlap


def left_out(analysis: Analysis, facts: Facts, decision: Decision) -> Sides | None:
    """The field by which the changes read, when neither the function nor its caller compares one."""
    if _are_equal(analysis, decision):
        return None
    involved = functools.cache(functools.partial(_involved, analysis, facts, decision))
    by_use = _reads_by_use(analysis, facts, decision)
    if by_use:
        if involved().intersection(by_use):
            return None
        read, (use, store) = min(by_use.items(), key=lambda item: item[0])
        sureness = _sureness(analysis, decision, read, use, store)
        if sureness == "low" and not is_declared(decision.owner):
            return None
        if sureness == "low" and not decision.given:
            return None
        if not (asks_for_regions(decision.overlap) or _are_several(analysis, decision, read, use)):
            applied = decision.given and use.function == store.function and sorts(analysis, decision)
            sureness = "medium" if applied else "low"
        return Sides(store.field, read, store, use, sureness)
    unsure: Sides | None = None
    for way in (by_declaration, by_place, _by_noting, _by_what_is_filed, _by_elimination, _by_basis):
        found = way(analysis, facts, decision, involved)
        if found is not None and found.confidence != "low":
            return found
        unsure = unsure or found
    return unsure or _by_parsing(analysis, facts, decision, involved)


def _are_equal(analysis: Analysis, decision: Decision) -> bool:
    """Whether it is only asked if two collections are the same: that they differ does not mean that they have nothing in common."""
    if decision.overlap.operator not in ("==", "!=") or decision.overlap.iterated or decision.overlap.looked:
        return False
    declared = declarations(analysis, decision.owner)
    return all(is_collection(declared.get(key, "")) or is_mapping(declared.get(key, "")) for key in decision.compared)


def _by_elimination(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A field by which a change reads from where what it made is merged: the compared one, used for nothing else, says by which keys."""
    accesses = facts.accesses
    if not (decision.meets or decision.sets) or any(
        accesses.is_looked_up(key) or any(use.places for use in accesses.uses(key, "write")) for key in decision.compared
    ):
        return None
    for key in sorted(_fields_of(analysis, facts, decision) - decision.compared):
        use = next((use for use in accesses.uses(key, "read") if use.each and accesses.is_merged_into(use.places)), None)
        if use is None or (key in involved() and key in _involved(analysis, facts, decision, use.places)):
            continue
        if _is_read_by(facts, decision, key) and _comparable(analysis, decision, key):
            return Sides(min(decision.compared), key, None, use, "medium")
    return None


def _by_parsing(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A text that a change carries, and from which some function of the module picks out names of what it refers to."""
    if not any(facts.accesses.uses(key, "write") for key in decision.compared):
        return None
    for picked in picked_from(analysis, facts.fields, facts.fills, decision.owner):
        if picked.field not in decision.compared and picked.field not in involved():
            sure = decision.given and ((is_declared(decision.owner) and not picked.becomes) or sorts(analysis, decision))
            if not sure and (picked.becomes or not is_declared(decision.owner)):
                continue
            return Sides(min(decision.compared), picked.field, None, Use(picked.field, "read", picked.function, picked.event), "medium" if sure else "low")
    return None


def _by_noting(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A collection of the keys by which a function looks up, where changes are sorted, or sets of theirs compared that select writes."""
    stores = [use for key in sorted(decision.compared) for use in facts.accesses.uses(key, "write") if use.places]
    meets = bool(stores) and decision.given and (decision.sets or decision.meets)
    if not is_declared(decision.owner) or not decision.paired:
        return None
    asked = any(told_with(analysis, each) for each in decision.compared)      # what a method gives back is made of the state
    own = frozenset() if asked else decision.compared
    for key in sorted(_fields_of(analysis, facts, decision) - decision.compared):
        noted = [use for use in facts.accesses.uses(key, "read") if use.filled and use.each and use.places - own - {key}]
        if not noted or not _is_read_by(facts, decision, key) or not _comparable(analysis, decision, key) or key in involved():
            continue
        if not _has_the_same_keys(analysis, facts, decision, key) and (meets or sorts(analysis, decision)):
            return Sides(min(decision.compared), key, stores[0] if stores else None, noted[0], "medium")
    return None


def _by_basis(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A mapping of what a change found at all places that it depends on, and of which only those are looked at that it writes.

    It is named for that: other mappings have the keys that are written alone, as the versions that are expected of them.
    """
    value, where = decision.overlap.value, decision.overlap.event
    if not decision.overlap.looked or not isinstance(value, Compound) or not any(facts.accesses.uses(key, "write") for key in decision.compared):
        return None
    events = analysis.view.function(decision.function).events
    for part in value.parts:
        event = events[part.event] if isinstance(part, Result) else None
        if isinstance(part, Result) and event is not None and event.path is not None and event.path.steps:
            container = AccessPath(event.path.root, event.path.steps[:-1])
            held = frozenset(
                leaf.key for leaf in facts.fields.of_path(decision.function, part.event, container, event.keys[:-1])
                if leaf.field and leaf.owner == decision.owner and leaf.key not in decision.compared)
            for key in sorted(named_for_reading(analysis, held) - involved()):
                if _comparable(analysis, decision, key):
                    return Sides(min(decision.compared), key, None, Use(key, "read", decision.function, where), "medium")
    return None


def _by_what_is_filed(analysis: Analysis, facts: Facts, decision: Decision, involved: Involved) -> Sides | None:
    """A part of a change that is put into a container of its own where the compared one is put into what it is compared with.

    It is a read set when it is called so, or when both are taken out again, and the other one says what is written: then the
    containers say what is under way.
    """
    writes = any(is_effect(analysis, key) or facts.accesses.uses(key, "write") for key in decision.compared)
    for filed in facts.left_behind.beside(decision.owner, decision.compared, decision.overlap) if not decision.paired and is_declared(decision.owner) else ():
        if involved().isdisjoint((filed.part, filed.container)) and _comparable(analysis, decision, filed.part):
            if (filed.under_way and writes) or named_for_reading(analysis, frozenset([filed.part])):
                return Sides(min(decision.compared), filed.part, None, Use(filed.part, "read", filed.function, filed.event), "medium")
    return None


def asks_the_state(facts: Facts, decision: Decision, overlap: Overlap | None = None) -> bool:
    """Whether it is only asked if a key is there already, in the very container that changes are applied to."""
    overlap = overlap or decision.overlap
    value = overlap.value
    if overlap.operator not in ("in", "not in") or not isinstance(value, Compound):
        return False
    container = value.parts[1]
    return any(facts.accesses.applied_to(key, decision.function, overlap.event, container) for key in decision.compared)


def _sureness(analysis: Analysis, decision: Decision, read: str, use: Use, store: Use) -> Confidence:
    """How sure it is that the fields are a write set and a read set: identifiers are compared for many reasons."""
    single = decision.overlap.operator in ("==", "!=", "in", "not in")
    several = _are_several(analysis, decision, read, use)
    if single and use.function != store.function and not several and not named_for_reading(analysis, frozenset([read])):
        return "low"
    return "high" if decision.paired and (several or not single or use.function == store.function) else "medium"


def _are_several(analysis: Analysis, decision: Decision, read: str, use: Use) -> bool:
    """Whether a change reads at several places. One key that is compared and one that is read are identifiers more often."""
    return use.each or is_collection(declarations(analysis, decision.owner).get(read, ""))


def _involved(analysis: Analysis, facts: Facts, decision: Decision, state: Places = frozenset()) -> frozenset[str]:
    """The fields that the function, its callees, or all that one of its callers does before the changes are applied, compare.

    To look if something is there in the `state` before it is looked up is no comparison with what others write.
    """
    found = {
        leaf.key for overlap in facts.overlaps.of(decision.function)
        if not asks_the_state(facts, decision, overlap) and not _is_looked_into(decision, overlap)
        for leaf in overlap.fields if leaf.field
    }
    applying = [(use.function, use.event) for key in decision.compared for use in facts.accesses.uses(key, "write")]
    for caller in sorted({caller for caller, _ in analysis.view.call_graph.callers(decision.function)}):
        found |= {
            leaf.key for overlap in facts.overlaps.of(caller)
            if (is_of_two(overlap) or holds_until_applied(analysis, caller, overlap, applying)) and not _is_looked_into(decision, overlap)
            and not (state and _is_looked_up_there(analysis, facts, caller, overlap, state))
            for leaf in overlap.fields if leaf.field
        }
    return frozenset(found).union(*(parts_of(analysis, facts.fields, decision.owner, key) for key in decision.compared))


def _is_looked_into(decision: Decision, overlap: Overlap) -> bool:
    """Whether it is only asked if a change has noted something of what it writes itself."""
    return overlap.operator in ("in", "not in") and bool(overlap.left) and all(
        leaf.key in decision.compared for leaf in overlap.left) and {leaf.who for leaf in overlap.left} == {leaf.who for leaf in overlap.right}


def _is_looked_up_there(analysis: Analysis, facts: Facts, identity: FunctionId, overlap: Overlap, state: Places) -> bool:
    """Whether it is only asked if a key is there in a container, of a key that is looked up there next."""
    value = overlap.value
    if overlap.operator not in ("in", "not in") or not isinstance(value, Compound) or not isinstance(value.parts[0], Name):
        return False
    if state.isdisjoint(facts.accesses.container(identity, overlap.event, value.parts[1])):
        return False
    key, definitions = value.parts[0], analysis.view.definitions(identity)
    bound = {overlap.event, *definitions.definitions(overlap.event, key.name)}
    return any(
        event.kind == "read" and event.keys[-1:] == (key,) and bound.issuperset(definitions.definitions(number, key.name))
        for number, event in enumerate(analysis.view.function(identity).events)
    )


def _reads_by_use(analysis: Analysis, facts: Facts, decision: Decision) -> dict[str, tuple[Use, Use]]:
    """The fields by which the changes read from where a compared field says that they write, with both uses."""
    found: dict[str, tuple[Use, Use]] = {}
    if not _is_written_by(facts, decision) or any(_is_kept_of_reads(facts, decision, key) for key in decision.compared):
        return found                                     # nothing is opposed, or what is read is among what is compared
    for key in _fields_of(analysis, facts, decision):
        if key in decision.compared or not _is_read_by(facts, decision, key):
            continue
        if not _comparable(analysis, decision, key) or _is_made_of(analysis, facts, decision, key) or _has_the_same_keys(analysis, facts, decision, key):
            continue
        for written in sorted(decision.compared):
            opposed = facts.accesses.opposed(key, written, asks_for_regions(decision.overlap) or (
                decision.given and decision.overlap.operator not in ("in", "not in")
            ))
            if opposed is not None and not any(key in each.places for each in opposed):      # a table is no set of its own keys
                found[key] = opposed
    return found


def _is_kept_of_reads(facts: Facts, decision: Decision, key: str) -> bool:
    """Whether a field is filled with what is looked up where another compared one writes."""
    others = decision.compared - {key}
    opposed = [facts.accesses.opposed(key, other) for other in others] if others and _is_read_by(facts, decision, key) else []
    return any(met is not None and met[0].filled for met in opposed)


def read_fields(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    """All fields by which the changes read, by use or by name, the compared ones included."""
    by_use = {
        key for key in (_fields_of(analysis, facts, decision) if _is_written_by(facts, decision) else ())
        if _is_read_by(facts, decision, key) and any(facts.accesses.opposed(key, written) for written in decision.compared)
    }
    named = frozenset(
        key for key in named_for_reading(analysis, siblings(analysis, facts, decision)) if not facts.accesses.uses(key, "write"))
    return frozenset(by_use) | named | crossed(facts, decision)


def _is_written_by(facts: Facts, decision: Decision) -> bool:
    """Whether anything at all is written where a compared field says: what is read is looked for there."""
    return any(facts.accesses.uses(key, "write") for key in decision.compared)


def _is_made_of(analysis: Analysis, facts: Facts, decision: Decision, key: str) -> bool:
    """Whether a method or property gives back what a compared field holds, and nothing else."""
    method = analysis.program.method(key.rpartition(".")[0], key.rpartition(".")[2]) if is_declared(decision.owner) else None
    given = {leaf.key for leaf in facts.fields.given(method) if leaf.field} if method is not None else set()
    return bool(given) and given <= decision.compared


def _has_the_same_keys(analysis: Analysis, facts: Facts, decision: Decision, key: str) -> bool:
    """Whether a field only gets what a compared one gets as well: versions that are expected of what is written."""
    made = {use.function for use in facts.accesses.uses(key, "read") if use.filled}
    return bool(made) and all(_is_filled_alike(analysis, facts, decision, key, identity) for identity in made)


def _is_filled_alike(analysis: Analysis, facts: Facts, decision: Decision, key: str, identity: FunctionId) -> bool:
    """Whether a function that fills a field fills a compared one on the same way, with what that is made of."""
    graph = analysis.view.graph(identity)
    filled = [
        (number, field, frozenset().union(*(facts.fills.sources(identity, number, value) for value in values)))
        for number, field, values in facts.fills.of(identity) if field == key or field in decision.compared
    ]
    return all(
        any(
            other in decision.compared and own and own <= sources
            and (at == number or at in reachable(graph, number) or number in reachable(graph, at))
            for at, other, sources in filled
        )
        for number, field, own in filled if field == key
    )


def _comparable(analysis: Analysis, decision: Decision, key: str) -> bool:
    """Whether a field can hold the same things as the compared ones, as far as their annotations say."""
    declared = declarations(analysis, decision.owner)
    held = held_by(declared.get(key, ""))
    others = [held_by(declared.get(each, "")) for each in decision.compared]
    return not held or any(not other or held & other for other in others)


def _fields_of(analysis: Analysis, facts: Facts, decision: Decision) -> frozenset[str]:
    if not is_declared(decision.owner):
        return frozenset(key for key in facts.accesses.together(decision.compared) if key.startswith(f"{decision.owner}."))
    found: set[str] = set()
    for relative in relatives(analysis, decision):
        found |= facts.accesses.fields_of(relative)
    told = {count for key in decision.compared if (count := told_with(analysis, key)) > 1}
    return frozenset(key for key in found if _is_part(analysis, key) or told_with(analysis, key) in told)


def told_with(analysis: Analysis, key: str) -> int:
    """How many formals the method of that name has; 0 for fields."""
    method = analysis.program.method(key.rpartition(".")[0], key.rpartition(".")[2])
    return len(analysis.view.function(method).formals) if method is not None else 0


def _is_part(analysis: Analysis, key: str) -> bool:
    """Whether the name is that of a field or property; what a method with parameters gives back is no part of the change."""
    owner, _, field = key.rpartition(".")
    info = analysis.program.class_(owner)
    if info is None:
        return True
    method = analysis.program.method(owner, field)
    if method is not None:
        return len(analysis.view.function(method).formals) == 1
    return field in analysis.view.inference.stores(owner) or any(each.name == field for each in info.ir.fields)


def crossed(facts: Facts, decision: Decision) -> frozenset[str]:
    """The fields that are compared with a compared one of another change, and never with each other: what is read."""
    others: set[str] = set()
    same: set[str] = set()
    for overlap in facts.overlaps.of(decision.function):
        left, right = ({(leaf.instance, leaf.key) for leaf in side if leaf.field and leaf.owner == decision.owner}
                       for side in (overlap.left, overlap.right))
        for (one, key), (other, compared) in itertools.product(left, right):
            if one != other and key == compared:
                same.add(key)
            elif one != other and not decision.compared.isdisjoint((key, compared)):
                others |= {key, compared} - decision.compared
    return frozenset(others - same)


def _is_read_by(facts: Facts, decision: Decision, key: str) -> bool:
    """Whether a field selects what a change reads, and nothing that it writes.

    What is looked up in is a part of the state, unless it is filled with the keys of what was read elsewhere: it is a cache then.
    Tables of changes are looked up in, too.
    """
    reads = facts.accesses.uses(key, "read")
    kept = not decision.of_tables and facts.accesses.is_looked_up(key) and not any(use.filled and key not in use.places and use.places for use in reads)
    return bool(reads) and not facts.accesses.uses(key, "write") and not kept


def _is_filled_anyway(analysis: Analysis, facts: Facts, decision: Decision) -> bool:
    """Whether what is looked into gets its keys whatever is found there: an index, and no record of other changes."""
    value, where = decision.overlap.value, decision.overlap.event
    if decision.overlap.operator not in ("in", "not in") or not isinstance(value, Compound):
        return False
    stores = facts.accesses.writes_into(decision.function, facts.accesses.container(decision.function, where, value.parts[1]))
    graph = analysis.view.graph(decision.function)
    ends = {graph.exit, *(number for number, event in enumerate(graph.function.events) if event.kind == "raise")}
    turns = {number for number, event in enumerate(graph.function.events) if event.kind == "iterate"}
    return bool(stores) and path(graph, where, ends | turns, stores, exceptional=False) is None


def formal_left_out(analysis: Analysis, facts: Facts, decision: Decision) -> Sides | None:
    """The formal by which a change reads, when the function compares only the one by which it writes."""
    function = analysis.view.function(decision.function)
    mentioned = {leaf.instance for overlap in facts.overlaps.of(decision.function) for leaf in overlap.fields}
    used = {f.name: facts.accesses.of_formal(decision.function, f.name) for f in function.formals[1:]}
    stored = {name: places for name in sorted(decision.compared) for mode, places in used.get(name, ()) if mode == "write"}
    reads = [
        name for name, uses in used.items() if uses and all(mode == "read" for mode, _ in uses)
        and any(places & where for _, places in uses for where in stored.values())
    ]
    missing = [name for name in reads if name not in mentioned]
    if not stored or not missing or len(missing) < len(reads) or _is_filled_anyway(analysis, facts, decision):
        return None
    written = list(stored)
    return Sides(written[0], missing[0], None, None, "medium")
