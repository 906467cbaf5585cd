"""Asks every selected rule's question and words the answers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from ctxlint.checks.bodies import module_relative
from ctxlint.checks.finding import Analysis, Evidence, Finding, FlowStep
from ctxlint.diagnostic import CONFIDENCES, Confidence, Diagnostic, Step
from ctxlint.errors import ConfigurationError
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import OptionValue, Rule

Check = Callable[..., Iterable[Finding]]
Options = dict[str, OptionValue]


def find(rules: Iterable[Rule], options: dict[str, Options], analysis: Analysis) -> dict[str, tuple[Finding, ...]]:
    """Return the answers of every rule that has a check, by the rule's code, one per place and kind."""
    found = {}
    for rule in rules:
        if rule.check:
            check = check_named(rule.check, rule.code)
            answers = check(analysis, **rule.parameters, **_keywords(options.get(rule.code, {})))
            found[rule.code] = tuple(_distinct(answers, analysis))
    return found


def check_named(name: str, code: str) -> Check:
    """Return the function of `ctxlint.checks` that a rule names; the module bears the function's name."""
    try:
        module = importlib.import_module(f"ctxlint.checks.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"ctxlint.checks.{name}":
            raise
        raise ConfigurationError(f"rule {code}: key `check`: there is no check `{name}`") from None
    return cast(Check, getattr(module, name))


def worded(rule: Rule, finding: Finding, analysis: Analysis, source_line: Callable[[str, int], str]) -> Diagnostic:
    """Turn an answer into a diagnostic: the rule's words with the answer's fields, places resolved."""
    kind = rule.kinds.get(finding.kind)
    message = (kind.message if kind and kind.message else rule.message).format_map(_Fields(finding.fields))
    scenario = (kind.scenario if kind and kind.scenario else rule.scenario).format_map(_Fields(finding.fields))
    confidence = _least(finding.confidence, kind.confidence if kind and kind.confidence else "high")
    path = analysis.program.path(finding.function)
    events = tuple(module_relative(operation, analysis.program.modules) for operation in finding.chain)
    return Diagnostic(
        code=rule.code,
        name=rule.name,
        severity=kind.severity if kind and kind.severity else rule.severity,
        confidence=confidence,
        path=path,
        span=_one_line(analysis.view.event(finding.function, finding.event).span),
        symbol=analysis.program.symbol(finding.function),
        message=message,
        kind=finding.kind,
        flow=tuple(_step(step, analysis, source_line) for step in finding.flow),
        scenario=scenario,
        evidence=tuple(_evidence(reason, analysis) for reason in finding.evidence),
        events=events,
        body=analysis.bodies.digest(finding.function, analysis.program.function(finding.function), events),
        facts=tuple(sorted({"callees": _callees(finding, analysis), **finding.facts}.items())),
    )


def _callees(finding: Finding, analysis: Analysis) -> str:
    """What the primary event calls, as qualified names of libraries; a method of an object of unknown type is `.name`."""
    calls = analysis.view.calls(finding.function, finding.event)
    known = {name for call in calls for name in call.externals}
    unknown = {f".{call.name}" for call in calls if call.unknown and call.name}
    return " ".join(sorted(known | unknown))


class _Fields(dict[str, str]):
    """Fields of a template; one that the check did not fill shows its name, so that a wording test can find it."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def _keywords(options: Options) -> dict[str, OptionValue]:
    return {name.replace("-", "_"): value for name, value in options.items()}


def _distinct(answers: Iterable[Finding], analysis: Analysis) -> Iterator[Finding]:
    """Copies of a `finally` and several witnesses of one fault are one answer: the most believed first."""
    seen: set[tuple[str, Span]] = set()
    for finding in sorted(answers, key=lambda f: (CONFIDENCES.index(f.confidence), f.function, f.event)):
        place = (analysis.program.path(finding.function), analysis.view.event(finding.function, finding.event).span)
        if place not in seen:
            seen.add(place)
            yield finding


def _least(one: Confidence, other: Confidence) -> Confidence:
    return max(one, other, key=CONFIDENCES.index)


def _one_line(span: Span) -> Span:
    """The primary region is one line: a longer one is cut at its first line's end."""
    return span if span.line == span.end_line else Span(span.line, span.column, span.line, span.column)


def _step(step: FlowStep, analysis: Analysis, source_line: Callable[[str, int], str]) -> Step:
    path = analysis.program.path(step.function)
    span = _one_line(analysis.view.event(step.function, step.event).span)
    return Step(path, span, step.text, source_line(path, span.line), step.by)


def _evidence(reason: Evidence, analysis: Analysis) -> str:
    if reason.function is None:
        return reason.text
    line = analysis.view.event(reason.function, reason.event).span.line
    return f"{reason.text} ({analysis.program.path(reason.function)}:{line})"
