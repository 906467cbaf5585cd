"""Every construct has its events, blocks and edges written down beside it.

`CTXLINT_WRITE_GOLDEN=1 pytest tests/syntax/test_golden.py` writes the texts anew; read the difference before you keep
it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxlint.ir.describe import describe_module
from ctxlint.ir.module import Module
from ctxlint.syntax.load import load

CASES = sorted((Path(__file__).parent / "golden").glob("*.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_lowered_as_written_down(case: Path) -> None:
    module = load(case.read_bytes())
    assert isinstance(module, Module)
    text = describe_module(module)
    golden = case.with_suffix(".txt")
    if os.environ.get("CTXLINT_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
