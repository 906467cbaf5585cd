from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxlint.errors import ConfigurationError, UsageError
from ctxlint.knowledge.configuration import load_configuration
from ctxlint.knowledge.rules import HEADINGS, Rule, load_rules
from ctxlint.knowledge.selection import check_selector, matches, select

DOC = "\n".join(f"## {heading}\nText." for heading in HEADINGS)
PLAIN = Rule(code="AA101", name="a", title="t", message="m", severity="note", status="stable", since="0.1", doc=DOC)


def rule(code: str, status: str) -> Rule:
    return msgspec.structs.replace(PLAIN, code=code, name=code.lower(), status=status, check="" if status == "always" else "looks")


RULES = {
    one.code: one
    for one in (
        rule("AA001", "always"), rule("AA101", "stable"), rule("AA102", "stable"), rule("AA201", "preview"),
        rule("AA301", "opt-in"), rule("POL1", "stable"),
    )
}


def selected(tmp_path: Path, file: str = "", *arguments: str, **flags: Any) -> set[str]:
    if file:
        (tmp_path / "ctxlint.toml").write_text(file)
    written = {key.replace("_", "-"): value for key, value in flags.items()}
    return set(select(RULES, load_configuration(tmp_path, arguments, not file, written)).codes)


def test_the_default_set_is_stable(tmp_path: Path) -> None:
    assert selected(tmp_path) == {"AA001", "AA101", "AA102", "POL1"}


def test_preview_adds_preview_rules(tmp_path: Path) -> None:
    assert selected(tmp_path, preview=True) == {"AA001", "AA101", "AA102", "AA201", "POL1"}


def test_a_prefix_replaces_the_default_set_but_not_what_is_always_reported(tmp_path: Path) -> None:
    assert selected(tmp_path, select=["AA101"]) == {"AA001", "AA101"}
    assert selected(tmp_path, select=["AA3"]) == {"AA001", "AA301"}


def test_all_is_every_rule_but_preview_ones_need_preview(tmp_path: Path) -> None:
    assert selected(tmp_path, select=["ALL"]) == set(RULES) - {"AA201"}
    assert selected(tmp_path, select=["ALL"], preview=True) == set(RULES)


def test_extend_select_keeps_the_default_set(tmp_path: Path) -> None:
    assert selected(tmp_path, extend_select=["AA301"]) == {"AA001", "AA101", "AA102", "AA301", "POL1"}


def test_ignore_hides_even_what_is_always_reported(tmp_path: Path) -> None:
    assert selected(tmp_path, ignore=["AA0"]) == {"AA101", "AA102", "POL1"}


def test_the_longer_prefix_decides(tmp_path: Path) -> None:
    assert selected(tmp_path, select=["AA101"], ignore=["AA1"]) == {"AA001", "AA101"}
    assert selected(tmp_path, select=["AA1"], ignore=["AA101"]) == {"AA001", "AA102"}
    assert selected(tmp_path, select=["AA1", "AA301"], ignore=["AA1"]) == {"AA001", "AA301"}


def test_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    file = "select = ['AA102']\nignore = ['AA101']\n"
    assert selected(tmp_path, file) == {"AA001", "AA102"}
    assert selected(tmp_path, file, select=["AA101"]) == {"AA001", "AA101"}
    assert selected(tmp_path, file, select=["ALL"]) == {"AA001", "AA102", "AA301", "POL1"}


def test_selecting_a_preview_rule_by_its_code_says_what_is_missing(tmp_path: Path) -> None:
    configuration = load_configuration(tmp_path, isolated=True, flags={"select": ["AA201", "AA101"]})
    selection = select(RULES, configuration)
    assert selection.codes == {"AA001", "AA101"}
    assert selection.warnings == ("AA201 is a preview rule and does not run without --preview",)


def test_an_unknown_code_is_refused_where_it_was_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--select: no rule's code begins with `AA1O1` .did you mean `AA101`"):
        selected(tmp_path, select=["AA1O1"])
    with pytest.raises(ConfigurationError, match="key `ignore`: no rule's code begins with `AA9`"):
        selected(tmp_path, "ignore = ['AA9']\n")
    with pytest.raises(ConfigurationError, match="ctxlint.toml: key `per-file-ignores`: `tests/.`: no rule's code begins with `X`"):
        selected(tmp_path, "[per-file-ignores]\n'tests/*' = ['X']\n")
    with pytest.raises(ConfigurationError, match="ctxlint.toml: key `extend-safe-fixes`: no rule's code begins with `AA9`"):
        selected(tmp_path, "extend-safe-fixes = ['AA9']\n")
    with pytest.raises(UsageError, match="^--fixable: no rule's code begins with `AA9`"):
        selected(tmp_path, "fixable = ['AA1']\n", fixable=["AA9"])


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("mutate-then-log", "(that is the name of a rule: write `CTX101`)"),
        ("mutate-than-log", "(did you mean `CTX101`, mutate-then-log?)"),
        ("ctx101", "(write `CTX101`)"),
        ("CTX1O1", "(did you mean `CTX101`?)"),
        ("CTX104", "(there are CTX101, CTX103, CTX105)"),
        ("CTX2010", "(there is CTX201)"),
        ("CTX9", "(codes begin with CTX0, CTX1, CTX2, CTX3; `ctxlint rules` lists them)"),
        ("al", "(did you mean `ALL`?)"),
    ],
)
def test_what_should_have_been_written(word: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_selector(word, load_rules(), "--select", on_command_line=True)
    assert str(refused.value) == f"--select: no rule's code begins with `{word}` {advice}"


def test_settings_that_leave_no_rule_are_refused(tmp_path: Path) -> None:
    assert selected(tmp_path, select=["AA001"]) == {"AA001"}       # it was asked for
    for asked, ignored in ((["AA101"], ["AA101"]), (["ALL"], ["ALL"])):
        with pytest.raises(UsageError, match="leave no rule to run"):
            selected(tmp_path, select=asked, ignore=ignored)
    with pytest.raises(UsageError, match="leave no rule to run.*AA201 is a preview rule"):
        selected(tmp_path, select=["AA201"])


def test_an_empty_prefix_matches_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        selected(tmp_path, select=[""])


@pytest.mark.parametrize(("code", "prefixes", "expected"), [
    ("AA101", ["AA"], True), ("AA101", ["ALL"], True), ("AA101", ["AA2", "AA101"], True), ("AA101", ["A1"], False),
    ("AA101", [], False),
])
def test_matching(code: str, prefixes: list[str], expected: bool) -> None:
    assert matches(code, prefixes) is expected
