from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.ir.module import Module
from ctxlint.result import Coverage, NotAnalysed, Report
from ctxlint.store.records import Lowered, lowered, packed, report
from ctxlint.syntax.load import load
from tests.findings import finding

FILES = sorted((Path(__file__).parent.parent.parent / "ctxlint" / "syntax").glob("*.py"))


def module_of(source: bytes) -> Module:
    module = load(source)
    assert isinstance(module, Module)
    return module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_lowered_file_is_the_same_when_it_was_read_back(file: Path) -> None:
    value = Lowered(module_of(file.read_bytes()))
    record = packed(value)
    assert record is not None
    assert lowered(record) == value


def test_why_a_file_was_not_lowered_is_kept() -> None:
    value = Lowered(None, "syntax", "invalid syntax", 7)
    record = packed(value)
    assert record is not None
    assert lowered(record) == value


def test_a_report_is_the_same_when_it_was_read_back() -> None:
    found = finding()
    value = Report((found,), (found,), Coverage(2, 7, (NotAnalysed("a.py", "encoding", "why"),)), ("beware",), True)
    record = packed(value)
    assert record is not None
    assert report(record) == value


def test_half_a_character_in_a_literal_does_no_harm() -> None:
    value = Lowered(module_of(b"x = '\\ud800'\n"))
    record = packed(value)
    assert record is not None
    assert lowered(record) == value


def test_a_name_that_has_no_bytes_cannot_be_kept() -> None:
    assert packed(Report((), (), Coverage(0, 0, (NotAnalysed("\udc80.py", "encoding", "why"),)))) is None


@given(st.binary(max_size=200))
def test_other_bytes_are_no_record(data: bytes) -> None:
    assert lowered(data) is None
    assert report(data) is None


def test_a_record_of_the_other_kind_is_none() -> None:
    one, other = packed(Lowered(None, "syntax", "")), packed(Report((), (), Coverage(0, 0)))
    assert one is not None and other is not None
    assert report(one) is None
    assert lowered(other) is None
