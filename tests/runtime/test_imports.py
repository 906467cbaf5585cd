"""The package loads nothing it does not need, and nothing else of the project."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import ctxlint.runtime

PACKAGE = Path(ctxlint.runtime.__file__).parent


def loaded_after(statement: str) -> set[str]:
    script = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_runtime_loads_no_heavy_module():
    loaded = loaded_after("import ctxlint.runtime, ctxlint.runtime.roles, ctxlint.runtime.faults")
    assert "ctxlint.runtime.buffer" in loaded
    assert not loaded & {"asyncio", "sqlite3", "libcst", "networkx", "msgspec", "pytest", "hypothesis"}


def test_importing_the_monitor_loads_no_heavy_module():
    assert not loaded_after("import ctxlint.runtime.monitor") & {"asyncio", "sqlite3", "libcst", "networkx", "pytest"}


def test_only_the_standard_library_is_imported():
    foreign = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            foreign |= {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert foreign <= {"typing_extensions"}, "which only type checkers import"


def test_every_public_name_exists_and_says_what_it_means():
    for name in ctxlint.runtime.__all__:
        value = getattr(ctxlint.runtime, name)
        if callable(value):
            assert value.__doc__, f"{name} has no docstring"
    assert sorted(ctxlint.runtime.__all__) == ctxlint.runtime.__all__


def test_the_error_tree_is_the_one_its_docstring_draws():
    from ctxlint.runtime import errors

    drawn = [line for line in errors.__doc__.splitlines() if "── " in line]
    for line in drawn:
        name = line.split("── ")[1].split()[0]
        parent = {4: "ContextError", 8: "StaleBaseError"}.get(line.index("── ") - 1)
        if name in ("JournalFullError", "JournalLockedError", "JournalCorruptError"):
            parent = "JournalError"
        kind = getattr(errors, name)
        assert issubclass(kind, getattr(errors, parent)), line
    assert len(drawn) == 9


def test_annotations_cost_nothing():
    from ctxlint.runtime import roles

    def function():
        pass

    for decorator in (roles.mutates, roles.records, roles.replays, roles.suspends):
        assert decorator(function) is function
    assert roles.JOURNAL == roles.Role("journal")


def test_files_stay_small():
    assert not {path.name for path in PACKAGE.rglob("*.py") if len(path.read_text().splitlines()) > 400}
