"""Shows a SARIF report where people look: annotations of lines, the summary of the job, the numbers of findings.

usage: present.py EVERYTHING UPLOAD STATUS, with GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, INPUT_ANNOTATIONS, CTXLINT_SINCE and
CTXLINT_DECIDING in the environment.
EVERYTHING is the report with what comments, the baseline and the comparison hide; it may be missing: then there was no analysis,
and the summary says so. UPLOAD becomes the report for code scanning.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from ctxlint.report.github import Annotation, workflow_commands
from ctxlint.report.sarif_text import shown_message

MOST_ROWS = 200
MOST_BYTES = 900_000
"""A summary of more than a mebibyte is refused as a whole."""

CLEAN, FAILED = "0", "2"

Object = dict[str, Any]


class Results(NamedTuple):
    """The results of a report: those that are new, those that the comparison knew, and what is hidden by what."""

    new: list[Object]
    known: list[Object]
    by_comments: int
    by_baseline: int


def main(everything: Path, upload: Path, status: str) -> None:
    log = json.loads(everything.read_text(encoding="utf-8")) if everything.exists() else {"runs": []}
    runs = log["runs"]
    results = sorted_out(result for run in runs for result in run["results"])
    rules = {rule["id"]: rule for run in runs for rule in run["tool"]["driver"]["rules"]}
    failures = [
        note["message"]["text"] for run in runs for note in run["invocations"][0].get("toolExecutionNotifications", [])
    ]
    if runs:
        upload.write_text(json.dumps(for_code_scanning(log), indent=2) + "\n", encoding="utf-8")
    if os.environ["INPUT_ANNOTATIONS"] == "true":
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(workflow_commands(annotation(result, rules[result["ruleId"]]) for result in results.new))
    append(os.environ["GITHUB_STEP_SUMMARY"], summary(results, failures, status, ran=bool(runs)))
    counts = f"findings={len(results.new) + len(results.known)}\nnew-findings={len(results.new)}\n"
    append(os.environ["GITHUB_OUTPUT"], counts if runs else "")


def sorted_out(results: Iterable[Object]) -> Results:
    """Return the results by what becomes of them; those at lines of the change come first, then the worst and most believed."""
    found = Results([], [], 0, 0)
    for result in sorted(results, key=urgency):
        kinds = {suppression["kind"] for suppression in result.get("suppressions", [])}
        if kinds or result.get("baselineState") == "absent":
            found = found._replace(
                by_comments=found.by_comments + ("inSource" in kinds), by_baseline=found.by_baseline + (kinds == {"external"})
            )
        else:
            (found.known if result.get("baselineState") == "unchanged" else found.new).append(result)
    return found


def urgency(result: Object) -> tuple[bool, int, float]:
    touched = result["properties"].get("touched", False)
    return not touched, ["error", "warning", "note"].index(result["level"]), -result["rank"]


def for_code_scanning(log: Object) -> Object:
    """Return the report without what is hidden or gone, since code scanning would show all of that as open.

    What the comparison knew stays: code scanning compares by itself and would take it for repaired.
    """
    return {**log, "runs": [{**run, "results": list(_open(run["results"]))} for run in log["runs"]]}


def _open(results: Iterable[Object]) -> Iterator[Object]:
    for result in results:
        if not result.get("suppressions") and result.get("baselineState") != "absent":
            yield {name: value for name, value in result.items() if name != "suppressions"}


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


def summary(results: Results, failures: list[str], status: str, ran: bool) -> str:
    """Return the summary in Markdown; texts of the code under analysis are text in it and nothing else."""
    compared = os.environ["CTXLINT_SINCE"]
    noun = "new finding" if compared else "finding"
    lines = [f"### ctxlint: {count(len(results.new), noun)}" if ran else "### ctxlint: no analysis", "", verdict(status), ""]
    lines += [f"- {cell(text)}" for text in failures[:MOST_ROWS]]
    if failures:
        lines.append("")
    found = results.new
    if found:
        lines += ["| Level | Rule | Where | Finding |", "|---|---|---|---|"]
    ending = ["", *remarks(results, compared)]
    size = sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in (*lines, *ending))
    kept = 0
    for line in map(row, found[:MOST_ROWS]):
        size += len(line.encode("utf-8", "backslashreplace")) + 1
        if size > MOST_BYTES:
            break
        lines.append(line)
        kept += 1
    if kept < len(found):
        lines += ["", f"{len(found) - kept} more are in the SARIF file."]
    return "\n".join([*lines, *(ending if len(ending) > 1 else [])]) + "\n\n"


def verdict(status: str) -> str:
    """Return whether the check passes, and what that means for a merge."""
    if status == FAILED:
        return (
            "**Could not do what was asked**: the check fails, and the log of the step says why. "
            "Where it is required, nothing is merged until it can."
        )
    if status == CLEAN:
        return "**The check passes** and keeps nobody from merging: nothing that counts by `fail-on` was found."
    return (
        "**The check fails.** Where it is required, nothing is merged until each finding that counts by `fail-on` is repaired, "
        "or somebody who may decide that accepts it: by a comment with its code and a reason, or in the baseline."
    )


def remarks(results: Results, compared: str) -> list[str]:
    """Return what a reviewer should know besides: what does not count and why, and what changed of that which decides it."""
    hidden = [
        f"{count(len(results.known), 'finding')} that {cell('`' + compared[:60] + '`')} has, too" if results.known else "",
        f"{results.by_comments} hidden by comments" if results.by_comments else "",
        f"{results.by_baseline} accepted by the baseline" if results.by_baseline else "",
    ]
    lines = [f"Not counted: {', '.join(filter(None, hidden))}."] if any(hidden) else []
    deciding = list(filter(None, os.environ["CTXLINT_DECIDING"].split("\n")))
    if deciding:
        names = ", ".join(f"<code>{as_text(name)}</code>" for name in deciding[:MOST_ROWS])
        lines += ["", f"**Look at this, too**: the change edits what decides which findings count: {names}."]
    return lines


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
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
