"""Who may import whom, and what stands nowhere: the boundaries of the rooms, read from the source text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ctxlint"
FILES = sorted(PACKAGE.rglob("*.py"))
IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)

LONGER_THAN_A_ROOM = {"syntax/expressions.py": 411, "syntax/tree_expressions.py": 406}
"""One recursion over one grammar each: parts of it would have to import each other in a circle. They may not grow."""

READS_ANNOTATIONS = PACKAGE / "calls" / "types.py"
"""Parses the text of one annotation; it sees no tree of a source file."""

DYNAMIC_TWINS = PACKAGE / "runtime" / "monitor" / "arguments.py"
"""Names the rules that its observations are the dynamic twins of; the runtime may import no rule."""

WORDS = {"ir", "diagnostic", "errors", "result", "beliefs"}
MAY_IMPORT: dict[str, set[str]] = {
    "ir": set(),
    "errors": set(),
    "diagnostic": {"ir"},
    "result": {"ir", "diagnostic"},
    "beliefs": set(),
    "stack": set(),
    "runtime": set(),
    "plugins": {"runtime"},
    "knowledge": WORDS,
    "discovery": WORDS | {"knowledge"},
    "syntax": WORDS,
    "flow": WORDS | {"knowledge"},
    "calls": WORDS | {"knowledge", "flow"},
    "roles": WORDS | {"knowledge", "flow", "calls"},
    "checks": WORDS | {"knowledge", "flow", "calls", "roles"},
    "fix": WORDS | {"runtime", "knowledge", "syntax"},
    "report": WORDS | {"knowledge"},
    "gate": WORDS | {"knowledge", "syntax"},
    "store": WORDS | {"discovery"},
    "workers": WORDS | {"discovery", "syntax", "store"},
    "fixing": WORDS | {"knowledge", "discovery", "fix"},
    "earlier": WORDS | {"knowledge", "discovery", "store", "fixing"},
    "linking": WORDS | {"knowledge", "discovery", "calls", "workers"},
    "again": WORDS | {"stack", "knowledge", "discovery", "calls", "checks", "store", "workers"},
    "analyzer": WORDS | {
        "knowledge", "discovery", "syntax", "flow", "calls", "roles", "checks", "store", "stack", "workers", "linking", "again"},
    "engine": WORDS | {"again", "knowledge", "discovery", "syntax", "fix", "gate", "analyzer", "store", "workers", "earlier", "fixing"},
    "repairs": WORDS | {"knowledge", "discovery", "fix", "gate", "store", "earlier", "fixing", "engine"},
    "inside": WORDS | {"stack", "knowledge", "flow", "calls", "roles", "checks", "workers", "linking", "engine"},
    "cli": WORDS | {"runtime", "knowledge", "discovery", "fix", "gate", "report", "engine", "repairs", "inside", "store"},
    "__main__": {"cli"},
}


def room(path: Path) -> str:
    """Return the room a file lies in: its folder, or its own name at the top."""
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def rooms_imported(text: str) -> set[str]:
    """Return the rooms that a source text imports, whether at the top or late."""
    names = [name.split(".") for name in IMPORT.findall(text)]
    return {parts[1] for parts in names if parts[0] == "ctxlint" and len(parts) > 1}


def matching(pattern: str, paths: list[Path]) -> list[str]:
    """Return `file:line` of each line that matches."""
    found = re.compile(pattern)
    return [
        f"{path.relative_to(PACKAGE.parent)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if found.search(line)
    ]


def outside(*rooms: str) -> list[Path]:
    """Return the files that lie in none of `rooms`."""
    return [path for path in FILES if room(path) not in rooms]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_the_rooms_below_it(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        assert not IMPORT.findall(path.read_text(encoding="utf-8"))
        return
    assert rooms_imported(path.read_text(encoding="utf-8")) - {here} <= MAY_IMPORT[here]


def test_trees_stay_in_the_rooms_that_read_them() -> None:
    assert matching(r"^\s*(import|from) (ast|libcst)\b", [path for path in outside("syntax", "fix") if path != READS_ANNOTATIONS]) == []
    assert matching(r"^\s*(import|from) libcst\b", outside("syntax", "fix")) == []


def test_toml_is_read_in_one_room() -> None:
    assert matching(r"^\s*(import|from) (tomli|tomllib|toml|tomlkit)\b", outside("knowledge")) == []


def test_only_the_outer_rooms_write_to_the_streams() -> None:
    assert matching(r"(?<![\w.])print\(|sys\.std(out|err)", outside("report", "cli", "runtime")) == []


def test_the_runtime_imports_the_standard_library_alone() -> None:
    import sys

    names = {
        name.split(".")[0]
        for path in FILES
        if room(path) == "runtime"
        for name in IMPORT.findall(path.read_text(encoding="utf-8"))
    }
    relative, for_the_type_checker = "", "typing_extensions"
    assert names - set(sys.stdlib_module_names) <= {"ctxlint", relative, for_the_type_checker}


def test_rule_codes_are_data() -> None:
    """The codes of the tool itself may stand where the tool itself reports them."""
    quoted = r"[\"'][A-Z]*CTX\d"
    assert matching(quoted, [path for path in outside("gate", "engine", "runtime")]) == []
    assert matching(r"[\"'][A-Z]*CTX[1-9]", [path for path in FILES if path != DYNAMIC_TWINS]) == []


def test_user_code_is_never_imported_or_executed() -> None:
    assert matching(r"(?<![\w.])(exec|eval|__import__|runpy)\(|runpy", FILES) == []


def test_a_file_is_one_room() -> None:
    lines = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert {name: count for name, count in lines.items() if count > LONGER_THAN_A_ROOM.get(name, 400)} == {}


def test_no_import_cycles_between_rooms() -> None:
    order = list(MAY_IMPORT)
    assert all(order.index(below) < order.index(above) for above, allowed in MAY_IMPORT.items() for below in allowed)
