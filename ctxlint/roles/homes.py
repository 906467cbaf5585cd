"""Where objects live that outlast a call, and which of those places hold one and the same object.

A *home* is an attribute or a variable of a module from which an object is reached: `Agent.history` is the home of the history
that a method finds under `self.history`, and that of `self.history.messages[0]` too.
An object that a constructor is passed has the homes of what its callers pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxlint.calls.cells import attribute_owner, cells_of, receiver_class
from ctxlint.calls.elements import MAPPINGS
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.names import resolve_name
from ctxlint.calls.types import Instance, in_order
from ctxlint.calls.view import View
from ctxlint.ir.value import AccessPath, Name, Result, Value

DEEPEST = 3
"""How many calls, down to what a function gives back and up to what callers pass, an object is followed."""

_KEEPS = frozenset({"get", "setdefault", "values", "items", "__getitem__"})
"""What gives entries of a mapping and leaves them in it."""

_MADE = "made at "


class Homes:
    """Names the homes of objects; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._given: dict[FunctionId, frozenset[str]] = {}
        self._from_callers: dict[tuple[FunctionId, str], frozenset[str]] = {}
        self._known: dict[tuple[FunctionId, int, AccessPath], frozenset[str]] = {}
        self._behind_formals: dict[tuple[FunctionId, str], frozenset[str]] = {}
        self._same: dict[str, frozenset[str]] = {}
        self._stored: dict[str, tuple[str, str]] = {}

    def of(self, identity: FunctionId, at: int, path: AccessPath) -> frozenset[str]:
        """The homes of the object at an access path; none of one that is made here, or is the receiver itself."""
        question = (identity, at, path)
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = frozenset(self._of(identity, at, path, 0))
        return known

    def sources(self, home: str) -> frozenset[str]:
        """Where the object of a home can come from: the home itself, those from which a constructor was passed it, and the
        events at which it was made. Two homes hold the same object when they have a source in common.
        """
        known = self._same.get(home)
        if known is None:
            self._same[home] = frozenset([home])
            known = self._same[home] = frozenset([home, *self._filled_from(home, 0)])
        return known

    def all_sources(self, homes: Iterable[str]) -> frozenset[str]:
        """The sources of several homes."""
        return frozenset().union(*map(self.sources, homes))

    def _of(self, identity: FunctionId, at: int, path: AccessPath, depth: int) -> Iterator[str]:
        for each in self._view.resolve_path(identity, at, path):
            if isinstance(each.root, Name):
                yield from self._named(identity, at, each.root, each)
                yield from self._passed(identity, each.root, depth)
            elif isinstance(each.root, Result):
                yield from self._result(identity, each.root.event, depth)

    def _named(self, identity: FunctionId, at: int, root: Name, path: AccessPath) -> Iterator[str]:
        owner = receiver_class(self._view, identity, root)
        if owner is not None:
            if path.steps and not path.steps[0].startswith("["):
                home = f"{attribute_owner(self._view, owner, path.steps[0])}.{path.steps[0]}"
                self._stored[home] = (owner, path.steps[0])
                yield home
        elif root.scope == "global":
            yield from (cells_of(self._view, identity, at, path) if path.steps else (self._variable(identity, root),))[:1]

    def _passed(self, identity: FunctionId, root: Name, depth: int) -> Iterator[str]:
        """The homes of what callers pass; and what the public methods of a class are passed of one class is taken for the same
        object: callers from outside pass what they share. What its own methods hand on to each other is one call's.
        """
        function = self._view.function(identity)
        formal = next((f for f in function.formals if f.name == root.name), None)
        owner = self._view.program.owner(identity)
        if formal is None or root.scope != "local" or root.name == receiver_name(function) or depth >= DEEPEST:
            return
        question = (identity, root.name)
        known = self._from_callers.get(question)
        if known is None:
            self._from_callers[question] = frozenset()
            known = self._from_callers[question] = frozenset(
                home for (caller, event), passed in self._view.inference.passed_values(identity, root.name) or ()
                for home in self._of(caller, event, AccessPath(passed), depth + 1)
            )
        yield from known
        public = owner is not None and not function.qualname.rpartition(".")[2].startswith("_")
        for kind in in_order(self._view.inference.parameter(identity, root.name)) if public else ():
            if isinstance(kind, Instance) and self._view.program.class_(kind.name) is not None and not self._is_of_one_run(kind.name):
                yield f"{kind.name} passed to {owner}"

    def _is_of_one_run(self, class_id: ClassId) -> bool:
        info = self._view.program.class_(class_id)
        return info is not None and any("run-scoped" in self._view.models.type_facts(ancestor) for ancestor in info.mro)

    def _variable(self, identity: FunctionId, root: Name) -> str:
        return resolve_name(self._view.program, identity.module, identity.index, root.name)

    def _result(self, identity: FunctionId, number: int, depth: int) -> Iterator[str]:
        """The homes of what a call gives: an entry of a mapping that stays there, what a function finds and gives back."""
        event = self._view.event(identity, number)
        if event.kind != "call" or depth >= DEEPEST:
            return
        for call in self._view.calls(identity, number)[:1]:
            if call.receiver is not None and call.name in _KEEPS and call.externals and not call.functions and all(
                name.rpartition(".")[0] in MAPPINGS for name in call.externals
            ):
                yield from self._of(identity, number, call.receiver, depth + 1)
            for target in call.functions:
                yield from self._given_back(target, depth + 1)

    def _given_back(self, target: FunctionId, depth: int) -> frozenset[str]:
        known = self._given.get(target)
        if known is None:
            self._given[target] = frozenset()
            known = self._given[target] = frozenset(
                home
                for number, event in enumerate(self._view.function(target).events) if event.kind == "return" and event.value is not None
                for value in self._objects(target, number, event.value)
                for home in self._of(target, number, AccessPath(value), depth)
            )
        return known

    def _objects(self, identity: FunctionId, at: int, value: Value) -> Iterator[Value]:
        """The objects that a value can be: results of events, and what variables of the module hold."""
        for kind, what in self._view.origins(identity).identity(value, at):
            if kind == "result" and isinstance(what, int):
                yield Result(what)
            elif kind == "global":
                yield Name(str(what), "global")

    def _filled_from(self, home: str, depth: int) -> Iterator[str]:
        owner, attribute = self._stored.get(home, ("", ""))
        if not owner or depth >= DEEPEST:
            return
        for class_id in sorted({owner, home.rpartition(".")[0]}):
            for function, number in self._view.inference.stores(class_id).get(attribute, ()):
                value = self._view.event(function, number).value
                if value is not None:
                    yield from self._behind(function, number, value, depth)
            if self._view.program.method(class_id, "__init__") is None:
                for (caller, event), passed in self._view.call_graph.inference.constructed_with(class_id, attribute):
                    yield from self._behind(caller, event, passed, depth + 1)

    def _behind(self, identity: FunctionId, at: int, value: Value, depth: int) -> Iterator[str]:
        """Where an object comes from that a function has: its homes, where it was made, and what callers passed."""
        for kind, what in self._view.origins(identity).identity(value, at):
            if kind == "param" and depth < DEEPEST:
                yield from self._behind_formal(identity, str(what), depth)
            elif kind == "result" and isinstance(what, int):
                found = frozenset(self._of(identity, at, AccessPath(Result(what)), depth))
                for home in found:
                    yield home
                    yield from self._filled_from(home, depth + 1)
                if not found and self._view.event(identity, what).kind == "call":
                    yield f"{_MADE}{identity.module}:{identity.index}:{what}"
            elif kind == "global":
                yield self._variable(identity, Name(str(what), "global"))

    def _behind_formal(self, identity: FunctionId, name: str, depth: int) -> frozenset[str]:
        question = (identity, name)
        known = self._behind_formals.get(question)
        if known is None:
            self._behind_formals[question] = frozenset()
            known = self._behind_formals[question] = frozenset(
                home for (caller, event), passed in self._view.inference.passed_values(identity, name) or ()
                for home in self._behind(caller, event, passed, depth + 1)
            )
        return known
