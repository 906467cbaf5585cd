"""What is done with an open file: through a local handle, or through one that an object keeps in an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import cells_of
from ctxlint.calls.entries import constants
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term
from ctxlint.calls.view import View, argument_of
from ctxlint.flow.paths import path
from ctxlint.ir.value import AccessPath, Constant, Name, Result, Value

_READING = ("loads", "parses", "reads")


def opening_mode(view: View, identity: FunctionId, event: int, mode: Value | None) -> str:
    """The mode in which a file is opened, flags as the mode that they stand for; empty when it is not known, or several are passed."""
    if mode is None:
        return "r"
    given = constants(view.inference, identity, event, mode) or ()
    if given or isinstance(mode, Constant):
        return given[0][4:] if len(given) == 1 and given[0].startswith("str:") else ""
    flags = {effect.does for name in _constants_named(view, identity, event, mode) for effect in view.models.effects(name)}
    return next((letter for does, letter in (("creates", "x"), ("truncates", "w"), ("appends", "a")) if does in flags), "")


def _constants_named(view: View, identity: FunctionId, at: int, value: Value) -> Iterator[str]:
    """The names of the library's constants that a value is made of."""
    for kind, what in view.origins(identity).roots(value, at):
        read = view.event(identity, what) if kind == "result" and isinstance(what, int) else None
        if read is not None and read.kind == "read" and read.path is not None and isinstance(read.path.root, Name):
            yield resolve_name(view.program, identity.module, identity.index, ".".join((read.path.root.name, *read.path.steps)))


def handle_uses(view: View, identity: FunctionId, opening: int) -> Iterator[int]:
    """The events that use the handle an `opens` event returns: through a `with`, an await or a local name."""
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or number == opening or event.path is None:
            continue
        holders: list[Value] = [a.value for a in event.arguments]
        if event.path.steps:
            holders.append(event.path.root)
        if any(_is_handle(view, identity, number, value, opening) for value in holders):
            yield number


def _is_handle(view: View, identity: FunctionId, at: int, value: Value, opening: int) -> bool:
    """Whether the value is the handle that was opened, or what was made round it; in a loop a writer can be made round itself."""
    pending, seen = [(value, at)], set()
    while pending:
        for kind, what in view.origins(identity).identity(*pending.pop()):
            if what == opening and kind == "result":
                return True
            if kind == "result" and isinstance(what, int) and what not in seen:
                seen.add(what)
                inner = _wrapped(view, identity, what)
                if inner is not None:
                    pending.append((inner, what))
    return False


def _wrapped(view: View, identity: FunctionId, number: int) -> Value | None:
    """The handle round which a library makes a writer."""
    wraps = view.does(identity, number, "wraps") if view.event(identity, number).kind == "call" else None
    target = wraps.target if wraps is not None else None
    return None if isinstance(target, AccessPath) else target


def reads_nothing(view: View, identity: FunctionId, opening: int) -> Iterator[int]:
    """The readings through a handle before anything else can have been done with it: they find what the opening has left."""
    events = view.function(identity).events
    uses = list(handle_uses(view, identity, opening))
    readings = [number for number in uses if view.does(identity, number, *_READING) is not None]
    readings += [
        number for number, event in enumerate(events)
        if event.kind == "iterate" and event.value is not None and _is_handle(view, identity, number, event.value, opening)
    ]
    others = [number for number in uses if number not in readings and view.does(identity, number, "measures") is None]
    if readings and not hands_out(view, identity, opening):
        graph = view.graph(identity)
        yield from (number for number in readings if path(graph, opening, number, others, exceptional=False) is not None)


def hands_out(view: View, identity: FunctionId, opening: int) -> bool:
    """Whether the function gives its caller the handle that an event opened: as its result, or for the time of a `with`."""
    return any(
        _is_handle(view, identity, number, event.value, opening)
        for number, event in enumerate(view.function(identity).events)
        if event.value is not None and (event.kind == "return" or event.kind == "suspend" and event.note == "yield")
    )


