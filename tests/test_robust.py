"""Killed runs and the cache: a few rounds of `benchmarks/robust.py`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "robust.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills process groups")
def test_killed_runs_leave_a_cache_that_changes_nothing(tmp_path: Path) -> None:
    found = importlib.util.spec_from_file_location("robust", BENCHMARK)
    assert found is not None and found.loader is not None
    robust = importlib.util.module_from_spec(found)
    found.loader.exec_module(robust)
    assert list(robust.killed_runs(tmp_path, runs=1, seed=7, files=4)) == []
