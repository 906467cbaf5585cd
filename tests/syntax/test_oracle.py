"""Both readers give the same words: the IR of a file from the standard parser is the IR of it from LibCST.

`benchmarks/oracle.py` does the same for whole directories.
"""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest

from ctxlint.syntax.depth import with_room
from ctxlint.syntax.lower import lower
from ctxlint.syntax.read import Problem, read
from ctxlint.syntax.tree import parse

ROOT = Path(__file__).resolve().parents[2]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
SAMPLE_SIZE = 60
LARGEST = 40_000


def _sample() -> list[Path]:
    """Files spread evenly over the standard library."""
    files = sorted(
        path
        for path in STANDARD_LIBRARY.rglob("*.py")
        if not {"site-packages", "lib2to3", "test"} & {*path.parts} and 500 < path.stat().st_size < LARGEST
    )
    return files[:: max(1, len(files) // SAMPLE_SIZE)][:SAMPLE_SIZE]


def _own_files() -> list[Path]:
    return sorted(path for folder in ("ctxlint", "fixtures", "tests") for path in (ROOT / folder).rglob("*.py"))


def _is_accepted_by_the_interpreter(source: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return False
        return True


def _compare(path: Path) -> None:
    source = path.read_bytes()
    if not _is_accepted_by_the_interpreter(source):
        pytest.skip("only LibCST reads this file")
    reading = read(source)
    assert not isinstance(reading, Problem)
    ours, theirs = lower(parse(source), reading.source), lower(reading.tree, reading.source)
    for our, their in zip(ours.functions, theirs.functions):
        assert our == their
    assert ours == theirs


@pytest.mark.parametrize("path", _sample(), ids=lambda path: path.relative_to(STANDARD_LIBRARY).as_posix())
def test_standard_library(path: Path) -> None:
    with_room(_compare, path)


@pytest.mark.parametrize("path", _own_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_own_files_and_fixtures(path: Path) -> None:
    with_room(_compare, path)
