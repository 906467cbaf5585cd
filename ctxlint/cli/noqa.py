"""`ctxlint check --add-noqa[=REASON]`: hide what is reported now behind comments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlint.cli.main import CLEAN, FAILED, FINDINGS
from ctxlint.cli.streams import warn, write_whole
from ctxlint.errors import UsageError

if TYPE_CHECKING:
    from ctxlint.diagnostic import Diagnostic
    from ctxlint.engine import Request
    from ctxlint.result import Report


def add_noqa(report: Report, request: Request, reason: str) -> int:
    """Write a comment for each finding that counts, and return the exit status: 1 when some could get none."""
    from ctxlint.engine import plan
    from ctxlint.gate.noqa import with_comments

    if request.stdin is not None:
        raise UsageError("--add-noqa changes files; standard input is none")
    if "\n" in reason or "\r" in reason or "#" in reason:
        raise UsageError("--add-noqa: a reason is one line without `#`")
    if request.configuration.settings.require_reason and not reason:
        raise UsageError("--add-noqa: this project requires a reason: --add-noqa=REASON")
    rules = plan(request, ()).rules
    prefixes = tuple(sorted({code.rstrip("0123456789") for code in rules}))
    by_file: dict[str, list[Diagnostic]] = {}
    for one in report.diagnostics:
        if rules[one.code].check:       # what the tool says about comments and files is not answered by comments
            by_file.setdefault((one.stands or one).path, []).append(one)
    left = 0
    for path, findings in sorted(by_file.items()):
        file = Path(path)
        source = file.read_bytes()
        commented = with_comments(source, findings, reason, prefixes)
        if commented.source != source:
            try:
                write_whole(file, commented.source)
            except OSError as error:
                raise UsageError(f"--add-noqa: {path} cannot be written: {error.strerror}") from error
        for one in commented.left:
            warn(f"{path}:{one.span.line}: no comment can be written for {one.code} here")
        left += len(commented.left)
    total = sum(map(len, by_file.values()))
    warn(f"{total - left} of {total} findings are hidden by comments now, in {len(by_file)} {'file' if len(by_file) == 1 else 'files'}")
    if report.incomplete:
        return FAILED
    return FINDINGS if left else CLEAN
