"""Functions that leave a file behind which only its owner may read: what a plain write makes, others may read as before."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.checks.analysis import Analysis
from ctxlint.flow.paths import path
from ctxlint.ir.value import Constant

FOR_OTHERS = 0o077
"""The bits of a mode that let anybody but the owner in."""


class PrivateFiles:
    """`makers` are the callables that make such a file by themselves, `setters` those that give a file its mode, `openers`
    such that make a file with the mode they are told.
    """

    def __init__(self, analysis: Analysis, makers: Sequence[str], setters: Sequence[str], openers: Sequence[str]) -> None:
        self._analysis = analysis
        self._makers = makers
        self._setters = setters
        self._openers = openers
        self._left = Recall[FunctionId, bool](lambda target: False)      # one that calls itself leaves what its other lines leave
        self._given = Recall[FunctionId, bool](lambda target: False)

    def is_left_by(self, identity: FunctionId) -> bool:
        """Whether on some way through the function such a file is made and put in its place (if it moves any), and no mode is set."""
        return self._left.ask(identity, lambda: self._leaves(identity))

    def _leaves(self, identity: FunctionId) -> bool:
        graph = self._analysis.view.graph(identity)
        moves = {e.event for e in self._analysis.summaries.of(identity).effects if e.kind == "move"}
        calls = self._analysis.view.call_graph.calls(identity)
        making = [number for number in calls if self._makes(identity, number)]
        given = {number for number in calls if self._gives(identity, number)} if making else frozenset[int]()
        return any(
            path(graph, number, graph.exit, given, through=None if number in moves else moves or None, start="completed") is not None
            for number in making
        )

    def _makes(self, identity: FunctionId, number: int) -> bool:
        if self._calls_one_of(identity, number, self._makers) or (
            self._calls_one_of(identity, number, (*self._openers, *self._setters)) and self._is_told_to_keep_others_out(identity, number)
        ):
            return True
        return any(self.is_left_by(target) for call in self._analysis.view.calls(identity, number) for target in call.functions)

    def _gives(self, identity: FunctionId, number: int) -> bool:
        """Whether a call gives a file a mode that lets others in, or one that is not known here."""
        if self._calls_one_of(identity, number, self._setters):
            return not self._is_told_to_keep_others_out(identity, number)
        return any(self._gives_throughout(target) for call in self._analysis.view.calls(identity, number) for target in call.functions)

    def _gives_throughout(self, identity: FunctionId) -> bool:
        """Whether every way through a function gives a mode."""
        return self._given.ask(identity, lambda: self._find_gives_throughout(identity))

    def _find_gives_throughout(self, identity: FunctionId) -> bool:
        graph = self._analysis.view.graph(identity)
        given = {number for number in self._analysis.view.call_graph.calls(identity) if self._gives(identity, number)}
        return bool(given) and path(graph, graph.entry, graph.exit, given) is None

    def _calls_one_of(self, identity: FunctionId, number: int, names: Sequence[str]) -> bool:
        return any(name in names for call in self._analysis.view.calls(identity, number) for name in call.externals)

    def _is_told_to_keep_others_out(self, identity: FunctionId, number: int) -> bool:
        """Whether the last argument of a call is a mode that is written out and lets nobody else in."""
        arguments = self._analysis.view.event(identity, number).arguments
        mode = arguments[-1].value if arguments else None
        return isinstance(mode, Constant) and mode.kind == "int" and int(mode.text, 0) & FOR_OTHERS == 0
