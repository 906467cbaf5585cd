"""The options of `check`, and what they say about the settings."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from typing import get_args

from ctxlint.diagnostic import CONFIDENCES
from ctxlint.errors import UsageError
from ctxlint.knowledge.nearness import did_you_mean
from ctxlint.knowledge.settings import FailOn, OutputFormat


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Return what `words` say; raise UsageError with the near match for an option that does not exist."""
    # The reason of --add-noqa is optional, so that it has to be told from a path that follows.
    marked = ["--add-noqa=" if word == "--add-noqa" else word for word in _marked(words)]
    arguments, unknown = parser.parse_known_intermixed_args(marked)
    for name, value in vars(arguments).items():
        if isinstance(value, list):
            setattr(arguments, name, [word.removeprefix(_NAME) if isinstance(word, str) else word for word in value])
    if unknown:
        options = re.findall(r"(?<!\S)-{1,2}[a-z][a-z-]*", parser.format_help())
        word = unknown[0].split("=")[0]
        meant = f" (for the path of that name: `.{os.sep}{word}`)" if os.path.exists(word) else did_you_mean(word, options)
        raise UsageError(f"unknown option `{unknown[0]}`{meant if word[:1] == '-' else ''}")
    return arguments


_NAME = "\0"
"""Begins a word that is no option whatever it looks like; no word of a process can contain it."""


def _marked(words: Sequence[str]) -> list[str]:
    """Mark the words after `--` as names: argparse loses those that look like options when they are mixed with options."""
    if "--" not in words:
        return list(words)
    end = list(words).index("--")
    return [*words[:end], *(_NAME + word for word in words[end + 1:])]


def check_parser() -> argparse.ArgumentParser:
    """Return the parser of `ctxlint check`."""
    parser = argparse.ArgumentParser(prog="ctxlint check", usage="ctxlint check [OPTIONS] [PATH ...]",
                                     description="Analyse files and folders.", allow_abbrev=False)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; `-` is standard input (default: .)")

    rules = parser.add_argument_group("rules")
    for flag, text in (
        ("--select", "run these rules instead of the default set: codes, prefixes or ALL"),
        ("--extend-select", "run these rules too"),
        ("--ignore", "do not report these rules"),
    ):
        rules.add_argument(flag, action="append", type=codes, metavar="CODES", help=text)
    rules.add_argument("--per-file-ignores", action="append", type=pattern_and_codes, metavar="PATTERN:CODES",
                       help="do not report these rules in the files that match")
    rules.add_argument("--preview", action="store_true", default=None, help="let preview rules run")
    rules.add_argument("--min-confidence", choices=CONFIDENCES, help="report this confidence and higher")

    gate = parser.add_argument_group("what counts")
    gate.add_argument("--since", metavar="REV",
                      help="only findings that this git revision does not have; merge-base:REV is where the branch left REV")
    gate.add_argument("--baseline", metavar="FILE", help="only findings that this file does not accept (see `ctxlint baseline`)")
    gate.add_argument("--require-reason", action="store_true", default=None,
                      help="a comment that hides a finding must say why")
    gate.add_argument("--add-noqa", metavar="[=REASON]",
                      help="hide what is reported behind comments in the files, with a reason for all of them")

    files = parser.add_argument_group("files")
    files.add_argument("--stdin-filename", metavar="FILE", help="where the text on standard input would lie")
    files.add_argument("--force-exclude", action="store_true", default=None,
                       help="leave excluded files out even when they are named")
    files.add_argument("--show-files", action="store_true", help="list the files that would be analysed, and stop")

    setup = parser.add_argument_group("configuration")
    setup.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE",
                       help="the configuration file, or one key with a TOML value (repeatable, the last wins)")
    setup.add_argument("--isolated", action="store_true", help="read no configuration file")
    setup.add_argument("--show-settings", action="store_true", help="show the settings of this run, and stop")
    setup.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    setup.add_argument("--cache-dir", metavar="FOLDER", help="the folder of the cache")
    setup.add_argument("-j", "--jobs", type=jobs, metavar="N", help="worker processes (0: one a processor)")
    setup.add_argument("--tree", choices=("fast", "libcst"), default="fast",
                       help="which reader gives the verdict on all files (the findings are the same)")

    report = parser.add_argument_group("report")
    report.add_argument("--output-format", choices=get_args(OutputFormat), metavar="FORMAT",
                        help=f"the format of the report: {', '.join(get_args(OutputFormat))}")
    report.add_argument("--output-file", metavar="FILE", help="write the report there, whole or not at all")
    report.add_argument("--statistics", action="store_true", help="count the findings of each rule")
    report.add_argument("--timing", action="store_true",
                        help="say on standard error where the CPU time went: steps, rules, slowest files")
    report.add_argument("--show-suppressed", action="store_true",
                        help="show what comments, the baseline and --since hide, and what was fixed, too")
    report.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text reports")
    report.add_argument("-q", "--quiet", action="store_true", help="print findings and errors only")
    report.add_argument("-v", "--verbose", action="store_true", help="tell what is done, on standard error")

    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="apply the safe fixes, and report what is left")
    fixes.add_argument("--unsafe-fixes", action=argparse.BooleanOptionalAction, default=None, help="apply unsafe fixes, too")
    fixes.add_argument("--diff", action="store_true", help="write nothing; show what --fix would change (status 1 if anything)")
    fixes.add_argument("--fix-only", action="store_true", help="apply fixes, and report nothing")
    fixes.add_argument("--show-fixes", action="store_true", help="list the fixes, on standard error")
    for flag, text in (
        ("--fixable", "fix the findings of these rules alone"),
        ("--unfixable", "do not fix the findings of these rules"),
    ):
        fixes.add_argument(flag, action="append", type=codes, metavar="CODES", help=text)

    status = parser.add_argument_group("exit status (0 clean, 1 findings, 2 could not do what was asked)")
    status.add_argument("--fail-on", choices=get_args(FailOn), help="the least severity that gives status 1")
    status.add_argument("--exit-zero", action="store_true", help="give status 0 instead of 1")
    parser.add_argument("-V", "--version", action="store_true", help="print the version, and stop")
    return parser


