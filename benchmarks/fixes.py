"""Fixes whole packages in memory and proves what `--fix` promises: every file parses, nothing changed outside of the edits, the
findings are gone, and nothing came instead.

    python benchmarks/fixes.py --corpus DIR [--package NAME …] [--unsafe] [--diffs FILE]

Prints, for each package and rule, how many findings there were, how many have a fix of each kind, how many were fixed and how
many were taken back. Exit status 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxlint.diagnostic import Diagnostic
from ctxlint.engine import Request, analyse
from ctxlint.fix.diff import unified_diff
from ctxlint.knowledge.configuration import Configuration, load_configuration
from ctxlint.repairs import Repair, repair


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--unsafe", action="store_true", help="the unsafe fixes, too")
    parser.add_argument("--diffs", type=Path, help="write the differences there")
    arguments = parser.parse_args()
    packages = arguments.package or sorted(path.name for path in arguments.corpus.iterdir() if path.is_dir())
    broken: list[str] = []
    diffs: list[str] = []
    for package in packages:
        started = time.monotonic()
        configuration = settings(arguments.unsafe, arguments.corpus / package)
        request = Request((str(arguments.corpus / package),), configuration, fixes=True)
        found = analyse(request).diagnostics
        repaired = repair(request)
        broken += [f"{package}: {problem}" for problem in broken_promises(repaired, found)]
        diffs += differences(repaired, arguments.corpus)
        print_counts(package, found, repaired, time.monotonic() - started)
    if arguments.diffs:
        arguments.diffs.write_text("".join(diffs), encoding="utf-8", errors="backslashreplace")
    for problem in broken:
        print("BROKEN", problem)
    return 1 if broken else 0


def settings(unsafe: bool, folder: Path) -> Configuration:
    """All rules, however unsure, in a project that wants the runtime."""
    return load_configuration(
        start=folder, isolated=True, arguments=['runtime-module="ctxlint.runtime"'],
        flags={"select": ["ALL"], "preview": True, "min-confidence": "low", "unsafe-fixes": unsafe},
    )


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
    """Lines that were changed or removed although no edit of the first pass covers them."""
    covered = {
        line
        for one in repaired.applied for edit in one.fix.edits if edit.path == path
        for line in range(edit.span.line, edit.span.end_line + 1)
    }
    old, new = before.decode("utf-8", "replace").split("\n"), after.decode("utf-8", "replace").split("\n")
    passes = len({one.diagnostic.fingerprint for one in repaired.applied if one.diagnostic.path == path})
    for kind, first, last, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        changed = set(range(first + 1, last + 1))
        if kind in ("replace", "delete") and passes == 1 and not changed <= covered:
            yield f"line {min(changed - covered)} changed outside of the edits"


def differences(repaired: Repair, corpus: Path) -> Iterator[str]:
    for path in sorted(repaired.after):
        yield unified_diff(path.removeprefix(f"{corpus}/"), repaired.before[path], repaired.after[path])


def print_counts(package: str, found: tuple[Diagnostic, ...], repaired: Repair, seconds: float) -> None:
    total = Counter(one.code for one in found)
    offered = Counter((one.code, one.fixes[0].applicability) for one in found if one.fixes)
    done = Counter(one.diagnostic.code for one in repaired.applied)
    print(f"{package}: {sum(total.values())} findings, {sum(done.values())} fixed in {len(repaired.after)} files, "
          f"{len(repaired.taken_back)} files taken back, {seconds:.0f} s")
    for code in sorted(total):
        kinds = ", ".join(f"{offered[code, kind]} {kind}" for kind in ("safe", "unsafe", "display"))
        print(f"  {code}: {total[code]} findings; fixes: {kinds}; {done[code]} applied")


if __name__ == "__main__":
    sys.exit(main())
