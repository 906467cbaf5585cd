"""How long ctxlint takes: cold, when nothing has changed, after one edit, and against other tools.

    python benchmarks/speed.py CORPUS [--sizes S,M,L,XL] [--jobs N] [--repeat N] [--select CODES]
                               [--peers ENVIRONMENT] [--write docs/performance.md]

CORPUS holds the unpacked packages of `corpus.txt`; S is langgraph, M camel_ai, L agno, fast_agent_mcp and google_adk, XL all.
Each run is a process of its own on a copy of the packages, so that nothing is written beside the originals; the cache lies in
a folder that is thrown away. CPU seconds are those of the process and its workers; of several runs the median counts.
`edit` adds a function to the file of middle size, `edit, finding` to one with a finding; `comment` and `comment, finding` put a
comment at the beginning of these files; `records` runs without the kept reports and answers, but with all lowered files. Peak memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import paired
from processes import ROOT, Measured, installed, run

SIZES = {"S": ("langgraph",), "M": ("camel_ai",), "L": ("agno", "fast_agent_mcp", "google_adk"), "XL": ()}
COMMENT = "# {number}\n"
EDIT = "\n\ndef added_by_the_benchmark{number}(value):\n    return value\n"
SETTLED = 3.0
"""Seconds after which a file that has just been written no longer counts as one that may be written again in the same tick."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sizes", default="S,M")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--select", default="ALL")
    parser.add_argument("--peers", type=Path, metavar="ENVIRONMENT", help="measure other tools, installed into this folder")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the markers of this page")
    arguments = parser.parse_args()
    words = ["--isolated", "--preview", "--quiet", "--exit-zero", "--output-format", "json", "--jobs", str(arguments.jobs),
             "--select", arguments.select]
    lines: list[str] = []
    installed()

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    say(f"{os.cpu_count()} processors, Python {platform.python_version()}, `--select {arguments.select} --preview`, "
        f"median of {arguments.repeat}.\n")
    say("| size | files | lines | run | CPU s | wall s | µs CPU a line | peak MB |\n|---|---|---|---|---|---|---|---|")
    for size in arguments.sizes.split(","):
        with tempfile.TemporaryDirectory() as temporary:
            folder = copied(arguments.corpus, size, Path(temporary))
            files, count = extent(folder)
            for name, cost in measured(folder, words, arguments.repeat):
                say(f"| {size} | {files} | {count} | {name} | {cost.cpu:.2f} | {cost.wall:.2f} "
                    f"| {cost.cpu / count * 1e6:.1f} | {cost.peak:.0f} |")
    if arguments.peers:
        say("")
        for line in against_peers(arguments.corpus, arguments.peers, words, arguments.repeat):
            say(line)
    if arguments.write:
        write(arguments.write, lines)
    return 0


def copied(corpus: Path, size: str, work: Path) -> Path:
    """A copy of the packages of a size, in one folder."""
    folder = work / size
    folder.mkdir()
    for package in sorted(SIZES[size] or (entry.name for entry in corpus.iterdir() if entry.is_dir())):
        shutil.copytree(corpus / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def extent(folder: Path) -> tuple[int, int]:
    """The Python files of a folder, and their lines."""
    files = sorted(folder.rglob("*.py"))
    return len(files), sum(file.read_bytes().count(b"\n") for file in files)


def measured(source: Path, words: Sequence[str], repeat: int) -> Iterator[tuple[str, Measured]]:
    """The runs on one copy, cheapest to explain first."""
    work = source.parent
    cache = work / "cache"
    command = [sys.executable, "-m", "ctxlint", "check", *words, "--cache-dir", str(cache), str(source)]
    number = 0

    def cold() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def forget_reports() -> None:
        shutil.rmtree(cache / "reports", ignore_errors=True)
        shutil.rmtree(cache / "answers", ignore_errors=True)
        shutil.rmtree(cache / "runs", ignore_errors=True)

    def edit(file: Path) -> Callable[[], None]:
        def change() -> None:
            nonlocal number
            number += 1
            file.write_text(file.read_text(encoding="utf-8") + EDIT.format(number=number), encoding="utf-8")

        return change

    def comment(file: Path) -> Callable[[], None]:
        def change() -> None:
            nonlocal number
            number += 1
            file.write_text(COMMENT.format(number=number) + file.read_text(encoding="utf-8"), encoding="utf-8")

        return change

    time.sleep(SETTLED)
    faulty = with_a_finding(command, work)
    for name, prepare in (
        ("cold", cold), ("warm", lambda: None), ("records", forget_reports), ("comment", comment(middle(source))),
        *([("comment, finding", comment(faulty))] if faulty else ()),
        ("edit", edit(middle(source))), *([("edit, finding", edit(faulty))] if faulty else ()),
    ):
        costs = []
        for _ in range(repeat):
            prepare()
            costs.append(run(command, work))
        yield name, Measured(*(statistics.median(column) for column in zip(*costs)))


def middle(folder: Path) -> Path:
    """The file of middle size that an edit goes into."""
    files = sorted(folder.rglob("*.py"), key=lambda file: (file.stat().st_size, file))
    return files[len(files) // 2]


def with_a_finding(command: Sequence[str], work: Path) -> Path | None:
    """The first file with a finding."""
    done = subprocess.run(command, cwd=work, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    return next((Path(finding["filename"]) for finding in json.loads(done.stdout or "[]")), None)


def against_peers(corpus: Path, environment: Path, words: Sequence[str], repeat: int) -> Iterator[str]:
    """The table of ratios."""
    for name in paired.install(environment):
        yield f"{name} could not be installed from the package index.\n"
    yield f"Peers: {paired.versions(environment)}.\n"
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        folders = {size: copied(corpus, size, work) for size in ("S", "M")}
        time.sleep(SETTLED)

        def ours(folder: Path, warm: bool) -> Measured:
            cache = work / "cache"
            if not warm:
                shutil.rmtree(cache, ignore_errors=True)
            return run([sys.executable, "-m", "ctxlint", "check", *words, "--cache-dir", str(cache), str(folder)], work)

        yield from paired.table(paired.paired(environment, folders, ours, work, repeat))


def write(page: Path, lines: Sequence[str]) -> None:
    """Replace what stands between the page's markers."""
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- measured -->\n")
    after = rest.partition("<!-- /measured -->\n")[2]
    page.write_text(before + "<!-- measured -->\n" + "\n".join(lines) + "\n<!-- /measured -->\n" + after, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
