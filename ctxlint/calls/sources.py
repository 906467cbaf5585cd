"""Where content comes from, across calls: formals, cells, reads of stores.

A call's result is made of its arguments and its receiver, *unless the callee reads a store*: then the arguments are keys, and
the content is the store's.
That cut is what tells "saved what was read" from "read again by the id of an old record".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from ctxlint.calls.cells import cells_of, receiver_class
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.view import Call, View
from ctxlint.ir.value import AccessPath, Name, Result, Value

SourceKind = Literal["param", "cell", "read", "call", "global", "captured"]


class Source(msgspec.Struct, frozen=True, gc=False):
    """One place content comes from.

    `name` is a formal (`param`), an owned attribute (`cell`: "<class>.<attribute>"), a variable (`global`, `captured`);
    `event` is the read of the store or cell or the opaque call, in the function that was asked; -1 in a summary.
    """

    kind: SourceKind
    name: str = ""
    event: int = -1


class Flow(msgspec.Struct, frozen=True, gc=False):
    """What a function's result is made of, in terms of its formals."""

    returns: frozenset[Source] = frozenset()


class Sources:
    """Expands values to their sources; asks `flow_of` for callees' results and `reads_store` where the cut is."""

    def __init__(
        self,
        view: View,
        flow_of: Callable[[FunctionId], Flow | None],
        reads_store: Callable[[FunctionId, int], bool],
    ) -> None:
        self._view = view
        self._flow_of = flow_of
        self._reads_store = reads_store
        self._known: dict[tuple[FunctionId, int, Value, bool], frozenset[Source]] = {}

    def of(self, identity: FunctionId, at: int, value: Value, *, additions: bool = True) -> frozenset[Source]:
        """The sources of `value` at event `at`; `additions` counts what was added to the object in place."""
        return self._expand(identity, at, value, additions, frozenset())

    def of_all(self, identity: FunctionId, at: int, values: Iterable[Value]) -> frozenset[Source]:
        """The sources of several values at one event."""
        return frozenset().union(*(self.of(identity, at, value) for value in values))

    def forget(self) -> None:
        """Drop what was memoised: summaries have changed."""
        self._known.clear()

    def _expand(
        self, identity: FunctionId, at: int, value: Value, additions: bool, seen: frozenset[int]
    ) -> frozenset[Source]:
        key = (identity, at, value, additions)
        known = self._known.get(key)
        if known is not None:
            return known
        found: set[Source] = set()
        for kind, what in self._view.origins(identity).roots(value, at, mutations=additions):
            if kind == "param":
                found.add(Source("param", str(what)))
            elif kind in ("global", "captured"):
                found.add(Source("global" if kind == "global" else "captured", str(what)))
            elif kind == "result" and isinstance(what, int) and what not in seen:
                found |= self._of_event(identity, what, additions, seen | {what})
        result = frozenset(found)
        if not seen:
            self._known[key] = result
        return result

    def _of_event(self, identity: FunctionId, number: int, additions: bool, seen: frozenset[int]) -> frozenset[Source]:
        event = self._view.event(identity, number)
        if event.kind == "read" and event.path is not None:
            return self._of_read(identity, number, event.path, additions, seen)
        if event.kind == "call":
            return self._of_call(identity, number, additions, seen)
        if event.value is not None:                      # an await, an iteration, an entered context manager
            return self._expand(identity, number, event.value, additions, seen)
        return frozenset()

    def _of_read(
        self, identity: FunctionId, number: int, path: AccessPath, additions: bool, seen: frozenset[int]
    ) -> frozenset[Source]:
        own = frozenset(Source("cell", cell, number) for cell in cells_of(self._view, identity, number, path))
        if isinstance(path.root, Name) and receiver_class(self._view, identity, path.root) is not None:
            return own
        return own | self._expand(identity, number, path.root, additions, seen)

    def _of_call(self, identity: FunctionId, number: int, additions: bool, seen: frozenset[int]) -> frozenset[Source]:
        if self._reads_store(identity, number):
            return frozenset({Source("read", event=number)})
        found: set[Source] = set()
        for call in self._view.calls(identity, number):
            flows = [self._flow_of(target) for target in call.functions]
            if flows and all(flow is not None for flow in flows):
                for target, flow in zip(call.functions, flows):
                    assert flow is not None
                    found |= self._through(identity, number, call, target, flow, additions, seen)
            else:
                found.add(Source("call", event=number))
                found |= self._operands(identity, number, [a.value for a in call.arguments], call.receiver, additions, seen)
        return frozenset(found)

    def _operands(
        self, identity: FunctionId, number: int, values: list[Value], receiver: AccessPath | None,
        additions: bool, seen: frozenset[int],
    ) -> frozenset[Source]:
        found: set[Source] = set()
        for value in values:
            found |= self._expand(identity, number, value, additions, seen)
        if receiver is not None:
            found |= self._of_read(identity, number, receiver, additions, seen) if receiver.steps else self._expand(
                identity, number, receiver.root, additions, seen
            )
        return frozenset(found)

    def _through(
        self, identity: FunctionId, number: int, call: Call, target: FunctionId, flow: Flow, additions: bool,
        seen: frozenset[int],
    ) -> frozenset[Source]:
        """The callee's result with its formals replaced by what is passed here."""
        actuals = self._view.bound(call, target)
        own_name = receiver_name(self._view.function(target))
        found: set[Source] = set()
        for source in flow.returns:
            if source.kind == "param" and source.name in actuals:
                found |= self._expand(identity, number, actuals[source.name], additions, seen)
            elif source.kind == "param" and source.name == own_name and call.receiver is not None:
                found |= self._operands(identity, number, [], call.receiver, additions, seen)
            elif source.kind in ("cell", "read", "call"):
                found.add(Source(source.kind, source.name, number))
            elif source.kind == "global":
                found.add(source)
        return frozenset(found)


def result_flow(view: View, sources: Sources, identity: FunctionId) -> Flow:
    """What the function gives back: the sources of its returns and yields, events of its own forgotten."""
    found: set[Source] = set()
    for number, event in enumerate(view.function(identity).events):
        gives = event.kind == "return" or (event.kind == "suspend" and event.note in ("yield", "yield-from"))
        if gives and event.value is not None:
            found |= {
                Source(s.kind, s.name) if s.kind in ("cell", "read", "call") else s
                for s in sources.of(identity, number, event.value)
            }
    return Flow(frozenset(found))


def read_result(value: Value) -> int | None:
    """The event a value is the plain result of, if it is one."""
    return value.event if isinstance(value, Result) else None
