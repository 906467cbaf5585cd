"""Names that only one measured package or case uses must not occur in rules/ or ctxlint/: a rule must not know an example.

    python benchmarks/fitted.py --labels LABELS.jsonl --cases DIR --corpus DIR

Collects the class, function and package names of the labelled functions and of the cases, keeps those that one package or one
case alone defines (a name that others define too is a word of the field), and searches the identifiers and strings of rules/ and ctxlint/ for them, models left out. Prints every
hit; exits 1 if there is one.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
DEFINITION = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w+")
COMPOUND = re.compile(r"[a-z0-9](_[a-zA-Z]|[A-Z])")
"""A single plain word tells nobody where it is from."""
SHORTEST = 6
"""Shorter names are words of the language rather than of one program."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", required=True, type=pathlib.Path)
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    labels = [json.loads(line) for line in arguments.labels.read_text().splitlines() if line.strip()]
    labelled = {name for label in labels for name in label["qualname"].split(".")} | {label["package"] for label in labels}
    users: dict[str, set[str]] = collections.defaultdict(set)
    in_cases = {case.name: defined(case) for case in sorted(arguments.cases.iterdir()) if case.is_dir()}
    labelled |= set().union(*in_cases.values())
    for case, names in in_cases.items():
        for name in names:
            users[name].add(case)
    for package in sorted(folder for folder in arguments.corpus.iterdir() if folder.is_dir()):
        for name in defined(package) & labelled:
            users[name].add(package.name)
        users[package.name].add(package.name)
    own = {name for name, who in users.items() if len(who) == 1 and len(name) >= SHORTEST and COMPOUND.search(name)}
    hits = 0
    for file in searched():
        for name in sorted(own & set(WORD.findall(file.read_text(encoding="utf-8")))):
            print(f"{file.relative_to(ROOT)}: `{name}` is a name of {', '.join(users[name])} alone")
            hits += 1
    print(f"{len(own)} names searched, {hits} found")
    return 1 if hits else 0


def defined(folder: pathlib.Path) -> set[str]:
    """Every class and function name that the files of a folder define."""
    return {name for file in folder.rglob("*.py") for name in DEFINITION.findall(file.read_text(encoding="utf-8", errors="replace"))}


def searched() -> list[pathlib.Path]:
    """The files that must know no example: the rules without the models, and the analyzer without its runtime."""
    rules = [file for file in (ROOT / "rules").glob("*.toml")]
    code = [file for file in (ROOT / "ctxlint").rglob("*.py") if "runtime" not in file.parts]
    return sorted([*rules, *code])


if __name__ == "__main__":
    raise SystemExit(main())
