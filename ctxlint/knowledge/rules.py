"""A rule is a value: one TOML file each, read strictly.

The loaded `Rule` is the only source of its code, texts, options and defaults for every other room.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, cast

import msgspec

from ctxlint.diagnostic import Applicability, Confidence, Severity
from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.nearness import did_you_mean
from ctxlint.knowledge.places import rules_folder
from ctxlint.knowledge.toml import Table, keys_of, read_toml, typed

Status = Literal["always", "stable", "preview", "opt-in"]
OptionType = Literal["boolean", "integer", "string", "strings"]
OptionValue = bool | int | str | tuple[str, ...]

HEADINGS = ("What it does", "Why is this bad", "When it is fine", "Fix safety")


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something a user may set for one rule, under `rules.<CODE>.<name>`."""

    type: OptionType
    default: OptionValue
    doc: str


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tier of a rule's check: what it says, when that differs from the rule, and how far it is to be believed."""

    doc: str
    message: str = ""
    scenario: str = ""
    severity: Severity | None = None
    confidence: Confidence | None = None


class RuleFix(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"parameters": "with"}):
    """Which rewrite removes the fault, and how far it may be applied without a look.

    `rewrite` names a function of `ctxlint.fix.rewrites`, `parameters` (the table `[fix.with]`) are its keyword arguments. A rule
    that the tool itself reports only names what the tool edits.
    `applicability` is the best that the rewrite may answer; for a finding of less than `confidence` it is advice.
    """

    rewrite: str
    applicability: Applicability
    confidence: Confidence = "low"
    parameters: dict[str, object] = {}


class Rule(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"parameters": "with"},
):
    """One rule.

    `message` and `scenario` are templates whose `{placeholders}` the check fills.
    `check` names a function of `ctxlint.checks`, `parameters` (the table `[with]`) are its keyword arguments; a rule that
    the tool itself reports has no check.
    `status`: `always` is reported under every selection, `stable` by default, `preview` with `--preview`, `opt-in` only
    when selected.
    `example` names the bad and the good function among the rule's fixtures, as `file.py:function`.
    """

    code: str
    name: str
    title: str
    message: str
    severity: Severity
    status: Status
    since: str
    doc: str
    scenario: str = ""
    check: str = ""
    parameters: dict[str, object] = {}
    options: dict[str, Option] = {}
    kinds: dict[str, Kind] = {}
    example: tuple[str, ...] = ()
    fix: RuleFix | None = None


def load_rules(policy_paths: Iterable[Path] = (), folder: Path | None = None) -> dict[str, Rule]:
    """Return the built-in rules and the user's policies, ordered by code.

    `policy_paths` are files, or folders whose `*.toml` files are policies.
    Raises ConfigurationError for a file that is no rule, and for a code or name that two files claim.
    """
    files = sorted((folder or rules_folder()).glob("[A-Z]*.toml"))
    for path in policy_paths:
        if path.is_dir():
            files.extend(sorted(path.glob("*.toml")))
        elif path.is_file():
            files.append(path)
        else:
            raise ConfigurationError(f"rule-paths: {path}: no such file or folder")
    by_code: dict[str, Rule] = {}
    claimed: dict[str, Path] = {}
    for file in files:
        rule = read_rule(file)
        for claim in (rule.code, rule.name):
            if claim in claimed:
                raise ConfigurationError(f"{file}: `{claim}` is taken by {claimed[claim]}")
            claimed[claim] = file
        by_code[rule.code] = rule
    return dict(sorted(by_code.items()))


def read_rule(path: Path) -> Rule:
    """Return the rule in file `path`; raise ConfigurationError naming the file and the key that is wrong."""
    table = read_toml(path)
    for key, kind in (("options", Option), ("kinds", Kind)):
        for name, entry in _table(table.get(key, {}), f"{path}: key `{key}`").items():
            typed(kind, _table(entry, f"{path}: key `{key}.{name}`"), f"{path}: in `{key}.{name}`")
    if "fix" in table:
        typed(RuleFix, _table(table["fix"], f"{path}: key `fix`"), f"{path}: in `fix`")
    rule = typed(Rule, table, str(path))
    complaint = next(_complaints(rule, path), None)
    if complaint:
        raise ConfigurationError(f"{path}: {complaint}")
    return rule


def option_values(rule: Rule, given: Mapping[str, object], where: str) -> dict[str, OptionValue]:
    """Return the value of each option of `rule`: the one `given`, else its default.

    Raises ConfigurationError for an option the rule does not have and for a value of another type.
    """
    values = {name: option.default for name, option in rule.options.items()}
    for name, value in given.items():
        key = f"rules.{rule.code}.{name}"
        if name not in rule.options:
            raise ConfigurationError(f"{where}: unknown key `{key}`{did_you_mean(name, rule.options)}")
        if not _fits(value, rule.options[name].type):
            raise ConfigurationError(f"{where}: key `{key}`: expected {rule.options[name].type}, got `{value!r}`")
        values[name] = tuple(value) if isinstance(value, list) else cast(OptionValue, value)
    return values


def placeholders(template: str) -> frozenset[str]:
    """Return the names that `template` wants filled; raise ValueError when its braces do not match."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)


def sections(doc: str) -> dict[str, str]:
    """Return the text under each `## heading` of a rule's documentation, in order."""
    parts = re.split(r"^## (.+)$", doc.strip(), flags=re.MULTILINE)
    return {heading.strip(): text.strip() for heading, text in zip(parts[1::2], parts[2::2])}


def _complaints(rule: Rule, path: Path) -> Iterator[str]:
    """Yield what the types alone cannot say about a rule file."""
    if not re.fullmatch(r"[A-Z]{2,}[0-9]{1,4}", rule.code):
        yield f"key `code`: `{rule.code}` is not capitals and digits"
    if path.stem != rule.code:
        yield f"key `code`: the file of `{rule.code}` is called {rule.code}.toml"
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name):
        yield f"key `name`: `{rule.name}` is not lower-case words joined by hyphens"
    if not rule.title or rule.title.endswith("."):
        yield "key `title`: a title has no full stop at its end"
    for key in ("message", "scenario"):
        for text in (getattr(rule, key), *(getattr(kind, key) for kind in rule.kinds.values())):
            try:
                names = placeholders(text)
            except ValueError as error:
                yield f"key `{key}`: {error}"
            else:
                if not all(name.isidentifier() for name in names):
                    yield f"key `{key}`: a placeholder is one plain name"
    if tuple(sections(rule.doc)) != HEADINGS:
        yield f"key `doc`: its headings are not {', '.join(f'`{heading}`' for heading in HEADINGS)}, in this order"
    for heading, text in sections(rule.doc).items():
        if not text:
            yield f"key `doc`: nothing under `{heading}`"
    if len(rule.example) not in (0, 2) or not all(re.fullmatch(r"[\w/]+\.py:[\w.]+", place) for place in rule.example):
        yield "key `example`: a bad and a good function, each `file.py:function`"
    for name, option in rule.options.items():
        if not _fits(option.default, option.type):
            yield f"key `options.{name}.default`: expected {option.type}"
    if rule.parameters and not rule.check:
        yield f"key `with`: only a rule with a check has parameters; keys are {', '.join(keys_of(Rule))}"


def _fits(value: object, kind: OptionType) -> bool:
    if kind == "strings":
        return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, bool if kind == "boolean" else str)


def _table(value: object, where: str) -> Table:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: expected a table")
    return value
