"""Runs the steps of a composite action as the runner of GitHub Actions does, without GitHub.

Steps that `run` something run in bash, in a workspace and with the files and variables that the runner gives them.
Steps that `use` another action are only recorded.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tests.action.expressions import evaluate, substitute, truth

PASSED_ON = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_CERT", "PIP_CACHE_DIR")
HEREDOC = re.compile(r"([^=<]+)<<(.+)")

Event = dict[str, Any]


class Step(msgspec.Struct):
    """What became of a step: `ran` is false for one that was skipped; `inputs` are those of a used action."""

    name: str
    ran: bool
    status: int = 0
    log: str = ""
    uses: str = ""
    inputs: dict[str, str] = {}


class Job(msgspec.Struct):
    """What the action left: its steps by name, its outputs, the summary, and what was written to the environment file."""

    steps: dict[str, Step]
    outputs: dict[str, str]
    summary: str
    environment: str
    failed: bool

    @property
    def log(self) -> str:
        return "".join(step.log for step in self.steps.values())

    @property
    def commands(self) -> list[str]:
        """The workflow commands in the log that the runner would have obeyed."""
        obeyed = []
        pause = ""
        for line in re.split(r"\r\n|\r|\n", self.log):
            if pause:
                pause = "" if line == f"::{pause}::" else pause
            elif line.startswith("::stop-commands::"):
                pause = line.removeprefix("::stop-commands::")
            elif line.startswith("::"):
                obeyed.append(line)
        return obeyed


def run_action(
    action: Path,
    workspace: Path,
    temporary: Path,
    event_name: str = "push",
    event: Event | None = None,
    inputs: Mapping[str, str] | None = None,
    done: Mapping[str, Mapping[str, str]] | None = None,
    refused: Collection[str] = (),
) -> Job:
    """Run the action in folder `action`.

    `done` are the outputs of steps, by id, that are taken as done; `refused` are the ids of steps whose action fails.
    """
    definition = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
    files = {name: temporary / name for name in ("event", "summary", "environment")}
    files["event"].write_text(json.dumps(event or {}), encoding="utf-8")
    files["summary"].touch()
    files["environment"].touch()
    declared = {name: str(one.get("default", "")) for name, one in definition["inputs"].items()}
    if unknown := set(inputs or {}) - set(declared):
        raise ValueError(f"unknown inputs {unknown}")
    steps: dict[str, Step] = {}
    outputs: dict[str, dict[str, Any]] = {}
    failed = False
    context: dict[str, Any] = {
        "inputs": {**declared, **(inputs or {})},
        "steps": outputs,
        "github": {"event_name": event_name, "event": event or {}, "repository": "owner/project"},
        "startsWith": lambda text, start: str(text).lower().startswith(start.lower()),
        "always": lambda: True,
        "cancelled": lambda: False,
        "success": lambda: not failed,
        "failure": lambda: failed,
    }
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(action),
        "GITHUB_WORKSPACE": str(workspace),
        "GITHUB_EVENT_NAME": event_name,
        "GITHUB_EVENT_PATH": str(files["event"]),
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
        "GITHUB_ENV": str(files["environment"]),
        "RUNNER_TEMP": str(temporary),
        "RUNNER_OS": "Linux",
        "GITHUB_RUN_ID": "7",
        "GITHUB_RUN_ATTEMPT": "1",
    }
    for number, step in enumerate(definition["runs"]["steps"]):
        identifier = step.get("id", f"step-{number}")
        if done and identifier in done:
            outputs[identifier] = {"outputs": dict(done[identifier])}
            continue
        record = steps[step["name"]] = Step(step["name"], _runs(step.get("if", ""), context))
        if not record.ran:
            outputs[identifier] = {"outputs": {}, "outcome": "skipped"}
            continue
        if "uses" in step:
            record.uses = step["uses"]
            record.inputs = {name: substitute(value, context) for name, value in step.get("with", {}).items()}
            record.status = int(identifier in refused)
            outputs[identifier] = {"outputs": {}, "outcome": "failure" if record.status else "success"}
            failed = failed or (bool(record.status) and not truth(evaluate_flag(step.get("continue-on-error", False), context)))
            continue
        output = temporary / f"output-{number}"
        output.touch()
        own = {name: substitute(str(value), context) for name, value in step.get("env", {}).items()}
        script = temporary / f"script-{number}.sh"
        script.write_text(substitute(step["run"], context), encoding="utf-8")
        finished = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            env={**environment, **own, "GITHUB_OUTPUT": str(output)}, cwd=workspace,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        record.status = finished.returncode
        record.log = finished.stdout.decode("utf-8", "backslashreplace")
        outputs[identifier] = {"outputs": named_values(output.read_text(encoding="utf-8"))}
        if record.status and not truth(evaluate_flag(step.get("continue-on-error", False), context)):
            failed = True
    return Job(
        steps,
        {name: substitute(one["value"], context) for name, one in definition["outputs"].items()},
        files["summary"].read_text(encoding="utf-8"),
        files["environment"].read_text(encoding="utf-8"),
        failed,
    )


def evaluate_flag(value: Any, context: Mapping[str, Any]) -> Any:
    """Return a value of the definition that may be an expression."""
    text = str(value).strip()
    return evaluate(text[3:-2], context) if text.startswith("${{") and text.endswith("}}") else value


def named_values(text: str) -> dict[str, str]:
    """Return what a file of outputs says: `name=value` lines, and `name<<MARK` with the lines up to the mark.

    Raises ValueError for a line that is neither, as the runner does.
    """
    values = {}
    lines = iter(text.split("\n")[:-1])
    for line in lines:
        if (heredoc := HEREDOC.fullmatch(line)) is not None:
            block = []
            for inner in lines:
                if inner == heredoc[2]:
                    break
                block.append(inner)
            else:
                raise ValueError(f"no `{heredoc[2]}` after {line}")
            values[heredoc[1]] = "\n".join(block)
        elif "=" in line:
            name, _, value = line.partition("=")
            values[name] = value
        else:
            raise ValueError(f"no output: {line}")
    return values


def _runs(condition: str, context: Mapping[str, Any]) -> bool:
    text = condition.strip()
    text = text[3:-2] if text.startswith("${{") else text
    if not re.search(r"\b(always|success|failure|cancelled)\(\)", text):
        text = f"success() && ({text})" if text else "success()"
    return truth(evaluate(text, context))
