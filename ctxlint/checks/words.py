"""Puts an answer into the rule's words, when and where its places are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Answer, At, Evidence, FlowStep, Word
from ctxlint.diagnostic import CONFIDENCES, Confidence, Diagnostic, Step
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import Rule


class Places(Protocol):
    """Where the functions and events of a program stand."""

    def path(self, function: FunctionId) -> str:
        """The file of a function."""

    def span(self, function: FunctionId, event: int) -> Span:
        """The region of an event."""


def worded(rule: Rule, answer: Answer, places: Places, source_line: Callable[[str, int], str]) -> Diagnostic:
    """Turn an answer into a diagnostic: the rule's words with the answer's fields, places resolved."""
    finding = answer.finding
    kind = rule.kinds.get(finding.kind)
    fields = _Fields({name: _said(word, places) for name, word in finding.fields.items()})
    facts = {"callees": answer.callees} | {name: _said(word, places) for name, word in finding.facts.items()}
    return Diagnostic(
        code=rule.code,
        name=rule.name,
        severity=kind.severity if kind and kind.severity else rule.severity,
        confidence=_least(finding.confidence, kind.confidence if kind and kind.confidence else "high"),
        path=places.path(finding.function),
        span=_one_line(places.span(finding.function, finding.event)),
        symbol=answer.symbol,
        message=(kind.message if kind and kind.message else rule.message).format_map(fields),
        kind=finding.kind,
        flow=tuple(_step(step, places, source_line) for step in finding.flow),
        scenario=(kind.scenario if kind and kind.scenario else rule.scenario).format_map(fields),
        evidence=tuple(_evidence(reason, places) for reason in finding.evidence),
        events=answer.events,
        body=answer.body,
        facts=tuple(sorted(facts.items())),
    )


class _Fields(dict[str, str]):
    """Fields of a template; one that the check did not fill shows its name, so that a wording test can find it."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def _said(word: Word, places: Places) -> str:
    if not isinstance(word, At):
        return word
    span = places.span(word.function, word.event)
    return word.text.format(path=places.path(word.function), line=span.line, column=span.column)


def _least(one: Confidence, other: Confidence) -> Confidence:
    return max(one, other, key=CONFIDENCES.index)


def _one_line(span: Span) -> Span:
    """The primary region is one line: a longer one is cut at its first line's end."""
    return span if span.line == span.end_line else Span(span.line, span.column, span.line, span.column)


def _step(step: FlowStep, places: Places, source_line: Callable[[str, int], str]) -> Step:
    path = places.path(step.function)
    span = _one_line(places.span(step.function, step.event))
    return Step(path, span, step.text, source_line(path, span.line), step.by)


def _evidence(reason: Evidence, places: Places) -> str:
    if reason.function is None:
        return reason.text
    return f"{reason.text} ({places.path(reason.function)}:{places.span(reason.function, reason.event).line})"
