"""The analyzer says of each fixture what its marks say, on the very line, and nothing else of the rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.fixture_marks import (
    Confidence,
    Finding,
    Kind,
    Mark,
    MarkError,
    disagreements,
    marks_of,
    marks_within,
)
from tests.fixture_runs import (
    FIXTURES,
    Case,
    cases,
    findings_in,
    fixture_files,
    pending_codes,
    rule_folders,
)

RULES = Path(__file__).parent.parent / "rules"


@pytest.mark.parametrize("case", cases(), ids=str)
def test_findings_are_the_marks(case: Case) -> None:
    if not case.codes:
        pytest.skip(f"{', '.join(case.pending)}: not checked yet, see fixtures/pending.txt")
    asked = [mark for mark in marks_within(case.root) if mark.code in case.codes]
    found = [finding for finding in findings_in(case.root, case.codes) if finding.code in case.codes]
    problems = disagreements(asked, found)
    assert not problems, "\n" + "\n".join(problems)


@pytest.mark.parametrize("folder", rule_folders(), ids=lambda folder: folder.name)
def test_each_rule_has_bad_files_and_two_traps(folder: Path) -> None:
    marked = {path.name: {mark.code for mark in marks_of(path)} for path in fixture_files(folder)}
    bad = [name for name, codes in marked.items() if folder.name in codes]
    traps = [name for name, codes in marked.items() if not codes]
    assert bad, f"nothing in {folder} shows the fault"
    assert len(traps) >= 2, f"only {traps} in {folder} have nothing to report"


def test_each_rule_on_an_existing_check_has_fixtures() -> None:
    tomli = pytest.importorskip("tomli")
    if not RULES.is_dir():
        pytest.skip("there are no rules yet")
    folders = {folder.name for folder in rule_folders()}
    for path in sorted(RULES.glob("*.toml")):
        rule = tomli.loads(path.read_text(encoding="utf-8"))
        if rule.get("check") and _is_built(rule["check"]):
            assert rule["code"] in folders, f"{path.name} has no folder fixtures/{rule['code']}"


def _is_built(check: str) -> bool:
    return (Path(__file__).parent.parent / "ctxlint" / "checks" / f"{check}.py").is_file()


def test_pending_rules_have_fixtures() -> None:
    assert pending_codes() <= {folder.name for folder in rule_folders()}


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.py")), ids=lambda path: str(path.relative_to(FIXTURES)))
def test_fixtures_are_programs_and_say_what_is_lost(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
    compile(tree, str(path), "exec")
    assert ast.get_docstring(tree), f"{path} does not say what is or is not lost"


def test_a_mark_is_read_with_line_code_confidence_and_kind(tmp_path: Path) -> None:
    path = tmp_path / "case.py"
    path.write_text(
        'x = "# expect: CTX999"\n'
        "a()  # expect: CTX101\n"
        "b()  # expect: CTX101@high, CTX103\n"
        "c()  # expect-missing: CTX302@medium\n"
        "d()  # expect-spurious: CTX105\n"
        "e()  # what one expects\n",
        encoding="utf-8",
    )
    assert marks_of(path) == (
        Mark(path, 2, "CTX101", "low", "expect"),
        Mark(path, 3, "CTX101", "high", "expect"),
        Mark(path, 3, "CTX103", "low", "expect"),
        Mark(path, 4, "CTX302", "medium", "expect-missing"),
        Mark(path, 5, "CTX105", "low", "expect-spurious"),
    )


@pytest.mark.parametrize("comment", ["# expect CTX101", "#expect: CTX101", "# expect: 101", "# expect: CTX101@sure"])
def test_a_misspelt_mark_is_an_error(tmp_path: Path, comment: str) -> None:
    path = tmp_path / "case.py"
    path.write_text(f"a()  {comment}\n", encoding="utf-8")
    with pytest.raises(MarkError, match="case.py:1"):
        marks_of(path)


HERE = Path("case.py")


def _mark(kind: Kind = "expect", confidence: Confidence = "low") -> Mark:
    return Mark(HERE, 3, "CTX101", confidence, kind)


def _finding(line: int = 3, confidence: Confidence = "medium") -> Finding:
    return Finding(HERE, line, "CTX101", confidence)


@pytest.mark.parametrize(
    ("marks", "findings", "words"),
    [
        ([_mark()], [_finding()], []),
        ([_mark(confidence="medium")], [_finding()], []),
        ([_mark(kind="expect-missing")], [], []),
        ([_mark(kind="expect-spurious")], [_finding()], []),
        ([_mark()], [], ["missed CTX101"]),
        ([], [_finding()], ["spurious CTX101"]),
        ([_mark()], [_finding(line=4)], ["missed CTX101", "spurious CTX101"]),
        ([_mark()], [_finding(), _finding()], ["reported 2 times"]),
        ([_mark(confidence="high")], [_finding()], ["medium confidence"]),
        ([_mark(kind="expect-missing")], [_finding()], ["found at last"]),
        ([_mark(kind="expect-spurious")], [], ["is gone"]),
    ],
)
def test_disagreements_name_what_differs(marks: list[Mark], findings: list[Finding], words: list[str]) -> None:
    problems = disagreements(marks, findings)
    assert len(problems) == len(words)
    for problem, word in zip(problems, words):
        assert word in problem
