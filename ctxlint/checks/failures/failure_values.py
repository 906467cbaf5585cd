"""Appends that answer their failure by a value, and callers that do not look at the answer."""

from __future__ import annotations

from typing import Optional

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.recall import Recall
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.handlers import handlers_of, is_failure_value
from ctxlint.ir.value import NONE, Constant, Result, Value

YES = Constant("bool", "True")


class Answers:
    """Memoised: which functions tell the failure of their append by what they return."""

    def __init__(self, analysis: Analysis, appends: Appends) -> None:
        self._analysis = analysis
        self._appends = appends
        self._known = Recall[FunctionId, Optional[int]](lambda target: None)

    def told_by(self, target: FunctionId) -> int | None:
        """The event that returns the failure of the function's own append; None when it has no such answer."""
        return self._known.ask(target, lambda: self._find(target))

    def told_at(self, identity: FunctionId, event: int) -> tuple[FunctionId, int] | None:
        """The answer that a call gives: at least half of its callees tell a failure so."""
        targets = [t for call in self._analysis.view.effective_calls(identity, event) if not call.deferred for t in call.functions]
        telling = [(target, answer) for target in targets if (answer := self.told_by(target)) is not None]
        return telling[0] if telling and 2 * len(telling) >= len(targets) else None

    def text(self, answer: tuple[FunctionId, int]) -> str:
        """How a failure is told by an answer of `told_at`, when that is a constant."""
        value = self._analysis.view.event(*answer).value
        return value.text if isinstance(value, Constant) else ""

    def is_ignored(self, identity: FunctionId, event: int) -> bool:
        """Whether nobody uses the answer of the call, nor that of its await."""
        if self._analysis.view.event(identity, event).ignored:
            return True
        return any(e.kind == "suspend" and e.ignored and e.value == Result(event)
                   for e in self._analysis.view.function(identity).events)

    def is_looked_at_elsewhere(self, target: FunctionId, but: tuple[FunctionId, int]) -> tuple[FunctionId, int] | None:
        """A call of the function whose answer is used."""
        for caller, call in self._analysis.view.call_graph.callers(target):
            if (caller, call) != but and not self.is_ignored(caller, call) and not self._is_handed_on(caller, call):
                return caller, call
        return None

    def tells_success(self, identity: FunctionId, after: frozenset[int]) -> bool:
        """Whether the function answers yes, whatever comes after these events, and somebody looks at that answer."""
        events = self._analysis.view.function(identity).events
        given = [events[n].value for n in after if events[n].kind == "return"]
        return bool(given) and all(value == YES for value in given) and (
            self.is_looked_at_elsewhere(identity, (identity, -1)) is not None)

    def _is_handed_on(self, caller: FunctionId, call: int) -> bool:
        """Whether a call that is not used is only made to be run by another one."""
        events = self._analysis.view.function(caller).events
        return all(e.kind != "suspend" or e.value != Result(call) for e in events) and (
            self._analysis.view.effective_calls(caller, call) != self._analysis.view.calls(caller, call)
        )

    def _find(self, target: FunctionId) -> int | None:
        view = self._analysis.view
        events = view.function(target).events
        returns = {n: e.value for n, e in enumerate(events) if e.kind == "return"}
        for handler in handlers_of(self._analysis, target) if len(returns) > 1 else ():
            answers = [n for n in sorted(handler.body) if n in returns and self._is_failure(target, n, returns[n])]
            succeeds = any(not self._is_failure(target, n, v) for n, v in returns.items() if n not in handler.body)
            if answers and succeeds and any(
                self._appends.at(target, n) is not None or self._opens(target, n) for n in handler.tried
            ):
                return answers[0]
        return None

    def _opens(self, target: FunctionId, event: int) -> bool:
        """Whether it opens the file that the append goes to."""
        match = self._analysis.view.does(target, event, "opens")
        return match is not None and match.effect.store == "file"

    def _is_failure(self, target: FunctionId, event: int, value: Value | None) -> bool:
        if value is None or value == NONE:
            return False
        if isinstance(value, Constant):
            return value.text in ("False", "-1")
        return is_failure_value(self._analysis, target, event, value)
