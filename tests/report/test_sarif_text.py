from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.diagnostic import Step
from ctxlint.ir.span import Span
from ctxlint.report.sarif_text import cut, message_text, plain_within
from tests.findings import finding


@given(st.text("a[](){}\\1", max_size=12).filter(lambda text: "](" not in text))
def test_a_reader_sees_the_text_of_a_step_as_it_is(text: str) -> None:
    steps = (Step("/project/agent.py", Span(1, 1, 1, 2), text),)
    message = message_text(finding(message="m", scenario="", flow=steps, evidence=()), Path("/project"))
    assert as_shown(message) == f"M.\n1. {text} (here 1)"


def as_shown(message: str) -> str:
    """A message as SARIF says that it is read: links are texts with a number behind them, signs of the format are escaped."""
    links = re.compile(r"(?<!\\)\[((?:\\.|[^\[\]\\])*)\]\((\d+)\)")
    return links.sub(lambda link: re.sub(r"\\(.)", r"\1", link[1]) + f" (here {link[2]})", message).replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize(("limit", "text"), [(9, "{{abcd}}"), (8, "{{abcd}}"), (7, "{{abc…"), (6, "{{abc…"), (3, "{{…")])
def test_no_escaped_sign_is_halved(limit: int, text: str) -> None:
    assert plain_within("{abcd}", limit) == text


def test_a_text_is_cut_only_when_it_is_too_long() -> None:
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "ab…")
