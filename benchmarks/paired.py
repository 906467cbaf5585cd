"""Other tools on the same files: how each is called, and ctxlint's cost as a ratio of theirs.

The tools are installed from the package index into an environment of their own. A pair of runs is made one right after the
other, so that whatever else the machine does falls on both; of several pairs the median ratio counts.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from processes import Failed, Measured, run

PACKAGES = ("semgrep", "fixit", "pylint", "mypy", "ruff")
RULES = Path(__file__).resolve().parent / "peers"


class Peer(NamedTuple):
    """A tool, the size of package it is run on, and the ratio that is wanted; `statuses` are those of a run that worked."""

    name: str
    size: str
    words: Callable[[Path], list[str]]
    goal: float
    unit: Literal["cpu", "wall"] = "cpu"
    statuses: tuple[int, ...] = (0, 1)
    warm: bool = False
    environment: Callable[[Path], dict[str, str]] = lambda folder: {}


class Pairing(NamedTuple):
    """One line of the table: both costs and their ratio, or why there is none."""

    peer: Peer
    ours: float = 0.0
    theirs: float = 0.0
    ratio: float = 0.0
    failure: str = ""


def _semgrep(rules: str) -> Callable[[Path], list[str]]:
    return lambda folder: ["semgrep", "scan", "--metrics", "off", "--disable-version-check", "--no-git-ignore", "-q", "-j", "2",
                           "--config", str(RULES / rules), "--json", str(folder)]


PEERS = (
    Peer("semgrep, six search rules", "M", _semgrep("search.yaml"), 0.3),
    Peer("semgrep, one taint rule", "M", _semgrep("taint.yaml"), 0.15),
    Peer("fixit, one rule", "S", lambda folder: ["fixit", "--quiet", "--rules", ".clear_before_refill", "lint", str(folder)], 0.1),
    Peer("pylint -j2", "S", lambda folder: ["pylint", "-j2", "--persistent=n", "--rcfile=/dev/null", str(folder)], 0.05,
         statuses=tuple(range(32))),
    Peer("mypy, cold", "S", lambda folder: ["mypy", "--config-file=", "--cache-dir=/dev/null", "--ignore-missing-imports",
                                            "--explicit-package-bases", str(folder)], 0.4, "wall",
         environment=lambda folder: {"MYPYPATH": str(folder)}),
    Peer("ruff --select ALL, cold", "M", lambda folder: ["ruff", "check", "--isolated", "--select", "ALL", "--no-cache", "-q",
                                                         str(folder)], 3.0),
    # Ruff keeps no file with a finding: rules that find nothing show its fastest run.
    Peer("ruff --select E9, nothing changed", "M", lambda folder: ["ruff", "check", "--isolated", "--select", "E9", "-q",
                                                                   "--cache-dir", str(folder.parent / "ruff-cache"), str(folder)],
         2.0, warm=True),
)


def install(environment: Path) -> list[str]:
    """Make an environment with the tools, if there is none; return what could not be installed."""
    if not (environment / "bin" / "python").exists():
        venv.create(environment, with_pip=True)
    missing = [name for name in PACKAGES if not (environment / "bin" / name).exists()]
    failed = []
    for name in missing:
        done = subprocess.run([environment / "bin" / "python", "-m", "pip", "install", "-q", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode:
            failed.append(name)
    return failed


def versions(environment: Path) -> str:
    """The tools with their versions."""
    done = subprocess.run([environment / "bin" / "python", "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True)
    return ", ".join(line.replace("==", " ") for line in done.stdout.splitlines() if line.split("==")[0] in PACKAGES)


def paired(
    environment: Path, folders: dict[str, Path], ours: Callable[[Path, bool], Measured], work: Path, repeat: int
) -> Iterator[Pairing]:
    """Measure every peer against `ours(folder, warm)` on copies of the packages in `work`."""
    (work / ".semgrepignore").write_text("")     # else it leaves out tests, which ctxlint reads
    shutil.copy(RULES / "clear_before_refill.py", work)
    (work / "fixit.toml").write_text('[tool.fixit]\nroot = true\nenable-root-import = true\nenable = [".clear_before_refill"]\n'
                                     'disable = ["fixit.rules"]\n')
    for peer in PEERS:
        if peer.size in folders:
            yield _pairing(peer, environment, folders[peer.size], ours, work, repeat)


def _pairing(
    peer: Peer, environment: Path, folder: Path, ours: Callable[[Path, bool], Measured], work: Path, repeat: int
) -> Pairing:
    first, *rest = peer.words(folder)
    tool = environment / "bin" / first
    if not tool.exists():
        return Pairing(peer, failure="not installed")
    command = [str(tool), *rest]
    pairs: list[tuple[float, float]] = []
    try:
        if peer.warm:
            run(command, work, peer.statuses, peer.environment(folder))
            ours(folder, True)
        for _ in range(repeat):
            theirs = run(command, work, peer.statuses, peer.environment(folder))
            mine = ours(folder, peer.warm)
            pairs.append((getattr(mine, peer.unit), getattr(theirs, peer.unit)))
    except Failed as error:
        return Pairing(peer, failure=str(error))
    ours_cost, theirs_cost = (statistics.median(column) for column in zip(*pairs))
    return Pairing(peer, ours_cost, theirs_cost, statistics.median(mine / theirs for mine, theirs in pairs))


def table(pairings: Iterable[Pairing]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield "| against | on | unit | ctxlint s | peer s | ratio | goal |"
    yield "|---|---|---|---|---|---|---|"
    for pairing in pairings:
        peer = pairing.peer
        if pairing.failure:
            yield f"| {peer.name} | {peer.size} | {peer.unit} | | | could not be run: {pairing.failure} | {peer.goal} |"
        else:
            yield (f"| {peer.name} | {peer.size} | {peer.unit} | {pairing.ours:.2f} | {pairing.theirs:.2f} "
                   f"| {pairing.ratio:.2f} | {peer.goal} |")


if __name__ == "__main__":
    sys.exit("run benchmarks/speed.py --peers ENVIRONMENT")
