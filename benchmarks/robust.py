"""Whether killed runs can leave a cache that changes a later result.

    python benchmarks/robust.py [--runs 200] [--seed N] [--files 60]

A project changes between a few states. Runs that share one cache are killed at random moments, some of them beside another
run; after each, and after a random piece of a random record was overwritten now and then, a whole run must report, byte for
byte, what a run without a cache reports about the same state. The processes of killed runs must be gone, too.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATES = 4
"""The last two differ in a comment."""
PATIENCE = 10.0
"""Seconds in which the workers of a killed run must have ended."""

FILE = '''
import json
from pathlib import Path


def save_{number}(state: dict) -> None:
    with open("state{number}.json", "w") as stream:
        json.dump(state, stream)


def load_{number}() -> dict:
    return json.loads(Path("state{number}.json").read_text())
'''


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failures = list(killed_runs(Path(folder), arguments.runs, arguments.seed, arguments.files))
    for failure in failures:
        print(failure)
    print(f"{arguments.runs} runs killed, {len(failures)} wrong results afterwards")
    return 1 if failures else 0


def killed_runs(folder: Path, runs: int, seed: int, files: int) -> Iterator[str]:
    """Yield what went wrong."""
    chance = random.Random(seed)
    project = folder / "project"
    project.mkdir()
    expected, longest = [], 0.0
    for state in range(STATES):
        change(project, state, files)
        begin = time.monotonic()
        expected.append(finished(started(project, "--no-cache")))
        longest = max(longest, time.monotonic() - begin)
    for number in range(runs):
        state = chance.randrange(STATES)
        change(project, state, files)
        victim = started(project)
        other = started(project) if chance.random() < 0.25 else None
        time.sleep(chance.uniform(0.0, longest))
        os.killpg(victim.pid, signal.SIGKILL) if chance.random() < 0.5 else victim.kill()
        victim.communicate()
        if other is not None and finished(other) != expected[state]:
            yield f"run {number}: a run beside a killed one reported something else"
        if chance.random() < 0.2:
            damage(project / ".ctxlint_cache", chance)
        if finished(started(project)) != expected[state]:
            yield f"run {number}: state {state} is reported as something else"
        if not is_gone(victim.pid):
            yield f"run {number}: a worker outlived its run"


def change(project: Path, state: int, files: int) -> None:
    """Bring the project into one of its states: some files differ, one exists in a single state, one is no Python."""
    for number in range(files):
        text = FILE.format(number=number) + (f"\n\nstate = {min(state, 2)}\n" if number % 7 == 0 else "")
        if state == 3 and number % 5 == 0:
            text = "# moved\n" + text
        place = project / f"m{number}.py"
        if not place.exists() or place.read_text() != text:
            place.write_text(text)
    only = project / f"only{min(state, 2)}.py"
    for place in project.glob("only*.py"):
        if place != only:
            place.unlink()
    only.write_text("def (:\n" if state == 1 else FILE.format(number=files + min(state, 2)))


def started(project: Path, *options: str) -> subprocess.Popen[bytes]:
    """Begin a run, the leader of a process group of its own."""
    command: Sequence[str] = [sys.executable, "-m", "ctxlint", "check", "--isolated", "-q", "-j", "2", "--output-format", "json", *options]
    return subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT)})


def finished(run: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """The exit status and the report of a run."""
    report, _ = run.communicate(timeout=300)
    return run.returncode, report


def damage(cache: Path, chance: random.Random) -> None:
    """Overwrite a piece of a record, or cut it off."""
    records = sorted(place for place in cache.glob("*/*/*") if place.is_file())
    if records:
        place = chance.choice(records)
        data = bytearray(place.read_bytes())
        if data and chance.random() < 0.5:
            position = chance.randrange(len(data))
            data[position : position + 8] = chance.randbytes(min(8, len(data) - position))
        place.write_bytes(data[: chance.randrange(len(data) + 1)] if chance.random() < 0.5 else data)


def is_gone(group: int) -> bool:
    """Whether the processes of a group end by themselves."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return True
        time.sleep(0.05)
    return False


if __name__ == "__main__":
    raise SystemExit(main())
