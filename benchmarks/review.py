"""What a review costs beside a cold run: two revisions of a package that differ in one function of a hundred.

    python benchmarks/review.py FOLDER… [--repeat N] [--share 0.01]

Both runs begin without a cache; of several pairs, which take turns, the least times count. `empty` is a review of no change.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from processes import Measured, run
from speed import extent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.01)
    arguments = parser.parse_args()
    print("| package | lines | changed functions | run | CPU s | wall s | CPU ÷ cold | wall ÷ cold |\n|---|---|---|---|---|---|---|---|")
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            package = work / folder.name
            shutil.copytree(folder, package, ignore=shutil.ignore_patterns("__pycache__"))
            for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "x"]):
                subprocess.run(["git", *words], cwd=work, check=True)
            changed = changed_functions(package, arguments.share)
            command = [sys.executable, "-m", "ctxlint", "check", "--isolated", "--preview", "--quiet", "--exit-zero",
                       "--output-format", "json", "--select", "ALL", "--cache-dir", str(work / "cache"), str(package)]
            runs = {"cold": [], "since": ["--since", "HEAD"]}
            costs: dict[str, list[Measured]] = {name: [] for name in runs}
            for _ in range(arguments.repeat):
                for name, words in runs.items():
                    shutil.rmtree(work / "cache", ignore_errors=True)
                    costs[name].append(run([*command, *words], work))
            cold = least(costs["cold"])
            for name, those in costs.items():
                one = least(those)
                print(f"| {folder.name} | {extent(package)[1]} | {changed} | {name} | {one.cpu:.2f} | {one.wall:.2f} "
                      f"| {one.cpu / cold.cpu:.2f} | {one.wall / cold.wall:.2f} |", flush=True)
    return 0


def least(costs: list[Measured]) -> Measured:
    return Measured(min(one.cpu for one in costs), min(one.wall for one in costs), max(one.peak for one in costs))


def changed_functions(package: Path, share: float) -> int:
    """Give a share of the functions, spread evenly, a first statement of their own; return how many."""
    every, at, changed = round(1 / share), 0, 0
    for file in sorted(package.rglob("*.py")):
        try:
            text = file.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (ValueError, SyntaxError):
            continue
        lines = text.splitlines(keepends=True)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        chosen = []
        for node in functions:
            at += 1
            if at % every == 0 and node.body[0].lineno > node.lineno:
                chosen.append(node.body[0])
        for statement in sorted(chosen, key=lambda one: -one.lineno):
            lines.insert(statement.lineno - 1, " " * statement.col_offset + "changed_by_the_benchmark = 1\n")
        if chosen:
            changed += len(chosen)
            file.write_text("".join(lines), encoding="utf-8")
    return changed


if __name__ == "__main__":
    raise SystemExit(main())
