"""What content a value is made of, and which tests compare one content with another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.calls.summaries import Summaries
from ctxlint.flow.loops import Loops
from ctxlint.flow.paths import reachable
from ctxlint.ir.value import AccessPath, Compound, Name, Result, Value
from ctxlint.roles.holders import Holder, Holders

MAX_DEPTH = 10
HELPERS = 2
"""How many helpers a comparison may be away."""

_COMPARISONS = frozenset(["==", "!=", "in", "not in", "is", "is not", "match"])
_SIZES = frozenset(["len", "__len__", "range", "isinstance", "type", "id"])


class Comparison(msgspec.Struct, frozen=True):
    """A test at (or just behind) `event`: what its two sides are made of, together, and the nodes it leads to."""

    event: int
    mentioned: frozenset[Holder]
    outcomes: tuple[int, ...]


class Mentions:
    """Names every place whose content a value is made of; sizes, keys and positions are no content."""

    def __init__(self, summaries: Summaries, holders: Holders) -> None:
        self._summaries = summaries
        self._view = summaries.view
        self._holders = holders
        self._recall = Recall[Hashable, frozenset[Holder]](lambda question: frozenset())
        self._comparisons: dict[FunctionId, tuple[Comparison, ...]] = {}

    def of(self, identity: FunctionId, at: int, value: Value) -> frozenset[Holder]:
        """The places whose content `value` is made of, as evaluated at event `at`."""
        return self._of(identity, at, value, 0)

    def of_all(self, identity: FunctionId, at: int, values: Iterable[Value]) -> frozenset[Holder]:
        """The places of several values."""
        return frozenset().union(*(self.of(identity, at, value) for value in values))

    def _of(self, identity: FunctionId, at: int, value: Value, depth: int) -> frozenset[Holder]:
        return self._recall.ask((identity, at, value), lambda: frozenset(self._find(identity, at, value, depth + 1)), depth, MAX_DEPTH)

    def _find(self, identity: FunctionId, at: int, value: Value, depth: int) -> Iterator[Holder]:
        holders = self._holders.of(identity, at, value)
        yield from holders
        if isinstance(value, Compound):
            for part in value.parts:
                yield from self._of(identity, at, part, depth)
        elif isinstance(value, Name) and value.scope == "local":
            for number in self._view.definitions(identity).definitions(at, value.name):
                bound = self._view.event(identity, number) if number >= 0 else None
                if bound is not None and bound.kind == "local" and bound.value is not None:
                    yield from self._of(identity, number, bound.value, depth)
        elif isinstance(value, Result):
            yield from self._event(identity, value.event, depth)

    def _event(self, identity: FunctionId, number: int, depth: int) -> Iterator[Holder]:
        event = self._view.event(identity, number)
        if event.kind == "call" and event.path is not None:
            name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
            if name in _SIZES:
                return
            yield from self._holders.file_at(identity, number)
            for argument in event.arguments:
                yield from self._of(identity, number, argument.value, depth)
            if event.path.steps:
                receiver = AccessPath(event.path.root, event.path.steps[:-1])
                yield from self._holders.of_path(identity, number, receiver, event.keys)
                yield from self._of(identity, number, event.path.root, depth)
            for call in self._view.calls(identity, number):
                for target in call.functions[:6]:
                    yield from self._returned(target)
        elif event.kind == "read" and event.path is not None:
            yield from self._of(identity, number, event.path.root, depth)
        elif event.kind in ("iterate", "suspend", "enter") and event.value is not None:
            yield from self._of(identity, number, event.value, depth)

    def _returned(self, target: FunctionId) -> Iterator[Holder]:
        """The cells that a callee's result is made of."""
        for source in self._summaries.flow(target).returns:
            if source.kind == "cell" and source.name:
                yield source.name

    # Comparisons.

    def comparisons(self, identity: FunctionId) -> tuple[Comparison, ...]:
        """The tests of a function on which its way depends, and its searches for one content in another."""
        found = self._comparisons.get(identity)
        if found is None:
            found = self._comparisons[identity] = tuple(self._find_comparisons(identity))
        return found

    def compared_before(self, identity: FunctionId, event: int, depth: int = HELPERS) -> Iterator[frozenset[Holder]]:
        """What is compared with each other before the event, in the function itself and in helpers called before it.

        A test counts only when one of its outcomes does not lead to the event, or when it decides what a loop does next.
        """
        for comparison in self.comparisons(identity):
            if self._decides(identity, comparison, event):
                yield comparison.mentioned
        for number, it in enumerate(self._view.function(identity).events):
            if depth and it.kind == "call" and event in reachable(self._view.graph(identity), number):
                for call in self._view.calls(identity, number):
                    for target in call.functions[:4]:
                        if target != identity:
                            yield from self._in_helper(identity, number, target, depth)

    def _in_helper(self, identity: FunctionId, number: int, target: FunctionId, depth: int) -> Iterator[frozenset[Holder]]:
        exit_node = self._view.graph(target).exit
        for call in self._view.calls(identity, number):
            if target not in call.functions:
                continue
            passed = {
                f"{target.module}:{name}": self.of(identity, number, value)
                for name, value in self._view.bound(call, target).items()
            }
            for mentioned in self.compared_before(target, exit_node, depth - 1):
                yield frozenset().union(*(self._translated(holder, passed) for holder in mentioned))

    def _translated(self, holder: Holder, passed: dict[str, frozenset[Holder]]) -> frozenset[Holder]:
        head = next((h for h in passed if holder == h or (holder.startswith(h) and holder[len(h)] in ".[")), None)
        if head is None:
            return frozenset([holder])
        return frozenset(f"{new}{holder[len(head):]}" for new in passed[head]) | passed[head]

    def _find_comparisons(self, identity: FunctionId) -> Iterator[Comparison]:
        function, graph = self._view.function(identity), self._view.graph(identity)
        for number, block in enumerate(function.blocks):
            values = dict.fromkeys(edge.condition.value for edge in block.edges if edge.condition is not None)
            outcomes = tuple(graph.size + edge.target for edge in block.edges if not edge.raised)
            where = graph.size + number if block.first == block.last else block.last - 1
            for value in values:
                for part in _tests(value):
                    yield Comparison(where, self.of(identity, graph.size + number if where >= graph.size else where, part), outcomes)

    def _decides(self, identity: FunctionId, comparison: Comparison, event: int) -> bool:
        """Whether one outcome of a test before the event does not lead there, or the test is what a search goes by."""
        graph = self._view.graph(identity)
        leads = [outcome == event or event in reachable(graph, outcome) for outcome in comparison.outcomes]
        if not any(leads):
            return False
        if not all(leads):
            return True
        around = graph.derived(Loops).loop_of(comparison.event)
        return around is not None and event not in around.body


def _tests(value: Value) -> Iterator[Value]:
    """The single tests that a condition is made of, without comparisons of order."""
    if isinstance(value, Compound):
        if value.operator in ("and", "or", "not"):
            for part in value.parts:
                yield from _tests(part)
        elif value.operator in _COMPARISONS:
            yield value
    elif isinstance(value, (Result, Name)):
        yield value
