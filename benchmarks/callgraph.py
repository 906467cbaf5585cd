"""How well calls are resolved: call graphs of small programs against those that their authors wrote down.

    python benchmarks/callgraph.py --programs DIR [--against NAME=COMMAND ...] [--differences]

DIR holds one folder a category, in it one folder a program with `callgraph.json`: from each function to the list of what it
calls, in dotted names from the program's folder, builtins as `<builtin>.name` (methods of literals as `<**PyStr**>.join`).
A program is complete when no edge is wrong and sound when no edge is missing, as the authors of PyCG (Salis et al., ICSE 2021)
call it; precision and recall count edges. COMMAND runs another tool in a program's folder and prints its graph, so that both
are measured by one yardstick.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

from ctxlint.engine import Request, called
from ctxlint.knowledge.configuration import load_configuration

Graph = set[tuple[str, str]]

LITERAL = re.compile(r"^<\*\*Py(\w+)\*\*>\.")
LITERALS = {"Str": "str", "Dict": "dict", "List": "list", "Num": "int", "Set": "set", "Tuple": "tuple"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--against", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--differences", action="store_true", help="list wrong (+) and missing (-) edges")
    arguments = parser.parse_args()

    tools: dict[str, Callable[[pathlib.Path], Graph]] = {"ctxlint": ours}
    for word in arguments.against:
        name, _, command = word.partition("=")
        tools[name] = theirs(shlex.split(command))
    programs = sorted(file.parent for file in arguments.programs.rglob("callgraph.json"))
    for name, tool in tools.items():
        print(table(name, programs, arguments.programs, tool, arguments.differences))
    return 0


def table(
    name: str, programs: list[pathlib.Path], top: pathlib.Path, tool: Callable[[pathlib.Path], Graph], differences: bool
) -> str:
    """One line a category, and their sum."""
    rows: dict[str, list[tuple[int, int, int]]] = collections.defaultdict(list)
    told: list[str] = []
    for program in programs:
        truth = graph(json.loads((program / "callgraph.json").read_text()))
        found = tool(program)
        wrong, missing = sorted(found - truth), sorted(truth - found)
        rows[program.relative_to(top).parts[0]].append((len(truth & found), len(wrong), len(missing)))
        for sign, edges in (("+", wrong), ("-", missing)):
            told += [f"{program.relative_to(top)}  {sign} {caller} -> {callee}" for caller, callee in edges]
    lines = [f"{name:16} programs  complete  sound  both  precision  recall"]
    everything = [row for category in rows.values() for row in category]
    for category, results in [*rows.items(), ("all", everything)]:
        right, wrong_edges, missing_edges = (sum(row[i] for row in results) for i in range(3))
        complete, sound = sum(not row[1] for row in results), sum(not row[2] for row in results)
        both = sum(not row[1] and not row[2] for row in results)
        precision, recall = share(right, right + wrong_edges), share(right, right + missing_edges)
        lines.append(f"{category:16} {len(results):8}  {complete:8}  {sound:5}  {both:4}  {precision:>9}  {recall:>6}")
    return "\n".join([*lines, *(told if differences else [])]) + "\n"


def ours(program: pathlib.Path) -> Graph:
    """The program's call graph by ctxlint; what is unknown is no edge."""
    configuration = load_configuration(program, isolated=True, flags={"src": [str(program)]})
    calls = called(Request((str(program),), configuration, cache=False)).calls
    return {edge for edge in graph(calls) if not edge[1].startswith("<unknown>")}


def theirs(command: list[str]) -> Callable[[pathlib.Path], Graph]:
    """What runs another tool; a program on which it fails has no edges."""

    def run(program: pathlib.Path) -> Graph:
        done = subprocess.run(command, cwd=program, capture_output=True, text=True, timeout=60)
        if done.returncode:
            sys.stderr.write(f"{program}: {done.stderr.strip().splitlines()[-1:]}\n")
            return set()
        return graph(json.loads(done.stdout))

    return run


def graph(calls: dict[str, list[str]] | dict[str, tuple[str, ...]]) -> Graph:
    """The edges of a graph, with the names of builtins spelled alike."""
    return {(caller, spelled(callee)) for caller, callees in calls.items() for callee in callees}


def spelled(name: str) -> str:
    return LITERAL.sub(lambda match: f"<builtin>.{LITERALS[match[1]]}.", name)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    raise SystemExit(main())
