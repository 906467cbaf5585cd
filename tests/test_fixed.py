"""`x.fixed.py` is what `x.py` becomes by its fixes, byte for byte, and nothing is found in it that could be fixed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixed_fixtures import beside, files, fixed_text, repaired
from tests.fixture_marks import marks_of
from tests.fixture_runs import FIXTURES

FAULTY = [path for path in files() if any(mark.code == path.parent.name for mark in marks_of(path))]


def name(path: Path) -> str:
    return str(path.relative_to(FIXTURES))


@pytest.mark.parametrize("path", FAULTY, ids=name)
def test_a_fixture_becomes_its_fixed_twin(path: Path) -> None:
    assert fixed_text(path) == (beside(path).read_bytes() if beside(path).exists() else None)


@pytest.mark.parametrize("path", [path for path in FAULTY if beside(path).exists()], ids=name)
def test_a_fixed_fixture_has_nothing_left_to_fix(path: Path) -> None:
    again = repaired(path, beside(path).read_bytes())
    assert not again.after and not again.taken_back
    assert not [one for one in again.report.diagnostics if any(fix.applicability != "display" for fix in one.fixes)]


def test_every_fixed_twin_has_its_fixture() -> None:
    assert {path for path in FIXTURES.rglob("*.fixed.py")} <= {beside(path) for path in FAULTY}
