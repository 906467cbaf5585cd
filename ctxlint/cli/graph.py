"""`ctxlint graph`: what the analysis sees of a program, for people and for other tools."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlint.cli.arguments import jobs, parse
from ctxlint.cli.main import CLEAN, FAILED
from ctxlint.cli.streams import progress_line, warn, write_report
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import load_configuration

if TYPE_CHECKING:
    from ctxlint.engine import Progress, Request

FORMATS = ("json", "dot", "graphml")

_NEAR_NAMES = 5


def graph(words: Sequence[str]) -> int:
    """Run `ctxlint graph` with these words after it and return the exit status."""
    arguments = parse(graph_parser(), words)
    if arguments.events:
        if arguments.paths:
            raise UsageError("--events FILE:FUNCTION names its file itself; other paths cannot be given with it")
        return _events(arguments)
    return _calls(arguments)


def graph_parser() -> argparse.ArgumentParser:
    """Return the parser of `ctxlint graph`."""
    parser = argparse.ArgumentParser(
        prog="ctxlint graph", description="Print what the analysis sees of a program.", allow_abbrev=False)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: .)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--calls", action="store_true", help="which functions call which, by dotted name")
    what.add_argument("--events", metavar="FILE:FUNCTION", help="the events of one function, in order")
    parser.add_argument("--format", choices=FORMATS, default="json", help="the format of --calls (default: json)")
    parser.add_argument("--output-file", metavar="FILE", help="write the graph there, whole or not at all")
    parser.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE",
                        help="the configuration file, or one key with a TOML value (repeatable, the last wins)")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    parser.add_argument("-j", "--jobs", type=jobs, metavar="N", help="worker processes (0: one a processor)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print the graph and errors only")
    return parser


def _calls(arguments: argparse.Namespace) -> int:
    """Print the call graph; what could not be read or resolved is told on standard error."""
    from ctxlint.inside import called
    from ctxlint.report.call_graph import render_calls
    from ctxlint.report.summary import coverage_line

    show, wipe = progress_line(arguments.quiet)
    try:
        found = called(_request(arguments, tuple(arguments.paths) or (".",), show))
    finally:
        wipe()
    write_report(render_calls(found, arguments.format), arguments.output_file)
    if not arguments.quiet:
        for problem in found.problems:
            warn(f"warning: {problem}")
        sys.stderr.write(f"{coverage_line(found.coverage)}; {found.sites} calls, {found.unknown} unknown\n")
    return FAILED if found.coverage.not_analysed else CLEAN


def _events(arguments: argparse.Namespace) -> int:
    """Print the events of the functions that `FILE:FUNCTION` names."""
    from ctxlint.inside import described

    file, colon, function = arguments.events.rpartition(":")
    if not colon or not file or not function:
        raise UsageError(f"`{arguments.events}` is not FILE:FUNCTION")
    show, _ = progress_line(True)
    found = described(_request(arguments, (file,), show), function)
    if found.not_analysed:
        raise UsageError(f"{file}: {found.not_analysed[0].reason}: {found.not_analysed[0].detail}")
    if not found.texts:
        raise UsageError(f"{file}: no function is called `{function}`{_instead(function, found.names)}")
    write_report("\n".join(found.texts), arguments.output_file)
    return CLEAN


def _instead(name: str, names: Sequence[str]) -> str:
    """Which names were perhaps meant: those that end alike, then those that are spelled alike."""
    import difflib

    last = name.rpartition(".")[2]
    same = [each for each in names if each.rpartition(".")[2] == last]
    near = list(dict.fromkeys([*same, *difflib.get_close_matches(name, names, _NEAR_NAMES)]))[:_NEAR_NAMES]
    return f"; there is {', '.join([f'`{each}`' for each in near])}" if near else ""


def _request(arguments: argparse.Namespace, paths: tuple[str, ...], progress: Progress) -> Request:
    from ctxlint.engine import Request

    folder = paths[0] if os.path.isdir(paths[0]) else os.path.dirname(os.path.abspath(paths[0]))
    flags: dict[str, object] = {} if arguments.jobs is None else {"jobs": arguments.jobs}
    configuration = load_configuration(Path(folder), arguments.config, arguments.isolated, flags)
    return Request(paths, configuration, cache=False, progress=progress)
