"""What changes leave behind for those after them: the containers into which functions put what they write, or the changes themselves."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Compound
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import Leaf
from ctxlint.roles.overlaps import Overlap

_TAKES = frozenset(["subtract", "difference_update", "discard", "remove", "pop"])
_PUTS = frozenset(["append", "add", "extend", "update", "insert", "appendleft", "put", "put_nowait"])


class Filed(msgspec.Struct, frozen=True):
    """A part of a change that a function puts into a container beside another part; `under_way` when both are taken out again."""

    part: str
    container: str
    function: FunctionId
    event: int
    under_way: bool


class LeftBehind:
    """Finds what is put into containers, by their names; memoised."""

    def __init__(self, analysis: Analysis, fields: Fields) -> None:
        self._analysis = analysis
        self._view = analysis.view
        self._fields = fields
        self._puts: dict[str, list[tuple[FunctionId, int]]] | None = None
        self._takes: dict[str, list[tuple[FunctionId, int]]] = {}

    def is_kept(self, leaf: Leaf, container: str) -> bool:
        """Whether some function puts what such a change writes, or the change itself, into a container."""
        return any(
            put.key == leaf.key or (not put.field and put.owner == leaf.owner)
            for identity, number in self.puts_into(container) for put in self.put_at(identity, number)
        )

    def beside(self, owner: str, compared: frozenset[str], overlap: Overlap) -> Iterator[Filed]:
        """The parts that changes leave behind in containers of their own, where they leave what is compared with those after them."""
        for container in sorted({leaf.key for leaf in overlap.fields if leaf.field} - compared):
            for identity, number in self.puts_into(container):
                objects = {leaf.instance for leaf in self.put_at(identity, number) if leaf.key in compared}
                for other, event in enumerate(self._view.function(identity).events) if objects else ():
                    parts = [leaf.key for leaf in self.put_at(identity, other) if leaf.instance in objects and leaf.field and (
                        leaf.owner == owner and leaf.key not in compared)] if _target(event) is not None else []
                    for place in self._target_fields(identity, other) if parts else ():
                        if place.field and place.key != container:
                            yield Filed(min(parts), place.key, identity, other, self._is_taken_from(container) and self._is_taken_from(place.key))

    def _is_taken_from(self, container: str) -> bool:
        """Whether some function takes out again what was put into a field."""
        return any(
            leaf.key == container for identity, number in self._takes.get(container.rpartition(".")[2], ())
            for leaf in self._holding(identity, number, _taken_from(self._view.event(identity, number)))
        )

    def puts_into(self, container: str) -> list[tuple[FunctionId, int]]:
        """The events that put something into a field, by its name alone."""
        if self._puts is None:
            self._puts = {}
            for identity in self._analysis.program.functions():
                for number, event in enumerate(self._view.function(identity).events):
                    target = _target(event) if event.kind in ("call", "write") else None
                    taking = _taken_from(event)
                    for path, index in ((target, self._puts), (taking, self._takes)):
                        if path is not None and path.steps:
                            name = next((step for step in reversed(path.steps) if not step.startswith("[")), "")
                            index.setdefault(name, []).append((identity, number))
        return [
            (identity, number) for identity, number in self._puts.get(container.rpartition(".")[2], ())
            if any(leaf.key == container for leaf in self._target_fields(identity, number))
        ]

    def _target_fields(self, identity: FunctionId, number: int) -> frozenset[Leaf]:
        return self._holding(identity, number, _target(self._view.event(identity, number)))

    def _holding(self, identity: FunctionId, number: int, path: AccessPath | None) -> frozenset[Leaf]:
        """The fields that a container on a path of an event is."""
        return self._fields.of_path(identity, number, path, self._view.event(identity, number).keys) if path is not None else frozenset()

    def put_at(self, identity: FunctionId, number: int) -> frozenset[Leaf]:
        """What an event puts into something."""
        event = self._view.event(identity, number)
        values = [a.value for a in event.arguments] if event.kind == "call" else [event.value] if event.value is not None else []
        return self._fields.of_all(identity, number, [*values, *event.keys[-1:]])


def _target(event: Event) -> AccessPath | None:
    """The container that an event puts a value into."""
    if event.path is None:
        return None
    if event.kind == "call" and event.path.steps[-1:] and event.path.steps[-1] in _PUTS and event.arguments:
        return AccessPath(event.path.root, event.path.steps[:-1])
    if event.kind == "write" and event.path.steps[-1:] == ("[*]",):
        return AccessPath(event.path.root, event.path.steps[:-1])
    return event.path if event.kind == "write" and event.note == "aug" and _taken_from(event) is None else None


def _taken_from(event: Event) -> AccessPath | None:
    """The container that an event takes something out of."""
    if event.path is not None and event.kind == "call" and event.path.steps[-1:] and event.path.steps[-1] in _TAKES and event.arguments:
        return AccessPath(event.path.root, event.path.steps[:-1])
    taken = isinstance(event.value, Compound) and event.value.operator == "-="
    return event.path if event.kind == "write" and taken else None