def handle_contents(view: View, identity: FunctionId, opening: int, behind: frozenset[int] = frozenset()) -> tuple[Value, ...]:
    """What is written through a handle: arguments of its writing methods, and values dumped into it.

    A function of the program that is given the handle writes what nobody knows here: the handle itself stands for it.
    What another process writes that is given the handle is its own output, and nothing of this program.
    `behind` are the openings of what became this handle.
    """
    found: list[Value] = []
    for number in handle_uses(view, identity, opening):
        call = view.event(identity, number)
        if view.does(identity, number, *_READING, "syncs", "truncates"):
            continue
        if view.does(identity, number, "opens"):               # a descriptor that becomes a handle
            found += handle_contents(view, identity, number, behind | {opening}) if number not in behind else ()
            continue
        inside = any(each.functions for each in view.calls(identity, number))
        if not inside and view.does(identity, number, "concurrent-executor", "suspends"):
            continue
        found += [
            a.value for a in call.arguments
            if not _names_only(a.value) and (inside or not _is_handle(view, identity, number, a.value, opening))
        ]
        holder = _written_object(view, identity, number, opening)
        if holder is not None and not holder.steps:
            found.append(holder.root)
    return tuple(found)


def handle_cells(view: View, identity: FunctionId, opening: int) -> frozenset[str]:
    """The cells that write themselves through a handle: `self.settings.write(handle)`."""
    holders = [(n, _written_object(view, identity, n, opening)) for n in handle_uses(view, identity, opening)]
    return frozenset(
        cell for number, holder in holders if holder is not None and holder.steps
        for path in view.resolve_path(identity, number, holder) for cell in cells_of(view, identity, number, path)[-1:]
    )


def _written_object(view: View, identity: FunctionId, number: int, opening: int) -> AccessPath | None:
    """The object that is told to write itself into the handle: a method of a library is given the handle and no content."""
    event = view.event(identity, number)
    if event.path is None or not event.path.steps or not isinstance(event.path.root, Name) or event.path.root.scope == "global":
        return None
    if any(call.functions or call.abstract for call in view.calls(identity, number)) or view.does(identity, number, *_READING):
        return None
    handed = [_is_handle(view, identity, number, a.value, opening) for a in event.arguments]
    if not any(handed) or not all(given or isinstance(a.value, Constant) for given, a in zip(handed, event.arguments)):
        return None
    return AccessPath(event.path.root, event.path.steps[:-1])


def _names_only(value: Value) -> bool:
    return isinstance(value, Constant) and value.kind in ("int", "bool", "none")


def rewritten(view: View, places: Places, identity: FunctionId) -> Iterator[tuple[Term, int]]:
    """The kept handles through which the function both writes and cuts off, with the first write.

    What is written at another position than the beginning stands behind what the file holds, and is cut off when it fails.
    """
    written: dict[Term, int] = {}
    cut: set[Term] = set()
    moved: dict[Term, bool] = {}
    for number, modelled in view.modelled_calls(identity):
        event = view.event(identity, number)
        if event.path is None or len(event.path.steps) < 2:
            continue
        for match in modelled:
            if match.effect.store != "file" or match.effect.target != "self" or not isinstance(match.target, AccessPath):
                continue
            place = places.of_path(identity, number, match.target)
            if place.kind == "attribute" and match.effect.does == "mutates" and event.arguments:
                written.setdefault(place, number)
            elif place.kind == "attribute" and match.effect.does == "truncates":
                cut.add(place)
            elif place.kind == "attribute" and match.effect.does == "measures" and event.arguments:
                moved[place] = moved.get(place, False) or event.arguments[0].value == Constant("int", "0") and len(event.arguments) == 1
    yield from ((place, number) for place, number in written.items() if place in cut and moved.get(place, True))


def parsed(view: View, places: Places, identity: FunctionId) -> Iterator[tuple[Term, int]]:
    """The kept handles that the function gives to a parser, which reads them."""
    for number, match in view.calls_that(identity, "parses"):
        content = argument_of(match.call, match.effect.content)
        if not isinstance(content, Result):
            continue
        read = view.event(identity, content.event)
        if read.kind != "read" or read.path is None:
            continue
        place = places.of_path(identity, content.event, read.path)
        if place.kind == "attribute" and any("file" in view.models.type_facts(kind) for kind in view.types(identity, number, read.path)):
            yield place, number
