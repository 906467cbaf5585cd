"""What a process costs: CPU and wall seconds with those of its children, and the peak memory of all of them together."""

from __future__ import annotations

import compileall
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Measured(NamedTuple):
    """What one process cost, its children included; `peak` is that of the largest process, in megabytes."""

    cpu: float
    wall: float
    peak: float


def installed() -> None:
    """Compile ctxlint, as installers do: what an installed tool never does again would be a tenth of each measured run."""
    compileall.compile_dir(ROOT / "ctxlint", quiet=1)


class Failed(Exception):
    """A process ended with a status that it should not end with."""


def run(command: Sequence[str], folder: Path, statuses: Sequence[int] = (0, 1), environment: Mapping[str, str] = {}) -> Measured:
    """Run a command in a folder; its report is not looked at. Raise Failed for a status that is none of `statuses`."""
    begin = time.monotonic()
    with open(os.devnull, "wb") as nowhere, subprocess.Popen(
        command, cwd=folder, stdout=nowhere, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}
    ) as process:
        errors = process.stderr.read() if process.stderr is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or [""]
        raise Failed(f"{Path(command[0]).name} ended with {process.returncode}: {last[0]}")
    return Measured(usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024)
