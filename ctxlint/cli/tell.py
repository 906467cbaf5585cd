"""`ctxlint explain` and `ctxlint rules`: what the rules are."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxlint.cli.arguments import parse
from ctxlint.cli.main import CLEAN
from ctxlint.cli.streams import write_report
from ctxlint.errors import UsageError
from ctxlint.knowledge.codes import rule_called, which_code
from ctxlint.knowledge.configuration import load_configuration
from ctxlint.knowledge.rules import Rule, load_rules


def explain(words: Sequence[str]) -> int:
    """Run `ctxlint explain`: print the page of each rule that is named by code or name."""
    parser = _parser("explain", "Say what a rule finds, why that is bad, and when it is fine.")
    parser.add_argument("rules", nargs="+", metavar="CODE", help="a code or a name: CTX101, mutate-then-log")
    arguments = parse(parser, words)
    from ctxlint.report.rules_page import rule_page

    rules = _rules(arguments)
    pages = [rule_page(_named(word, rules)) for word in arguments.rules]
    write_report("\n".join(pages), None)
    return CLEAN


def rules(words: Sequence[str]) -> int:
    """Run `ctxlint rules`: print all rules, one a line, or as JSON."""
    parser = _parser("rules", "List the rules.")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    arguments = parse(parser, words)
    from ctxlint.report.rules_page import rules_as_json, rules_as_text

    render = rules_as_json if arguments.output_format == "json" else rules_as_text
    write_report(render(_rules(arguments).values()), None)
    return CLEAN


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"ctxlint {command}", description=description, allow_abbrev=False)
    parser.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE",
                        help="the configuration, which may add policies with `rule-paths`")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    return parser


def _rules(arguments: argparse.Namespace) -> dict[str, Rule]:
    """Return the built-in rules and the policies of the project around the working directory."""
    configuration = load_configuration(Path.cwd(), arguments.config, arguments.isolated)
    return load_rules(configuration.paths(configuration.settings.rule_paths))


def _named(word: str, rules: Mapping[str, Rule]) -> Rule:
    found = rule_called(word, rules)
    if found is None:
        raise UsageError(f"no rule is called `{word}`{which_code(word, rules)}")
    return found
