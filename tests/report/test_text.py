from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.diagnostic import Diagnostic, Fix, Step
from ctxlint.ir.span import Span
from ctxlint.report.concise import render_concise
from ctxlint.report.summary import coverage_line, findings_line, statistics, unseen_line
from ctxlint.report.text import render_text
from ctxlint.result import Coverage, NotAnalysed, Report, Unseen
from tests.findings import finding

PROJECT = Path("/project")


def test_a_finding_is_an_argument() -> None:
    assert render_text([finding()], folder=PROJECT) == """\
agent.py:41:9: AA101 `self.messages` is mutated before its record reaches `self._undo` [high]
  1  agent.py:41          self.messages.append(m)        changes self.messages
  2  agent.py:43          await self._wal.write(m)       can fail here
  3  /elsewhere/log.py:7  self._undo.append(("pop", m))  records how to undo it
  If 2 fails, the message stays and `rollback` cannot remove it.
  journal: `rollback` reads `self._undo` back (agent.py:90)
  fix (unsafe): record first
"""


def test_findings_are_paragraphs() -> None:
    short = finding(flow=(), scenario="", evidence=(), fixes=(), confidence="low")
    text = render_text([short, short], folder=PROJECT)
    line = "agent.py:41:9: AA101 `self.messages` is mutated before its record reaches `self._undo` [low]\n"
    assert text == line + "\n" + line
    assert render_text([]) == ""


def test_long_and_multi_line_sources_are_cut() -> None:
    long = Step("/project/agent.py", Span(1, 1, 1, 2), "does it", "x = " + "a" * 80 + "\n    + b")
    line = render_text([finding(flow=(long,))], folder=PROJECT).splitlines()[1]
    assert "…  does it" in line
    assert len(line) < 100


def test_steps_that_do_not_fit_stand_above_their_source() -> None:
    assert render_text([finding()], folder=PROJECT, width=78).splitlines()[1:4] == [
        "  1  agent.py:41  changes self.messages",
        "     self.messages.append(m)",
        "  2  agent.py:43  can fail here",
    ]
    assert render_text([finding()], folder=PROJECT, width=79) == render_text([finding()], folder=PROJECT)


def test_texts_of_the_code_give_no_orders_to_a_terminal() -> None:
    evil = "a\x1b[2J\u202e\nb\x9b"
    step = Step(f"/project/{evil}", Span(1, 1, 1, 2), evil, evil)
    one = finding(path=f"/project/{evil}", message=evil, scenario=evil, evidence=(evil,), flow=(step,))
    assert all(sign.isprintable() or sign == "\n" for sign in render_text([one], folder=PROJECT))
    assert render_concise([one], folder=PROJECT) == (
        "a\\x1b[2J\\u202e\\nb\\x9b:41:9: AA101 a\\x1b[2J\\u202e\\nb\\x9b\n"
    )


def test_colours_are_only_paint() -> None:
    import re

    painted = render_text([finding()], colour=True, folder=PROJECT)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[\d*m", "", painted) == render_text([finding()], folder=PROJECT)


def test_suppressed_findings_say_so() -> None:
    assert "[high] [suppressed]\n" in render_text([], [finding()], folder=PROJECT)
    assert render_concise([], [finding()], PROJECT).endswith("[suppressed]\n")


def test_the_concise_line_is_flake8s() -> None:
    assert render_concise([finding()], folder=PROJECT) == (
        "agent.py:41:9: AA101 `self.messages` is mutated before its record reaches `self._undo`\n"
    )
    assert render_concise([finding()], folder=Path("/other")).startswith("/project/agent.py:41:9: ")


def test_a_folder_with_a_longer_name_is_not_the_folder() -> None:
    assert render_concise([finding(path="/project2/a.py")], folder=PROJECT).startswith("/project2/a.py:")


def test_the_coverage_line() -> None:
    failures = (NotAnalysed("/a.py", "syntax error", "x"), NotAnalysed("/b.py", "too large", "x"),
                NotAnalysed("/c.py", "syntax error", "x"))
    assert coverage_line(Coverage(41, 800, failures)) == (
        "41 files, 800 functions, 3 not analysed (2 syntax error, 1 too large)"
    )
    assert coverage_line(Coverage(1, 1, rules=1)) == "1 file, 1 function, 1 rule, 0 not analysed"
    assert coverage_line(Coverage(1, 1)) == "1 file, 1 function, 0 not analysed"


def test_statistics_count_each_rule_most_frequent_first() -> None:
    found = [finding(), *[finding(code="AA102", name="other")] * 10]
    assert statistics(found) == "10  AA102  other\n 1  AA101  mutate-late\n"
    assert statistics([]) == ""


def test_advice_is_told_as_such() -> None:
    advice = Fix("hold a lock", "display", ())
    assert "\n  advice: hold a lock\n" in render_text([finding(fixes=(advice,))], folder=PROJECT)


def test_the_findings_are_counted() -> None:
    found = (finding(), finding(), finding(code="AA102", path="/other.py"))

    def line(*diagnostics: Diagnostic, fixable: tuple[int, int] = (0, 0), **facts: object) -> str:
        return findings_line(Report(diagnostics, (), Coverage(3, 9), **facts), *fixable)       # type: ignore[arg-type]

    assert line(*found) == "3 findings in 2 files: 2 AA101, 1 AA102\n"
    assert line(*found, fixable=(1, 1)).endswith("; 1 fixable with --fix, 1 more with --fix --unsafe-fixes\n")
    assert line(found[1], fixable=(0, 1)) == "1 finding in 1 file: 1 AA101; 1 fixable with --fix --unsafe-fixes\n"
    assert line() == "no findings\n"
    assert line(incomplete=True) == line(compared="HEAD") == ""


def test_what_was_not_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    rest = Unseen(2, str(tmp_path / "lib" / "store.py"), True, (str(tmp_path / "app"), str(tmp_path / "lib")))
    line = unseen_line(Report((), (), Coverage(1, 1), unseen=rest))
    assert line.replace("\\", "/") == (
        "2 more files of the project were not looked at, as lib/store.py (imported here); "
        "what they call, read and write is not known: `ctxlint check app lib`\n")
    assert unseen_line(Report((), (), Coverage(1, 1))) == ""
