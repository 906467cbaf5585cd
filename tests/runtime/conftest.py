"""Subprocesses of these tests import the checkout that is being tested."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlint


@pytest.fixture(autouse=True)
def subprocesses_import_this_checkout(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(ctxlint.__file__).parents[1]))
