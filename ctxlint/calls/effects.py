"""What one event does to durable state: primitive effects, before any callee is looked into.

A file operation, a statement of SQL, a modelled store operation, or a call through an interface whose body is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ctxlint.calls.built_statements import display_of, executed
from ctxlint.calls.cells import attribute_owner, receiver_class
from ctxlint.calls.commits import commits_unseen
from ctxlint.calls.entry_names import entry_names, resource
from ctxlint.calls.handles import descriptor_keys, handle_keys, is_read_by_opening, opening_of_descriptor
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.interfaces import interface_effect
from ctxlint.calls.kept_places import kept_keys
from ctxlint.calls.opened import (
    handle_cells,
    handle_contents,
    handle_uses,
    opening_mode,
    parsed,
    reads_nothing,
    rewritten,
)
from ctxlint.calls.places import Places
from ctxlint.calls.sql import placeholders, statements, tests_what_it_sets
from ctxlint.calls.terms import UNKNOWN, Term, keys
from ctxlint.calls.texts import text_of_value
from ctxlint.calls.view import Modelled, View, argument_of
from ctxlint.ir.value import AccessPath, Constant, Name, Value

EffectKind = Literal["read", "write", "append", "delete", "move", "create", "commit"]
Medium = Literal["file", "sql", "store", "interface"]

WRITES: frozenset[EffectKind] = frozenset({"write", "append", "delete", "move"})
"""The kinds that change durable state; `create` makes a new file only (mode "x")."""


class StoreEffect(msgspec.Struct, frozen=True, gc=False):
    """One effect on a store, in terms of the function's formals.

    `place` is the file's path (the destination of a `move`, whose source is `source`), UNKNOWN for other media.
    `keys` identify the store: two effects touch the same store when their keys intersect.
    `event` is where it happens in this function, `origin` the primitive it comes from, `distance` how many calls lie between.
    `contents` are the values that go in, as seen at `event` (empty for reads and deletions), `selects` those that a condition
    of the operation compares with what is there.
    `cells` are cells whose content goes in further down. `staged` is true for a write that becomes visible only through a
    later move, `atomic` for one that appears at once, `deferred` for one that nobody waits for here, `named` for a lifted one
    whose place was the callee's parameter and is known here, `conditional` for one that the store refuses when it has changed, `leaves` for a move after
    which the source is still there. `columns` are the parts of a record that are read or written, empty when it may be all.
    `mode` is how a file was opened, for as long as the function has the handle in its hands: it opened it, or was given it by
    a callee that did.
    """

    kind: EffectKind
    medium: Medium
    keys: frozenset[str]
    event: int
    origin: tuple[FunctionId, int]
    place: Term = UNKNOWN
    source: Term = UNKNOWN
    distance: int = 0
    contents: tuple[Value, ...] = ()
    selects: tuple[Value, ...] = ()
    cells: frozenset[str] = frozenset()
    staged: bool = False
    atomic: bool = False
    deferred: bool = False
    named: bool = False
    conditional: bool = False
    mode: str = ""
    leaves: bool = False
    columns: frozenset[str] = frozenset()


def written_at(view: View, identity: FunctionId, effect: StoreEffect) -> int:
    """The event at which the effect's contents are to be evaluated: what goes through a handle is made after it was opened."""
    return len(view.function(identity).events) - 1 if effect.mode else effect.event


def primitive_effects(view: View, places: Places, identity: FunctionId) -> tuple[StoreEffect, ...]:
    """The effects of the function's own events, in event order."""
    found: list[StoreEffect] = []
    for number, event in enumerate(view.function(identity).events):
        if event.kind == "call":
            found += _of_call(view, places, identity, number)
    return (*found, *_of_kept_handles(view, places, identity))


def _of_call(view: View, places: Places, identity: FunctionId, event: int) -> Iterator[StoreEffect]:
    modelled = view.modelled(identity, event)
    silent = any(m.effect.does in ("telemetry", "pure") for m in modelled)
    for match in modelled:
        yield from _of_model(view, places, identity, event, match)
    if not silent:
        yield from _of_statement(view, places, identity, event)
        yield from _of_built(view, identity, event)
        yield from _of_interface(view, identity, event)
        if not modelled and commits_unseen(view, identity, event):
            yield StoreEffect("commit", "sql", frozenset(), event, (identity, event))


# Files and modelled stores.


