"""Open files that an object holds: what is written through `self._file` goes to the file that was opened into it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.cells import attribute_owner, receiver_class
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.opened import opening_mode
from ctxlint.calls.places import Places
from ctxlint.calls.terms import Term, keys
from ctxlint.calls.view import View, argument_of
from ctxlint.ir.value import AccessPath, Constant, Name, Result, Value


def handle_keys(view: View, places: Places, identity: FunctionId, at: int, target: Value | AccessPath | None) -> frozenset[str]:
    """The pairing keys of a handle that an attribute of the receiver holds; empty for any other value.

    They are the attribute itself, and the places of the files that the class opens into it.
    """
    found: set[str] = set()
    for path in _paths(view, identity, at, target):
        owner = receiver_class(view, identity, path.root) if isinstance(path.root, Name) and len(path.steps) == 1 else None
        info = view.program.class_(owner) if owner is not None else None
        if owner is None or info is None:
            continue
        for ancestor in info.mro:
            for function, number in view.inference.stores(ancestor).get(path.steps[0], ()):
                value = view.event(function, number).value
                opening = None if value is None else opened_by(view, function, number, value)
                if opening is not None:
                    found.update(_place_keys(view, places, function, opening))
                    found.add(f"{attribute_owner(view, owner, path.steps[0])}.{path.steps[0]}")
    return frozenset(found)


def descriptor_keys(view: View, places: Places, identity: FunctionId, at: int, target: Value | AccessPath | None) -> frozenset[str]:
    """The pairing keys of the file behind a local handle whose opening does not say in which mode."""
    opening = opened_by(view, identity, at, target) if target is not None and not isinstance(target, AccessPath) else None
    if opening is None:
        return frozenset()
    match = view.does(identity, opening, "opens")
    mode = argument_of(match.call, match.effect.mode) if match is not None else None
    known = mode is None or isinstance(mode, (Constant, AccessPath)) or opening_mode(view, identity, opening, mode) != ""
    return frozenset() if known else _place_keys(view, places, identity, opening)


def opening_of_descriptor(view: View, identity: FunctionId, at: int, value: Value) -> int | None:
    """The event that opened a file by flags which say in which mode, for the descriptor that the value is."""
    opening = opened_by(view, identity, at, value)
    match = view.does(identity, opening, "opens") if opening is not None and opening != at else None
    mode = argument_of(match.call, match.effect.mode) if match is not None and match.effect.mode else None
    if mode is None or isinstance(mode, (Constant, AccessPath)) or opening is None:
        return None
    return opening if opening_mode(view, identity, opening, mode) else None


def is_read_by_opening(view: View, identity: FunctionId, at: int, handle: Value | AccessPath | None) -> bool:
    """Whether the value is a local handle that was opened for reading: the opening is what reads the file, whatever is asked of
    the handle afterwards.
    """
    if handle is None or isinstance(handle, AccessPath) and handle.steps:
        return False
    opening = opened_by(view, identity, at, handle.root if isinstance(handle, AccessPath) else handle)
    match = view.does(identity, opening, "opens") if opening is not None and opening != at else None
    mode = argument_of(match.call, match.effect.mode) if match is not None and match.effect.mode else None
    return match is not None and opening is not None and not isinstance(mode, AccessPath) and "r" in opening_mode(view, identity, opening, mode)


def opened_by(view: View, identity: FunctionId, at: int, value: Value) -> int | None:
    """The event that opened the file whose handle a value is."""
    for kind, what in sorted(view.origins(identity).identity(value, at), key=str):
        if kind == "result" and isinstance(what, int):
            match = view.does(identity, what, "opens")
            if match is not None and match.effect.store == "file":
                return what
    return None


def _place_keys(view: View, places: Places, function: FunctionId, opening: int) -> frozenset[str]:
    """The keys of the opened path; a parameter is what the object keeps of it in an attribute."""
    match = view.does(function, opening, "opens")
    target = argument_of(match.call, match.effect.target) if match is not None else None
    if target is None:
        return frozenset()
    if isinstance(target, AccessPath):
        return keys(places.of_path(function, opening, target), function.module)
    term = places.term(function, opening, target)
    return keys(term, function.module) | frozenset(_kept_as(view, function, term) if term.kind == "param" else ())


def _kept_as(view: View, function: FunctionId, term: Term) -> Iterator[str]:
    owner = view.program.owner(function)
    for attribute, sites in view.inference.stores(owner).items() if owner is not None else ():
        if any(site == function and view.event(function, number).value == Name(term.name, "local") for site, number in sites):
            yield f"{owner}.{attribute}"


def _paths(view: View, identity: FunctionId, at: int, target: Value | AccessPath | None) -> Iterator[AccessPath]:
    if isinstance(target, AccessPath):
        yield from view.resolve_path(identity, at, target)
    elif isinstance(target, Result):
        read = view.event(identity, target.event)
        if read.kind == "read" and read.path is not None:
            yield from view.resolve_path(identity, target.event, read.path)
