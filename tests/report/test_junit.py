from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ctxlint.report.junit import render_junit
from tests.findings import finding

ROOT = Path("/project")


def test_a_finding_is_a_failed_case_of_its_file() -> None:
    root = ElementTree.fromstring(render_junit([finding(), finding(path="/project/a/b.py")], [finding()], ROOT))
    assert root.attrib == {"name": "ctxlint", "tests": "3", "failures": "2", "errors": "0", "skipped": "1"}
    assert [(suite.get("name"), suite.get("tests"), suite.get("skipped")) for suite in root] == [
        ("a/b.py", "1", "0"), ("agent.py", "2", "1")
    ]
    first, failed, skipped = root.iter("testcase")
    assert (first.get("classname"), first.get("file"), first.get("line")) == ("a.b", "a/b.py", "41")
    assert failed.get("name") == "AA101 mutate-late (Agent.say:41)"
    assert failed[0].tag == "failure" and failed[0].get("type") == "AA101"
    assert (failed[0].text or "").startswith("agent.py:41:9: AA101 `self.messages`")
    assert skipped[0].tag == "skipped" and (skipped[0].get("message") or "").startswith("suppressed: ")


def test_texts_of_the_code_stay_texts() -> None:
    text = render_junit([finding(message='"a"<b>&\x00\x1b\ufffe\ud800]]>', flow=())], [], ROOT)
    (failure,) = ElementTree.fromstring(text).iter("failure")
    assert failure.get("message") == '"a"<b>&\\x00\\x1b\\ufffe\\ud800]]>'


def test_nothing_found_is_a_case_that_passes() -> None:
    root = ElementTree.fromstring(render_junit([], [], ROOT))
    assert (root.get("tests"), root.get("failures")) == ("1", "0")
    (case,) = root.iter("testcase")
    assert len(case) == 0
