"""The rules as text: the page of one, the table of all, and the same for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ctxlint.knowledge.rules import Rule, Status

STATUS_TEXT: Mapping[Status, str] = {
    "always": "reported under every selection",
    "stable": "in the default set",
    "preview": "runs with `--preview`",
    "opt-in": "runs when selected",
}


def rule_page(rule: Rule, fixtures: Path | None = None) -> str:
    """Return the page of a rule in Markdown.

    `fixtures` is the folder that holds one folder of cases a rule; with it the page shows the rule's example.
    Raises ValueError when the example that the rule names is not there.
    """
    status = f"{rule.status}, {STATUS_TEXT[rule.status]}"
    parts = [
        f"# {rule.name} ({rule.code})",
        f"{rule.title}.",
        f"Severity: {rule.severity}. Status: {status}. Since {rule.since}. {_fix_line(rule)}",
        rule.doc.strip(),
    ]
    if rule.kinds:
        parts.append("## Kinds\n\n" + "\n".join(f"- `{name}`: {kind.doc}" for name, kind in rule.kinds.items()))
    if rule.options:
        parts.append("## Options\n\n" + "\n\n".join(_option(rule, name) for name in rule.options))
    if rule.example and fixtures is not None:
        bad, good = (function_text(fixtures / rule.code, place) for place in rule.example)
        parts.append(f"## Example\n\n```python\n{bad}```\n\nUse instead:\n\n```python\n{good}```")
    return "\n\n".join(parts) + "\n"


def rules_table(rules: Iterable[Rule], link: str) -> str:
    """Return the table of the rules in Markdown; `link` is where the pages lie, as seen from the table."""
    rows = ["| Code | Name | What it finds | Severity | Status |", "|---|---|---|---|---|"]
    rows += [
        f"| [{rule.code}]({link}/{rule.code}.md) | {rule.name} | {rule.title} | {rule.severity} | {rule.status} |"
        for rule in rules
    ]
    return "\n".join(rows) + "\n"


def rules_as_text(rules: Iterable[Rule]) -> str:
    """Return one line a rule, in columns."""
    listed = list(rules)
    width = max((len(rule.name) for rule in listed), default=0)
    code_width = max((len(rule.code) for rule in listed), default=0)
    return "".join(
        f"{rule.code:<{code_width}}  {rule.name:<{width}}  {rule.status:<7}  {rule.severity:<7}  {rule.title}\n"
        for rule in listed
    )


def rules_as_json(rules: Iterable[Rule]) -> str:
    """Return what programs want to know of each rule, as a list."""
    return json.dumps(
        [
            {
                "code": rule.code,
                "name": rule.name,
                "title": rule.title,
                "severity": rule.severity,
                "status": rule.status,
                "since": rule.since,
                "fix": rule.fix.applicability if rule.fix else None,
                "options": {
                    name: {"type": option.type, "default": option.default, "doc": option.doc}
                    for name, option in rule.options.items()
                },
                "doc": rule.doc,
            }
            for rule in rules
        ],
        indent=2,
    ) + "\n"


def function_text(folder: Path, place: str) -> str:
    """Return the text of the function or class that `place` (`file.py:name`) names in `folder`, with its decorators.

    It is found by its indentation, so it must stand at module level.
    """
    file, _, name = place.partition(":")
    try:
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"the example {place} is not under {folder}") from error
    heading = re.compile(rf"(async def|def|class) {re.escape(name)}\b")
    start = next((number for number, line in enumerate(lines) if heading.match(line)), None)
    if start is None:
        raise ValueError(f"{folder / file} has no {name} at module level")
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t)]}#"):
        end += 1
    kept = lines[_first_decorator(lines, start) : end]
    while not kept[-1].strip() or kept[-1].startswith("#"):
        kept.pop()
    return "".join(f"{_without_marks(line)}\n" for line in kept)


def _first_decorator(lines: Sequence[str], heading: int) -> int:
    """Return the line of the first decorator in the block above a heading, or the heading's own."""
    above = heading
    while above and lines[above - 1].strip():
        above -= 1
    return next((number for number in range(above, heading) if lines[number].startswith("@")), heading)


def _fix_line(rule: Rule) -> str:
    if rule.fix is None:
        return "No fix."
    return f"Fix: {rule.fix.rewrite.replace('_', ' ')} ({rule.fix.applicability})."


def _option(rule: Rule, name: str) -> str:
    option = rule.options[name]
    default = json.dumps(option.default)
    return f"`rules.{rule.code}.{name}` ({option.type}, default `{default}`): {option.doc}"


def _without_marks(line: str) -> str:
    """Drop the comment that tells the tests what to expect on a line."""
    return re.sub(r"\s*#\s*(expect|ok|trap|miss|noise)\b.*$", "", line)
