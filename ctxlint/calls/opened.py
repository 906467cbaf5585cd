"""What is done with an open file: through a local handle, or through one that an object keeps in an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term
from ctxlint.calls.view import View, argument_of
from ctxlint.ir.value import AccessPath, Constant, Result, Value


def handle_uses(view: View, identity: FunctionId, opening: int) -> Iterator[int]:
    """The events that use the handle an `opens` event returns: through a `with`, an await or a local name."""
    origins = view.origins(identity)
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or number == opening or event.path is None:
            continue
        holders: list[Value] = [a.value for a in event.arguments]
        if event.path.steps:
            holders.append(event.path.root)
        if any(_is_handle(view, identity, origins.identity(value, number), opening) for value in holders):
            yield number


def _is_handle(view: View, identity: FunctionId, atoms: frozenset[tuple[str, str | int]], opening: int) -> bool:
    for kind, what in atoms:
        if kind != "result" or not isinstance(what, int):
            continue
        if what == opening:
            return True
        event = view.event(identity, what)
        if event.kind == "enter" and event.value is not None:
            inner = view.origins(identity).identity(event.value, what)
            if ("result", opening) in inner:
                return True
    return False


def handle_contents(view: View, identity: FunctionId, opening: int) -> tuple[Value, ...]:
    """What is written through a handle: arguments of its writing methods, and values dumped into it.

    A function of the program that is given the handle writes what nobody knows here: the handle itself stands for it.
    What another process writes that is given the handle is its own output, and nothing of this program.
    """
    found: list[Value] = []
    origins = view.origins(identity)
    for number in handle_uses(view, identity, opening):
        call = view.event(identity, number)
        if view.does(identity, number, "loads", "reads", "syncs", "truncates", "parses"):
            continue
        inside = any(each.functions for each in view.calls(identity, number))
        if not inside and view.does(identity, number, "concurrent-executor", "suspends"):
            continue
        found += [
            a.value for a in call.arguments
            if not _names_only(a.value) and (inside or not _is_handle(view, identity, origins.identity(a.value, number), opening))
        ]
    return tuple(found)


def _names_only(value: Value) -> bool:
    return isinstance(value, Constant) and value.kind in ("int", "bool", "none")


def rewritten(view: View, places: Places, identity: FunctionId) -> Iterator[tuple[Term, int]]:
    """The kept handles through which the function both writes and cuts off, with the first write."""
    written: dict[Term, int] = {}
    cut: set[Term] = set()
    for number, event in enumerate(view.function(identity).events):
        if event.kind != "call" or event.path is None or len(event.path.steps) < 2:
            continue
        for match in view.modelled(identity, number):
            if match.effect.store != "file" or match.effect.target != "self" or not isinstance(match.target, AccessPath):
                continue
            place = places.of_path(identity, number, match.target)
            if place.kind == "attribute" and match.effect.does == "mutates" and event.arguments:
                written.setdefault(place, number)
            elif place.kind == "attribute" and match.effect.does == "truncates":
                cut.add(place)
    yield from ((place, number) for place, number in written.items() if place in cut)


def parsed(view: View, places: Places, identity: FunctionId) -> Iterator[tuple[Term, int]]:
    """The kept handles that the function gives to a parser, which reads them."""
    for number, event in enumerate(view.function(identity).events):
        match = view.does(identity, number, "parses") if event.kind == "call" else None
        content = argument_of(match.call, match.effect.content) if match is not None else None
        if not isinstance(content, Result):
            continue
        read = view.event(identity, content.event)
        if read.kind != "read" or read.path is None:
            continue
        place = places.of_path(identity, content.event, read.path)
        if place.kind == "attribute" and any("file" in view.models.type_facts(kind) for kind in view.types(identity, number, read.path)):
            yield place, number
