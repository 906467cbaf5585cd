"""What the fixtures become by their fixes, and how to write that down again: `python -m tests.fixed_fixtures`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ctxlint.engine import Request
from ctxlint.knowledge.configuration import load_configuration
from ctxlint.repairs import Repair, repair
from tests.fixture_runs import FIXED, fixture_files, rule_folders


def repaired(path: Path, text: bytes | None = None, code: str = "") -> Repair:
    """Fix what one rule finds in a fixture (or in `text`, in its place), safe or not, in a project that wants the runtime."""
    configuration = load_configuration(
        start=path.parent, isolated=True, arguments=['runtime-module="ctxlint.runtime"'],
        flags={"select": [code or path.parent.name], "preview": True, "min-confidence": "low", "unsafe-fixes": True},
    )
    source = path.read_bytes() if text is None else text
    return repair(Request((), configuration, stdin=source, stdin_filename=str(path), cache=False))


def fixed_text(path: Path) -> bytes | None:
    """The text of a fixture after its fixes; None when nothing is fixed."""
    return next(iter(repaired(path).after.values()), None)


def beside(path: Path) -> Path:
    """Where the text after the fixes is kept."""
    return path.with_name(path.stem + FIXED)


def files() -> Iterator[Path]:
    """The fixtures of all rules."""
    for folder in rule_folders():
        yield from fixture_files(folder)


if __name__ == "__main__":
    for each in files():
        text = fixed_text(each)
        if text is not None:
            beside(each).write_bytes(text)
        elif beside(each).exists():
            beside(each).unlink()