def _of_model(
    view: View, places: Places, identity: FunctionId, event: int, match: Modelled
) -> Iterator[StoreEffect]:
    does, store = match.effect.does, match.effect.store
    if store in _NOT_DURABLE:
        return
    if does == "opens" and store == "file":
        yield from _of_open(view, places, identity, event, match)
    elif does == "replaces" and store == "file":
        yield from _of_move(view, places, identity, event, match)
    elif does in _KINDS or (does == "mutates" and store == "http" and resource(view, places, identity, event, match)):
        kind = _KINDS.get(does, "append")                    # what is posted is added to what can be got there
        if kind == "read" and store == "file" and is_read_by_opening(view, identity, event, match.target):
            return
        content = argument_of(match.call, match.effect.content) if match.effect.content else None
        contents: tuple[Value, ...] = (content,) if content is not None and not isinstance(content, AccessPath) else ()
        if content is None and match.effect.content:         # what it is may be among unpacked arguments
            contents = tuple(a.value for a in match.call.arguments if a.keyword in ("*", "**"))
        place = _target(places, identity, event, match) if store == "file" else UNKNOWN
        yield StoreEffect(
            kind=kind,
            medium="file" if store == "file" else "sql" if store == "sql" else "store",
            keys=_store_keys(view, places, identity, event, match, place),
            event=event,
            origin=(identity, event),
            place=place,
            contents=contents,
            atomic=match.effect.atomic,
        )
    elif does == "mutates" and store == "file" and match.effect.how == "add":
        yield from _of_held_handle(view, places, identity, event, match)
    elif does == "commits":
        yield StoreEffect("commit", "sql", frozenset(), event, (identity, event))


def _of_held_handle(
    view: View, places: Places, identity: FunctionId, event: int, match: Modelled
) -> Iterator[StoreEffect]:
    """What is written through a handle that the object holds; a local handle's writes belong to its opening, if that says so."""
    handle = argument_of(match.call, match.effect.target)
    found = handle_keys(view, places, identity, event, handle) or descriptor_keys(view, places, identity, event, handle)
    content = argument_of(match.call, match.effect.content) if match.effect.content else None
    if found:
        contents = () if content is None or isinstance(content, AccessPath) else (content,)
        yield StoreEffect("append", "file", found, event, (identity, event), contents=contents)


_NOT_DURABLE = frozenset({"", "memory", "lock", "directory", "socket", "handle", "process"})

_KINDS: dict[str, EffectKind] = {
    "saves": "write", "appends": "append", "records": "append", "loads": "read", "reads": "read",
    "deletes": "delete", "clears": "delete", "creates": "create",
}


def _target(places: Places, identity: FunctionId, event: int, match: Modelled) -> Term:
    target = argument_of(match.call, match.effect.target)
    if isinstance(target, AccessPath):
        return places.of_path(identity, event, target)
    return UNKNOWN if target is None else places.term(identity, event, target)


def _of_open(
    view: View, places: Places, identity: FunctionId, event: int, match: Modelled
) -> Iterator[StoreEffect]:
    mode_value = argument_of(match.call, match.effect.mode) if match.effect.mode else None
    if isinstance(mode_value, AccessPath) or _is_known_descriptor(view, identity, event, match):
        return                                                # the opening of the descriptor says what is done to the file
    mode = opening_mode(view, identity, event, mode_value)
    place = _target(places, identity, event, match)
    found = keys(place, identity.module) or kept_keys(view, places, identity, place)
    own = (identity, event)
    if "w" in mode:
        contents = handle_contents(view, identity, event)
        yield StoreEffect("write", "file", found, event, own, place, contents=contents, cells=handle_cells(view, identity, event), mode=mode)
        for number in reads_nothing(view, identity, event) if "+" in mode else ():
            yield StoreEffect("read", "file", found, number, (identity, number), place)
    elif "a" in mode or "x" in mode:
        kind: EffectKind = "append" if "a" in mode else "create"
        yield StoreEffect(kind, "file", found, event, own, place, contents=handle_contents(view, identity, event), mode=mode)
    elif mode:
        yield StoreEffect("read", "file", found, event, own, place, mode=mode)
        if "+" in mode:
            yield from _rewrites(view, identity, event, place, found, mode)


def _is_known_descriptor(view: View, identity: FunctionId, event: int, match: Modelled) -> bool:
    """Whether what becomes a handle is a descriptor whose opening says in which mode."""
    target = argument_of(match.call, match.effect.target)
    return target is not None and not isinstance(target, AccessPath) and opening_of_descriptor(view, identity, event, target) is not None


def _rewrites(
    view: View, identity: FunctionId, event: int, place: Term, found: frozenset[str], mode: str
) -> Iterator[StoreEffect]:
    """A handle opened for update that is truncated and written is an overwrite at its truncation."""
    truncations = [n for n in handle_uses(view, identity, event) if view.does(identity, n, "truncates")]
    contents = handle_contents(view, identity, event)
    if truncations and contents:
        yield StoreEffect("write", "file", found, truncations[0], (identity, truncations[0]), place, contents=contents, mode=mode)


