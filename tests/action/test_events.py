"""What the action compares with on which event, in real repositories."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.action.conftest import LOSSY, ROOT, Start
from tests.report.sarif_defects import assert_sound

Event = dict[str, Any]


def git(folder: Path, *words: str) -> str:
    said = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always")
    return subprocess.run(["git", *said, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def commit(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "x")
    return git(folder, "rev-parse", "HEAD")


def merged(folder: Path, changes: dict[str, str]) -> Event:
    """Make a repository whose HEAD is the merge of a change into its base, as a pull request is checked out."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    old = commit(folder, {"agent.py": LOSSY})
    git(folder, "checkout", "--quiet", "-b", "change")
    head = commit(folder, changes)
    git(folder, "checkout", "--quiet", "main")
    commit(folder, {"README": "newer than the event's base\n"})
    git(folder, "merge", "--quiet", "--no-ff", "--no-edit", "change")
    return event(old, head)


def event(base: str, head: str, repository: str = "owner/project") -> Event:
    return {"pull_request": {"base": {"sha": base}, "head": {"sha": head, "repo": {"full_name": repository}}}}


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name in ("INPUT_CONFIG", "INPUT_BASELINE"):
        monkeypatch.setenv(name, "")
    spec = importlib.util.spec_from_file_location("base", ROOT / ".github" / "action" / "base.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pull_request_is_judged_by_what_it_adds(start: Start, tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").rmdir()
    told = merged(tmp_path / "work", {"new.py": LOSSY, "ctxlint.toml": "fail-on = 'warning'\n"})
    job = start({}, event_name="pull_request", event=told)
    assert (job.outputs["findings"], job.outputs["new-findings"], job.outputs["exit-code"], job.failed) == ("2", "1", "1", True)
    (command,) = job.commands
    assert "file=new.py," in command
    log = assert_sound(Path(job.outputs["sarif-file"]).read_text())
    results = log["runs"][0]["results"]
    assert [(one["baselineState"], "suppressions" in one) for one in results] == [("new", False), ("unchanged", False)]
    assert job.summary.startswith("### ctxlint: 1 new finding\n\n**The check fails.**")
    onto = git(tmp_path / "work", "rev-parse", "HEAD^1")
    assert f"Not counted: 1 finding that <code>{onto}</code> has, too." in job.summary
    assert "the change edits what decides which findings count: <code>ctxlint&#46;toml</code>" in job.summary


def test_without_its_base_a_pull_request_is_judged_by_everything(start: Start, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    told = merged(made, {"new.py": LOSSY})
    told["pull_request"]["head"]["repo"]["full_name"] = "stranger/project"
    (tmp_path / "work" / ".git").rmdir()
    git(tmp_path, "clone", "--quiet", "--depth=1", made.as_uri(), "work")
    git(tmp_path / "work", "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    job = start({}, event_name="pull_request", event=told)
    assert (job.outputs["findings"], job.outputs["new-findings"], job.failed) == ("2", "2", True)
    assert [command.split(" ")[0] for command in job.commands] == ["::warning", "::error", "::error"]
    assert "so all findings count. Check out with `fetch-depth: 0`." in job.commands[0]
    assert not job.steps["Upload the report to code scanning"].ran
    assert job.summary.startswith("### ctxlint: 2 findings\n")


def test_a_push_is_judged_by_everything(start: Start) -> None:
    job = start(event_name="push", event={"before": "0" * 40, "after": "1" * 40})
    assert (job.outputs["findings"], job.outputs["new-findings"]) == ("1", "1")


def test_the_base_of_a_merge_is_its_first_parent(base: ModuleType, tmp_path: Path) -> None:
    told = merged(tmp_path, {"new.py": "x = 1\n"})
    assert base.comparable(tmp_path, *base.commits(told)) == git(tmp_path, "rev-parse", "HEAD^1")


def test_a_branch_is_compared_with_where_it_left_its_base(base: ModuleType, tmp_path: Path) -> None:
    told = merged(tmp_path, {"new.py": "x = 1\n"})
    newest = git(tmp_path, "rev-parse", "main^1")
    git(tmp_path, "checkout", "--quiet", "change")
    told["pull_request"]["base"]["sha"] = newest
    assert base.comparable(tmp_path, *base.commits(told)) == f"merge-base:{newest}"


def test_a_base_that_is_missing_is_fetched(base: ModuleType, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    told = merged(made, {"new.py": "x = 1\n"})
    git(made, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "--quiet", "--depth=1", made.as_uri(), "shallow")
    assert base.comparable(tmp_path / "shallow", *base.commits(told)) == git(made, "rev-parse", "HEAD^1")


def test_a_merge_group_has_a_base_too(base: ModuleType) -> None:
    told = {"merge_group": {"base_sha": "a" * 40, "head_sha": "b" * 40}}
    assert base.commits(told) == ("a" * 40, "b" * 40)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"pull_request": None, "merge_group": {"base_sha": "--upload-pack=touch PWNED", "head_sha": "a" * 40}},
        event("$(touch PWNED)", "a" * 40),
        event("a" * 40 + "\n::error::x", "a" * 40),
        event("a" * 40, "HEAD"),
        event("A" * 40, "a" * 40),
    ],
    ids=str,
)
def test_what_is_no_commit_is_none(base: ModuleType, told: Event) -> None:
    assert base.commits(told) == ("", "")


def test_no_repository_is_no_base(base: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event("a" * 40, "b" * 40)))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    base.main(tmp_path)
    told = capsys.readouterr()
    assert told.out == "\n" and "::warning title=ctxlint::" in told.err


def test_what_decides_what_counts_is_named_when_it_changes(
    base: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "sub").mkdir()
    files = {"pyproject.toml": "[tool.ctxlint]\npreview = true\n", "sub/pyproject.toml": "[tool.other]\n", "accepted": "", "x.py": ""}
    before = commit(tmp_path, files)
    commit(tmp_path, {"sub/pyproject.toml": "[tool.other]\nx = 1\n", "x.py": "x = 1\n"})
    assert list(base.deciding(tmp_path, before)) == []
    commit(tmp_path, {"pyproject.toml": "[tool.ctxlint]\nignore = ['ALL']\n", "sub/.ctxlint.toml": "", "accepted": "x"})
    monkeypatch.setenv("INPUT_BASELINE", "../accepted")
    assert list(base.deciding(tmp_path / "sub", before)) == ["accepted", "pyproject.toml", "sub/.ctxlint.toml"]


def test_ignore_files_policies_and_models_decide_too(base: ModuleType, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name in ("lint/rules", "pkg", "other"):
        (tmp_path / name).mkdir(parents=True)
    text = "[tool.ctxlint]\nrule-paths = ['lint/rules']\nmodel-paths = ['lint/one.toml']\n"
    before = commit(tmp_path, {"pyproject.toml": text})
    names = ["lint/one.toml", "lint/rules/P1.toml", "pkg/.gitignore"]
    commit(tmp_path, dict.fromkeys([*names, "other/x.toml", "lint/two.toml"], ""))
    assert list(base.deciding(tmp_path, before)) == names
