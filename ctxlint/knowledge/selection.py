"""Which rules run: statuses, prefixes, `ALL`, and what the file and the command line say about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ctxlint.errors import ConfigurationError, UsageError
from ctxlint.knowledge.codes import which_code
from ctxlint.knowledge.configuration import Configuration, Selector
from ctxlint.knowledge.rules import Rule
from ctxlint.knowledge.settings import Settings

ALL = "ALL"


class Selection(msgspec.Struct, frozen=True):
    """The rules that run, ordered by code, and what the user should be told about those that do not."""

    rules: tuple[Rule, ...]
    warnings: tuple[str, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the rules that run."""
        return frozenset(rule.code for rule in self.rules)


def select(rules: Mapping[str, Rule], configuration: Configuration) -> Selection:
    """Return the rules that `configuration` selects.

    Of the selectors that match a rule, the longest prefix decides; of equally long ones the command line, then `ignore`.
    A rule that none matches runs when it belongs to the default set and no `select` replaces that set.
    Raises for a selector that matches no rule, and when none is left but those that speak about the run itself.
    """
    settings = configuration.settings
    for selector in configuration.selectors:
        check_selector(selector.prefix, rules, selector.key, on_command_line=selector.layer == 1)
    for key, prefixes in _other_codes(settings):
        for prefix in prefixes:
            check_selector(
                prefix, rules, configuration.place_of(key), on_command_line=key.partition(" ")[0] in configuration.above)
    if settings.select is not None and not settings.select and not settings.extend_select:
        raise UsageError(f"{configuration.place_of('select')}: no rule is named, so nothing would be looked at")

    chosen = []
    named = []
    warnings = []
    for rule in rules.values():
        decision = _deciding(rule.code, configuration.selectors)
        if decision is None:
            runs = rule.status == "always" or (
                settings.select is None and rule.status in (("stable", "preview") if settings.preview else ("stable",))
            )
        else:
            runs = decision.enables
        if runs and rule.status == "preview" and not settings.preview:
            if decision is not None and decision.prefix == rule.code:
                warnings.append(f"{rule.code} is a preview rule and does not run without --preview")
            runs = False
        if runs:
            chosen.append(rule)
            if rule.check or decision is not None:
                named.append(rule)
    if not named:
        raise UsageError("; ".join(("the settings leave no rule to run, so nothing would be looked at", *warnings)))
    return Selection(tuple(chosen), tuple(warnings))


def check_selector(prefix: str, rules: Mapping[str, Rule], key: str, on_command_line: bool) -> None:
    """Raise UsageError (or ConfigurationError for a file) when `prefix` is the beginning of no rule's code."""
    if prefix == ALL or (prefix and any(code.startswith(prefix) for code in rules)):
        return
    kind = UsageError if on_command_line else ConfigurationError
    raise kind(f"{key}: no rule's code begins with `{prefix}`{which_code(prefix, rules, ALL)}")


def matches(code: str, prefixes: Iterable[str]) -> bool:
    """Whether one of `prefixes` is `ALL` or the beginning of `code`."""
    return any(prefix == ALL or code.startswith(prefix) for prefix in prefixes)


def _other_codes(settings: Settings) -> Iterator[tuple[str, Sequence[str]]]:
    """The codes that settings name besides those that select rules, with the key of each."""
    yield "fixable", settings.fixable or ()
    yield "unfixable", settings.unfixable
    yield "extend-safe-fixes", settings.extend_safe_fixes
    yield "extend-unsafe-fixes", settings.extend_unsafe_fixes
    for pattern, prefixes in settings.per_file_ignores.items():
        yield f"per-file-ignores `{pattern}`", prefixes


def _deciding(code: str, selectors: Iterable[Selector]) -> Selector | None:
    matching = [selector for selector in selectors if matches(code, (selector.prefix,))]
    return max(
        matching,
        key=lambda selector: (
            0 if selector.prefix == ALL else len(selector.prefix), selector.layer, not selector.enables
        ),
        default=None,
    )