def _of_kept_handles(view: View, places: Places, identity: FunctionId) -> Iterator[StoreEffect]:
    """Overwrites and reads through a handle that an object keeps open: the attribute stands for the file."""
    for place, number in rewritten(view, places, identity):
        contents = tuple(a.value for a in view.event(identity, number).arguments)
        yield StoreEffect("write", "file", keys(place, identity.module), number, (identity, number), place, contents=contents)
    for place, number in parsed(view, places, identity):
        yield StoreEffect("read", "file", keys(place, identity.module), number, (identity, number), place)


def _of_move(
    view: View, places: Places, identity: FunctionId, event: int, match: Modelled
) -> Iterator[StoreEffect]:
    source = argument_of(match.call, match.effect.content)
    target = argument_of(match.call, match.effect.target)
    terms = [
        UNKNOWN if v is None else places.of_path(identity, event, v) if isinstance(v, AccessPath) else places.term(identity, event, v)
        for v in (source, target)
    ]
    yield StoreEffect(
        "move", "file", keys(terms[1], identity.module), event, (identity, event), terms[1], source=terms[0], atomic=True,
        leaves=match.effect.leaves,
    )


def _store_keys(view: View, places: Places, identity: FunctionId, event: int, match: Modelled, place: Term) -> frozenset[str]:
    """A file's pairing keys; for other media the typed holder of the client and the constant prefix of the key."""
    if match.effect.store == "file":
        handle = argument_of(match.call, match.effect.target)
        found = keys(place, identity.module) | handle_keys(view, places, identity, event, handle)
        return found or kept_keys(view, places, identity, place)
    holders = set()
    receiver = match.call.receiver
    if receiver is not None:
        holders |= _holders(view, identity, event, receiver)
    return frozenset(f"{holder}[{name}]" for holder in holders for name in entry_names(view, places, identity, event, match))


def _holders(view: View, identity: FunctionId, event: int, receiver: AccessPath) -> set[str]:
    """Who holds the client: the attribute of its owning class, or the variable's own class."""
    found = set()
    for path in view.resolve_path(identity, event, receiver):
        if isinstance(path.root, Name) and path.steps and not path.steps[0].startswith("["):
            owner = receiver_class(view, identity, path.root)
            if owner is not None:
                found.add(f"{attribute_owner(view, owner, path.steps[0])}.{path.steps[0]}")
    return found or set(view.types(identity, event, receiver))


# SQL text, in any argument of any call.


def _of_statement(view: View, places: Places, identity: FunctionId, event: int) -> Iterator[StoreEffect]:
    it = view.event(identity, event)
    for number, argument in enumerate(it.arguments):
        text = text_of_value(view, identity, event, argument.value)
        found = statements(text) if len(text) > 10 else ()
        if not found:
            continue
        contents, selects = _parameters(view, identity, event, text, tuple(a.value for a in it.arguments[number + 1 :]))
        for kind, table in found:
            yield StoreEffect(
                kind, "sql", frozenset({f"table {table}"}), event, (identity, event),
                contents=() if kind in ("read", "delete") else contents, selects=selects,
                conditional=tests_what_it_sets(text),
            )


def _of_built(view: View, identity: FunctionId, event: int) -> Iterator[StoreEffect]:
    for built in executed(view, identity, event):
        if not built.locks:                                   # a transaction has the rows to itself
            yield StoreEffect(built.kind, "sql", frozenset({f"table {built.table}"}), event, (identity, event),
                              contents=built.contents, selects=built.selects, columns=built.columns, conditional=built.swaps)


def _parameters(
    view: View, identity: FunctionId, event: int, text: str, given: tuple[Value, ...]
) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """What the statement stores and what it selects by; where the two cannot be told apart, all is stored."""
    asked = placeholders(text)
    display = display_of(view, identity, event, given[0]) if len(given) == 1 else None
    if display is not None and display.operator == "dict":
        keyed = {k.text: v for k, v in zip(display.parts[::2], display.parts[1::2]) if isinstance(k, Constant)}
        values = [keyed.get(p.name) for p in asked]
    else:
        row = given if display is None else display.parts
        values = [row[p.position] if p.position < len(row) and not p.name else None for p in asked]
        if len({p.position for p in asked}) != len(row):
            values = []
    if not values or any(value is None for value in values):
        return given, ()
    stored = tuple(v for p, v in zip(asked, values) if v is not None and not p.selects)
    return stored, tuple(v for p, v in zip(asked, values) if v is not None and p.selects)


# Interfaces: methods without a body.


def _of_interface(view: View, identity: FunctionId, event: int) -> Iterator[StoreEffect]:
    for call in view.effective_calls(identity, event):
        for method in call.abstract:
            kind = interface_effect(view, method)
            if kind is not None:
                owner = view.program.owner(method)
                yield StoreEffect(
                    kind, "interface", frozenset({f"interface {owner}"}), event, (identity, event),
                    contents=() if kind in ("read", "delete") else tuple(a.value for a in call.arguments),
                    deferred=call.deferred,
                )


