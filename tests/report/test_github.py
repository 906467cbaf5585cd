from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.ir.span import Span
from ctxlint.report.github import render_github
from tests.findings import finding

ROOT = Path("/project")


def test_a_finding_is_one_command_with_its_whole_argument() -> None:
    assert render_github([finding()], [], ROOT) == (
        "::error file=agent.py,line=41,endLine=41,col=9,endColumn=32,title=AA101 mutate-late::"
        "`self.messages` is mutated before its record reaches `self._undo` [high]"
        "%0A1. changes self.messages (agent.py:41)"
        "%0A2. can fail here (agent.py:43)"
        "%0A3. records how to undo it (/elsewhere/log.py:7)"
        "%0AIf 2 fails, the message stays and `rollback` cannot remove it."
        "%0Ajournal: `rollback` reads `self._undo` back (agent.py:90)\n"
    )


@pytest.mark.parametrize(("severity", "level"), [("error", "error"), ("warning", "warning"), ("note", "notice")])
def test_severities_are_levels(severity: str, level: str) -> None:
    assert render_github([finding(severity=severity)], [], ROOT).startswith(f"::{level} ")


def test_nothing_leaves_its_place() -> None:
    text = render_github(
        [finding(path="/project/a,b:c%\n::x.py", message="50%\r\n::error::x", flow=(), scenario="", evidence=())], [], ROOT
    )
    assert text.count("\n") == 1
    assert "file=a%2Cb%3Ac%25%0A%3A%3Ax.py,line" in text
    assert text.endswith("::50%25%0D%0A::error::x [high]\n")


def test_ten_of_a_level_are_annotated_the_most_believed_first_and_the_rest_is_listed() -> None:
    many = [finding(span=Span(line, 1, line, 2), confidence="medium" if line < 4 else "high") for line in range(1, 12)]
    last = finding(path="/project/##[error]x\n::error::.py", confidence="low")
    lines = render_github([*many, last, finding(severity="note")], [], ROOT).splitlines()
    assert [line.split("line=")[1].split(",")[0] for line in lines[:10]] == ["4", "5", "6", "7", "8", "9", "10", "11", "1", "2"]
    assert lines[10:13] == [
        "ctxlint: 2 more of level error are not annotated:",
        "  agent.py:3:1: AA101 mutate-late",
        "  ## [error]x%0A::error::.py:41:9: AA101 mutate-late",
    ]
    assert lines[13].startswith("::notice ") and len(lines) == 14


def test_a_place_of_several_lines_has_no_end_column() -> None:
    assert ",line=3,endLine=3,col=2,title=" in render_github([finding(span=Span(3, 2, 5, 1))], [], ROOT)


def test_suppressed_findings_are_notices_that_say_so() -> None:
    text = render_github([], [finding()], ROOT)
    assert text.startswith("::notice ") and "title=AA101 mutate-late [suppressed]::" in text


def test_nothing_found_is_no_line() -> None:
    assert render_github([], [], ROOT) == ""
