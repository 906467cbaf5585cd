"""Which functions select something by a key, or fill something: by the names that they use, and by their module."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.types import Instance
from ctxlint.ir.value import Closure, Constant, Name, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.fills import Fills
from ctxlint.roles.holders import Holder, Holders
from ctxlint.roles.keyed import Keyed, Keys, Mode
from ctxlint.roles.leaf import Leaf
from ctxlint.roles.likeness import whole_of
from ctxlint.roles.literals import literals_before
from ctxlint.roles.own_views import OwnViews


class Selecting:
    """Which functions select something by a key, or fill something: by the names that they use, and by their module."""

    def __init__(self, summaries: Summaries, fields: Fields) -> None:
        self.summaries = summaries
        self.view = summaries.view
        self.fields = fields
        self.holders = Holders(summaries)
        self.keys = Keys(summaries, fields, self.holders)
        self.fills = Fills(self.view, fields)
        self.own_views = OwnViews(self.view, fields, self.fills, self.keys)
        self._selecting: list[FunctionId] | None = None
        self._naming: dict[str, set[FunctionId]] = {}
        self._stored: dict[FunctionId, tuple[tuple[int, frozenset[Leaf]], ...]] = {}
        self._taken_apart: dict[FunctionId, tuple[tuple[int, Holder], ...]] = {}
        self._tests: dict[tuple[FunctionId, int], frozenset[tuple[str, str, bool]]] = {}
        self._inside: dict[str, dict[int, list[FunctionId]]] = {}
        self._about: dict[tuple[FunctionId, Mode], dict[Value, list[int]]] = {}

    def tests_at(self, identity: FunctionId, event: int) -> frozenset[tuple[str, str, bool]]:
        """The tests of fields that hold at an event."""
        known = self._tests.get((identity, event))
        if known is None:
            found = literals_before(self.view, self.fields, identity, event)
            known = self._tests[identity, event] = frozenset([literal.test for literal in found])
        return known

    def concerned(
        self, names: frozenset[str], modules: frozenset[str], functions: frozenset[FunctionId]
    ) -> tuple[FunctionId, ...]:
        """Those that use one of the names, stand in one of the modules or are asked for, in the program's order."""
        if self._selecting is None:
            self._selecting = []
            for identity in self.view.program.functions():
                used = self._names(identity)
                if used:
                    self._selecting.append(identity)
                for name in used:
                    self._naming.setdefault(name, set()).add(identity)
        named = frozenset().union(*(self._naming.get(name, frozenset()) for name in names))
        return tuple(identity for identity in self._selecting if identity in named or identity.module in modules or identity in functions)

    def _names(self, identity: FunctionId) -> set[str]:
        """The names on a function's paths and among its keys; none when it selects and fills nothing."""
        found: set[str] = set()
        selects = False
        for event in self.view.function(identity).events:
            path = event.path
            selects = selects or (identity.index > 0 and isinstance(event.value, Closure))
            if path is not None:
                selects = selects or bool(event.keys) or event.kind == "call"
                found.update(path.steps)
                if not path.steps and isinstance(path.root, Name):
                    found.add(path.root.name)
                found.update(key.text for key in event.keys if isinstance(key, Constant))
        return found if selects else set()

    def keys_about(self, identity: FunctionId, mode: Mode, names: frozenset[Value]) -> list[Keyed]:
        """The keys of a function that are made of one of some names, or of a part of it: others share nothing with them."""
        known = self._about.get((identity, mode))
        keys = self.keys.of(identity, mode)
        if known is None:
            known = self._about[identity, mode] = {}
            for position, keyed in enumerate(keys):
                for stem in {whole_of(s) for value in keyed.values for s in self.fills.stems(identity, keyed.event, value)}:
                    known.setdefault(stem, []).append(position)
        return [keys[position] for position in sorted({p for name in names for p in known.get(whole_of(name), ())})]

    def inside(self, identity: FunctionId) -> list[FunctionId]:
        """The functions that stand in a function."""
        known = self._inside.get(identity.module)
        if known is None:
            known = self._inside[identity.module] = {}
            for index, function in enumerate(self.view.program.modules[identity.module].ir.functions):
                if function.enclosing > 0:
                    known.setdefault(function.enclosing, []).append(FunctionId(identity.module, index))
        return known.get(identity.index, [])

    def stored(self, identity: FunctionId) -> tuple[tuple[int, frozenset[Leaf]], ...]:
        """Where the function stores something under a key, and the fields that this is made of."""
        found = self._stored.get(identity)
        if found is None:
            made = [
                (number, frozenset(leaf for leaf in self.fields.of(identity, number, event.value) if leaf.field and leaf.owner))
                for number, event in enumerate(self.view.function(identity).events)
                if event.kind == "write" and event.path is not None and event.path.steps[-1:] == ("[*]",) and event.value is not None
            ]
            found = self._stored[identity] = tuple((number, leaves) for number, leaves in made if leaves)
        return found

    def taken_apart(self, identity: FunctionId) -> tuple[tuple[int, Holder], ...]:
        """Where the function gets a set out of an entry of a container, and the container."""
        found = self._taken_apart.get(identity)
        if found is None:
            found = self._taken_apart[identity] = tuple(self._find_taken_apart(identity))
        return found

    def _find_taken_apart(self, identity: FunctionId) -> Iterator[tuple[int, Holder]]:
        for number, _ in self.view.calling_inside(identity):
            event = self.view.event(identity, number)
            given = self.view.inference.of_event(identity, number) if event.arguments else ()
            if any(isinstance(t, Instance) and t.name in ("builtins.set", "builtins.frozenset") for t in given):
                holders = [h for argument in event.arguments for h in self.holders.of(identity, number, argument.value) if "[" in h]
                yield from ((number, holder.partition("[")[0]) for holder in holders)
