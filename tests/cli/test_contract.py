"""The command line's promises: streams, exit status, selection, bad input."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path

import pytest

from ctxlint.knowledge.rules import load_rules
from ctxlint.report.line_hash import line_hashes
from ctxlint.result import NotAnalysed
from tests.cli.analyzers import Known
from tests.cli.conftest import Run, at
from tests.report.sarif_defects import assert_sound


STABLE = sum(1 for rule in load_rules().values() if rule.check and rule.status == "stable")


def test_clean_is_zero_and_ends_with_the_coverage_line(project: Path, run: Run) -> None:
    done = run("check", ".")
    assert (done.status, done.out, done.err) == (0, f"no findings\n1 file, 3 functions, {STABLE} rules, 0 not analysed\n", "")


def test_check_is_the_default_command_and_here_the_default_path(project: Path, run: Run, two: Known) -> None:
    expected = run("check", ".", analyzer=two)
    assert run(analyzer=two) == run("agent.py", analyzer=two) == run(".", analyzer=two) == expected
    assert expected.status == 1


def test_findings_are_one_and_go_to_standard_output(project: Path, run: Run, two: Known) -> None:
    done = run("check", ".", analyzer=two)
    assert done.status == 1
    assert done.out.startswith("agent.py:1:1: CTX101 ")
    assert "CTX302" not in done.out     # of low confidence
    assert done.err == ""


@pytest.mark.parametrize("form", ["concise", "json", "json-lines", "gitlab", "rdjson", "junit", "html"])
def test_other_formats_leave_the_coverage_line_to_standard_error(project: Path, run: Run, two: Known, form: str) -> None:
    done = run("check", ".", "--output-format", form, analyzer=two)
    counts = "1 finding in 1 file: 1 CTX101; 1 fixable with --fix --unsafe-fixes\n" if form == "concise" else ""
    assert done.err == f"{counts}1 file, 3 functions, {STABLE} rules, 0 not analysed\n"
    assert done.out.count("CTX101") >= 1 and done.status == 1
    assert "0 not analysed" not in done.out or form == "html"


def test_json_is_a_list_of_findings_with_absolute_names(project: Path, run: Run, two: Known) -> None:
    done = run("check", ".", "--output-format", "json", "--min-confidence", "low", analyzer=two)
    found = json.loads(done.out)
    assert [(one["code"], one["location"]["row"]) for one in found] == [("CTX101", 1), ("CTX302", 2)]
    assert all(one["filename"] == str(project / "agent.py") and len(one["fingerprint"]) == 32 for one in found)
    assert json.loads(run("check", ".", "--output-format", "json").out) == []


def test_order_is_path_line_column_code(project: Path, run: Run) -> None:
    (project / "a.py").touch()
    mixed = Known(diagnostics=(
        at(project, 2), at(project, 1, code="CTX302"), at(project, 1), at(project, 9, path=str(project / "a.py"))))
    lines = run("check", ".", "--output-format", "concise", analyzer=mixed).out.splitlines()
    assert [line.split(" ")[:2] for line in lines] == [
        ["a.py:9:1:", "CTX101"], ["agent.py:1:1:", "CTX101"], ["agent.py:1:1:", "CTX302"], ["agent.py:2:1:", "CTX101"]]


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("note", 1), ("never", 0)])
def test_fail_on_is_the_least_severity_that_counts(project: Path, run: Run, fail_on: str, status: int) -> None:
    warning = Known(diagnostics=(at(project, 1, severity="warning"),))
    assert run("check", ".", "--fail-on", fail_on, analyzer=warning).status == status


def test_exit_zero_hides_findings_and_nothing_worse(project: Path, run: Run, two: Known) -> None:
    assert run("check", ".", "--exit-zero", analyzer=two).status == 0
    assert run("check", "gone.py", "--exit-zero").status == 2
    broken = Known(not_analysed=(NotAnalysed(str(project / "agent.py"), "syntax error", "line 1"),))
    assert run("check", ".", "--exit-zero", analyzer=broken).status == 2


def test_a_file_that_was_not_analysed_is_a_finding_and_status_two(project: Path, run: Run) -> None:
    broken = Known(not_analysed=(NotAnalysed(str(project / "agent.py"), "syntax error", "invalid syntax"),))
    done = run("check", ".", analyzer=broken)
    assert done.status == 2
    assert "agent.py:1:1: CTX003 this file was not analysed (syntax error): invalid syntax [high]" in done.out
    assert done.out.endswith(f"0 files, 3 functions, {STABLE} rules, 1 not analysed (1 syntax error)\n")
    hidden = run("check", ".", "--ignore", "CTX003", analyzer=broken)
    assert (hidden.status, "CTX003" in hidden.out, "no findings" in hidden.out) == (2, False, False)
    selected = run("check", ".", "--select", "CTX101", analyzer=broken)
    assert "CTX003" in selected.out
    covered = run("check", ".", "--per-file-ignores", "agent.py:CTX003", analyzer=broken)
    assert (covered.status, "CTX003" in covered.out) == (0, False)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["check", "gone.py"], "gone.py: no such file or folder"),
        (["check", ".", "--select", "CTX1O1"], "no rule's code begins with `CTX1O1` (did you mean `CTX101`?)"),
        (["check", ".", "--ignore", "X"], "--ignore: no rule's code begins with `X`"),
        (["check", ".", "--selct", "CTX101"], "unknown option `--selct` (did you mean `--select`?)"),
        (["check", ".", "--config", "selct=['A']"], "unknown key `selct` (did you mean `select`?)"),
        (["check", ".", "--config", "rules.CTX999.x=1"], "unknown rule `rules.CTX999`"),
        (["check", ".", "--config", "none.toml"], "none.toml: no such file"),
        (["check", ".", "--config", "fail-on=error"], 'a string is written fail-on="error"'),
        (["check", ".", "--per-file-ignores", "tests"], "`tests` is not PATTERN:CODES"),
        (["check", ".", "-j", "many"], "`many` is not a number"),
        (["check", ".", "--output-format", "xml"], "invalid choice: 'xml'"),
        (["check", ".", "-"], "`-` is standard input and stands alone"),
        (["check", ".", "--stdin-filename", "x.py"], "other paths cannot be analysed with it"),
        (["check", ".", "--output-file", "no/where/report.txt"], "--output-file no/where/report.txt: cannot be written"),
        (["chek", "."], "chek: no such file, folder or command (did you mean `check`?)"),
        (["explain", "CTX1O1"], "no rule is called `CTX1O1` (did you mean `CTX101`?)"),
        (["dev", "genrate"], "(did you mean `generate`?)"),
        (["rules", "--fancy"], "unknown option `--fancy`"),
    ],
)
def test_bad_input_is_two_and_said_on_standard_error(project: Path, run: Run, words: list[str], complaint: str) -> None:
    done = run(*words)
    assert done.status == 2
    assert complaint in done.err
    assert done.out == ""


def test_a_wrong_configuration_file_is_two(project: Path, run: Run) -> None:
    (project / "ctxlint.toml").write_text("[rules.CTX101]\nx = 1\n")
    done = run("check", ".")
    assert done.status == 2
    assert "ctxlint.toml: unknown key `rules.CTX101.x`" in done.err


def test_a_crash_is_two_and_never_a_report(project: Path, run: Run) -> None:
    class Broken(Known):
        def __call__(self, *arguments: object, **keywords: object) -> object:  # type: ignore[override]
            raise RuntimeError("lost")

    done = run("check", ".", analyzer=Broken())
    assert (done.status, done.out) == (2, "")
    assert "internal error: RuntimeError: lost" in done.err


def test_what_stands_after_two_dashes_is_a_name(project: Path, run: Run) -> None:
    (project / "-rf.py").touch()
    known = Known()
    assert run("check", "agent.py", "-q", "--", "-rf.py", analyzer=known).status == 0
    assert [file.path for file in known.files] == [str(project / "-rf.py"), str(project / "agent.py")]
    assert run("--", "--exit-zero").err == "ctxlint: error: --exit-zero: no such file or folder\n"
    assert run("explain", "--", "-x").err.startswith("ctxlint: error: no rule is called `-x`")


def test_rule_is_explain(run: Run) -> None:
    assert run("rule", "CTX101") == run("explain", "CTX101")


def test_a_command_wins_over_a_path_of_its_name(project: Path, run: Run) -> None:
    (project / "rules").mkdir()
    done = run("rules")
    assert "CTX101" in done.out
    assert "`rules` is taken as the command; the path of that name is `./rules`" in done.err.replace(os.sep, "/")
    assert run("./rules").out.startswith("0 files")


def test_the_output_file_gets_the_report_and_standard_output_nothing(project: Path, run: Run, two: Known) -> None:
    expected = run("check", ".", analyzer=two).out
    (project / "report.txt").write_text("old")
    os.chmod(project / "report.txt", 0o640)
    done = run("check", ".", "--output-file", "report.txt", analyzer=two)
    assert (done.status, done.out) == (1, "")
    assert (project / "report.txt").read_text() == expected
    assert (project / "report.txt").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in project.iterdir()) == ["agent.py", "ctxlint.toml", "report.txt"]


def test_selection_reaches_the_analysis_and_the_tool_itself_does_not(project: Path, run: Run) -> None:
    known = Known()
    run("check", ".", "--select", "CTX1", "--ignore", "CTX105", "--tree", "libcst", analyzer=known)
    assert known.rules and all(code.startswith("CTX1") for code in known.rules)
    assert "CTX105" not in known.rules
    assert known.tree == "libcst"


def test_confidence_filters_findings(project: Path, run: Run, two: Known) -> None:
    def count(*words: str) -> int:
        return len(run("check", ".", "--output-format", "concise", *words, analyzer=two).out.splitlines())

    assert [count(), count("--min-confidence", "low"), count("--select", "ALL")] == [1, 2, 1]


def test_suppressed_findings_do_not_count_and_can_be_shown(project: Path, run: Run) -> None:
    (project / "agent.py").write_text("x = 1  # noqa: CTX101 -- fine\n")
    known = Known(diagnostics=(at(project, 1),))
    done = run("check", ".", analyzer=known)
    assert (done.status, "CTX101" in done.out) == (0, False)
    shown = run("check", ".", "--show-suppressed", analyzer=known)
    assert shown.status == 0
    assert "[suppressed" in shown.out


def test_an_unused_suppression_is_reported_with_the_default_set_only(project: Path, run: Run) -> None:
    (project / "agent.py").write_text("x = 1  # noqa: CTX101\n")
    done = run("check", ".")
    assert (done.status, "CTX001" in done.out) == (1, True)
    assert run("check", ".", "--select", "CTX101").status == 0
    assert run("check", ".", "--select", "CTX101,CTX001").status == 1
    assert run("check", ".", "--select", "CTX302,CTX001").status == 0
    assert run("check", ".", "--ignore", "CTX101").status == 0


def test_low_findings_use_their_suppression_although_they_are_not_shown(project: Path, run: Run) -> None:
    (project / "agent.py").write_text("x = 1  # noqa: CTX101\n")
    assert run("check", ".", analyzer=Known(diagnostics=(at(project, 1, confidence="low"),))).status == 0


def test_a_malformed_suppression_is_reported_under_every_selection(project: Path, run: Run) -> None:
    (project / "agent.py").write_text("x = 1  # ctxlint: ignore\n")
    assert "CTX002" in run("check", ".", "--select", "CTX302").out
    assert "CTX002" not in run("check", ".", "--ignore", "CTX002").out


def test_per_file_ignores(project: Path, run: Run, two: Known) -> None:
    assert run("check", ".", "--per-file-ignores", "*.py:CTX1", analyzer=two).status == 0
    assert run("check", ".", "--per-file-ignores", "other/*:CTX1", analyzer=two).status == 1


def test_statistics(project: Path, run: Run, two: Known) -> None:
    done = run("check", ".", "--statistics", analyzer=two)
    assert "\n1  CTX101  mutate-late\n\n1 finding in" in done.out
    beside = run("check", ".", "--statistics", "--output-format", "json", analyzer=two)
    assert json.loads(beside.out)
    assert "1  CTX101  mutate-late" in beside.err


def test_quiet_prints_findings_and_nothing_else(project: Path, run: Run, two: Known) -> None:
    two.problems = ("a model is odd",)
    assert "ctxlint: warning: a model is odd" in run("check", ".", analyzer=two).err
    done = run("check", ".", "-q", analyzer=two)
    assert (done.err, "not analysed" in done.out, "CTX101" in done.out) == ("", False, True)


def test_nothing_to_analyse_is_said(project: Path, run: Run) -> None:
    (project / "empty").mkdir()
    done = run("check", "empty")
    assert (done.status, done.out) == (0, f"0 files, 0 functions, {STABLE} rules, 0 not analysed\n")
    assert "no Python files" in done.err


def test_standard_input(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Stdin:
        buffer = io.BytesIO(b"x = 1\n")

    monkeypatch.setattr(sys, "stdin", Stdin())
    known = Known()
    assert run("check", "-", "--stdin-filename", "pkg/new.py", analyzer=known).status == 0
    (file,) = known.files
    assert (file.path, file.module, file.source) == (str(project / "pkg" / "new.py"), "new", b"x = 1\n")


def test_show_files_and_settings_analyse_nothing(project: Path, run: Run, two: Known) -> None:
    assert run("check", ".", "--show-files", analyzer=two).out == "agent.py\n"
    done = run("check", ".", "--show-settings", "--preview", analyzer=two)
    shown = json.loads(done.out)
    assert done.status == 0
    assert shown["file"] == str(project / "ctxlint.toml")
    assert shown["settings"]["preview"] is True
    assert "CTX101" in shown["rules"]


def test_colour_only_when_asked_or_on_a_terminal(
    project: Path, run: Run, two: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in run("check", ".", analyzer=two).out
    assert "\x1b[" in run("check", ".", "--color", "always", analyzer=two).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check", ".", analyzer=two).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", ".", analyzer=two).out


def test_a_terminal_gets_its_width_and_a_hint(
    project: Path, run: Run, two: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ctxlint rule" not in run("check", ".", analyzer=two).err
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    done = run("check", ".", analyzer=two)
    assert "  1  /project/agent.py:41  changes self.messages\n     self.messages.append(m)\n" in done.out
    assert done.err == "`ctxlint rule CTX101` says why that is bad and when it is fine\n"
    assert run("check", ".", "-q", analyzer=two).err == ""


def test_configuration_is_sought_from_the_paths(project: Path, run: Run, two: Known, tmp_path_factory: pytest.TempPathFactory,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "ctxlint.toml").write_text("fail-on = 'never'\n")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run("check", str(project), analyzer=two).status == 0
    assert run("check", str(project), "--isolated", analyzer=two).status == 1


def test_help_names_every_command(run: Run) -> None:
    done = run("--help")
    assert done.status == 0
    assert {"check", "explain", "rules", "graph", "dev"} <= set(re.findall(r"^  (\w+)", done.out, re.MULTILINE))
    assert run("check", "--help").status == 0


def test_policies_are_rules(project: Path, run: Run) -> None:
    (project / "policies").mkdir()
    doc = "\n".join(f"## {heading}\nText." for heading in ("What it does", "Why is this bad", "When it is fine", "Fix safety"))
    (project / "policies" / "SHOP1.toml").write_text(
        'code = "SHOP1"\nname = "audit-first"\ntitle = "Audit first"\nmessage = "m"\nseverity = "error"\n'
        f'status = "stable"\nsince = "1"\ncheck = "precedes"\ndoc = """\n{doc}\n"""\n')
    (project / "ctxlint.toml").write_text("rule-paths = ['policies']\n")
    known = Known()
    run("check", ".", analyzer=known)
    assert "SHOP1" in known.rules
    assert "audit-first" in run("rules").out
    assert run("explain", "audit-first").out.startswith("# audit-first (SHOP1)")


def test_sarif_names_the_rules_that_ran_and_hides_what_comments_hide(project: Path, run: Run, two: Known) -> None:
    (project / "agent.py").write_text("x = 1  # noqa: CTX101\ny = 2\nz = 3\n")
    (project / "sub").mkdir()
    (project / ".git").mkdir()
    words = ("check", ".", "--output-format", "sarif", "--min-confidence", "low")
    (log,) = assert_sound(run(*words, analyzer=two).out)["runs"]
    assert [(one["ruleId"], one["level"]) for one in log["results"]] == [("CTX302", "warning")]
    assert {"CTX003", "CTX101", "CTX302"} <= {rule["id"] for rule in log["tool"]["driver"]["rules"]}
    (log,) = assert_sound(run(*words, "--show-suppressed", analyzer=two).out)["runs"]
    assert [bool(one["suppressions"]) for one in log["results"]] == [False, True]


def test_paths_of_sarif_begin_at_the_root_of_the_repository(
    project: Path, run: Run, two: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (project / ".git").mkdir()
    monkeypatch.chdir(project / "sub")
    (log,) = assert_sound(run("check", "..", "--output-format", "sarif", analyzer=two).out)["runs"]
    assert log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "agent.py"
    assert log["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{project.as_uri()}/"
    assert log["invocations"][0]["workingDirectory"]["uri"] == f"{project.as_uri()}/sub/"


def test_sarif_of_standard_input_is_hashed_from_its_text(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"def")))
    done = run("check", "-", "--stdin-filename", "new.py", "--output-format", "sarif",
               analyzer=Known(not_analysed=(NotAnalysed(str(project / "new.py"), "syntax error", "x"),)))
    (log,) = assert_sound(done.out)["runs"]
    assert done.status == 2 and log["invocations"][0]["executionSuccessful"] is False
    assert log["results"][0]["locations"][0]["physicalLocation"]["region"]["endColumn"] == 4
    assert log["results"][0]["partialFingerprints"]["primaryLocationLineHash"] == line_hashes("def")[1]


def test_annotations_are_commands(project: Path, run: Run, two: Known) -> None:
    done = run("check", ".", "--output-format", "github", analyzer=two)
    assert done.out.startswith("::error file=agent.py,line=1,endLine=1,col=1,endColumn=2,title=CTX101 mutate-late::")
