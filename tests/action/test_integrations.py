"""The examples and the pages that people copy from say what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxlint.cli.arguments import check_parser, parse
from tests.action.conftest import ROOT

DOCS = ROOT / "docs"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOWS = sorted((DOCS / "integrations").glob("github-*.yml"))


def test_the_page_names_every_input_and_output_of_the_action() -> None:
    page = (DOCS / "github-action.md").read_text()
    inputs, outputs = (page.split(f"## {heading}\n")[1].split("\n## ")[0] for heading in ("Inputs", "Outputs"))
    for table, declared in ((inputs, ACTION["inputs"]), (outputs, ACTION["outputs"])):
        named = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall("`([a-z-]+)`", row)]
        assert sorted(named) == sorted(declared)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_example_workflows_use_the_action_as_it_is(path: Path) -> None:
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    checkout, ours = job["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert set(ours["with"]) <= set(ACTION["inputs"])
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]) for step in job["steps"])
    parse(check_parser(), ours["with"].get("args", "").splitlines())


def test_the_hooks_are_commands() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    example = yaml.safe_load((DOCS / "integrations" / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    given = {hook["id"]: hook.get("args", []) for hook in example}
    assert [hook["id"] for hook in hooks] == list(given)
    for hook in hooks:
        program, command, *options = shlex.split(hook["entry"])
        assert (program, command) == ("ctxlint", "check")
        assert parse(check_parser(), [*options, *given[hook["id"]], "a.py"]).paths[-1] == "a.py"


def test_the_job_for_gitlab_runs_commands_that_there_are() -> None:
    job = yaml.safe_load((DOCS / "integrations" / "gitlab-ci.yml").read_text())["ctxlint"]
    for line in job["script"]:
        words = shlex.split(re.sub(r"\$\{\w+:\+(.*?)\}", r"\1", line).replace("$CTXLINT_PATHS", "src"))
        arguments = parse(check_parser(), words[2:])
        assert arguments.paths == ["src"] and not arguments.cache_dir.startswith("$CI_PROJECT_DIR")
    assert job["artifacts"]["reports"]["codequality"] in job["script"][0]
