"""`ctxlint check`: analyse, report, and say with the exit status how it went."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxlint.cli.arguments import check_parser, flag_settings, parse
from ctxlint.cli.main import CLEAN, FAILED, FINDINGS
from ctxlint.cli.repeated import keep
from ctxlint.cli.streams import hint, progress_line, recorded, terminal_width, wants_colour, warn, write_report
from ctxlint.diagnostic import SEVERITIES
from ctxlint.discovery.asked import Asked
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import load_configuration

if TYPE_CHECKING:
    from ctxlint.engine import Analyzer, Request
    from ctxlint.result import Report

Progress = Callable[[int, int], None]

STDIN = "-"
FOR_PEOPLE = ("text", "concise")
"""The formats that somebody reads as they are: beside them stands how much was found."""
WITH_FIXES = (*FOR_PEOPLE, "json", "json-lines", "sarif", "rdjson", "html")
"""The formats that carry the edits, or say that there are some."""
ANNOTATING = ("github", "gitlab", "rdjson", "junit")
"""The formats whose readers put findings at lines of the present: what is no longer there has none."""
NAMELESS = "stdin.py"
"""What standard input is called when the command line gives it no name."""


def check(words: Sequence[str], analyzer: Analyzer | None = None) -> int:
    """Run `ctxlint check` with these words after it and return the exit status."""
    arguments = parse(check_parser(), words)
    if arguments.version:
        from ctxlint.knowledge.version import version

        write_report(f"ctxlint {version()}\n", None)
        return CLEAN
    if arguments.add_noqa is not None and wants_fixing(arguments):
        raise UsageError("--add-noqa hides findings and --fix and --diff are about removing them: ask for one after the other")
    show, wipe = progress_line(arguments.quiet)
    request = request_of(arguments, show)
    if arguments.show_files or arguments.show_settings:
        return _show_plan(request, arguments)
    if arguments.verbose:
        warn(f"configuration: {request.configuration.file or 'none'}")
    if wants_fixing(arguments):
        from ctxlint.cli.fix import fix

        return fix(
            request, arguments, analyzer, wipe, lambda report: _deliver(report, request, arguments),
            lambda report: exit_status(report, request.configuration.settings.fail_on, arguments.exit_zero),
        )
    from ctxlint.engine import analyse

    try:
        report = analyse(request, analyzer)
    finally:
        wipe()
    if arguments.add_noqa is not None:
        from ctxlint.cli.noqa import add_noqa

        return add_noqa(report, request, arguments.add_noqa)
    with recorded() as written:
        _deliver(report, request, arguments)
    status = exit_status(report, request.configuration.settings.fail_on, arguments.exit_zero)
    if request.cache and request.stdin is None and request.asked is not None and analyzer is None:
        keep(words, request.configuration, request.asked, written, status)
    return status


def wants_fixing(arguments: argparse.Namespace) -> bool:
    """Whether the command line asks for fixes to be made or shown."""
    return bool(arguments.fix or arguments.diff or arguments.fix_only)


def request_of(arguments: argparse.Namespace, progress: Progress = lambda done, total: None) -> Request:
    """Return the run that the command line asks for."""
    paths = tuple(arguments.paths) or ((STDIN,) if arguments.stdin_filename else (".",))
    if "" in paths:
        raise UsageError("an empty path was given; `.` is this folder")
    from_stdin = _takes_stdin(paths, arguments.stdin_filename)
    start = _start((arguments.stdin_filename or NAMELESS,) if from_stdin else paths)
    asked = Asked()
    asked.around(start)
    asked.read(word for word in arguments.config if os.path.isfile(word))
    configuration = load_configuration(
        start=start,
        arguments=arguments.config,
        isolated=arguments.isolated,
        flags=flag_settings(arguments),
    )

    from ctxlint.engine import Request

    return Request(
        paths=() if from_stdin else paths,
        configuration=configuration,
        stdin=_standard_input() if from_stdin else None,
        stdin_filename=arguments.stdin_filename or NAMELESS,
        tree=arguments.tree,
        cache=not arguments.no_cache,
        since=arguments.since,
        fixes=configuration.settings.output_format in WITH_FIXES,
        progress=progress,
        asked=asked,
    )


def exit_status(report: Report, fail_on: str, exit_zero: bool = False) -> int:
    """Return 2 when something asked for was not analysed, 1 for findings of severity `fail_on` or worse, else 0."""
    if report.incomplete:
        return FAILED
    counting = () if fail_on == "never" else SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    failing = any(diagnostic.severity in counting for diagnostic in report.diagnostics)
    return FINDINGS if failing and not exit_zero else CLEAN


def _deliver(report: Report, request: Request, arguments: argparse.Namespace) -> None:
    """Write the report where it belongs, and what is no report to standard error."""
    from ctxlint.fix.choice import fixable
    from ctxlint.report.summary import comparison_line, coverage_line, findings_line, statistics, unseen_line

    form = request.configuration.settings.output_format
    gone = report.fixed if form not in ANNOTATING else ()
    shown_too = (*report.suppressed, *report.known, *gone) if arguments.show_suppressed else ()
    counts = statistics(report.diagnostics) if arguments.statistics else ""
    summary = "" if arguments.quiet else "".join((
        findings_line(report, *fixable(report.diagnostics, request.configuration.settings)) if form in FOR_PEOPLE else "",
        comparison_line(report), coverage_line(report.coverage), "\n", unseen_line(report)))
    if form == "text":
        from ctxlint.report.text import render_text

        colour = wants_colour(arguments.color, arguments.output_file)
        findings = render_text(report.diagnostics, shown_too, colour, width=terminal_width(arguments.output_file))
        text = "\n".join(part for part in (findings, counts, summary) if part)
        beside = ""
    else:
        from ctxlint.cli.formats import rendered

        text = rendered(report, request, shown_too)
        beside = counts + summary
    if not arguments.quiet:
        for problem in report.problems:
            warn(f"warning: {problem}")
    write_report(text, arguments.output_file)
    sys.stderr.write(beside)
    if arguments.timing:
        from ctxlint.report.summary import timing

        sys.stderr.write(timing(report))
    if form == "text" and report.diagnostics:
        hint(f"`ctxlint rule {report.diagnostics[0].code}` says why that is bad and when it is fine", arguments.quiet)


def _takes_stdin(paths: Sequence[str], stdin_filename: str | None) -> bool:
    if STDIN in paths and len(paths) > 1:
        raise UsageError("`-` is standard input and stands alone")
    if stdin_filename and STDIN not in paths:
        raise UsageError("--stdin-filename names standard input; other paths cannot be analysed with it")
    return STDIN in paths


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer.read()


def _start(paths: Sequence[str]) -> Path:
    """Return the folder from which the configuration file is sought: the one that holds all paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)) for path in paths]
    try:
        return Path(os.path.commonpath([os.path.abspath(folder) for folder in folders]))
    except ValueError:      # on different drives: nothing holds them all
        return Path.cwd()


def _show_plan(request: Request, arguments: argparse.Namespace) -> int:
    """Print the files or the settings of a run instead of running it."""
    from ctxlint.engine import plan
    from ctxlint.report.places import shown_path

    planned = plan(request)
    text = ""
    if arguments.show_settings:
        configuration = request.configuration
        settings = {
            "file": configuration.file or None,
            "folder": str(configuration.folder),
            "settings": msgspec.to_builtins(configuration.settings),
            "rules": {rule.code: configuration.options(rule) for rule in planned.selection.rules},
        }
        text += json.dumps(settings, indent=2) + "\n"
    if arguments.show_files:
        text += "".join(f"{shown_path(file.path)}\n" for file in planned.files)
    write_report(text, arguments.output_file)
    return CLEAN
