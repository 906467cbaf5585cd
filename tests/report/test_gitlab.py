from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.report.gitlab import render_gitlab
from tests.findings import finding

ROOT = Path("/project")


def test_an_issue_has_what_gitlab_reads() -> None:
    (one,) = json.loads(render_gitlab([finding(fingerprint="f")], [], ROOT))
    assert one["description"] == "`self.messages` is mutated before its record reaches `self._undo` [high]"
    assert (one["check_name"], one["fingerprint"], one["severity"]) == ("AA101", "f:1", "major")
    assert one["location"] == {"path": "agent.py", "lines": {"begin": 41, "end": 41}}
    assert one["content"]["body"].splitlines()[2:] == [
        "3. records how to undo it (/elsewhere/log.py:7)",
        "If 2 fails, the message stays and `rollback` cannot remove it.",
    ]


def test_equal_findings_are_several_issues() -> None:
    issues = json.loads(render_gitlab([finding(fingerprint="f")] * 2, [finding(fingerprint="f")], ROOT))
    assert [issue["fingerprint"] for issue in issues] == ["f:1", "f:2", "f:3"]


@pytest.mark.parametrize(("severity", "shown"), [("error", "major"), ("warning", "minor"), ("note", "info")])
def test_severities(severity: str, shown: str) -> None:
    assert json.loads(render_gitlab([finding(severity=severity)], [], ROOT))[0]["severity"] == shown


def test_suppressed_findings_say_so() -> None:
    (one,) = json.loads(render_gitlab([], [finding()], ROOT))
    assert one["severity"] == "info" and one["description"].endswith("[suppressed]")


def test_nothing_found_is_an_empty_list() -> None:
    assert json.loads(render_gitlab([], [], ROOT)) == []
