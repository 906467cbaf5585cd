"""What each commit of a real history has introduced, as its review would have said.

    python benchmarks/history.py --repository DIR [--commits 50] [--path src] [--all] [--keep FOLDER]

The repository is cloned, so that nothing in it changes; each of its last commits (first parents) is checked out and analysed with
`ctxlint check --since COMMIT~1`. A commit that only moves files, or changes nothing but how the code is written, must introduce
nothing: then the exit status is 1. `--all` asks every rule at every confidence; what is introduced is listed below the table.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TAKEN = ("*.py", "pyproject.toml", "ctxlint.toml", ".ctxlint.toml", ".gitignore")


class Step(NamedTuple):
    """One commit: what it is, how much of the code it changes, and what its review said."""

    commit: str
    subject: str
    kind: str
    files: int
    introduced: list[dict[str, object]]
    fixed: int
    preexisting: int
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--path", default=".")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--python-only", action="store_true", help="count only commits that change Python files under --path")
    parser.add_argument("--keep", type=Path, help="the folder for the clone and the cache (default: one that is thrown away)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        clone = cloned(arguments.repository, folder / "clone")
        words = ["--select", "ALL", "--preview", "--min-confidence", "low"] if arguments.all else []
        listed = git(clone, "log", "--first-parent", f"-{arguments.commits}", "--format=%H", "tip",
                     *(["--", f"{arguments.path}/**.py"] if arguments.python_only else []))
        print("| commit | subject | kind | files | introduced | fixed | pre-existing | s |\n|---|---|---|---|---|---|---|---|")
        steps = []
        for commit in reversed(listed.split()):
            step = reviewed(clone, commit, arguments.path, [*words, "--cache-dir", str(folder.resolve() / "cache")])
            steps.append(step)
            print(f"| {step.commit} | {step.subject} | {step.kind} | {step.files} | {len(step.introduced)} | {step.fixed} "
                  f"| {step.preexisting} | {step.seconds:.1f} |", flush=True)
        tell(steps)
    return 1 if any(step.introduced for step in steps if step.kind in ("move", "reformat")) else 0


def cloned(repository: Path, clone: Path) -> Path:
    """Clone with the Python files alone in the work tree; the branch `tip` is where the repository's HEAD was."""
    if not clone.exists():
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(repository.resolve()), str(clone)], check=True)
        git(clone, "branch", "-f", "tip", "HEAD")
        git(clone, "sparse-checkout", "set", "--no-cone", *TAKEN)
    return clone


def reviewed(clone: Path, commit: str, path: str, words: Sequence[str]) -> Step:
    """Check a commit out and ask what it introduces."""
    git(clone, "checkout", "-q", "-f", "--detach", commit)
    changes = python_changes(clone, commit, path)
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "ctxlint", "check", "--since", f"{commit}~1", "--output-format", "json", *words, path],
        cwd=clone, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    seconds = time.monotonic() - begin
    told = next((line for line in done.stderr.splitlines() if " introduced, " in line), "")
    if not told:
        raise SystemExit(f"{commit}: ctxlint ended with {done.returncode}:\n{done.stderr}")
    numbers = [int(word) for word in told.split() if word.isdecimal()]
    introduced = [one for one in json.loads(done.stdout) if one.get("baselineState") == "new"]
    subject = git(clone, "log", "-1", "--format=%s", commit).strip().replace("|", "/")[:60]
    return Step(commit[:9], subject, kind(clone, commit, changes), len(changes), introduced, numbers[1], numbers[2], seconds)


def python_changes(clone: Path, commit: str, path: str) -> list[list[str]]:
    """What a commit does to the Python files: status and names."""
    fields = git(clone, "diff", "--name-status", "-z", "-M", f"{commit}~1", commit, "--", path).split("\0")
    changes = []
    while fields and fields[0]:
        count = 3 if fields[0][0] in "RC" else 2
        change, fields = fields[:count], fields[count:]
        if change[-1].endswith(".py"):
            changes.append(change)
    return changes


def kind(clone: Path, commit: str, changes: Sequence[Sequence[str]]) -> str:
    """Whether a commit only moves files, only writes the same code in another way, or edits."""
    if not changes:
        return "no Python"
    if all(change[0] == "R100" for change in changes):
        return "move"
    if all(change[0][0] in "MR" and same_code(clone, commit, change[1], change[-1]) for change in changes):
        return "reformat"
    return "edit"


def same_code(clone: Path, commit: str, before: str, now: str) -> bool:
    """Whether a file has the same syntax tree before and after a commit."""
    try:
        return ast.dump(ast.parse(git(clone, "show", f"{commit}~1:{before}"))) == ast.dump(
            ast.parse(git(clone, "show", f"{commit}:{now}")))
    except SyntaxError:
        return False


def tell(steps: Sequence[Step]) -> None:
    kinds = sorted({step.kind for step in steps})
    print()
    for name in kinds:
        those = [step for step in steps if step.kind == name]
        print(f"{len(those)} × {name}: {sum(len(step.introduced) for step in those)} introduced, "
              f"{sum(step.fixed for step in those)} fixed")
    for step in steps:
        for one in step.introduced:
            place = Path(str(one["filename"])).name
            print(f"{step.commit} {place}:{one['location']['row']} {one['symbol']}: {one['code']} {one['message']}")  # type: ignore[index]


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-c", "core.quotepath=off", *words], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)} in {folder}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    raise SystemExit(main())
