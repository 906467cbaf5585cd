from __future__ import annotations

import msgspec
import pytest

from ctxlint.diagnostic import Diagnostic
from ctxlint.gate.statements import statement_lines
from ctxlint.gate.suppressions import Comments, Outcome, apply_suppressions
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import load_rules
from ctxlint.syntax.comments import suppressions
from tests.findings import finding

ALWAYS = {code: rule for code, rule in load_rules().items() if not rule.check}
SAMPLE = next(rule for rule in load_rules().values() if rule.check)
RULES = {**ALWAYS, **{
    code: msgspec.structs.replace(SAMPLE, code=code, name=name) for code, name in (("CTX901", "late-record"), ("CTX902", "lost-record"))}}
PATH = "/project/agent.py"


def judged(text: str, *found: Diagnostic, ran: set[str] | None = None, require_reason: bool = False) -> Outcome:
    comments = Comments(PATH, suppressions(text, names={rule.name for rule in RULES.values()}), tuple(text.splitlines()), statement_lines(text))
    return apply_suppressions(found, [comments], RULES, frozenset(ran or set(RULES)), require_reason)


def at(line: int, code: str = "CTX901") -> Diagnostic:
    return finding(code=code, path=PATH, span=Span(line, 1, line, 2))


def notices(outcome: Outcome) -> list[tuple[str, int, str]]:
    return [(one.code, one.span.line, one.message) for one in outcome.notices]


def test_a_comment_hides_its_code_on_its_statement() -> None:
    outcome = judged("save(  # noqa: CTX901\n    state,\n)\nsave(state)\n", at(1), at(3), at(4), at(1, "CTX902"))
    assert [one.span.line for one in outcome.suppressed] == [1, 3]
    assert [(one.span.line, one.code) for one in outcome.shown] == [(4, "CTX901"), (1, "CTX902")]
    assert outcome.notices == ()


def test_a_comment_on_the_last_line_of_a_statement_counts() -> None:
    text = "x = f(\n    1,\n)  # ctxlint: ignore[CTX901] -- a cache\n"
    assert judged(text, at(1)).suppressed


def test_a_comment_in_a_block_does_not_speak_for_the_header() -> None:
    text = "while x:\n    save(x)  # noqa: CTX901\n"
    outcome = judged(text, at(1), at(2))
    assert [one.span.line for one in outcome.shown] == [1]


def test_blocks_begin_and_end() -> None:
    text = "a\n# ctxlint: disable[CTX901]\nb\n# ctxlint: enable[CTX901]\nc\n# ctxlint: disable[CTX901]\nd\n"
    outcome = judged(text, at(1), at(3), at(5), at(7))
    assert [one.span.line for one in outcome.suppressed] == [3, 7]
    assert outcome.notices == ()


def test_a_file_is_ignored_from_anywhere_in_it() -> None:
    outcome = judged("a\nb\n# ctxlint: file-ignore[CTX901]\n", at(1), at(2, "CTX902"))
    assert [one.code for one in outcome.suppressed] == ["CTX901"]


def test_findings_of_other_files_are_left_alone() -> None:
    outcome = judged("# ctxlint: file-ignore[CTX901]\n", at(1), finding(code="CTX901", path="/other.py"))
    assert [one.path for one in outcome.shown] == ["/other.py"]


def test_a_comment_that_hides_nothing_is_unused() -> None:
    outcome = judged("a  # noqa: CTX901, CTX902\nb  # noqa: CTX901\n", at(1))
    assert notices(outcome) == [
        ("CTX001", 1, "this comment hides nothing: `CTX902` is not reported here"),
        ("CTX001", 2, "this comment hides nothing: `CTX901` is not reported here"),
    ]


def test_the_fix_takes_the_unused_codes_away() -> None:
    text = "a  # noqa: CTX902, CTX901 -- a cache\nb  # noqa: CTX901\nc  # type: ignore # ctxlint: ignore[CTX901]\n"
    outcome = judged(text, at(1))
    lines = text.splitlines()
    fixed = list(lines)
    for notice in outcome.notices:
        (edit,) = notice.fixes[0].edits
        line = fixed[edit.span.line - 1]
        assert line[edit.span.column - 1 : edit.span.end_column - 1] == edit.old
        fixed[edit.span.line - 1] = line[: edit.span.column - 1] + edit.new + line[edit.span.end_column - 1 :]
    assert fixed == ["a  # noqa: CTX901 -- a cache", "b", "c  # type: ignore"]


def test_other_tools_codes_stay_in_the_fixed_comment() -> None:
    outcome = judged("b  # noqa: E501, CTX901\n")
    (edit,) = outcome.notices[0].fixes[0].edits
    assert (edit.old, edit.new) == ("# noqa: E501, CTX901", "# noqa: E501")


def test_only_rules_that_ran_are_judged() -> None:
    assert judged("a  # noqa: CTX901\n", ran={"CTX902", "CTX001"}).notices == ()


def test_an_unused_comment_can_be_kept() -> None:
    assert judged("a  # noqa: CTX901, CTX001\n").notices == ()


def test_a_malformed_comment_hides_nothing_and_is_told() -> None:
    outcome = judged("a  # ctxlint: ignore\nb  # noqa: CTX903\nc  # ctxlint: ignore[CTX901\n", at(1), at(2), at(3))
    assert len(outcome.shown) == 3
    assert [(code, line) for code, line, _ in notices(outcome)] == [("CTX002", 1), ("CTX002", 2), ("CTX002", 3)]
    assert "`CTX903` is no rule's code (there are CTX901, CTX902)" in outcome.notices[1].message


@pytest.mark.parametrize("comment", ["ctxlint: ignore[{}]", "ctxlint: file-ignore[{}] -- why", "noqa: {}", "noqa: E501, {}"])
def test_who_writes_the_name_of_a_rule_is_told_its_code(comment: str) -> None:
    name = RULES["CTX901"].name
    outcome = judged(f"a  # {comment.format(name)}\n", at(1))
    assert (len(outcome.shown), [one.code for one in outcome.notices]) == (1, ["CTX002"])
    assert f"`{name}` is no rule's code (that is the name of a rule: write `CTX901`)" in outcome.notices[0].message


def test_other_tools_comments_are_none_of_our_business() -> None:
    assert judged("a  # noqa\nb  # noqa: E501, W291\nc  # type: ignore\n", at(1)).notices == ()


def test_an_enable_needs_a_disable_above() -> None:
    outcome = judged("# ctxlint: enable[CTX901]\n")
    assert notices(outcome) == [("CTX002", 1, "this comment hides nothing: nothing above disables `CTX901`")]


def test_a_reason_can_be_required() -> None:
    text = "a  # noqa: CTX901\nb  # noqa: CTX901 -- a cache\n"
    outcome = judged(text, at(1), at(2), require_reason=True)
    assert [one.span.line for one in outcome.shown] == [1]
    assert [(code, line) for code, line, _ in notices(outcome)] == [("CTX002", 1)]
