from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlint.diagnostic import Diagnostic, Edit, Fix
from ctxlint.ir.span import NOWHERE, Span
from ctxlint.report.rdjson import render_rdjson
from ctxlint.report.surroundings import Surroundings
from tests.findings import finding

TEXT = "é = 1\r\nab😀c\nx = y\n"
HERE = Surroundings(Path("/"), Path("/project"), lambda path: TEXT if path == "/project/agent.py" else None)


def only(one: Diagnostic) -> dict[str, Any]:
    log = json.loads(render_rdjson([one], [], HERE))
    assert log["source"] == {"name": "ctxlint"}
    (found,) = log["diagnostics"]
    written: dict[str, Any] = found
    return written


def test_a_diagnostic_has_what_reviewdog_reads() -> None:
    one = only(finding(fixes=()))
    assert one["message"].split("\n") == [
        "`self.messages` is mutated before its record reaches `self._undo` [high]",
        "If 2 fails, the message stays and `rollback` cannot remove it.",
        "journal: `rollback` reads `self._undo` back (agent.py:90)",
    ]
    assert (one["severity"], one["code"]) == ("ERROR", {"value": "AA101"})
    assert one["location"]["path"] == "agent.py"
    assert [place["location"]["path"] for place in one["relatedLocations"]] == ["agent.py", "agent.py", "/elsewhere/log.py"]
    assert one["relatedLocations"][1]["message"] == "2. can fail here"
    assert "suggestions" not in one


@pytest.mark.parametrize(
    ("span", "columns"), [(Span(1, 1, 1, 2), (1, 3)), (Span(2, 3, 2, 5), (3, 8)), (Span(9, 4, 9, 6), (4, 6)), (NOWHERE, (1, 1))]
)
def test_columns_are_bytes(span: Span, columns: tuple[int, int]) -> None:
    place = only(finding(span=span))["location"]["range"]
    assert (place["start"]["column"], place["end"]["column"]) == columns


def test_the_edits_of_a_safe_fix_are_one_suggestion() -> None:
    edits = (Edit("/project/agent.py", Span(2, 4, 2, 5), "c", "C"), Edit("/project/agent.py", Span(1, 1, 1, 2), "é", "e"))
    (one,) = only(finding(fixes=(Fix("record first", "safe", edits),)))["suggestions"]
    assert one["range"] == {"start": {"line": 1, "column": 1}, "end": {"line": 2, "column": 8}}
    assert one["text"] == "e = 1\nab😀C"
    near = (Edit("/project/agent.py", Span(3, 1, 3, 2), "x", "z"), Edit("/project/agent.py", Span(3, 5, 3, 6), "y", ""))
    (one,) = only(finding(fixes=(Fix("record first", "safe", near),)))["suggestions"]
    assert one["text"] == "z = "


def test_what_cannot_be_taken_over_by_a_click_is_no_suggestion() -> None:
    here = Edit("/project/agent.py", Span(1, 1, 1, 2), "é", "e")
    for fix in (
        Fix("unsafe", "unsafe", (here,)),
        Fix("elsewhere", "safe", (here, Edit("/project/b.py", Span(1, 1, 1, 2), "é", "e"))),
        Fix("too far", "safe", (here, Edit("/project/agent.py", Span(99, 1, 99, 2), "é", "e"))),
        Fix("nothing", "safe", ()),
    ):
        assert "suggestions" not in only(finding(fixes=(fix,)))


def test_suppressed_findings_say_so() -> None:
    (one,) = json.loads(render_rdjson([], [finding()], HERE))["diagnostics"]
    assert one["severity"] == "INFO" and "[suppressed]" in one["message"]
