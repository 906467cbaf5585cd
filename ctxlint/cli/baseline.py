"""`ctxlint baseline`: write, shrink and show the file of accepted findings."""

from __future__ import annotations

import argparse
import datetime
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxlint.cli.arguments import check_parser, parse
from ctxlint.cli.check import request_of
from ctxlint.cli.main import CLEAN, FAILED
from ctxlint.cli.streams import warn, write_report, write_whole
from ctxlint.errors import UsageError
from ctxlint.knowledge.nearness import did_you_mean

if TYPE_CHECKING:
    from ctxlint.engine import Analyzer, Outcome, Request
    from ctxlint.gate.baseline import Baseline, Comparison, Entry

COMMANDS = ("create", "update", "prune", "show")
FILE = "ctxlint-baseline.jsonl"
"""What the baseline is called where nobody has named it."""

_USAGE = """usage: ctxlint baseline create|update|prune|show [OPTIONS] [PATH ...]

The baseline accepts findings that were there before the gate was; `check --baseline FILE` does not count them.

  create  accept every finding that is there now (--force replaces a baseline)
  update  let entries follow functions that were moved, and drop what no longer exists; --add accepts new findings, too
  prune   drop what no longer exists, and change nothing else
  show    print the entries (--output-format json-lines prints the file's own form)

The file is --baseline FILE, else the setting `baseline`, else {file} beside the configuration.
The other options are those of `ctxlint check`; --reason TEXT is kept with the findings that are accepted now.
"""


def baseline(words: Sequence[str], analyzer: Analyzer | None = None) -> int:
    """Run `ctxlint baseline` with these words after it and return the exit status."""
    if not words or words[0] in ("-h", "--help"):
        write_report(_USAGE.format(file=FILE), None)
        return CLEAN if words else FAILED
    command = words[0]
    if command not in COMMANDS:
        raise UsageError(f"ctxlint baseline {command}: there is no such command{did_you_mean(command, COMMANDS)}; "
                         f"there are {', '.join(COMMANDS)}")
    arguments = parse(_parser(command), words[1:])
    if arguments.since is not None:
        raise UsageError("--since compares with a revision; a baseline is about what is there")
    request, file = _named(request_of(arguments))
    if command == "show":
        return _show(file, arguments)
    if command == "create":
        return _create(request, file, arguments, analyzer)
    return _shrink(request, file, arguments, analyzer, follow=command == "update")


def _parser(command: str) -> argparse.ArgumentParser:
    parser = check_parser()
    parser.prog = f"ctxlint baseline {command}"
    parser.usage = f"ctxlint baseline {command} [OPTIONS] [PATH ...]"
    if command in ("create", "update"):
        parser.add_argument("--reason", default="", metavar="TEXT", help="why the findings are accepted")
    if command == "create":
        parser.add_argument("--force", action="store_true", help="replace the baseline that is there")
    if command == "update":
        parser.add_argument("--add", action="store_true", help="accept findings that are new, too")
    return parser


def _named(request: Request) -> tuple[Request, Path]:
    """Return the request with the place of its baseline filled in, and that place."""
    configuration = request.configuration
    file = configuration.folder / (configuration.settings.baseline or FILE)
    settings = msgspec.structs.replace(configuration.settings, baseline=str(file))
    return msgspec.structs.replace(request, configuration=msgspec.structs.replace(configuration, settings=settings)), file


def _create(request: Request, file: Path, arguments: argparse.Namespace, analyzer: Analyzer | None) -> int:
    from ctxlint.engine import run
    from ctxlint.gate.baseline import accepted_now

    if os.path.lexists(file) and not arguments.force:
        raise UsageError(f"{file}: there is a baseline already; `update` shrinks it, `update --add` accepts what is new, "
                         "`create --force` begins again")
    outcome = run(msgspec.structs.replace(request, baseline=False), analyzer)
    entries = accepted_now(outcome.report.diagnostics, file.parent, arguments.reason, _today())
    _write(file, entries)
    _tell(outcome, f"{_findings(entries)} accepted in {file}; "
                   f"`check --baseline {os.path.relpath(file)}` or the setting `baseline` leaves them out")
    return FAILED if outcome.report.incomplete else CLEAN


def _shrink(
    request: Request, file: Path, arguments: argparse.Namespace, analyzer: Analyzer | None, follow: bool
) -> int:
    """Drop what no longer exists; with `follow`, entries go where their findings went, and `--add` accepts new ones."""
    from ctxlint.engine import run
    from ctxlint.gate.baseline import accepted_now, moved_along, without_stale

    outcome = run(request, analyzer)
    before, comparison = _compared_with(outcome)
    judged = frozenset(outcome.judged)
    entries = (moved_along(before.entries, comparison, judged, before.folder) if follow
               else without_stale(before.entries, comparison, judged))
    if follow and arguments.add:
        entries = (*entries, *accepted_now(outcome.report.diagnostics, before.folder, arguments.reason, _today()))
    _write(file, entries)
    if len(outcome.judged) < len(before.entries):
        warn(f"{len(before.entries) - len(outcome.judged)} entries were not judged: this run does not look at all that "
             "the baseline is about")
    _tell(outcome, f"{_findings(entries)} accepted in {file}, {_findings(before.entries)} before")
    return FAILED if outcome.report.incomplete else CLEAN


def _show(file: Path, arguments: argparse.Namespace) -> int:
    from ctxlint.gate.baseline import baseline_text, read_baseline

    entries = read_baseline(file).entries
    if arguments.output_format == "json-lines":
        text = baseline_text(entries)
    elif arguments.output_format == "json":
        text = json.dumps(msgspec.to_builtins(entries), indent=2) + "\n"
    else:
        rows = [f"{one.path}: {one.code} {one.symbol}" + (f" ({one.count} times)" if one.count > 1 else "")
                + f"  {one.date}  {one.reason}".rstrip() for one in sorted(entries)]
        counts: Counter[str] = Counter()
        for one in entries:
            counts[one.code] += one.count
        rows += [f"{count}  {code}" for code, count in sorted(counts.items())]
        text = "".join(f"{row}\n" for row in rows)
    write_report(text, arguments.output_file)
    return CLEAN


def _compared_with(outcome: Outcome) -> tuple[Baseline, Comparison]:
    assert outcome.baseline is not None and outcome.comparison is not None
    return outcome.baseline, outcome.comparison


def _write(file: Path, entries: Sequence[Entry]) -> None:
    from ctxlint.gate.baseline import baseline_text

    try:
        write_whole(file, baseline_text(entries).encode("ascii"))
    except OSError as error:
        raise UsageError(f"{file}: the baseline cannot be written: {error.strerror}") from error


def _tell(outcome: Outcome, done: str) -> None:
    for one in outcome.report.coverage.not_analysed:
        warn(f"{one.path} was not analysed ({one.reason}): {one.detail}")
    warn(done)


def _findings(entries: Sequence[Entry]) -> str:
    count = sum(entry.count for entry in entries)
    return "1 finding" if count == 1 else f"{count} findings"


def _today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