def flag_settings(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the settings that the command line sets, by the key they have in a file."""
    given: dict[str, object] = {}
    for key in ("select", "extend-select", "ignore", "fixable", "unfixable"):
        groups = getattr(arguments, key.replace("-", "_"))
        if groups is not None:
            given[key] = [code for group in groups for code in group]
    if arguments.per_file_ignores is not None:
        patterns: dict[str, list[str]] = {}
        for pattern, prefixes in arguments.per_file_ignores:
            patterns.setdefault(pattern, []).extend(prefixes)
        given["per-file-ignores"] = patterns
    if arguments.baseline is not None:
        # On the command line a path is relative to where the user is, in a file to the file.
        given["baseline"] = os.path.abspath(arguments.baseline) if arguments.baseline else ""
    for key in ("preview", "unsafe-fixes", "min-confidence", "force-exclude", "require-reason", "cache-dir", "jobs", "output-format", "fail-on"):
        value = getattr(arguments, key.replace("-", "_"))
        if value is not None:
            given[key] = value
    return given


def codes(text: str) -> list[str]:
    """Split `CTX101,CTX2` at commas and blanks."""
    return [code for code in re.split(r"[,\s]+", text) if code]


def pattern_and_codes(text: str) -> tuple[str, list[str]]:
    """Split `tests/*:CTX101,CTX2` at its last colon."""
    pattern, colon, prefixes = text.rpartition(":")
    if not colon or not pattern or not codes(prefixes):
        raise argparse.ArgumentTypeError(f"`{text}` is not PATTERN:CODES")
    return pattern, codes(prefixes)


def jobs(text: str) -> int:
    """Read a number of processes."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from 0 on")
    return int(text)
