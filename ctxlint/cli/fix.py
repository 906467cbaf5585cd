"""`ctxlint check` with `--fix` or `--diff`: the files are rewritten, or it is shown how they would be."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ctxlint.cli.main import CLEAN, FAILED, FINDINGS
from ctxlint.cli.streams import warn, write_report

if TYPE_CHECKING:
    import argparse

    from ctxlint.engine import Analyzer, Request
    from ctxlint.repairs import Repair
    from ctxlint.result import Report


def fix(
    request: Request,
    arguments: argparse.Namespace,
    analyzer: Analyzer | None,
    wipe: Callable[[], None],
    deliver: Callable[[Report], None],
    status: Callable[[Report], int],
) -> int:
    """Fix, or show the difference, and return the exit status; `deliver` writes what is left, `status` says what that means."""
    from ctxlint.repairs import repair

    try:
        repaired = repair(request, analyzer)
    finally:
        wipe()
    if arguments.diff:
        return _show(repaired, request, arguments)
    if request.stdin is None:
        repaired = _written(repaired)
    else:
        _echo(repaired, request)
    _tell(repaired, request, arguments, "fixed")
    if not arguments.fix_only and request.stdin is None:
        deliver(repaired.report)
    if repaired.taken_back:
        return FAILED
    return CLEAN if arguments.fix_only and not repaired.report.incomplete else status(repaired.report)


def _show(repaired: Repair, request: Request, arguments: argparse.Namespace) -> int:
    from ctxlint.fix.diff import unified_diff
    from ctxlint.report.places import shown_path

    text = "".join(
        unified_diff(shown_path(path), repaired.before[path], repaired.after[path]) for path in sorted(repaired.after)
    )
    write_report(text, arguments.output_file)
    _tell(repaired, request, arguments, "would be fixed")
    if repaired.taken_back or repaired.report.incomplete:
        return FAILED
    return FINDINGS if text and not arguments.exit_zero else CLEAN


def _written(repaired: Repair) -> Repair:
    """Write the files, each in one step; a file that has changed meanwhile, or cannot be written, counts as taken back."""
    from ctxlint.runtime import atomic_write

    refused = dict(repaired.taken_back)
    written: dict[str, bytes] = {}
    for path, data in sorted(repaired.after.items()):
        place = os.path.realpath(path)
        if written.get(place) == data:                      # the same file under another name
            continue
        try:
            with open(path, "rb") as stream:
                same = stream.read() == repaired.before[path]
            if same:
                atomic_write(path, data)
                written[place] = data
            else:
                refused[path] = "it was changed while its fixes were made"
        except OSError as error:
            refused[path] = f"it cannot be written: {error.strerror or error}"
    applied = tuple(one for one in repaired.applied if not any(edit.path in refused for edit in one.fix.edits))
    return msgspec.structs.replace(repaired, applied=applied, taken_back=refused)


def _echo(repaired: Repair, request: Request) -> None:
    """Write the text from standard input, fixed, to standard output."""
    fixed = next(iter(repaired.after.values()), request.stdin or b"")
    sys.stdout.flush()
    sys.stdout.buffer.write(fixed)
    sys.stdout.buffer.flush()


def _tell(repaired: Repair, request: Request, arguments: argparse.Namespace, what: str) -> None:
    """Say on standard error what was done, what was not, and what could be done besides."""
    from ctxlint.fix.choice import fixable
    from ctxlint.report.places import shown_path

    if arguments.show_fixes:
        counts = Counter((one.diagnostic.path, one.diagnostic.code, one.fix.message) for one in repaired.applied)
        for (path, code, message), count in sorted(counts.items()):
            sys.stderr.write(f"{shown_path(path)}: {code} ({count}): {message}\n")
    for path, reason in sorted(repaired.taken_back.items()):
        warn(f"error: {shown_path(path)}: not fixed: {reason}")
    if arguments.quiet:
        return
    files = len({one.diagnostic.path for one in repaired.applied})
    sys.stderr.write(f"{_plural(len(repaired.applied), 'finding')} {what} in {_plural(files, 'file')}\n")
    _, more = fixable(repaired.report.diagnostics, request.configuration.settings)
    if more:
        sys.stderr.write(f"{_plural(more, 'finding')} more with --unsafe-fixes\n")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
