"""How long ctxlint takes: cold, when nothing has changed, and after one edit.

    python benchmarks/speed.py FOLDER… [--jobs N] [--repeat N] [--select CODES]

Each run is a process of its own on a copy of the folder, so that nothing is written beside the original; the cache lies in a
folder that is thrown away. CPU seconds are those of the process and its workers; of several runs the median counts.
`edit` adds a function to the file of middle size; `records` runs without the kept report, but with all lowered files.
Peak memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EDIT = "\n\ndef added_by_the_benchmark(value):\n    return value\n"


class Measured(NamedTuple):
    """What one process cost: CPU and wall seconds, and the peak memory in megabytes."""

    cpu: float
    wall: float
    peak: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--select", default="ALL")
    arguments = parser.parse_args()
    words = ["--isolated", "--preview", "--quiet", "--exit-zero", "--output-format", "json", "--jobs", str(arguments.jobs),
             "--select", arguments.select]
    print("| package | files | lines | run | CPU s | wall s | µs CPU a line | peak MB |\n|---|---|---|---|---|---|---|---|")
    for folder in arguments.folders:
        files, lines = size(folder)
        for name, cost in measured(folder, words, arguments.repeat):
            print(f"| {folder.name} | {files} | {lines} | {name} | {cost.cpu:.2f} | {cost.wall:.2f} "
                  f"| {cost.cpu / lines * 1e6:.1f} | {cost.peak:.0f} |", flush=True)
    return 0


def size(folder: Path) -> tuple[int, int]:
    """The Python files of a folder, and their lines."""
    files = sorted(folder.rglob("*.py"))
    return len(files), sum(file.read_bytes().count(b"\n") for file in files)


def measured(folder: Path, words: Sequence[str], repeat: int) -> Iterator[tuple[str, Measured]]:
    """The four runs of one package, cheapest to explain first."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        source, cache = work / folder.name, work / "cache"
        shutil.copytree(folder, source, ignore=shutil.ignore_patterns("__pycache__"))
        edited = middle(source)
        command = [sys.executable, "-m", "ctxlint", "check", *words, "--cache-dir", str(cache), str(source)]

        def cold() -> None:
            shutil.rmtree(cache, ignore_errors=True)

        def forget_reports() -> None:
            shutil.rmtree(cache / "reports", ignore_errors=True)

        def edit() -> None:
            edited.write_text(edited.read_text(encoding="utf-8") + EDIT, encoding="utf-8")

        for name, prepare in (("cold", cold), ("warm", lambda: None), ("records", forget_reports), ("edit", edit)):
            costs = []
            for _ in range(repeat):
                prepare()
                costs.append(run(command, work))
            yield name, Measured(*(statistics.median(column) for column in zip(*costs)))


def middle(folder: Path) -> Path:
    """The file of middle size that an edit goes into."""
    files = sorted(folder.rglob("*.py"), key=lambda file: (file.stat().st_size, file))
    return files[len(files) // 2]


def run(command: Sequence[str], folder: Path) -> Measured:
    """Run a command; its report is not looked at, its failure is an error."""
    begin = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        errors = process.stderr.read() if process.stderr is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{errors.decode(errors='replace')}")
    return Measured(usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    raise SystemExit(main())
