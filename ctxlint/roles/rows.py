"""Objects that stand for rows of a database: where they are read, and what protects them until they are written.

A session keeps what it has read; a change of such an object is written with the values that were read, unless the row is locked,
has a version that the session compares, or every transaction is checked by the database.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.built_statements import MAX_PARTS
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View, argument_of
from ctxlint.ir.value import Compound, Constant, Name, Result, Value
from ctxlint.knowledge.words import Words, hints

DEEPEST = 3
"""How many calls down the reading of a row is looked for."""

_GIVES = frozenset({"loads", "reads", "measures", "mutates"})
"""Effects of calls whose results are rows; a statement that is executed is said to change something, whatever it is."""

_ISOLATED = frozenset({"SERIALIZABLE", "REPEATABLE READ", "SNAPSHOT"})
"""The levels of isolation at which a database refuses what was computed from an outdated row."""


class Rows:
    """The rows of a program's classes; memoised."""

    def __init__(self, view: View, words: Words) -> None:
        self._view = view
        self._words = words
        self._isolated: bool | None = None
        self._known: dict[tuple[FunctionId, int], ClassId] = {}

    def read_at(self, identity: FunctionId, event: int) -> ClassId:
        """The class of which a call reads one row into an object, by itself or by what it calls; empty when it reads none."""
        known = self._known.get((identity, event))
        if known is None:
            self._known[identity, event] = ""
            known = self._known[identity, event] = self._find(identity, event, 0)
        return known

    def is_protected(self, identity: FunctionId, event: int, row: ClassId) -> bool:
        """Whether a row that is read at the event is locked, or the database or the session notices what others change of it."""
        return self._is_locked(identity, event, 0) or self._has_version(row) or self._is_isolated()

    def _find(self, identity: FunctionId, event: int, depth: int) -> ClassId:
        view = self._view
        if depth > DEEPEST or view.event(identity, event).kind != "call":
            return ""
        if any(m.effect.store == "sql" and m.effect.returns and m.effect.does in _GIVES for m in view.modelled(identity, event)):
            types = view.inference.of_event(identity, event)
            rows = [t for t in (*in_order(types), *in_order(view.inference.element(types))) if isinstance(t, Instance)]
            return next((t.name for t in rows if view.program.class_(t.name) is not None), "")
        found = {self._find(target, inner, depth + 1) for target, inner in self._given_by(identity, event)} - {""}
        return min(found, default="")

    def _given_by(self, identity: FunctionId, event: int) -> Iterator[tuple[FunctionId, int]]:
        """The events of the called functions whose results they give back."""
        for call in self._view.calls(identity, event)[:1]:
            for target in call.functions:
                for number, it in enumerate(self._view.function(target).events):
                    if it.kind == "return" and it.value is not None:
                        for kind, what in self._view.origins(target).identity(it.value, number):
                            if kind == "result" and isinstance(what, int):
                                yield target, what

    def _is_locked(self, identity: FunctionId, event: int, depth: int) -> bool:
        """Whether what the reading is put together of takes a lock, as a part of it or as an argument says."""
        pending: list[tuple[Value, int]] = [(Result(event), event)]
        seen: set[tuple[Value, int]] = set()
        while pending and len(seen) <= 2 * MAX_PARTS:
            value, at = pending.pop()
            if (value, at) in seen:
                continue
            seen.add((value, at))
            if isinstance(value, Compound):
                pending += [(part, at) for part in value.parts]
            elif isinstance(value, Name) and value.scope == "local":
                for number in self._view.definitions(identity).definitions(at, value.name):
                    bound = self._view.event(identity, number).value if number >= 0 else None
                    pending += [(bound, number)] if bound is not None else []
            elif isinstance(value, Result):
                it = self._view.event(identity, value.event)
                if it.kind == "call" and self._takes_lock(identity, value.event):
                    return True
                pending += [(argument.value, value.event) for argument in it.arguments]
                pending += [(each, value.event) for each in (it.value, it.path.root if it.path is not None else None) if each is not None]
        return depth < DEEPEST and any(
            self._is_locked(target, inner, depth + 1) for target, inner in self._given_by(identity, event))

    def _takes_lock(self, identity: FunctionId, event: int) -> bool:
        for call in self._view.calls(identity, event):
            for effect in [e for name in call.externals for e in self._view.models.effects(name) if e.does == "acquires"]:
                given = argument_of(call, effect.when.argument) if effect.when is not None else None
                if effect.when is None or (given is not None and not (isinstance(given, Constant) and given.text in ("None", "False"))):
                    return True
        return False

    def _has_version(self, row: ClassId) -> bool:
        """Whether the class tells its mapper which column is the row's version."""
        info = self._view.program.class_(row)
        for ancestor in info.mro if info is not None else ():
            declared = self._view.program.class_(ancestor)
            for field in declared.ir.fields if declared is not None else ():
                if isinstance(field.default, Compound) and field.default.operator == "dict" and any(
                    isinstance(key, Constant) and hints(key.text, self._words.versions) for key in field.default.parts[::2]
                ):
                    return True
        return False

    def _is_isolated(self) -> bool:
        """Whether some connection of the program asks the database for such a level."""
        if self._isolated is None:
            self._isolated = any(
                isinstance(argument.value, Constant) and argument.value.text.upper() in _ISOLATED
                for identity in self._view.program.functions()
                for number, _ in self._view.calls_that(identity, "opens")
                for argument in self._view.event(identity, number).arguments if argument.keyword
            )
        return self._isolated

