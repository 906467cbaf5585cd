"""What goes into a cell: the content that a mutation stores, told apart from the keys under which it is stored.

A lifted mutation names everything that its call passes; what really enters the cell is what the callee's own store takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.sources import Source
from ctxlint.calls.summaries import Summaries
from ctxlint.ir.value import Value

_Question = tuple[FunctionId, int, tuple[FunctionId, int], int]

REMOVALS = frozenset({"remove", "delete", "clear"})
"""Operations whose arguments say what goes away: nothing enters."""


class Entering:
    """Memoised sources of what mutations store and of the keys they use."""

    def __init__(self, summaries: Summaries) -> None:
        self._summaries = summaries
        self._content: dict[_Question, frozenset[Source]] = {}
        self._keys: dict[_Question, frozenset[Source]] = {}

    def content(self, identity: FunctionId, mutation: Mutation) -> frozenset[Source]:
        """The sources of what the mutation puts into the cell, in terms of the function; empty for a removal."""
        if mutation.how in REMOVALS:
            return frozenset()
        return self._asked(self._content, identity, mutation, keys=False)

    def keys(self, identity: FunctionId, mutation: Mutation) -> frozenset[Source]:
        """The sources of the item keys, or of what is named to be removed."""
        return self._asked(self._keys, identity, mutation, keys=True)

    def values(self, identity: FunctionId, mutation: Mutation) -> tuple[Value, ...]:
        """The values, as the function has them, that go into the cell: of a call's arguments only those that the callee stores."""
        if mutation.distance == 0:
            return mutation.values
        view = self._summaries.view
        found: list[Value] = []
        for call in view.effective_calls(identity, mutation.event):
            for target in call.functions:
                behind = self._summaries.mutations_from(target, mutation.origin, mutation.distance - 1)
                actuals = view.bound(call, target) if behind else {}
                for inner in behind:
                    stored = {s.name for s in self.content(target, inner) if s.kind == "param"}
                    found += [value for name, value in actuals.items() if name in stored]
        return tuple(dict.fromkeys(found))

    def _asked(
        self, known: dict[_Question, frozenset[Source]], identity: FunctionId, mutation: Mutation, *, keys: bool
    ) -> frozenset[Source]:
        question = (identity, mutation.event, mutation.origin, mutation.distance)
        found = known.get(question)
        if found is None:
            known[question] = frozenset()                   # a recursion adds nothing to itself
            found = known[question] = frozenset(
                self._own(identity, mutation, keys) if mutation.distance == 0 else self._lifted(known, identity, mutation, keys)
            )
        return found

    def _own(self, identity: FunctionId, mutation: Mutation, keys: bool) -> frozenset[Source]:
        event = self._summaries.view.event(identity, mutation.event)
        values: tuple[Value, ...] = mutation.values
        if keys:
            values = (*event.keys, *(mutation.values if mutation.how in REMOVALS else ()))
        return self._summaries.sources.of_all(identity, mutation.event, values)

    def _lifted(
        self, known: dict[_Question, frozenset[Source]], identity: FunctionId, mutation: Mutation, keys: bool
    ) -> Iterator[Source]:
        view, sources = self._summaries.view, self._summaries.sources
        for call in view.effective_calls(identity, mutation.event):
            for target in call.functions:
                behind = self._summaries.mutations_from(target, mutation.origin, mutation.distance - 1)
                actuals = view.bound(call, target) if behind else {}
                for inner in behind:
                    for source in self._asked(known, target, inner, keys=keys):
                        if source.kind == "param" and source.name in actuals:
                            yield from sources.of(identity, mutation.event, actuals[source.name])
                        elif source.kind in ("cell", "call"):
                            yield Source(source.kind, source.name, mutation.event)
                        elif source.kind == "global":
                            yield source
