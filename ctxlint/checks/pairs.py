"""Reader and writer of a file whose path both are only told: `save_to(path)` and `load_from(path)`."""

from __future__ import annotations

from ctxlint.calls.effects import written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.opened import handle_uses
from ctxlint.calls.terms import are_named_alike, parameters
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import Value
from ctxlint.roles.stores import Access


def reads_of_the_same_argument(analysis: Analysis, level: Access) -> list[Access]:
    """The reads in the same function of the very path that is written: read, change, write back."""
    place = level.effect.place
    if not parameters(place):
        return []
    return [
        Access(level.function, effect)
        for effect in analysis.summaries.of(level.function).effects
        if effect.kind == "read" and effect.medium == "file" and effect.place == place and effect.event != level.effect.event
    ]


def reads_beside(analysis: Analysis, level: Access) -> list[Access]:
    """The reads of a bare argument, or of a file named alike in a folder that both are told, by a function of the same class or
    module that understands what the writer writes.
    """
    place = level.effect.place
    if not (place.kind == "param" and level.effect.distance == 0 or are_named_alike(place, place)):
        return []
    written = _formats_written(analysis, level)
    if not written:
        return []
    return [
        Access(other, effect)
        for other in _neighbours(analysis, level.function)
        for effect in analysis.summaries.of(other).effects
        if effect.kind == "read" and effect.medium == "file" and effect.distance == 0
        and (effect.place.kind == place.kind == "param" or are_named_alike(place, effect.place))
        and written & _formats_of_content(analysis, other, effect.event, 1 if analysis.program.owner(other) is not None else 0)
    ]


def is_parsed(analysis: Analysis, reader: Access) -> bool:
    """Whether the reader, or the function that reads for it, makes a value of what it reads."""
    identity, event = reader.function, reader.effect.event
    if reader.effect.distance == 0:
        return bool(_formats_of_content(analysis, identity, event, 1))
    return bool(_formats_of_content(analysis, identity, event, 0)) or any(
        _formats(analysis, target, ("parses",), 0) for call in analysis.view.calls(identity, event) for target in call.functions
    )


def is_serialised(analysis: Analysis, level: Access) -> bool:
    """Whether what is written is the text of a value, made here or in a function that is called for it."""
    return bool(_formats_written(analysis, level))


def _formats_written(analysis: Analysis, level: Access) -> set[str]:
    """The libraries that make the text which is written."""
    view, identity, effect = analysis.view, level.function, level.effect
    at, origins = written_at(view, identity, effect), view.origins(identity)
    makers = {
        what for value in effect.contents for kind, what in origins.roots(value, at, mutations=True) if kind == "result" and isinstance(what, int)
    }
    makers |= {
        number for number, event in enumerate(view.function(identity).events)
        if event.kind == "call" and any(argument.value in effect.contents for argument in event.arguments)
    }
    found = set()
    for number in makers:
        match = view.does(identity, number, "serialises")
        if match is not None and "." in match.name:
            found.add(match.name.split(".", 1)[0])
        for call in view.calls(identity, number) if view.event(identity, number).kind == "call" else ():
            for target in call.functions:
                found |= _formats(analysis, target, ("serialises",), 1)
    return found


def _neighbours(analysis: Analysis, identity: FunctionId) -> list[FunctionId]:
    """The other functions of the same class, its bases and subclasses; of the module for a plain function."""
    program = analysis.program
    owner = program.owner(identity)
    info = program.class_(owner) if owner is not None else None
    family = {owner} if info is None else {*info.mro, *info.subclasses}
    declared = [program.class_(each) for each in family if each is not None]
    modules = {identity.module, *(each.module for each in declared if each is not None)}
    members = (member for module in sorted(modules) for member in program.functions_in(module))
    return [other for other in members if other != identity and program.owner(other) in family]


def _formats(analysis: Analysis, identity: FunctionId, verbs: tuple[str, ...], depth: int) -> set[str]:
    """The libraries with which the function, or one it calls, turns values into text or back."""
    found = set()
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind != "call":
            continue
        match = analysis.view.does(identity, number, *verbs)
        if match is not None and "." in match.name:
            found.add(match.name.split(".", 1)[0])
        elif depth:
            for call in analysis.view.calls(identity, number):
                for target in call.functions:
                    found |= _formats(analysis, target, verbs, depth - 1)
    return found


def _formats_of_content(analysis: Analysis, identity: FunctionId, read: int, calls: int) -> set[str]:
    """The libraries that make a value of what the event read, here or at most so many calls away."""
    found = set()
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind != "call" or not any(is_made_of(analysis, identity, number, a.value, read) for a in event.arguments):
            continue
        match = analysis.view.does(identity, number, "parses")
        if match is not None and "." in match.name:
            found.add(match.name.split(".", 1)[0])
        for call in analysis.view.calls(identity, number) if calls else ():
            for target in call.functions:
                found |= _formats(analysis, target, ("parses",), calls)
    return found


def is_made_of(analysis: Analysis, identity: FunctionId, at: int, value: Value, read: int) -> bool:
    """Whether the value has content that the event read, or that was read through the handle it gave."""
    events = {read, *handle_uses(analysis.view, identity, read)}
    return any(
        kind == "result" and what in events for kind, what in analysis.view.origins(identity).roots(value, at)
    ) or any(source.event in events for source in analysis.summaries.sources.of(identity, at, value))
