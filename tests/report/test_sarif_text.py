from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.diagnostic import Step
from ctxlint.ir.span import Span
from ctxlint.report.sarif_text import cut, message_text, plain_within, shown_message
from tests.findings import finding


@given(st.text("a[](){}\\1", max_size=12).filter(lambda text: "](" not in text))
def test_a_reader_sees_the_text_of_a_step_as_it_is(text: str) -> None:
    steps = (Step("/project/agent.py", Span(1, 1, 1, 2), text),)
    message = message_text(finding(message="m", scenario="", flow=steps, evidence=()), Path("/project"))
    assert shown_message(message, lambda number: f"here {number}") == f"M.\n1. {text} (here 1)"


@pytest.mark.parametrize(("limit", "text"), [(9, "{{abcd}}"), (8, "{{abcd}}"), (7, "{{abc…"), (6, "{{abc…"), (3, "{{…")])
def test_no_escaped_sign_is_halved(limit: int, text: str) -> None:
    assert plain_within("{abcd}", limit) == text


def test_a_text_is_cut_only_when_it_is_too_long() -> None:
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "ab…")
