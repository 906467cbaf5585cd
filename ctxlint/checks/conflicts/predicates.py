"""Functions that answer a question with yes or no: what they find out decides, with whoever asks."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

_ASKING = frozenset(["any", "all", "bool", "isdisjoint", "issubset", "issuperset", "startswith", "endswith", "is_relative_to"])
_LOGICAL = frozenset(["not", "in", "not in", "==", "!=", "<", "<=", ">", ">=", "is", "is not"])
_JOINED = frozenset(["and", "or", "if"])
_HELPERS = 3


def is_predicate(analysis: Analysis, identity: FunctionId, depth: int = _HELPERS) -> bool:
    """Whether all that a function returns is true or false."""
    answers = [event.value for event in analysis.view.function(identity).events if event.kind == "return"]
    return bool(answers) and all(answer is not None and _is_truth(analysis, identity, answer, depth) for answer in answers)


def is_question(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether a function says yes or no, or gives back what stands in the way, which somebody only asks to be there at all."""
    if is_predicate(analysis, identity):
        return True
    answers = [event.value for event in analysis.view.function(identity).events if event.kind == "return"]
    if not answers or not all(isinstance(value, Compound) and value.operator.startswith("comprehension") for value in answers):
        return False
    return any(_is_asked(analysis, caller, number) for caller, number in analysis.view.call_graph.callers(identity))


def _is_asked(analysis: Analysis, identity: FunctionId, number: int) -> bool:
    """Whether a branch depends on the truth of an event's result."""
    function = analysis.view.function(identity)
    named = {event.path.root for event in function.events if event.kind == "local" and event.path is not None and event.value == Result(number)}
    return any(
        edge.condition is not None and (edge.condition.value == Result(number) or edge.condition.value in named)
        for block in function.blocks for edge in block.edges
    )


def _is_truth(analysis: Analysis, identity: FunctionId, value: Value, depth: int) -> bool:
    if isinstance(value, Constant):
        return value.kind == "bool"
    if isinstance(value, Compound):
        parts = value.parts[1:] if value.operator == "if" else value.parts
        known = [part for part in parts if value.operator in _JOINED and _is_truth(analysis, identity, part, depth)]
        return value.operator in _LOGICAL or (bool(known) and all(part in known or _is_read(analysis, identity, part) for part in parts))
    if isinstance(value, Name):
        bound = [
            event.value for event in analysis.view.function(identity).events
            if event.kind == "local" and event.path is not None and event.path.root == value
        ]
        return depth > 0 and bool(bound) and all(each is not None and _is_truth(analysis, identity, each, depth - 1) for each in bound)
    if isinstance(value, Result):
        return _asks(analysis, identity, value.event, depth)
    return False


def _is_read(analysis: Analysis, identity: FunctionId, value: Value) -> bool:
    """Whether a value is a field, as a flag beside what is asked is."""
    return isinstance(value, Result) and analysis.view.event(identity, value.event).kind == "read"


def _asks(analysis: Analysis, identity: FunctionId, number: int, depth: int) -> bool:
    """Whether a call, or what is awaited of one, gives a truth value."""
    event = analysis.view.event(identity, number)
    if event.kind == "suspend" and event.value is not None:
        return _is_truth(analysis, identity, event.value, depth)
    if event.kind != "call" or event.path is None:
        return False
    targets = [target for call in analysis.view.calls(identity, number) for target in call.functions]
    if targets:
        return depth > 0 and all(is_predicate(analysis, target, depth - 1) for target in targets[:4])
    name = event.path.steps[-1] if event.path.steps else getattr(event.path.root, "name", "")
    return name in _ASKING
