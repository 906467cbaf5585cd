"""`ctxlint dev`: the generated files of a checkout, and the beginning of a new rule."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxlint.cli.arguments import parse
from ctxlint.cli.main import CLEAN, FINDINGS
from ctxlint.cli.streams import warn, write_report
from ctxlint.errors import ConfigurationError, UsageError
from ctxlint.knowledge.configuration import json_schema
from ctxlint.knowledge.models import checked_versions
from ctxlint.knowledge.nearness import did_you_mean
from ctxlint.knowledge.places import checkout_folder
from ctxlint.knowledge.rules import HEADINGS, Rule, load_rules
from ctxlint.report.configuration_page import configuration_page
from ctxlint.report.rules_page import rule_page, rules_table

COMMANDS = ("generate", "new-rule")
RULES_BEGIN, RULES_END = "<!-- rules: generated -->", "<!-- end of rules -->"
MODELS_BEGIN, MODELS_END = "<!-- models: generated -->", "<!-- end of models -->"
PLACEHOLDER = "To be written"
"""Begins every text of a new rule that its author has to write; a test refuses rules that still have one."""


def dev(words: Sequence[str]) -> int:
    """Run `ctxlint dev generate` or `ctxlint dev new-rule`."""
    command = words[0] if words else ""
    if command == "generate":
        parser = argparse.ArgumentParser(
            prog="ctxlint dev generate", description="Write the files that are made from the rules.", allow_abbrev=False)
        parser.add_argument("--check", action="store_true", help="write nothing; status 1 when a file is out of date")
        return generate(checkout_folder(), parse(parser, words[1:]).check)
    if command == "new-rule":
        parser = argparse.ArgumentParser(
            prog="ctxlint dev new-rule", description="Begin a rule on an existing check.", allow_abbrev=False)
        parser.add_argument("code", metavar="CODE")
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--check", required=True, help="the function of ctxlint.checks that asks the question")
        arguments = parse(parser, words[1:])
        return new_rule(checkout_folder(), arguments.code, arguments.name, arguments.check)
    if command in ("-h", "--help"):
        write_report(f"usage: ctxlint dev {{{','.join(COMMANDS)}}} ...\n", None)
        return CLEAN
    raise UsageError(f"ctxlint dev wants a command: {', '.join(COMMANDS)}{did_you_mean(command, COMMANDS)}")


def generate(checkout: Path, check: bool) -> int:
    """Write the generated files of `checkout`; with `check` only say which are out of date (status 1)."""
    stale = [(path, text) for path, text in generated_files(checkout) if _content(path) != text]
    pages = {path for path, _ in generated_files(checkout)}
    orphans = [path for path in sorted((checkout / "docs" / "rules").glob("*.md")) if path not in pages]
    for path, text in stale:
        if check:
            warn(f"{path.relative_to(checkout)} is out of date: run `ctxlint dev generate`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            write_report(f"wrote {path.relative_to(checkout)}\n", None)
    for path in orphans:
        if check:
            warn(f"{path.relative_to(checkout)} describes no rule: run `ctxlint dev generate`")
        else:
            path.unlink()
            write_report(f"removed {path.relative_to(checkout)}\n", None)
    return FINDINGS if check and (stale or orphans) else CLEAN


def generated_files(checkout: Path) -> Iterator[tuple[Path, str]]:
    """Yield each generated file and the text it should have."""
    rules = load_rules(folder=checkout / "rules")
    for rule in rules.values():
        try:
            page = rule_page(rule, checkout / "fixtures")
        except ValueError as error:
            raise ConfigurationError(f"{checkout / 'rules' / rule.code}.toml: key `example`: {error}") from error
        yield checkout / "docs" / "rules" / f"{rule.code}.md", page
    yield checkout / "docs" / "rules.md", _rules_index(rules)
    schema = json_schema(rules)
    yield checkout / "docs" / "configuration.schema.json", json.dumps(schema, indent=2) + "\n"
    yield checkout / "docs" / "configuration.md", configuration_page(schema, rules.values())
    yield from _part(checkout / "README.md", RULES_BEGIN, rules_table(rules.values(), link="docs/rules"), RULES_END)
    libraries = sorted(f"{library} {version}" for library, version in checked_versions(checkout / "rules" / "models"))
    yield from _part(checkout / "docs" / "models.md", MODELS_BEGIN, ", ".join(libraries) + ".\n", MODELS_END)


def _part(path: Path, begin: str, text: str, end: str) -> Iterator[tuple[Path, str]]:
    """The file with another text between its two marks, if it has them."""
    before, begun, rest = _content(path).partition(begin)
    _, ended, after = rest.partition(end)
    if begun and ended:
        yield path, f"{before}{begin}\n{text}{end}{after}"


def new_rule(checkout: Path, code: str, name: str, check: str) -> int:
    """Write the rule file, the fixtures and the change fragment of a new rule; refuse when one of them is there."""
    if not re.fullmatch(r"[A-Z]{2,}[0-9]{1,4}", code):
        raise UsageError(f"`{code}` is not a code: capitals, then digits")
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        raise UsageError(f"`{name}` is not a name: lower-case words joined by hyphens")
    checks = sorted(path.stem for path in (checkout / "ctxlint" / "checks").glob("[a-z]*.py"))
    if check not in checks:
        raise UsageError(f"no check is called `{check}`{did_you_mean(check, checks)}")
    files = {
        checkout / "rules" / f"{code}.toml": _rule_text(code, name, check),
        checkout / "fixtures" / code / "first.py": _fixture_text(code, name),
        checkout / "docs" / "changes" / f"{code}.md": f"{code} {name}: {PLACEHOLDER}: what users see.\n",
    }
    for path in files:
        if path.exists():
            raise UsageError(f"{path.relative_to(checkout)} exists already")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        write_report(f"wrote {path.relative_to(checkout)}\n", None)
    return CLEAN


def _rules_index(rules: dict[str, Rule]) -> str:
    return (
        "# Rules\n\nThis page and the pages it links are made from `rules/*.toml` by `ctxlint dev generate`.\n\n"
        + rules_table(rules.values(), link="rules")
    )


def _rule_text(code: str, name: str, check: str) -> str:
    doc = "\n\n".join(f"## {heading}\n{PLACEHOLDER}." for heading in HEADINGS)
    return f'''code = "{code}"
name = "{name}"
title = "{PLACEHOLDER}"
message = "{PLACEHOLDER}: two facts and the order that can happen to `{{cell}}`"
scenario = "{PLACEHOLDER}: the crash point or interleaving that fails"
severity = "warning"
status = "preview"
since = "0.1"
check = "{check}"
doc = """
{doc}
"""

[with]
'''


def _fixture_text(code: str, name: str) -> str:
    return f'"""Cases and traps of {code} {name}: what is expected stands on the line."""\n'


def _content(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
