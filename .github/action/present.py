"""Shows a SARIF report where people look: annotations of lines, the summary of the job, and the number of findings.

usage: present.py SARIF STATUS, with GITHUB_OUTPUT, GITHUB_STEP_SUMMARY and INPUT_ANNOTATIONS in the environment.
The file may be missing: then there was no analysis, and the summary says so.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ctxlint.report.github import Annotation, workflow_commands
from ctxlint.report.sarif_text import shown_message

MOST_ROWS = 200
MOST_BYTES = 900_000
"""A summary of more than a mebibyte is refused as a whole."""

FAILED = "2"

Object = dict[str, Any]


def main(file: Path, status: str) -> None:
    runs = json.loads(file.read_text(encoding="utf-8"))["runs"] if file.exists() else []
    found = [result for run in runs for result in run["results"] if not result.get("suppressions")]
    # The report is in the order of the files; people want the worst first.
    found.sort(key=lambda result: (["error", "warning", "note"].index(result["level"]), -result["rank"]))
    rules = {rule["id"]: rule for run in runs for rule in run["tool"]["driver"]["rules"]}
    failures = [
        note["message"]["text"] for run in runs for note in run["invocations"][0].get("toolExecutionNotifications", [])
    ]
    if os.environ["INPUT_ANNOTATIONS"] == "true":
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(workflow_commands(annotation(result, rules[result["ruleId"]]) for result in found))
    append(os.environ["GITHUB_STEP_SUMMARY"], summary(found, failures, status, ran=bool(runs)))
    append(os.environ["GITHUB_OUTPUT"], f"findings={len(found)}\n" if runs else "")


def append(file: str, text: str) -> None:
    with open(file, "a", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        stream.write(text)


def annotation(result: Object, rule: Object) -> Annotation:
    path, region = place(result["locations"][0])
    return Annotation(
        severity=result["level"],
        path=path,
        line=region["startLine"],
        column=region["startColumn"],
        end_column=region["endColumn"],
        title=f"{rule['id']} {rule['shortDescription']['text'].rstrip('.')}",
        text=readable(result),
    )


def readable(result: Object) -> str:
    """Return the message with the place of each step written out."""
    steps = {step["id"]: place(step) for step in result.get("relatedLocations", [])}

    def where(number: int) -> str:
        path, region = steps[number]
        return f"{path}:{region['startLine']}"

    return shown_message(result["message"]["text"], where)


def place(location: Object) -> tuple[str, Object]:
    physical = location["physicalLocation"]
    return unquote(physical["artifactLocation"]["uri"], errors="backslashreplace"), physical["region"]


def summary(found: list[Object], failures: list[str], status: str, ran: bool) -> str:
    """Return the summary in Markdown; texts of the code under analysis are text in it and nothing else."""
    lines = [f"### ctxlint: {count(len(found), 'finding')}" if ran else "### ctxlint: no analysis", ""]
    if status == FAILED:
        lines += ["**Could not do what was asked**: the log of the step says why.", ""]
    lines += [f"- {cell(text)}" for text in failures[:MOST_ROWS]]
    if failures:
        lines.append("")
    if found:
        lines += ["| Level | Rule | Where | Finding |", "|---|---|---|---|"]
    size = sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in lines)
    rows = [row(result) for result in found[:MOST_ROWS]]
    kept = 0
    for line in rows:
        size += len(line.encode("utf-8", "backslashreplace")) + 1
        if size > MOST_BYTES:
            break
        lines.append(line)
        kept += 1
    if kept < len(found):
        lines += ["", f"{len(found) - kept} more are in the SARIF file."]
    return "\n".join(lines) + "\n\n"


def row(result: Object) -> str:
    path, region = place(result["locations"][0])
    claim = readable(result).split("\n")[0]
    cells = (result["level"], result["ruleId"], f"{path}:{region['startLine']}", claim)
    return "| " + " | ".join(map(cell, cells)) + " |"


def cell(text: str) -> str:
    """Return `text` as Markdown that shows it: what stands between backticks as code, every sign as itself."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return as_text(text)
    return "".join(f"<code>{as_text(part)}</code>" if place % 2 else as_text(part) for place, part in enumerate(parts))


def as_text(text: str) -> str:
    escaped = html.escape(" ".join(text.split()) if "\n" in text or "\r" in text else text)
    return re.sub(r"[\\`*_{}\[\]()#+\-.!|~@:]", lambda sign: f"&#{ord(sign[0])};", escaped)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
