from __future__ import annotations

import json

from ctxlint.ir.span import NOWHERE
from ctxlint.report.json_report import render_json, render_json_lines
from tests.findings import finding


def test_the_shape_is_ruffs_and_more() -> None:
    (one,) = json.loads(render_json([finding(fingerprint="f" * 32)]))
    assert one == {
        "code": "AA101",
        "name": "mutate-late",
        "message": "`self.messages` is mutated before its record reaches `self._undo`",
        "filename": "/project/agent.py",
        "location": {"row": 41, "column": 9},
        "end_location": {"row": 41, "column": 32},
        "severity": "error",
        "confidence": "high",
        "kind": "two-stores",
        "symbol": "Agent.say",
        "fingerprint": "f" * 32,
        "flow": [
            {"filename": "/project/agent.py", "location": {"row": 41, "column": 9},
             "end_location": {"row": 41, "column": 32}, "text": "changes self.messages",
             "source": "self.messages.append(m)", "by": ""},
            {"filename": "/project/agent.py", "location": {"row": 43, "column": 9},
             "end_location": {"row": 43, "column": 30}, "text": "can fail here",
             "source": "await self._wal.write(m)", "by": ""},
            {"filename": "/elsewhere/log.py", "location": {"row": 7, "column": 1},
             "end_location": {"row": 7, "column": 9}, "text": "records how to undo it",
             "source": "self._undo.append((\"pop\", m))", "by": ""},
        ],
        "scenario": "If 2 fails, the message stays and `rollback` cannot remove it.",
        "evidence": ["journal: `rollback` reads `self._undo` back (/project/agent.py:90)"],
        "fix": {
            "applicability": "unsafe",
            "message": "record first",
            "edits": [{"filename": "/project/agent.py", "content": "b", "location": {"row": 41, "column": 1},
                       "end_location": {"row": 42, "column": 1}}],
        },
        "url": None,
        "noqa_row": 41,
    }


def test_a_finding_about_a_file_stands_at_its_beginning() -> None:
    (one,) = json.loads(render_json([finding(span=NOWHERE, fixes=())]))
    assert one["location"] == {"row": 1, "column": 1}
    assert one["fix"] is None


def test_nothing_found_is_an_empty_list_and_no_line() -> None:
    assert json.loads(render_json([])) == []
    assert render_json_lines([]) == ""


def test_lines_hold_the_same_objects() -> None:
    both = [finding(), finding(code="AA102")]
    assert [json.loads(line) for line in render_json_lines(both).splitlines()] == json.loads(render_json(both))


def test_only_suppressed_findings_are_marked() -> None:
    shown, hidden = json.loads(render_json([finding()], [finding()]))
    assert "suppressed" not in shown
    assert hidden["suppressed"] is True


def test_any_name_of_a_file_can_be_written() -> None:
    text = render_json([finding(path="/project/\udcff\u2028é.py")])
    assert text.isascii()
    assert json.loads(text)[0]["filename"] == "/project/\udcff\u2028é.py"
