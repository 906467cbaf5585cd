"""Finds out what a pull request is compared with, and which of its changes decide what counts.

usage: base.py FOLDER, with GITHUB_EVENT_PATH, INPUT_CONFIG and INPUT_BASELINE in the environment.
It prints the revision for `--since` (an empty line when there is none to compare with), then the names of the files, one a line,
that decide what counts and differ from that revision.
What it cannot find out is a warning, and everything is reported then: a base that is missing never hides a finding.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli

COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
DECIDING = ("ctxlint.toml", ".ctxlint.toml", "ctxlint-baseline.jsonl", ".gitignore")
CONFIGURATIONS = ("ctxlint.toml", ".ctxlint.toml", "pyproject.toml")
PATIENCE = 120
"""Seconds for one question to git, which may ask the server."""

Object = dict[str, Any]


def main(folder: Path) -> None:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    base, head = commits(event)
    if not base:
        print()
        return
    revision = comparable(folder, base, head)
    if not revision:
        print(
            "::warning title=ctxlint::The commit that this change is compared with is not in the checkout and could not be fetched,"
            " so all findings count. Check out with `fetch-depth: 0`.", file=sys.stderr,
        )
    print(revision)
    if revision:
        print("".join(f"{name}\n" for name in deciding(folder, revision)), end="")


def commits(event: Object) -> tuple[str, str]:
    """Return the commit that the event's change goes on top of, and the newest of the change itself; empty when it has none."""
    pull, group = event.get("pull_request") or {}, event.get("merge_group") or {}
    base = (pull.get("base") or {}).get("sha") or group.get("base_sha") or ""
    head = (pull.get("head") or {}).get("sha") or group.get("head_sha") or ""
    return (base, head) if COMMIT.fullmatch(base) and COMMIT.fullmatch(head) else ("", "")


def comparable(folder: Path, base: str, head: str) -> str:
    """Return the revision to compare with, fetched if need be; empty when it cannot be had.

    A pull request is checked out as its merge into the base; then the first parent is what it was merged into, while the
    event's base may be older.
    """
    lines = git(folder, "cat-file", "commit", "HEAD").split("\n\n")[0].splitlines()
    parents = [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]
    merged = len(parents) == 2 and parents[1] == head
    wanted = parents[0] if merged else base
    shallow = git(folder, "rev-parse", "--is-shallow-repository") == "true"
    if not has(folder, wanted):
        depth = ["--depth=1"] if shallow else []
        git(folder, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", *depth, "origin", wanted)
    if not has(folder, wanted):
        return ""
    common = not merged and git(folder, "merge-base", wanted, "HEAD")
    return f"merge-base:{wanted}" if common else wanted


def deciding(folder: Path, revision: str) -> Iterator[str]:
    """Yield the files that decide what counts and are others than in the revision.

    They are configurations, the baseline, ignore files, and the policies and models that a configuration names, now or then.
    """
    if revision.startswith("merge-base:"):
        revision = git(folder, "merge-base", revision.removeprefix("merge-base:"), "HEAD")
    top = git(folder, "rev-parse", "--show-toplevel")
    given = [os.path.relpath(folder / os.environ[name], top) for name in ("INPUT_CONFIG", "INPUT_BASELINE") if os.environ[name]]
    own = knowledge(folder, top, revision)
    changed = git(folder, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", revision, "--").split("\0")
    for name in sorted(set(changed)):
        if name in given or Path(name).name in DECIDING or own & {name, *map(str, Path(name).parents)}:
            yield name
        elif Path(name).name == "pyproject.toml":
            now = Path(top, name)
            then = git(folder, "show", f"{revision}:{name}")
            if settings(then) != settings(now.read_text(encoding="utf-8", errors="replace") if now.is_file() else ""):
                yield name


def knowledge(folder: Path, top: str, revision: str) -> set[str]:
    """Return the files and folders with policies and models that the configurations at hand name, as paths in the repository."""
    places = {Path(place, name) for place in (top, folder) for name in CONFIGURATIONS}
    if os.environ["INPUT_CONFIG"]:
        places.add(folder / os.environ["INPUT_CONFIG"])
    found = set()
    for file in places:
        inside = os.path.relpath(file, top)
        then = git(folder, "show", f"{revision}:{inside}") if git(folder, "ls-tree", "--full-tree", revision, inside) else ""
        for text in (then, file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""):
            said = settings(text) if file.name == "pyproject.toml" else parsed(text)
            for key in ("rule-paths", "model-paths"):
                named = said.get(key) if isinstance(said, dict) else None
                found |= {os.path.relpath(file.parent / str(one), top) for one in named} if isinstance(named, list) else set()
    return found - {"."}


def parsed(text: str) -> Object:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError:
        return {}


def settings(text: str) -> object:
    """Return what a pyproject.toml says about ctxlint."""
    try:
        return tomli.loads(text).get("tool", {}).get("ctxlint")
    except tomli.TOMLDecodeError:
        return text


def has(folder: Path, commit: str) -> bool:
    return git(folder, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}") == commit


def git(folder: Path, *words: str) -> str:
    """Return what git answers, without blanks around it; nothing when it fails, which it says in the log."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE, check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"git {words[0]}: {type(error).__name__}", file=sys.stderr)
        return ""
    if done.returncode and done.stderr:
        said = " ".join(done.stderr.decode("utf-8", "backslashreplace").split())
        print(f"git {words[0]}: {said}".replace("##[", "## ["), file=sys.stderr)
    return "" if done.returncode else done.stdout.decode("utf-8", "backslashreplace").strip()


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    main(Path(sys.argv[1]))
