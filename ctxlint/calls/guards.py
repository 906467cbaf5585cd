"""Which locks and transactions are held where, callers included.

A lock is recognised by what it *is* (its type, what its factory returns, a context manager that yields while it holds one), and
told apart by the place where it is acquired: two holds of one lock are two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ctxlint.calls.cells import cells_of
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.recall import Recall
from ctxlint.calls.sql import begins_transaction, ends_transaction
from ctxlint.calls.texts import text_of_value
from ctxlint.calls.types import Instance
from ctxlint.calls.view import View
from ctxlint.calls.wrappers import calls_decorated, inner_functions
from ctxlint.flow.locks import held
from ctxlint.flow.paths import path
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Name, Result, Value

MAX_CALLERS = 3
"""How many callers up a lock is looked for."""

_TAKES = ("acquire",)
_GIVES = ("release",)
"""How the language calls taking and giving back a lock; a class with both is one when what it does says so too."""


class Guards:
    """Memoised lock facts of one program."""

    def __init__(self, view: View) -> None:
        self._view = view
        # A context manager that asks for itself holds nothing.
        self._recall = Recall[tuple[str, FunctionId], Union[bool, list[frozenset[int]]]](lambda question: False)
        self._dispatching: dict[FunctionId, bool] = {}

    def held(self, identity: FunctionId, event: int) -> frozenset[int]:
        """The acquisition sites (events of the function) that are held at the event on every way to it."""
        found = self._recall.ask(("held", identity), lambda: self._find_held(identity))
        return found[event] if isinstance(found, list) and event < len(found) else frozenset()

    def _find_held(self, identity: FunctionId) -> list[frozenset[int]]:
        acquires, releases = self._sites(identity)
        return held(self._view.graph(identity), acquires, releases) if acquires else []

    def held_by_callers(self, identity: FunctionId, depth: int = 0, asking: frozenset[FunctionId] = frozenset()) -> bool:
        """Whether every known call of the function happens inside some hold.

        A decorator that holds a lock while it calls what it decorates is a caller of its own. A function that nobody is seen
        to call may be one that a method of its object calls by what it looks up, holding the object's lock. A call of itself,
        by way of others, holds what the first call does.
        """
        if depth >= MAX_CALLERS:
            return False
        if self._held_by_decorator(identity):
            return True
        sites = self._view.call_graph.callers(identity)
        if not sites:
            return self.is_dispatched(identity)
        asking |= {identity}
        first = [(caller, event) for caller, event in sites if caller not in asking]
        return bool(first) and all(
            not self._is_deferred(caller, event, identity)
            and (bool(self.held(caller, event)) or self.held_by_callers(caller, depth + 1, asking))
            for caller, event in first
        )

    def _held_by_decorator(self, identity: FunctionId) -> bool:
        """Whether a decorator of the program holds a lock whenever it calls the function."""
        return any(
            self._wraps_in_hold(inner, self._view.program.owner(identity))
            for decorator in self._view.program.decorated_by(identity) for inner in inner_functions(self._view, decorator)
        )

    def _wraps_in_hold(self, inner: FunctionId, owner: ClassId | None) -> bool:
        """Whether an inner function calls what was decorated only while it holds a lock: its own, or one that the object of the
        decorated method has, which comes to it as its first argument.
        """
        function = self._view.function(inner)
        calls = [n for n in range(len(function.events)) if calls_decorated(self._view, inner, n)]
        if not calls:
            return False
        if all(self.held(inner, n) for n in calls):
            return True
        first = function.formals[0].name if owner is not None and function.formals else ""
        acquires: dict[int, str] = {}
        releases: dict[int, str] = {}
        for number, event in enumerate(function.events):
            if event.kind in ("enter", "exit") and isinstance(event.value, Result) and self._is_lock_of(inner, event.value, first, owner):
                (acquires if event.kind == "enter" else releases)[number] = _spelled(event.value)
        if not acquires:
            return False
        holds = held(self._view.graph(inner), acquires, releases)
        return all(holds[n] for n in calls)

    def _is_lock_of(self, inner: FunctionId, value: Result, first: str, owner: ClassId | None) -> bool:
        path = self._view.event(inner, value.event).path
        if owner is None or path is None or path.root != Name(first, "local") or len(path.steps) != 1:
            return False
        return any(
            isinstance(kind, Instance) and (self._is_lock_type(kind.name) or self._enters_lock(kind.name))
            for kind in self._view.inference.attribute(owner, path.steps[0])
        )

    def is_dispatched(self, identity: FunctionId) -> bool:
        """Whether the function is registered by a decorator, and its object has a method that holds a lock of the object while
        it calls what is registered.
        """
        owner = self._view.program.owner(identity)
        if owner is None or not self._view.function(identity).decorators:
            return False
        info = self._view.program.class_(owner)
        return any(
            self._dispatches(FunctionId(base.module, method.function))
            for name in (info.mro if info is not None else ()) if (base := self._view.program.class_(name)) is not None
            for method in base.ir.methods
        )

    def _dispatches(self, method: FunctionId) -> bool:
        """Whether the method, under a lock that it takes from its object, calls a value that its object gave it, or the method
        of its name of a class that is not seen.
        """
        known = self._dispatching.get(method)
        if known is None:
            events, own = self._view.function(method).events, receiver_name(self._view.function(method))
            mine = {
                site for site in self._sites(method)[0]
                if self._comes_from(method, site, events[site].value, own) or _is_of(events[site], own)
            }
            known = self._dispatching[method] = bool(mine) and any(
                bool(self.held(method, number) & mine) and self._calls_registered(method, number, own)
                for number, event in enumerate(events) if event.kind == "call"
            )
        return known

    def _calls_registered(self, method: FunctionId, number: int, own: str) -> bool:
        path = self._view.event(method, number).path
        if path is None:
            return False
        if isinstance(path.root, Name):
            return not path.steps and path.root.scope == "local" and self._comes_from(method, number, path.root, own)
        inherited = self._view.event(method, path.root.event).path if isinstance(path.root, Result) else None
        return (
            inherited is not None and inherited == AccessPath(Name("super", "global"))
            and path.steps == (self._view.program.symbol(method).rpartition(".")[2],)
            and not any(call.functions for call in self._view.calls(method, number))
        )

    def _comes_from(self, method: FunctionId, at: int, value: Value | None, own: str) -> bool:
        """Whether a value is an attribute of the receiver, or what a method of the receiver gives."""
        if value is None or not own:
            return False
        for kind, what in self._view.origins(method).identity(value, at):
            path = self._view.event(method, what).path if kind == "result" and isinstance(what, int) else None
            if path is not None and path.root == Name(own, "local") and path.steps:
                return True
        return False

    def acquired(self, identity: FunctionId) -> Iterator[tuple[int, str]]:
        """The events at which the function acquires a lock or begins a transaction, and what it is called there."""
        for event in sorted(self._sites(identity)[0]):
            at = self._view.event(identity, event)
            holder = AccessPath(at.value) if at.path is None and at.value is not None else at.path
            if at.kind == "call" and holder is not None:
                holder = AccessPath(holder.root, holder.steps[:-1])
            yield event, "a lock" if holder is None else self._lock_name(identity, event, holder)

    def _lock_name(self, identity: FunctionId, event: int, holder: AccessPath) -> str:
        """The cell that holds the lock, where its owner is known; else the lock as it is spelled."""
        paths = self._view.resolve_path(identity, event, holder)
        cells = [cell for path in paths for cell in cells_of(self._view, identity, event, path)[-1:]]
        spelled = [".".join((self._view.inference.spelled(identity, path.root), *path.steps)) for path in paths]
        return min(cells or spelled, key=len, default="a lock")

    def acquires(self, identity: FunctionId) -> bool:
        """Whether the function itself takes a lock."""
        return bool(self._sites(identity)[0])

    def _is_deferred(self, caller: FunctionId, event: int, target: FunctionId) -> bool:
        calls = self._view.effective_calls(caller, event)
        return any(call.deferred and target in call.functions for call in calls)

    def _sites(self, identity: FunctionId) -> tuple[dict[int, str], dict[int, str]]:
        acquires: dict[int, str] = {}
        releases: dict[int, str] = {}
        for number, event in enumerate(self._view.function(identity).events):
            if event.kind in ("enter", "exit") and event.value is not None:
                if self._is_lock(identity, number, event.value):
                    key = _spelled(event.value)
                    (acquires if event.kind == "enter" else releases)[number] = key
            elif event.kind == "call" and event.path is not None and event.path.steps:
                holder = f"{_spelled(event.path.root)}.{'.'.join(event.path.steps[:-1])}"
                for verb, sites in (("acquires", acquires), ("releases", releases)):
                    if self._view.does(identity, number, verb):
                        sites[number] = holder
                for target in (f for call in self._view.calls(identity, number) for f in call.functions):
                    if self._leaves_held(target):
                        acquires[number] = holder
                    elif self._leaves_released(target):
                        releases[number] = holder
                text = text_of_value(self._view, identity, number, event.arguments[0].value) if event.arguments else ""
                if begins_transaction(text) or ends_transaction(text):
                    (acquires if begins_transaction(text) else releases)[number] = f"transaction of {holder}"
        return acquires, releases

    def _leaves_held(self, target: FunctionId) -> bool:
        """Whether a method of the program, called as one takes a lock, takes one and ends without giving it back."""
        if self._view.program.symbol(target).rpartition(".")[2] not in _TAKES:
            return False
        return bool(self._recall.ask(("left held", target), lambda: self._find_left_held(target)))

    def _find_left_held(self, target: FunctionId) -> bool:
        acquires, releases = self._sites(target)
        graph = self._view.graph(target)
        waits = {n for n, e in enumerate(self._view.function(target).events) if e.kind == "suspend" and e.note == "await"}
        taking = set(acquires) | (waits if self._gives_back(target) else set())
        return bool(taking) and path(graph, taking, graph.exit, set(releases), exceptional=False) is not None

    def _gives_back(self, target: FunctionId) -> bool:
        """Whether the class of a method that waits has the method that ends the wait of others."""
        owner = self._view.program.owner(target)
        return owner is not None and any(self._view.program.method(owner, name) is not None for name in _GIVES)

    def _leaves_released(self, target: FunctionId) -> bool:
        owner = self._view.program.owner(target)
        name = self._view.program.symbol(target).rpartition(".")[2]
        taking = [self._view.program.method(owner, each) for each in _TAKES] if owner is not None and name in _GIVES else []
        return any(each is not None and self._leaves_held(each) for each in taking)

    def _is_lock(self, identity: FunctionId, at: int, value: Value) -> bool:
        types = self._view.inference.of_value(identity, at, value)
        for kind in types:
            if isinstance(kind, Instance) and (self._is_lock_type(kind.name) or self._enters_lock(kind.name)):
                return True
        if isinstance(value, Result):
            event = self._view.event(identity, value.event)
            if event.kind == "suspend" and event.value is not None:
                return self._is_lock(identity, at, event.value)
            if event.kind == "call":
                if self._view.does(identity, value.event, "acquires", "returns-lock", "lock", "transaction"):
                    return True
                calls = self._view.calls(identity, value.event)
                return any(self._holds_at_yield(target) for call in calls for target in call.functions)
        return False

    def _is_lock_type(self, name: str) -> bool:
        return "lock" in self._view.models.type_facts(name)

    def _enters_lock(self, class_name: str) -> bool:
        """Whether a project's context manager class acquires a lock when it is entered."""
        for method in ("__enter__", "__aenter__"):
            entered = self._view.program.method(class_name, method)
            if entered is not None:
                acquires, releases = self._sites(entered)
                if set(acquires.values()) - set(releases.values()):
                    return True
        return False

    def _holds_at_yield(self, target: FunctionId) -> bool:
        """Whether a generator context manager yields while it holds a lock."""
        if not is_manager(self._view.function(target)):
            return False
        return bool(self._recall.ask(("yields", target), lambda: self._yields_behind_lock(target)))

    def _yields_behind_lock(self, target: FunctionId) -> bool:
        """Whether some way from an acquisition leads to a yield without a release: where the platform has no such lock, the
        manager still is the program's lock.
        """
        acquires, releases = self._sites(target)
        yields = [n for n, e in enumerate(self._view.function(target).events) if e.kind == "suspend" and e.note == "yield"]
        return bool(acquires and yields) and path(self._view.graph(target), acquires, yields, set(releases)) is not None


def is_manager(function: Function) -> bool:
    """Whether the function is made a context manager: it holds, or keeps open, what it does until its `yield` goes on."""
    return any("contextmanager" in decorator for decorator in function.decorators)


def _spelled(value: Value) -> str:
    """A text that is equal for the `enter` and the `exit`s of one context manager."""
    return repr(value)


def _is_of(event: Event, own: str) -> bool:
    """Whether a call goes to an attribute of the receiver."""
    return event.kind == "call" and event.path is not None and event.path.root == Name(own, "local") and len(event.path.steps) > 1
