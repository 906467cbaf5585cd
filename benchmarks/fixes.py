"""Fixes whole packages in memory and proves what `--fix` promises: every file parses, nothing changed outside of the edits, the
findings are gone, and nothing came instead.

    python benchmarks/fixes.py --corpus DIR [--package NAME …] [--unsafe] [--keep FILE] [--jobs N] [--diffs FILE]
        [--cache DIR]

Packages are taken from the smallest to the largest, first with their safe fixes, then, with `--unsafe`, with the unsafe ones too.
Prints, for each package and rule, how many findings there were, how many have a fix of each kind, how many were fixed and how
many were taken back. With `--keep` each result is appended to a file, and what stands there is not done again. Exit status 1
when a promise was broken.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxlint.analyzer import analyse_files
from ctxlint.diagnostic import Diagnostic
from ctxlint.discovery.files import SourceFile
from ctxlint.engine import Analyzer, Request, analyse
from ctxlint.fix.diff import unified_diff
from ctxlint.knowledge.configuration import Configuration, load_configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.repairs import Repair, repair
from ctxlint.result import Analysis
from ctxlint.store.folder import Folder
from ctxlint.workers import Workers


class Fixed(msgspec.Struct, frozen=True):
    """A fix that was applied: in which file, to which finding, and what it replaced."""

    path: str
    line: int
    code: str
    kind: str
    message: str
    scenario: str
    applicability: str
    edits: list[tuple[int, int, int, int, str, str]]


class Result(msgspec.Struct, frozen=True):
    """What became of one package: findings by rule, offered fixes by rule and kind, what was applied, and what went wrong."""

    package: str
    unsafe: bool
    seconds: float
    found: dict[str, int]
    offered: dict[str, int]
    fixed: list[Fixed]
    files: int
    taken_back: dict[str, str]
    broken: list[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--unsafe", action="store_true", help="the unsafe fixes, too")
    parser.add_argument("--keep", type=Path, help="append each result to this file, and do nothing that stands there again")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--diffs", type=Path, help="write the differences there")
    parser.add_argument("--cache", type=Path, help="keep the lowered files of each package in this folder, for the next run")
    arguments = parser.parse_args()
    packages = arguments.package or sorted(
        (path.name for path in arguments.corpus.iterdir() if path.is_dir()), key=lambda name: size_of(arguments.corpus / name))
    results = kept(arguments.keep)
    done = {(result.package, result.unsafe) for result in results}
    diffs: list[str] = []
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            analyzer = remembering(Folder(arguments.cache / package if arguments.cache else Path(folder)))
            for unsafe in (False, True) if arguments.unsafe else (False,):
                if (package, unsafe) in done:
                    continue
                result, differing = fix_package(arguments.corpus / package, unsafe, arguments.jobs, analyzer)
                results.append(result)
                diffs += differing
                print_counts([result])
                if arguments.keep:
                    with arguments.keep.open("ab") as stream:
                        stream.write(msgspec.json.encode(result) + b"\n")
    if arguments.diffs:
        arguments.diffs.write_text("".join(diffs), encoding="utf-8", errors="backslashreplace")
    chosen = [result for result in results if result.package in packages and result.unsafe <= arguments.unsafe]
    for unsafe in (False, True) if arguments.unsafe else (False,):
        print_counts([result for result in chosen if result.unsafe == unsafe], f"all {'with unsafe' if unsafe else 'safe'} fixes")
    broken = [f"{result.package}: {problem}" for result in chosen for problem in result.broken]
    for problem in broken:
        print("BROKEN", problem)
    return 1 if broken else 0


def size_of(package: Path) -> int:
    return sum(path.stat().st_size for path in package.rglob("*.py"))


def kept(file: Path | None) -> list[Result]:
    lines = file.read_bytes().splitlines() if file is not None and file.exists() else []
    return [msgspec.json.decode(line, type=Result) for line in lines]


def fix_package(folder: Path, unsafe: bool, jobs: int, analyzer: Analyzer) -> tuple[Result, list[str]]:
    started = time.monotonic()
    request = Request((str(folder),), settings(unsafe, folder, jobs), fixes=True)
    found = analyse(request, analyzer).diagnostics
    repaired = repair(request, analyzer)
    corpus = folder.parent
    result = Result(
        folder.name, unsafe, round(time.monotonic() - started, 1),
        dict(Counter(one.code for one in found)),
        dict(Counter(f"{one.code} {one.fixes[0].applicability}" for one in found if one.fixes)),
        [
            Fixed(
                str(Path(one.diagnostic.path).relative_to(corpus)), one.diagnostic.span.line, one.diagnostic.code, one.diagnostic.kind,
                one.diagnostic.message, one.diagnostic.scenario, one.fix.applicability,
                [(e.span.line, e.span.column, e.span.end_line, e.span.end_column, e.old, e.new) for e in one.fix.edits])
            for one in repaired.applied
        ],
        len(repaired.after), repaired.taken_back, list(broken_promises(repaired, found)))
    return result, list(differences(repaired, corpus))


def remembering(folder: Folder) -> Analyzer:
    """The analysis, which is made once of each text of the files; `folder` keeps the lowered ones."""
    known: dict[tuple[SourceFile, ...], Analysis] = {}

    def analyse_once(
        files: tuple[SourceFile, ...], rules: tuple[Rule, ...], configuration: Configuration, models: Models, *,
        tree: str, cache: Folder | None, workers: Workers, progress: Callable[[int, int], None],
    ) -> Analysis:
        if files not in known:
            known[files] = analyse_files(
                files, rules, configuration, models, tree=tree, cache=folder, workers=workers, progress=progress)
        return known[files]

    return analyse_once


def settings(unsafe: bool, folder: Path, jobs: int) -> Configuration:
    """All rules, however unsure, in a project that wants the runtime."""
    flags: dict[str, Any] = {
        "select": ["ALL"], "preview": True, "min-confidence": "low", "unsafe-fixes": unsafe, "jobs": jobs}
    return load_configuration(start=folder, isolated=True, arguments=['runtime-module="ctxlint.runtime"'], flags=flags)


def broken_promises(repaired: Repair, found: tuple[Diagnostic, ...]) -> Iterator[str]:
    """What a fix did that it must not do; the passes have looked at the findings already, this looks again."""
    for path, text in repaired.after.items():
        before = repaired.before[path]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except SyntaxError as error:
            yield f"{path}: the fixed text does not parse: {error}"
        yield from (f"{path}: {problem}" for problem in outside_the_edits(before, text, repaired, path))
    for path, reason in repaired.taken_back.items():
        yield f"{path}: taken back: {reason}"
    left = Counter((one.path, one.fingerprint) for one in repaired.report.diagnostics)
    had = Counter((one.path, one.fingerprint) for one in found)
    for identity, count in left.items():
        if count > had[identity]:
            yield f"{identity[0]}: a finding that was not there before"
    for one in repaired.applied:
        identity = (one.diagnostic.path, one.diagnostic.fingerprint)
        if left[identity] >= had[identity]:
            yield f"{one.diagnostic.path}:{one.diagnostic.span.line}: {one.diagnostic.code} is still there"


def outside_the_edits(before: bytes, after: bytes, repaired: Repair, path: str) -> Iterator[str]:
    """Whether the edits, made here once more in another way, give another text."""
    text = before.decode("utf-8", "surrogateescape")
    for turn in sorted({one.turn for one in repaired.applied}):
        edits = dict.fromkeys(edit for one in repaired.applied if one.turn == turn for edit in one.fix.edits if edit.path == path)
        starts = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", text))]
        for edit in sorted(edits, key=lambda edit: (edit.span.line, edit.span.column))[::-1]:
            first = starts[edit.span.line - 1] + edit.span.column - 1
            last = starts[edit.span.end_line - 1] + edit.span.end_column - 1
            if text[first:last] != edit.old:
                yield f"line {edit.span.line}: the edit replaces something else than it says"
            text = text[:first] + edit.new + text[last:]
    if text.encode("utf-8", "surrogateescape") != after:
        yield "something was changed outside of the edits"


def differences(repaired: Repair, corpus: Path) -> Iterator[str]:
    for path in sorted(repaired.after):
        yield unified_diff(path.removeprefix(f"{corpus}/"), repaired.before[path], repaired.after[path])


def print_counts(results: list[Result], title: str = "") -> None:
    """The counts of some packages together, under the title, or under the name of the only one."""
    total: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for result in results:
        total.update(result.found)
        offered.update(result.offered)
        done.update(one.code for one in result.fixed)
    title = title or f"{results[0].package} ({'with unsafe' if results[0].unsafe else 'safe'} fixes)"
    print(f"{title}: {sum(total.values())} findings, {sum(done.values())} fixed in {sum(r.files for r in results)} files, "
          f"{sum(len(r.taken_back) for r in results)} files taken back, {sum(r.seconds for r in results):.0f} s")
    for code in sorted(total):
        kinds = ", ".join(f"{offered[f'{code} {kind}']} {kind}" for kind in ("safe", "unsafe", "display"))
        print(f"  {code}: {total[code]} findings; fixes: {kinds}; {done[code]} applied", flush=True)


if __name__ == "__main__":
    sys.exit(main())
