from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxlint.diagnostic import Diagnostic, Edit, Fix, Step
from ctxlint.ir.span import NOWHERE, Span
from ctxlint.knowledge.rules import Kind, Rule, load_rules
from ctxlint.report.sarif import FLOW_LIMIT, render_sarif
from ctxlint.report.surroundings import Surroundings
from ctxlint.result import Coverage, NotAnalysed, Report
from tests.findings import finding
from tests.report.sarif_defects import assert_sound, defects

RULE = Rule(
    code="AA101", name="mutate-late", title="State is mutated early", message="", severity="error", status="stable",
    since="0.1", doc="## What it does\nFinds {braces}.\n\nMore.\n\n## Why is this bad\nb\n\n## When it is fine\nc\n\n## Fix safety\nd\n",
)
TEXT = "x = 1\n" * 100
HERE = Surroundings(Path("/project"), Path("/project/sub"), lambda path: TEXT)


def log(
    *diagnostics: Diagnostic,
    suppressed: Sequence[Diagnostic] = (),
    rules: Sequence[Rule] = (RULE,),
    surroundings: Surroundings = HERE,
    failures: tuple[NotAnalysed, ...] = (),
    problems: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the log of a run that found these, checked for every known defect."""
    report = Report(marked(diagnostics), (), Coverage(1, 1, failures), problems, incomplete=bool(failures))
    return assert_sound(render_sarif(report, rules, surroundings, "0.1.0", marked(suppressed)))


def marked(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(msgspec.structs.replace(one, fingerprint=one.fingerprint or "f" * 32) for one in diagnostics)


def results(*diagnostics: Diagnostic, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = log(*diagnostics, **more)["runs"][0]["results"]
    return found


def test_nothing_found_is_an_empty_list_of_results() -> None:
    run = log()["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_result_has_what_code_scanning_reads() -> None:
    (one,) = results(finding())
    assert (one["ruleId"], one["ruleIndex"], one["level"], one["rank"]) == ("AA101", 0, "error", 90.0)
    place = one["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "agent.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 41, "startColumn": 9, "endLine": 41, "endColumn": 32}
    assert one["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "Agent.say", "kind": "function"}]
    assert set(one["partialFingerprints"]) == {"ctxlint/v1", "primaryLocationLineHash"}


def test_the_message_links_to_each_step() -> None:
    (one,) = results(finding())
    assert one["message"]["text"] == (
        "`self.messages` is mutated before its record reaches `self._undo`."
        " If 2 fails, the message stays and `rollback` cannot remove it.\n"
        "1. [changes self.messages](1)\n"
        "2. [can fail here](2)\n"
        "3. [records how to undo it](3)\n"
        "Journal: `rollback` reads `self._undo` back (agent.py:90)."
    )
    assert [place["id"] for place in one["relatedLocations"]] == [1, 2, 3]
    assert one["relatedLocations"][2]["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/log.py"}


def test_the_flow_is_the_steps_in_order() -> None:
    (one,) = results(finding())
    steps = one["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [41, 43, 7]
    assert steps[1]["location"]["message"]["text"] == "Can fail here."


def test_a_finding_without_steps_has_no_flow() -> None:
    (one,) = results(finding(flow=()))
    assert "codeFlows" not in one and "relatedLocations" not in one


def test_texts_of_the_code_make_neither_links_nor_placeholders() -> None:
    (one,) = results(finding(
        message="`f\"{self.x}[0](7)\"` is late", scenario="",
        flow=(Step("/project/agent.py", Span(1, 1, 1, 2), "changes messages[*](8) \\ {0}"),), evidence=("a[1](9)",),
    ))
    assert one["message"]["text"] == (
        "`f\"{{self.x}}[0] (7)\"` is late.\n1. [changes messages\\[*\\](8) \\\\ {{0}}](1)\nA[1] (9)."
    )


def test_a_region_of_several_lines_is_cut_at_the_end_of_its_first() -> None:
    place = results(finding(span=Span(3, 2, 5, 1)))[0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3, "startColumn": 2, "endLine": 3, "endColumn": 6}
    unreadable = msgspec.structs.replace(HERE, text_of=lambda path: "")
    report = Report(marked([finding(span=NOWHERE)]), (), Coverage(1, 1))
    (one,) = json.loads(render_sarif(report, [RULE], unreadable, "0.1.0"))["runs"][0]["results"]
    assert one["locations"][0]["physicalLocation"]["region"]["endColumn"] == 1


def test_only_line_breaks_of_python_break_lines() -> None:
    text = msgspec.structs.replace(HERE, text_of=lambda path: "a\x0cb\u2028c\nlonger\n")
    place = results(finding(span=Span(2, 1, 3, 1), flow=()), surroundings=text)[0]["locations"][0]["physicalLocation"]
    assert place["region"]["endColumn"] == 7


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a b#c?.py", "a%20b%23c%3F.py"),
        ("é\u2028.py", "%C3%A9%E2%80%A8.py"),
        ("a:b.py", "a%3Ab.py"),
        ("back\\slash.py", "back%5Cslash.py"),
        ("\udcff.py", "%FF.py"),
        ("..data/x.py", "..data/x.py"),
    ],
)
def test_uris_are_relative_and_percent_encoded(name: str, uri: str) -> None:
    (one,) = results(finding(path=f"/project/{name}", flow=()))
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_link_is_followed_to_what_the_repository_keeps(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "real" / "agent.py").touch()
    (root / "link").symlink_to("real")
    (root / "out").symlink_to(tmp_path)
    (tmp_path / "root-link").symlink_to(root)
    (tmp_path / "far.py").touch()
    place = msgspec.structs.replace(HERE, root=root)

    def uri(path: Path) -> dict[str, str]:
        found = results(finding(path=str(path), flow=()), surroundings=place)[0]["locations"][0]
        location: dict[str, str] = found["physicalLocation"]["artifactLocation"]
        return location

    assert uri(root / "link" / "agent.py")["uri"] == "real/agent.py"
    assert uri(tmp_path / "root-link" / "real" / "agent.py")["uri"] == "real/agent.py"
    assert uri(root / "out" / "far.py")["uri"] == "out/far.py"
    assert uri(tmp_path / "far.py") == {"uri": (tmp_path / "far.py").as_uri()}


def test_the_base_is_the_root_and_ends_in_a_slash() -> None:
    run = log()["runs"][0]
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///project/"}}
    assert run["invocations"][0]["workingDirectory"] == {"uri": "file:///project/sub/"}
    assert (run["columnKind"], run["automationDetails"]) == ("unicodeCodePoints", {"id": "ctxlint/"})


def test_equal_fingerprints_are_numbered() -> None:
    found = results(finding(), finding(), finding(fingerprint="a" * 32))
    assert [one["partialFingerprints"]["ctxlint/v1"] for one in found] == ["f" * 32 + ":1", "f" * 32 + ":2", "a" * 32 + ":1"]


def test_rules_say_how_bad_and_how_sure() -> None:
    doubtful = msgspec.structs.replace(
        RULE, code="AA102", name="other", severity="note",
        kinds={"a": Kind("one", confidence="low"), "b": Kind("two", confidence="medium")},
    )
    first, second = log(rules=(RULE, doubtful))["runs"][0]["tool"]["driver"]["rules"]
    assert first["properties"] == {"tags": ["reliability"], "precision": "high", "problem.severity": "error"}
    assert second["properties"] == {"tags": ["reliability"], "precision": "medium", "problem.severity": "recommendation"}
    assert first["name"] == "MutateLate"
    assert first["shortDescription"]["text"] == "State is mutated early."
    assert first["fullDescription"]["text"] == "Finds {{braces}}."
    assert first["help"]["markdown"].startswith("# mutate-late (AA101)\n")


def test_every_rule_fits() -> None:
    rules = tuple(load_rules().values())
    assert len(log(rules=rules)["runs"][0]["tool"]["driver"]["rules"]) == len(rules)


def test_what_was_not_analysed_is_a_notification() -> None:
    failures = (
        NotAnalysed("/project/bad.py", "syntax error", "line 3: invalid syntax", Span(3, 1, 3, 1)),
        NotAnalysed("/project/big.py", "too large", "9 MB"),
    )
    run = log(failures=failures, problems=("no such {model}",))["runs"][0]
    invocation = run["invocations"][0]
    assert invocation["executionSuccessful"] is False
    bad, big = invocation["toolExecutionNotifications"]
    assert bad["message"]["text"] == "Not analysed: syntax error. Line 3: invalid syntax."
    assert (bad["level"], bad["descriptor"]) == ("error", {"id": "syntax-error", "index": 0})
    assert bad["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad.py"
    assert big["descriptor"] == {"id": "too-large", "index": 1}
    assert [kind["id"] for kind in run["tool"]["driver"]["notifications"]] == ["syntax-error", "too-large"]
    (warning,) = invocation["toolConfigurationNotifications"]
    assert warning["message"]["text"] == "No such {{model}}."


def test_suppressed_findings_are_marked_and_the_others_known_not_to_be() -> None:
    shown, hidden = results(finding(), suppressed=[finding()])
    assert shown["suppressions"] == []
    assert hidden["suppressions"] == [{"kind": "inSource"}]
    assert hidden["partialFingerprints"]["ctxlint/v1"].endswith(":2")
    assert "suppressions" not in results(finding())[0]


def test_a_fix_replaces_exactly_what_it_says() -> None:
    edits = (
        Edit("/project/b.py", Span(2, 1, 3, 1), "x = 1\n", ""),
        Edit("/project/a.py", Span(9, 1, 9, 2), "x", "{y}"),
        Edit("/project/b.py", Span(1, 1, 1, 2), "x", "y"),
    )
    (fix,) = results(finding(fixes=(Fix("record first", "unsafe", edits),)))[0]["fixes"]
    assert fix["description"]["text"] == "Record first (unsafe)."
    assert [change["artifactLocation"]["uri"] for change in fix["artifactChanges"]] == ["a.py", "b.py"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "{y}"}
    assert fix["artifactChanges"][1]["replacements"] == [
        {"deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}, "insertedContent": {"text": "y"}},
        {"deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}},
    ]


def test_long_flows_keep_their_beginning_and_their_end() -> None:
    flow = tuple(Step("/project/agent.py", Span(1, 1, 1, 2), f"step {n}") for n in range(1, 1_502))
    (one,) = results(finding(flow=flow))
    steps = one["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == FLOW_LIMIT
    assert [step["location"]["message"]["text"] for step in (steps[0], steps[-1])] == ["Step 1.", "Step 1501."]
    assert len(one["relatedLocations"]) == 100


def test_the_least_severe_are_left_out_of_too_many_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlint.report.sarif.RESULT_LIMIT", 3)
    severities = ("note", "error", "warning", "error", "warning")
    run = log(*(finding(severity=severity) for severity in severities), suppressed=[finding()])["runs"][0]
    assert [one["level"] for one in run["results"]] == ["error", "warning", "error"]
    (told,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert told["message"]["text"] == "3 findings are left out: a file holds 3 at most."


def test_the_same_run_gives_the_same_bytes() -> None:
    report = Report(marked([finding(), finding()]), (), Coverage(1, 1))
    first, second = (render_sarif(report, [RULE], HERE, "0.1.0") for _ in range(2))
    assert first == second


Break = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda log: log["runs"].clear(), "no run"),
        (lambda log: log["runs"].append(log["runs"][0]), "two runs of one tool"),
        (lambda log: result(log).update(ruleId="AA999"), "is not AA999"),
        (lambda log: log["runs"][0].pop("originalUriBaseIds"), "is not defined"),
        (lambda log: artifact(log).update(uri="../x.py"), "climbs"),
        (lambda log: artifact(log).update(uri="my agent.py"), "percent-encoded"),
        (lambda log: result(log)["partialFingerprints"].popitem(), "fingerprint"),
        (lambda log: result(log)["relatedLocations"].pop(), "link to location 3"),
        (lambda log: rule_properties(log).update(tags=[str(n) for n in range(21)]), "tags"),
        (lambda log: rule_properties(log).update({"security-severity": 7.5}), "no string"),
        (lambda log: result(log)["locations"].extend(result(log)["locations"] * 1_000), "number of locations"),
        (lambda log: flow_steps(log).extend(flow_steps(log) * 5_000), "10,000 steps"),
        (lambda log: log["runs"][0]["invocations"][0].update(endTimeUtc="2026-11-30 18:00:00"), "zone"),
        (lambda log: result(log)["message"].update(text="{0}."), "brace"),
        (lambda log: log["runs"][0]["results"].append({**result(log), "suppressions": []}), "some results say"),
    ],
)
def test_each_defect_is_noticed(broken: Break, said: str) -> None:
    sound = log(finding())
    broken(sound)
    assert any(said in defect for defect in defects(sound))


def result(log: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = log["runs"][0]["results"][0]
    return found


def artifact(log: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = result(log)["locations"][0]["physicalLocation"]["artifactLocation"]
    return found


def rule_properties(log: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = log["runs"][0]["tool"]["driver"]["rules"][0]["properties"]
    return found


def flow_steps(log: dict[str, Any]) -> list[Any]:
    found: list[Any] = result(log)["codeFlows"][0]["threadFlows"][0]["locations"]
    return found


MULTITOOL = os.environ.get("SARIF_MULTITOOL") or shutil.which("Sarif.Multitool")

ACCEPTED = {
    "SARIF2005": "there is no public address of the tool that could be told",
}
"""Warnings of Microsoft's validator that stand, and why."""


@pytest.mark.skipif(MULTITOOL is None, reason="SARIF_MULTITOOL names no Sarif.Multitool of @microsoft/sarif-multitool")
def test_microsofts_validator_finds_nothing_either(tmp_path: Path) -> None:
    failures = (NotAnalysed("/project/bad.py", "syntax error", "line 3: invalid syntax", Span(3, 1, 3, 1)),)
    report = Report(marked([finding(), finding(span=NOWHERE)]), (), Coverage(1, 1, failures), ("x",), incomplete=True)
    file = tmp_path / "a.sarif"
    file.write_text(render_sarif(report, [RULE], HERE, "0.1.0", marked([finding()])), encoding="utf-8")
    command = [str(MULTITOOL), "validate", str(file), "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "-o",
               str(tmp_path / "out.sarif"), "--log", "ForceOverwrite"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "1 files scanned" in said
    found = re.findall(r": (?:error|warning) ([A-Z]+\d+): (.*)", said)
    assert [(code, text) for code, text in found if code not in ACCEPTED] == []
