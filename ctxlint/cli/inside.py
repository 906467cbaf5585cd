"""`ctxlint discover` and `ctxlint why-not`: look inside the analysis."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxlint.cli.arguments import parse
from ctxlint.cli.main import CLEAN
from ctxlint.cli.streams import progress_line, write_report
from ctxlint.errors import UsageError
from ctxlint.knowledge.codes import rule_called, which_code
from ctxlint.knowledge.configuration import load_configuration
from ctxlint.knowledge.rules import load_rules

if TYPE_CHECKING:
    from ctxlint.engine import Request
    from ctxlint.knowledge.configuration import Configuration

Answer = TypeVar("Answer")


def discover(words: Sequence[str]) -> int:
    """Run `ctxlint discover`: list the cells, stores and locks that the analysis believes in, with the evidence."""
    parser = _parser("discover", "List the cells, stores and locks that the analysis believes in, with the evidence.")
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files and folders (default: .)")
    arguments = parse(parser, words)
    paths = tuple(arguments.paths)
    from ctxlint.inside import discover_roles
    from ctxlint.report.beliefs import as_json, roles_as_text

    roles = _asked(discover_roles, _request(paths, _configuration(arguments, Path(paths[0]))), arguments)
    text = as_json(roles) if arguments.format == "json" else roles_as_text(roles)
    write_report(text or "no cell, store or lock is known here\n", None)
    return CLEAN


def why_not(words: Sequence[str]) -> int:
    """Run `ctxlint why-not`: say which facts keep the rules silent about a line."""
    parser = _parser("why-not", "Say which facts keep the rules (or one rule) silent about a line.")
    parser.add_argument("place", metavar="FILE:LINE", help="the line that was expected to be reported")
    parser.add_argument("code", nargs="?", default="", metavar="CODE", help="only this rule, by code or name")
    parser.add_argument("--project", action="append", default=[], metavar="PATH",
                        help="what is analysed with it (default: the package that holds the file)")
    arguments = parse(parser, words)
    path, line = _place(arguments.place)
    configuration = _configuration(arguments, Path(path))
    code = _known(arguments.code, configuration)
    from ctxlint.inside import why_not as explained
    from ctxlint.report.beliefs import as_json, explanation_as_text

    request = _request(tuple(arguments.project) or (_package_of(path),), configuration)
    explanation = _asked(lambda request: explained(request, path, line, code), request, arguments)
    write_report((as_json if arguments.format == "json" else explanation_as_text)(explanation), None)
    return CLEAN


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"ctxlint {command}", description=description, allow_abbrev=False)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE",
                        help="the configuration file, or one key with a TOML value")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    return parser


def _configuration(arguments: argparse.Namespace, start: Path) -> Configuration:
    folder = start if start.is_dir() else Path(os.path.abspath(start)).parent
    return load_configuration(start=folder, arguments=arguments.config, isolated=arguments.isolated, flags={})


def _request(paths: tuple[str, ...], configuration: Configuration) -> Request:
    from ctxlint.engine import Request

    return Request(paths=paths, configuration=configuration)


def _asked(question: Callable[[Request], Answer], request: Request, arguments: argparse.Namespace) -> Answer:
    """Ask while progress is shown."""
    import msgspec

    show, wipe = progress_line(arguments.quiet)
    try:
        return question(msgspec.structs.replace(request, progress=show))
    finally:
        wipe()


def _place(word: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+):([1-9][0-9]*)", word, re.DOTALL)
    if found is None:
        raise UsageError(f"{word}: give a file and a line, as in agent/memory.py:42")
    path, line = found[1], int(found[2])
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file")
    return path, line


def _known(word: str, configuration: Configuration) -> str:
    if not word:
        return ""
    rules = load_rules(configuration.paths(configuration.settings.rule_paths))
    rule = rule_called(word, rules)
    if rule is None:
        raise UsageError(f"no rule is called `{word}`{which_code(word, {code: one for code, one in rules.items() if one.check})}")
    if not rule.check:
        raise UsageError(f"{rule.code} is not about code: ctxlint says it of its own run (`ctxlint explain {rule.code}`)")
    return rule.code


def _package_of(path: str) -> str:
    """The outermost package that holds the file, or the file where it lies in none."""
    folder = Path(os.path.abspath(path)).parent
    found = Path(path)
    while (folder / "__init__.py").exists():
        found, folder = folder, folder.parent
    return str(found)
