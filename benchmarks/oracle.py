"""Whether both readers give the same words: the IR of every file, from the standard parser and from LibCST.

    python benchmarks/oracle.py DIRECTORY...

Installed packages below a directory (`site-packages`) are left out.
Prints the files that differ, and how many were compared; the exit status is 1 if any differ.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctxlint.syntax.depth import TooDeep, with_room  # noqa: E402
from ctxlint.syntax.lower import lower  # noqa: E402
from ctxlint.syntax.read import Problem, read  # noqa: E402
from ctxlint.syntax.tree import TreeMismatch, parse  # noqa: E402

Verdict = tuple[str, str]


def compare(source: bytes) -> Verdict:
    """What became of one file (equal, different, newer syntax, refused by …) and the details."""
    reading = read(source)
    if isinstance(reading, Problem):
        return f"refused by both readers ({reading.kind})", reading.message
    if hasattr(next(iter(reading.tree.body), None), "cst"):
        return "read by LibCST alone", ""
    try:
        tree = parse(source)
    except TooDeep as error:
        return "too deep for LibCST", str(error)
    except TreeMismatch as error:
        return "different", f"trees: {error}"
    except SyntaxError as error:
        return "refused by LibCST", f"line {error.lineno}: {error.msg}"
    ours, theirs = lower(tree, reading.source), lower(reading.tree, reading.source)
    if ours == theirs:
        return "equal", ""
    pairs = zip(ours.functions, theirs.functions)
    return "different", next((f"{b.qualname}: {a} is not {b}" for a, b in pairs if a != b), "declarations")


def compare_file(path: Path) -> Verdict:
    try:
        return with_room(compare, path.read_bytes())
    except Exception as error:
        return "different", f"{type(error).__name__}: {error}"


def python_files(roots: list[str]) -> Iterator[Path]:
    for root in map(Path, roots):
        found = sorted(root.rglob("*.py")) if root.is_dir() else [root]
        yield from (path for path in found if "site-packages" not in path.relative_to(root).parts)


def main(roots: list[str]) -> int:
    counts: Counter[str] = Counter()
    paths = [path for path in python_files(roots) if path.is_file()]
    with ProcessPoolExecutor(2) as pool:
        for path, (verdict, details) in zip(paths, pool.map(compare_file, paths, chunksize=8)):
            counts[verdict] += 1
            if verdict != "equal" and details:
                print(f"{path}: {verdict}: {details[:500]}")
    print(f"{sum(counts.values())} files: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
