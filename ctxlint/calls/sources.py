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
from ctxlint.calls.elements import MAPPINGS
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.view import Call, View
from ctxlint.flow.origins import Atom
from ctxlint.ir.value import AccessPath, Name, Value

SourceKind = Literal["param", "cell", "read", "call", "global", "captured"]


class Source(msgspec.Struct, frozen=True, gc=False):
    """One place content comes from.

    `name` is a formal (`param`), an owned attribute (`cell`: "<class>.<attribute>"), a variable (`global`, `captured`);
    `event` is the read of the store or cell or the opaque call, in the function that was asked; -1 in a summary.
    """

    kind: SourceKind
    name: str = ""
    event: int = -1


def named_in(sources: Iterable[Source]) -> frozenset[str]:
    """The formals and the cells among sources, by name, and the results by their events."""
    return frozenset(s.name or str(s.event) for s in sources if s.kind in ("param", "cell", "call", "read"))


class Flow(msgspec.Struct, frozen=True, gc=False):
    """What a function's result is made of, in terms of its formals."""

    returns: frozenset[Source] = frozenset()


class Sources:
    """Expands values to their sources; asks `flow_of` for callees' results and `reads_store` where the cut is.

    One question is one walk: every value and every event is visited at most once.
    """

    def __init__(
        self,
        view: View,
        flow_of: Callable[[FunctionId], Flow | None],
        reads_store: Callable[[FunctionId, int], bool],
    ) -> None:
        self._view = view
        self._flow_of = flow_of
        self._reads_store = reads_store
        self._known: dict[FunctionId, dict[tuple[int, Value, bool], frozenset[Source]]] = {}

    def of(self, identity: FunctionId, at: int, value: Value, *, additions: bool = True) -> frozenset[Source]:
        """The sources of `value` at event `at`; `additions` counts what was added to the object in place."""
        answers = self._known.setdefault(identity, {})
        key = (at, value, additions)
        known = answers.get(key)
        if known is None:
            known = answers[key] = _Walk(self, identity, additions).run(value, at)
        return known

    def of_all(self, identity: FunctionId, at: int, values: Iterable[Value]) -> frozenset[Source]:
        """The sources of several values at one event."""
        found = [self.of(identity, at, value) for value in values]
        return found[0] if len(found) == 1 else frozenset().union(*found)

    def forget(self, functions: Iterable[FunctionId]) -> None:
        """Drop what was memoised about functions whose own summaries, or those of whose callees, have changed."""
        for identity in functions:
            self._known.pop(identity, None)


class _Walk:
    """One question about one function."""

    __slots__ = ("_ask", "_view", "_identity", "_additions", "_found", "_pending", "_leaves", "_values")

    def __init__(self, ask: Sources, identity: FunctionId, additions: bool) -> None:
        self._ask = ask
        self._view = ask._view
        self._identity = identity
        self._additions = additions
        self._found: set[Source] = set()
        self._pending: list[tuple[Value, int]] = []
        self._leaves: set[Atom] = set()
        self._values: set[tuple[Value, int]] = set()

    def run(self, value: Value, at: int) -> frozenset[Source]:
        """Everything the value is made of."""
        self._push(value, at)
        origins = self._view.origins(self._identity)
        while self._pending:
            part, where = self._pending.pop()
            # In a long function the same hundreds of leaves lie behind most of its values.
            unseen = origins.roots(part, where, mutations=self._additions) - self._leaves
            self._leaves |= unseen
            for kind, what in unseen:
                if kind == "param":
                    self._found.add(Source("param", str(what)))
                elif kind in ("global", "captured"):
                    self._found.add(Source("global" if kind == "global" else "captured", str(what)))
                elif kind == "result" and isinstance(what, int):
                    self._event(what)
        return frozenset(self._found)

    def _push(self, value: Value, at: int) -> None:
        if (value, at) not in self._values:
            self._values.add((value, at))
            self._pending.append((value, at))

    def _event(self, number: int) -> None:
        event = self._view.event(self._identity, number)
        if event.kind == "read" and event.path is not None:
            self._read(number, event.path)
        elif event.kind == "call":
            self._call(number)
        elif event.kind == "iterate" and self._ask._reads_store(self._identity, number):
            self._found.add(Source("read", event=number))
        elif event.value is not None:                    # an iteration, an entered context manager
            self._push(event.value, number)

    def _read(self, number: int, path: AccessPath) -> None:
        self._found.update(Source("cell", cell, number) for cell in cells_of(self._view, self._identity, number, path))
        if not (isinstance(path.root, Name) and receiver_class(self._view, self._identity, path.root) is not None):
            self._push(path.root, number)

    def _call(self, number: int) -> None:
        if self._ask._reads_store(self._identity, number):
            self._found.add(Source("read", event=number))
            return
        for call in self._view.calls(self._identity, number):
            flows = [self._ask._flow_of(target) for target in call.functions]
            if flows and all(flow is not None for flow in flows):
                for target, flow in zip(call.functions, flows):
                    assert flow is not None
                    self._through(number, call, target, flow)
            else:
                self._found.add(Source("call", event=number))
                for argument in call.arguments[1:] if _picks_by_key(call) else call.arguments:
                    self._push(argument.value, number)
                self._receiver(number, call)

    def _receiver(self, number: int, call: Call) -> None:
        if call.receiver is None:
            return
        if call.receiver.steps:
            self._read(number, call.receiver)
        else:
            self._push(call.receiver.root, number)

    def _through(self, number: int, call: Call, target: FunctionId, flow: Flow) -> None:
        """The callee's result with its formals replaced by what is passed here."""
        actuals = self._view.bound(call, target)
        own_name = receiver_name(self._view.function(target))
        for source in flow.returns:
            if source.kind == "param" and source.name in actuals:
                self._push(actuals[source.name], number)
            elif source.kind == "param" and source.name == own_name:
                self._receiver(number, call)
            elif source.kind in ("cell", "read", "call"):
                self._found.add(Source(source.kind, source.name, number))
            elif source.kind == "global":
                self._found.add(source)


def _picks_by_key(call: Call) -> bool:
    """Whether the call takes an entry out of a mapping: the key is no content of what it gives."""
    return call.name in _PICKERS and bool(call.externals) and all(name.rpartition(".")[0] in MAPPINGS for name in call.externals)


_PICKERS = frozenset({"get", "pop", "setdefault"})


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

