"""Asks every selected rule's question."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from ctxlint.checks.analysis import Analysis
from ctxlint.checks.bodies import module_relative
from ctxlint.checks.finding import Answer, Finding
from ctxlint.diagnostic import CONFIDENCES
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


def settled(finding: Finding, analysis: Analysis) -> Answer:
    """The finding with what its diagnostic takes from the program, which is not asked for it again."""
    program = analysis.program
    events = tuple(module_relative(operation, program.modules) for operation in finding.chain)
    body = analysis.bodies.digest(finding.function, program.function(finding.function), events)
    return Answer(finding, program.symbol(finding.function), _callees(finding, analysis), events, body)


def _callees(finding: Finding, analysis: Analysis) -> str:
    """What the primary event calls, as qualified names of libraries; a method of an object of unknown type is `.name`."""
    calls = analysis.view.calls(finding.function, finding.event)
    known = {name for call in calls for name in call.externals}
    unknown = {f".{call.name}" for call in calls if call.unknown and call.name}
    return " ".join(sorted(known | unknown))


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
