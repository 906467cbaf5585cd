"""Where output goes: the report to standard output or a file, everything else to standard error."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from ctxlint.errors import UsageError

PATIENCE = 1.0
"""Seconds before a run shows that it is still busy."""


def write_report(text: str, output_file: str | None) -> None:
    """Write a report to standard output, or whole to `output_file`; raise UsageError when that cannot be written."""
    if output_file is None:
        # A name that the terminal's encoding does not know is escaped rather than a crash.
        encoding = sys.stdout.encoding or "utf-8"
        try:
            sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"standard output cannot be written: {error.strerror}") from error
        return
    try:
        write_whole(Path(output_file), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"--output-file {output_file}: cannot be written: {error.strerror}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Give `path` the content `data` in one step, so that a failure leaves what was there; raise OSError.

    What is no regular file (a device, a pipe) is written to: to replace it would take it away from everybody.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    target = path.resolve()     # a link stays a link
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def warn(message: str) -> None:
    """Tell the user something that is not part of the report."""
    sys.stderr.write(f"ctxlint: {message}\n")


def wants_colour(choice: str, output_file: str | None) -> bool:
    """Whether the report is coloured: as asked, else on a terminal unless the environment says otherwise."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb":
        return False
    return output_file is None and sys.stdout.isatty()


def terminal_width(output_file: str | None) -> int | None:
    """Return how many columns the terminal that shows the report has; None when none shows it."""
    return shutil.get_terminal_size().columns if output_file is None and sys.stdout.isatty() else None


def hint(text: str, quiet: bool) -> None:
    """Tell somebody who sits at a terminal what can be done next; nobody else is told."""
    if not quiet and sys.stdout.isatty() and sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")


def progress_line(quiet: bool) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    """Return what shows progress and what wipes it: one line on a terminal, for runs longer than PATIENCE; else nothing."""
    if quiet or not sys.stderr.isatty():
        return (lambda done, total: None), (lambda: None)
    begin = time.monotonic()
    shown: list[str] = []

    def show(done: int, total: int) -> None:
        if time.monotonic() - begin > PATIENCE:
            shown[:] = [f"{done}/{total} files"]
            sys.stderr.write(f"\r{shown[0]}\x1b[K")
            sys.stderr.flush()

    def wipe() -> None:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    return show, wipe


@contextlib.contextmanager
def recorded() -> Iterator[list[str]]:
    """Everything that is written to the standard streams meanwhile, in order; what goes to standard error after a `!`."""
    written: list[str] = []
    out, errors = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Recording(out, "=", written), _Recording(errors, "!", written)
    try:
        yield written
    finally:
        sys.stdout, sys.stderr = out, errors


class _Recording(io.TextIOBase):
    """A stream that also notes what passes through it."""

    def __init__(self, stream: TextIO, mark: str, written: list[str]) -> None:
        self._stream, self._mark, self._written = stream, mark, written

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def write(self, text: str) -> int:
        if text:
            self._written.append(self._mark + text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
