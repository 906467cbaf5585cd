"""The action from its first step to its gate, in a simulated job."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxlint.cli.main import main
from tests.action.conftest import LOSSY, ROOT, Start
from tests.action.runner import run_action
from tests.report.sarif_defects import assert_sound

UPLOAD, GATE, RUN, INSTALL = "Upload the report to code scanning", "Gate", "Run ctxlint", "Install ctxlint"

def pull_request(head: str | None) -> dict[str, Any]:
    repo = {"full_name": head} if head else None
    return {"pull_request": {"title": "$(touch PWNED)`touch PWNED`\n::error::x", "head": {"repo": repo}}}


def test_findings_are_uploaded_annotated_summed_up_and_fail_the_job(start: Start, tmp_path: Path) -> None:
    job = start()
    assert (job.outputs["exit-code"], job.outputs["findings"]) == ("1", "1")
    log = assert_sound(Path(job.outputs["sarif-file"]).read_text())
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "agent.py"
    upload = job.steps[UPLOAD]
    assert upload.ran and upload.inputs == {"sarif_file": job.outputs["sarif-file"]}
    (command,) = job.commands
    assert command.startswith(f"::{result['level']} file=agent.py,line=10,endLine=10,col=14,endColumn=")
    assert f"title={result['ruleId']} " in command and "(agent.py%3A" not in command and "(agent.py:11)" in command
    assert job.summary.startswith("### ctxlint: 1 finding\n")
    assert f"| {result['level']} | {result['ruleId']} | agent&#46;py&#58;10 | " in job.summary
    assert (job.steps[RUN].status, job.steps[GATE].status, job.failed) == (0, 1, True)
    assert list(job.steps).index(GATE) > list(job.steps).index(UPLOAD)
    assert job.environment == ""


def test_a_clean_project_passes(start: Start) -> None:
    job = start({"agent.py": "x = 1\n"})
    assert (job.outputs["exit-code"], job.outputs["findings"], job.failed) == ("0", "0", False)
    assert assert_sound(Path(job.outputs["sarif-file"]).read_text())["runs"][0]["results"] == []
    assert job.steps[UPLOAD].ran
    assert job.commands == []
    assert job.summary.startswith("### ctxlint: 0 findings\n\n**The check passes**") and job.summary.count("\n") == 5


@pytest.mark.parametrize(
    ("event_name", "head", "wish", "uploaded"),
    [
        ("push", "", "auto", True),
        ("schedule", "", "auto", True),
        ("pull_request", "owner/project", "auto", True),
        ("pull_request", "stranger/project", "auto", False),
        ("pull_request", None, "auto", False),
        ("pull_request_target", "stranger/project", "auto", False),
        ("pull_request", "stranger/project", "true", True),
        ("push", "", "false", False),
    ],
)
def test_what_is_uploaded(
    tmp_path: Path, event_name: str, head: str | None, wish: str, uploaded: bool
) -> None:
    event = pull_request(head) if event_name.startswith("pull") else {}
    done: dict[str, dict[str, str]] = {"install": {}, "run": {"sarif-file": "a.sarif", "exit-code": "0"}}
    job = run_action(ROOT, tmp_path, tmp_path, event_name, event, {"upload-sarif": wish}, done)
    assert job.steps[UPLOAD].ran is uploaded
    assert not job.failed


def test_a_fork_sees_annotations_and_the_gate_all_the_same(start: Start, tmp_path: Path) -> None:
    job = start(inputs={"upload-sarif": "auto"}, event_name="pull_request", event=pull_request("stranger/project"))
    assert not job.steps[UPLOAD].ran
    assert len(job.commands) == 1 and job.failed
    assert "**The check fails.** Where it is required, nothing is merged until" in job.summary
    assert not list(tmp_path.rglob("PWNED"))


COMMAND = re.compile(
    r"::(error|warning|notice) file=(V),line=\d+,endLine=\d+,col=\d+(,endColumn=\d+)?,title=(V)::([^%]|%25|%0A|%0D)*"
    .replace("V", "([^%:,]|%25|%0A|%0D|%3A|%2C)*"), re.DOTALL,
)

HOSTILE = [
    "$(touch PWNED).py",
    "`touch PWNED`.py",
    "; touch PWNED #.py",
    "a\n::error title=x::owned\nfindings=0.py",
    "a\r::warning::owned.py",
    "%0A::error::owned.py",
    "a,line=1::owned|<img src=x>[x](y).py",
    "${{ github.token }}.py",
    "-rf.py",
    "é 😀 \u2028.py",
]


@pytest.mark.parametrize("named", [False, True])
def test_names_of_files_are_only_names(start: Start, tmp_path: Path, named: bool) -> None:
    names = [name for name in HOSTILE if not (named and re.search("[\r\n]", name))]
    files = {**dict.fromkeys(names, LOSSY), "broken\n::error::owned.txt": "def"}
    job = start(files, inputs={"paths": "\n".join([*names, "missing\u2028::error::owned"] if named else ["."])})
    if named:
        assert job.outputs["exit-code"] == "2" and job.commands == []
        job = start(files, inputs={"paths": "\n".join(names)})
    assert job.outputs["exit-code"] == "1" and job.outputs["findings"] == str(len(names))
    assert not list(tmp_path.rglob("PWNED"))
    assert len(job.commands) == len(names) <= 10
    for command in job.commands:
        assert COMMAND.fullmatch(command)
    assert "<img" not in job.summary and "[x](y)" not in job.summary and "${{" not in job.summary
    rows = [line for line in job.summary.split("\n") if line.startswith("| ")]
    assert len(rows) == len(names) + 1 and all(row.count("|") == 5 for row in rows)
    assert job.environment == ""


def test_a_broken_file_with_a_hostile_name_is_only_told(start: Start) -> None:
    job = start({"broken\n::error::owned.py": "def"})
    assert job.outputs["exit-code"] == "2"
    (command,) = job.commands
    assert COMMAND.fullmatch(command) and "file=broken%0A%3A%3Aerror%3A%3Aowned.py," in command


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_a_name_that_is_no_utf_8_is_shown_escaped(start: Start, tmp_path: Path) -> None:
    (tmp_path / "work" / os.fsdecode(b"a\xff.py")).write_text(LOSSY)
    job = start({})
    assert job.outputs["findings"] == "1"
    assert "a\\xff.py" in job.commands[0]


def test_a_hostile_pull_request_cannot_be_imported(start: Start, tmp_path: Path) -> None:
    trap = "open('PWNED', 'w').close()\n"
    names = ("ctxlint.py", "json.py", "sarif_om.py", "venv.py", "pip.py", "sitecustomize.py", "ctxlint/__main__.py")
    job = start({"agent.py": "x = 1\n", **{name: trap for name in names}})
    assert job.outputs["exit-code"] == "0"
    assert not list(tmp_path.rglob("PWNED"))


@pytest.mark.parametrize(
    "inputs",
    [
        {"fail-on": "fatal"},
        {"config": "missing.toml"},
        {"paths": "missing.py"},
        {"working-directory": "missing"},
        {"upload-sarif": "maybe", "cache": "no"},
        {"config": "--exit-zero"},
        {"category": 'a"\npreview = true'},
        {"since": "--output=PWNED"},
        {"since": "0" * 40},
        {"baseline": "missing.json"},
        {"args": "--\n--exit-zero"},
    ],
    ids=str,
)
def test_what_cannot_be_done_fails_the_job(start: Start, inputs: dict[str, str]) -> None:
    job = start(inputs=inputs)
    assert job.outputs == {"exit-code": "2", "findings": "", "new-findings": "", "sarif-file": ""}
    assert not job.steps[UPLOAD].ran
    assert job.steps[GATE].status == 2 and job.failed
    assert job.summary.startswith("### ctxlint: no analysis\n\n**Could not do what was asked**")


def test_a_file_that_was_not_analysed_fails_the_job_whatever_counts(start: Start) -> None:
    job = start({"agent.py": "def"}, inputs={"fail-on": "never"})
    assert job.outputs["exit-code"] == "2"
    assert job.steps[UPLOAD].ran
    assert "- Not analysed&#58; syntax error&#46;" in job.summary
    assert job.steps[GATE].status == 2


def test_findings_that_do_not_count_pass(start: Start) -> None:
    job = start(inputs={"fail-on": "never"})
    assert (job.outputs["exit-code"], job.outputs["findings"], job.failed) == ("0", "1", False)


def test_inputs_reach_the_analysis(start: Start) -> None:
    files = {"sub/a b/agent.py": LOSSY, "sub/other.py": LOSSY, "sub/strict.toml": ""}
    inputs = {"working-directory": "sub", "paths": "a b\r\n\n", "config": "strict.toml", "annotations": "false"}
    job = start(files, inputs=inputs)
    (result,) = json.loads(Path(job.outputs["sarif-file"]).read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub/a%20b/agent.py"
    assert job.commands == [] and job.failed
    assert start(files, inputs={"ignore": result["ruleId"]}).outputs["findings"] == "0"


def test_options_and_a_baseline_reach_the_analysis(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"agent.py": LOSSY, "quiet.py": LOSSY.replace('"w") as file:', '"w") as file:  # noqa: CTX105 -- a cache')}
    (tmp_path / "work" / "agent.py").write_text(LOSSY)
    monkeypatch.chdir(tmp_path / "work")
    assert main(["baseline", "create", "--isolated", "--no-cache", "--baseline", "known.json", "agent.py"]) == 0
    job = start(files, inputs={"baseline": "known.json", "args": "--isolated\n\n--statistics\n"})
    assert (job.outputs["exit-code"], job.outputs["findings"], job.commands) == ("0", "0", [])
    assert "Not counted: 1 hidden by comments, 1 accepted by the baseline." in job.summary
    assert json.loads(Path(job.outputs["sarif-file"]).read_text())["runs"][0]["results"] == []


def test_a_refused_upload_is_told_and_fails_only_what_asked_for_it(tmp_path: Path) -> None:
    done: dict[str, dict[str, str]] = {"install": {}, "run": {"sarif-file": "a.sarif", "exit-code": "0"}}
    job = run_action(ROOT, tmp_path, tmp_path, done=done, refused={"upload"})
    assert not job.failed and [command.split("::")[1] for command in job.commands] == ["warning title=ctxlint"]
    assert run_action(ROOT, tmp_path, tmp_path, inputs={"upload-sarif": "true"}, done=done, refused={"upload"}).failed


def test_the_cache_lies_outside_of_the_repository(start: Start, tmp_path: Path) -> None:
    done = {"cache-folder": str(tmp_path / "temporary" / "cache"), "cache-key": "a-b-7", "cache-family": "a-b-"}
    job = start({"agent.py": "x = 1\n", "ctxlint.toml": "cache-dir = 'here'\n"}, installed=done)
    assert job.steps["Restore the cache"].inputs == {"path": done["cache-folder"], "key": "a-b-7", "restore-keys": "a-b-"}
    assert job.steps["Save the cache"].inputs == {"path": done["cache-folder"], "key": "a-b-7"}
    assert (tmp_path / "temporary" / "cache").is_dir()
    without: dict[str, dict[str, str]] = {"install": {}, "run": {"sarif-file": "a.sarif", "exit-code": "0"}}
    job = run_action(ROOT, tmp_path, tmp_path, inputs={"cache": "false"}, done=without)
    assert not job.steps["Restore the cache"].ran and not job.steps["Save the cache"].ran
    assert not (tmp_path / "work" / "here").exists() and not (tmp_path / "work" / ".ctxlint_cache").exists()


def test_many_findings_are_counted_beyond_what_is_shown(start: Start) -> None:
    job = start({f"agent{number}.py": LOSSY for number in range(12)})
    assert job.outputs["findings"] == "12"
    assert len(job.commands) == 10
    assert re.search(r"^ctxlint: 2 more of level \w+ are not annotated:$", job.log, re.MULTILINE)


def test_the_gate_does_not_trust_an_unknown_status(tmp_path: Path) -> None:
    job = run_action(ROOT, tmp_path, tmp_path, done={"install": {}, "run": {}})
    assert job.steps[GATE].status == 2


def test_python_is_set_up_when_it_is_asked_for(tmp_path: Path) -> None:
    done: dict[str, dict[str, str]] = {"install": {}, "run": {}}
    asked = run_action(ROOT, tmp_path, tmp_path, inputs={"python-version": "3.13"}, done=done)
    assert asked.steps["Set up Python"].inputs == {"python-version": "3.13"}
    assert not run_action(ROOT, tmp_path, tmp_path, done=done).steps["Set up Python"].ran


@pytest.mark.slow
def test_the_action_installs_itself(tmp_path: Path) -> None:
    checkout = tmp_path / "action"
    for name in ("ctxlint", "rules", ".github"):
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("action.yml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "venv.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "work" / "agent.py").write_text(LOSSY)
    (tmp_path / "temporary").mkdir()
    job = run_action(checkout, tmp_path / "work", tmp_path / "temporary")
    assert job.steps[INSTALL].status == 0, job.log
    assert job.outputs["findings"] == "1"


def test_no_script_has_an_expression_and_every_used_action_is_pinned() -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    assert all("${{" not in step.get("run", "") for step in steps)
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
