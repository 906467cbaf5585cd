from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from ctxlint.knowledge.rules import Kind, Option, Rule, load_rules
from ctxlint.report.rules_page import function_text, rule_page, rules_as_json, rules_as_text, rules_table

RULE = Rule(code="AA101", name="late", title="A title", message="m", severity="error", status="stable", since="0.1",
            doc="## What it does\nThis.\n")

CASES = '''import x


@decorated(
    1,
)
async def late(
    self,
) -> None:
    self.messages.append(m)  # expect: AA101

    await self.log(m)


# The other way round.
class Log:
    def good(self):  # a comment that stays
        return 1
'''


def test_a_page_has_its_sections(tmp_path: Path) -> None:
    (tmp_path / "AA101").mkdir()
    (tmp_path / "AA101" / "order.py").write_text(CASES)
    rule = msgspec.structs.replace(
        RULE, options={"deep": Option("integer", 3, "How deep.")}, kinds={"slow": Kind("When it is slow.")},
        example=("order.py:late", "order.py:Log"))
    page = rule_page(rule, tmp_path)
    assert page.startswith("# late (AA101)\n\nA title.\n\nSeverity: error. Status: stable, in the default set. Since 0.1. No fix.\n")
    assert "## Kinds\n\n- `slow`: When it is slow.\n" in page
    assert "## Options\n\n`rules.AA101.deep` (integer, default `3`): How deep.\n" in page
    assert "```python\n@decorated(\n    1,\n)\nasync def late(\n    self,\n) -> None:\n    self.messages.append(m)\n\n" in page
    assert "Use instead:\n\n```python\nclass Log:\n    def good(self):  # a comment that stays\n        return 1\n```\n" in page


def test_an_example_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "order.py").write_text(CASES)
    with pytest.raises(ValueError, match="has no absent at module level"):
        function_text(tmp_path, "order.py:absent")
    with pytest.raises(ValueError, match="is not under"):
        function_text(tmp_path, "gone.py:late")


def test_the_table_links_each_page() -> None:
    assert rules_table([RULE], "docs/rules").splitlines()[2] == (
        "| [AA101](docs/rules/AA101.md) | late | A title | error | stable |"
    )


def test_a_line_a_rule() -> None:
    assert rules_as_text([RULE]) == "AA101  late  stable   error    A title\n"
    assert rules_as_text([]) == ""


def test_rules_for_programs() -> None:
    listed = json.loads(rules_as_json(load_rules().values()))
    assert [one["code"] for one in listed] == sorted(load_rules())
    assert {"code", "name", "title", "severity", "status", "since", "fix", "options", "doc"} == set(listed[0])
