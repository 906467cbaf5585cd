"""How many hand-labelled findings ctxlint makes, and how many labelled look-alikes it reports: one table a rule.

    python benchmarks/accuracy.py --labels LABELS.jsonl --corpus DIR [--package NAME ...] [--out FILE.md] [--cases DIR]

DIR holds one folder per package of benchmarks/corpus.txt (`pip download` and unpack). A label is one JSON object a line:
package, path, qualname, rule, line, verdict (`tp`, or `trap` for code that only looks like the fault), perhaps `also` and
`contested`. A tp counts as found by a finding of its rule inside the labelled function or within 3 lines of it, a trap as hit
by a finding within 5 lines unless a tp is nearer. Every package is analysed twice: at low and at default confidence.
"""

from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import functools
import json
import pathlib
import subprocess
import sys

LIMIT = 1200
"""Seconds after which a package's analysis is given up, and said so."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", required=True, type=pathlib.Path)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--cases", type=pathlib.Path, help="folder with run.py and index.jsonl")
    parser.add_argument("--package", nargs="+", default=[])
    parser.add_argument("--rule", default="", help="rules or prefixes: CTX101,CTX2")
    parser.add_argument("--out", type=pathlib.Path, help="write the table here (Markdown)")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    labels = [json.loads(line) for line in arguments.labels.read_text().splitlines() if line.strip()]
    labels = [label for label in labels if not label.get("contested")]
    labels = [label for label in labels if label["rule"].startswith(tuple(arguments.rule.split(",")))]
    wanted = arguments.package or sorted({label["package"] for label in labels})
    folders = [arguments.corpus / package for package in wanted if (arguments.corpus / package).is_dir()]
    absent = sorted(set(wanted) - {folder.name for folder in folders})
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = [finding for findings in pool.map(analysed, folders) for finding in findings]
    labels = [label for label in labels if label["package"] in {folder.name for folder in folders}]
    lines = sum(len(file.read_bytes().splitlines()) for folder in folders for file in folder.rglob("*.py"))
    table = render(labels, found, arguments.corpus, len(folders), lines, absent)
    if arguments.cases:
        table += "\n" + cases(arguments.cases)
    if arguments.out:
        arguments.out.write_text(table, encoding="utf-8")
    print(table)
    return 0


def analysed(folder: pathlib.Path) -> list[dict]:
    """The findings of one package at low confidence; a run that fails ends the measurement."""
    done = subprocess.run(
        [sys.executable, "-m", "ctxlint", "check", "--isolated", "--select", "ALL", "--preview", "--min-confidence", "low",
         "--output-format", "json", str(folder)], capture_output=True, text=True, timeout=LIMIT)
    if not done.stdout.startswith("["):
        raise SystemExit(f"{folder.name}: exit status {done.returncode}: {done.stderr[-400:]}")
    findings = json.loads(done.stdout)
    print(f"{folder.name}: {len(findings)} findings; {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    return findings


def render(labels: list[dict], found: list[dict], root: pathlib.Path, packages: int, lines: int, absent: list[str]) -> str:
    """The table: recall and trap rate at low and at default confidence, and findings per 100,000 lines."""
    default = [finding for finding in found if finding["confidence"] != "low"]
    rows = [f"Measured on {packages} published packages, {lines:,} lines, {len(labels)} agreed hand labels."]
    if absent:
        rows.append(f"Not fetched: {', '.join(absent)}.")
    rows += ["", "| rule | recall, low | recall, default | traps hit, low | traps hit, default | default findings per 100,000 lines |",
             "|---|---|---|---|---|---|"]
    for rule in [*sorted({label["rule"] for label in labels}), "all"]:
        own = [label for label in labels if rule in ("all", label["rule"])]
        count = sum(1 for finding in default if rule in ("all", finding["code"]))
        rows.append(f"| {rule} | {share(own, found, root, 'tp')} | {share(own, default, root, 'tp')} | "
                    f"{share(own, found, root, 'trap')} | {share(own, default, root, 'trap')} | {count / max(lines, 1) * 1e5:.1f} |")
    return "\n".join(rows) + "\n"


def share(labels: list[dict], found: list[dict], root: pathlib.Path, verdict: str) -> str:
    """How many of the labels with this verdict the findings hit: "7/9 (78 %)"."""
    of = [label for label in labels if label["verdict"] == verdict]
    by_file = collections.defaultdict(list)
    for finding in found:
        by_file[str(pathlib.Path(finding["filename"]).resolve()), finding["code"]].append(finding)
    tps = collections.defaultdict(list)
    for label in labels:
        if label["verdict"] == "tp":
            tps[place(root, label), label["rule"]].append(label["line"])
    hits = sum(is_hit(label, by_file, tps, root) for label in of)
    return f"{hits}/{len(of)} ({hits / len(of):.0%})" if of else "–"


def is_hit(label: dict, by_file: dict, tps: dict, root: pathlib.Path) -> bool:
    """Whether some finding answers the label."""
    path = place(root, label)
    if label["verdict"] == "tp":
        low, high = spans(path).get(label["qualname"], (label["line"], label["line"]))
        here = [f for rule in (label["rule"], *label.get("also", ())) for f in by_file.get((path, rule), ())]
        return any(low <= f["location"]["row"] <= high or abs(f["location"]["row"] - label["line"]) <= 3
                   or f["symbol"] == label["qualname"] for f in here)
    rows = [f["location"]["row"] for f in by_file.get((path, label["rule"]), ())]
    return any(abs(row - label["line"]) <= 5 and all(abs(row - label["line"]) < abs(row - rival) for rival in tps[path, label["rule"]])
               for row in rows)


def place(root: pathlib.Path, label: dict) -> str:
    return str((root / label["package"] / label["path"]).resolve())


@functools.lru_cache(maxsize=None)
def spans(path: str) -> dict[str, tuple[int, int]]:
    """First and last line of every function and class of a file, by qualified name."""
    found: dict[str, tuple[int, int]] = {}
    try:
        pending: list[tuple[ast.AST, str]] = [(ast.parse(pathlib.Path(path).read_bytes()), "")]
    except (SyntaxError, OSError):
        return found                                     # syntax newer than this interpreter: symbols decide
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{child.name}" if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else ""
            if name:
                found[name] = (child.lineno, child.end_lineno or child.lineno)
            pending.append((child, f"{name}." if name else prefix))
    return found


def cases(folder: pathlib.Path) -> str:
    """What the folder's own runner prints about the cases."""
    done = subprocess.run([sys.executable, str(folder / "run.py"), "--ctxlint", f"{sys.executable} -m ctxlint"],
                          capture_output=True, text=True)
    return f"Cases: {done.stdout.strip().splitlines()[-1]}\n"


if __name__ == "__main__":
    raise SystemExit(main())
