"""What a baseline accepts, how it shrinks, and that a wrong one is never an empty one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ctxlint.errors import UsageError
from ctxlint.gate.baseline import Entry, baseline_text, read_baseline
from tests.gate.conftest import Check
from tests.gate.repositories import Repository

ONE = "def save(x):\n    write(x)  # bug: A\n"
OTHER = "def drop(x):\n    remove(x)  # bug: B\n"
FILE = "ctxlint-baseline.jsonl"


@pytest.fixture
def project(repository: Repository, check: Check) -> Repository:
    """A project with two findings that its baseline accepts."""
    repository.commit(agent=ONE, other=OTHER)
    assert check("baseline", "create", "--reason", "as it was").status == 0
    repository.write("ctxlint.toml", f'baseline = "{FILE}"\n')
    return repository


def entries(project: Repository) -> list[dict[str, object]]:
    return [json.loads(line) for line in (project.root / FILE).read_text().splitlines()]


def test_it_is_one_object_a_line_in_order(project: Repository) -> None:
    found = entries(project)
    assert [list(one) for one in found] == [["code", "path", "symbol", "fingerprint", "body", "count", "reason", "date"]] * 2
    assert [(one["code"], one["path"], one["symbol"], one["count"], one["reason"]) for one in found] == [
        ("CTX101", "agent.py", "save", 1, "as it was"), ("CTX101", "other.py", "drop", 1, "as it was")]


def test_what_it_accepts_does_not_count(project: Repository, check: Check) -> None:
    done = check(".")
    assert (done.status, done.out.splitlines()[0]) == (
        0, f"0 introduced, 2 accepted by the baseline (compared with {FILE})")
    project.write("new.py", ONE.replace("A", "C"))
    done = check(".", "--output-format", "concise")
    assert (done.status, done.out) == (1, "new.py:2:1: CTX101 bug C\n")
    shown = check(".", "--output-format", "concise", "--show-suppressed").out
    assert "agent.py:2:1: CTX101 bug A [accepted: as it was]" in shown
    assert check(".", "--baseline", "").status == 1


def test_a_repair_does_not_pay_for_the_same_fault_elsewhere(project: Repository, check: Check) -> None:
    project.write("agent.py", "def save(x):\n    write_safely(x)\n")
    project.write("memory.py", "class Memory:\n    def save(x):\n        write(x)  # bug: A\n")
    done = check(".", "--output-format", "concise")
    assert "memory.py:3:1: CTX101 bug A" in done.out.splitlines() and f"{FILE}:1:1: CTX004" in done.out
    project.write("agent.py", "")
    assert check(".", "--output-format", "concise").out == ""


def test_it_counts(project: Repository, check: Check) -> None:
    project.write("agent.py", ONE + "    write(x)  # bug: A\n")
    done = check(".", "--output-format", "concise")
    assert (done.status, done.out) == (1, "agent.py:3:1: CTX101 bug A\n")


def test_an_entry_that_accepts_nothing_is_told_until_it_is_pruned(project: Repository, check: Check) -> None:
    project.write("agent.py", "")
    os.unlink(project.root / "other.py")
    done = check(".", "--output-format", "concise")
    assert done.status == 1
    assert [line.split(" the ")[0] for line in done.out.splitlines()] == [f"{FILE}:1:1: CTX004", f"{FILE}:2:1: CTX004"]
    assert check(".", "--ignore", "CTX004").status == 0
    assert check(".", "--select", "CTX101").status == 1
    assert check("baseline", "prune").status == 0
    assert entries(project) == []
    assert check(".").status == 0


def test_a_run_that_cannot_know_does_not_judge(project: Repository, check: Check) -> None:
    project.write("agent.py", "")
    assert check("agent.py").status == 0
    project.write("sub/x.py", "")
    assert check("sub").status == 0
    assert check(".", "--select", "CTX302").status == 0
    before = entries(project)
    done = check("baseline", "prune", "sub")
    assert entries(project) == before and "2 entries were not judged" in done.err


def test_what_is_hidden_otherwise_is_still_there(project: Repository, check: Check) -> None:
    project.write("agent.py", ONE.replace("# bug: A", "# bug: A low"))
    project.write("other.py", OTHER.replace("# bug", "# noqa: CTX101 # bug"))
    assert check(".").status == 0
    assert check(".", "--per-file-ignores", "*.py:CTX101").status == 0


def test_update_follows_and_only_shrinks(project: Repository, check: Check) -> None:
    project.write("agent.py", "")
    project.write("moved.py", "class Store:\n    def save(x):\n        write(x)  # bug: A\n")
    project.write("new.py", OTHER.replace("B", "C").replace("drop", "new"))
    os.unlink(project.root / "other.py")
    assert check(".", "--output-format", "concise").out.splitlines()[1] == "new.py:2:1: CTX101 bug C"
    assert check("baseline", "update").status == 0
    assert [(one["path"], one["symbol"], one["reason"]) for one in entries(project)] == [("moved.py", "Store.save", "as it was")]
    check("baseline", "update", "--add", "--reason", "later")
    assert [(one["path"], one["reason"]) for one in entries(project)] == [("moved.py", "as it was"), ("new.py", "later")]
    assert check(".").status == 0


def test_prune_changes_nothing_else(project: Repository, check: Check) -> None:
    before = entries(project)
    project.write("agent.py", "")
    project.write("moved.py", ONE)
    os.unlink(project.root / "other.py")
    check("baseline", "prune")
    assert entries(project) == before[:1]


def test_create_does_not_overwrite(project: Repository, check: Check) -> None:
    done = check("baseline", "create")
    assert (done.status, "there is a baseline already; `update` shrinks it" in done.err) == (2, True)
    assert check("baseline", "create", "--force").status == 0
    assert [one["reason"] for one in entries(project)] == ["", ""]


def test_show(project: Repository, check: Check) -> None:
    date = entries(project)[0]["date"]
    assert check("baseline", "show").out == (
        f"agent.py: CTX101 save  {date}  as it was\nother.py: CTX101 drop  {date}  as it was\n2  CTX101\n")
    assert check("baseline", "show", "--output-format", "json-lines").out == (project.root / FILE).read_text()
    assert json.loads(check("baseline", "show", "--output-format", "json").out) == entries(project)


def test_with_a_revision_what_either_knows_does_not_count(project: Repository, check: Check) -> None:
    """What the revision has is accepted first: one entry does not cover what is new beside it."""
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "c")
    project.write("agent.py", ONE + "    write(x)  # bug: A\n")
    project.write("third.py", ONE.replace("A", "C"))
    done = check(".", "--since", "HEAD", "--output-format", "concise")
    assert (done.status, done.out) == (1, "agent.py:3:1: CTX101 bug A\nthird.py:2:1: CTX101 bug C\n")


@pytest.mark.parametrize(("text", "said"), [
    (None, "there is no such baseline; `ctxlint baseline create` writes one"),
    ("<<<<<<< ours\n", ":1: the baseline is damaged: a merge left its conflict here; keep the lines of both sides"),
    ("{}\n", ":1: the baseline is damaged: Object missing required field"),
    ("[]\n", ":1: the baseline is damaged: "),
    ('{"code": "CTX101", "path": "a", "symbol": "b"', ":1: the baseline is damaged: "),
    ('{"code": "C", "path": "a", "symbol": "b", "fingerprint": "f", "count": 0}\n', "`count` is 0, not 1 or more"),
    ('{"code": "C", "path": "a", "symbol": "b", "fingerprint": "f", "count": "2"}\n', "`$.count`"),
    ('{"code": "C", "path": "a", "symbol": "b", "fingerprint": "f", "line": 2}\n', "unknown field `line`"),
    ('{"code": "C", "path": "", "symbol": "b", "fingerprint": "f"}\n', ":1: the baseline is damaged: `path` is empty"),
    ('{"code": "C", "path": "a", "symbol": "b", "fingerprint": ""}\n', "`fingerprint` is empty"),
    ('{"code": "C", "path": "a", "symbol": "b", "fingerprint": "f", "date": "2026-02-30"}\n', "`date` is '2026-02-30'"),
    ('{"code": "CTX999", "path": "a", "symbol": "b", "fingerprint": "f"}\n', ":1: no rule is called `CTX999`"),
    ("\n\n", ":1: the baseline is damaged: "),
    ("\xff\n", ":1: the baseline is damaged: "),
    ("[" * 100_000, ":1: the baseline is damaged: "),
])
def test_a_missing_or_damaged_baseline_is_two(project: Repository, check: Check, text: str | None, said: str) -> None:
    (project.root / FILE).unlink()
    if text is not None:
        (project.root / FILE).write_bytes(text.encode("latin-1"))
    everywhere = ((".",), ("baseline", "update"), ("baseline", "prune"), ("baseline", "show"), (".", "--exit-zero"))
    for words in everywhere if text is None else everywhere[:1]:
        done = check(*words)
        assert (done.status, done.out) == (2, ""), words
        assert f"{project.root / FILE}" in done.err and said in done.err
    assert not (project.root / FILE).exists() or (project.root / FILE).read_bytes() == (text or "").encode("latin-1")


def test_a_folder_is_no_baseline(repository: Repository, check: Check) -> None:
    repository.write("agent.py", ONE)
    done = check(".", "--baseline", ".")
    assert (done.status, "the baseline cannot be read: Is a directory" in done.err) == (2, True)


@pytest.mark.parametrize(("words", "said"), [
    (["baseline", "updat"], "there is no such command (did you mean `update`?)"),
    (["baseline", "create", "--add"], "unknown option `--add`"),
    (["baseline", "update", "--since", "HEAD"], "a baseline is about what is there"),
    (["baseline", "create", "gone"], "gone: no such file or folder"),
    (["baseline", "create", "--baseline", "no/where"], "the baseline cannot be written"),
])
def test_bad_commands_are_two(repository: Repository, check: Check, words: list[str], said: str) -> None:
    done = check(*words)
    assert (done.status, said in done.err) == (2, True), done.err


def test_help(check: Check) -> None:
    assert check("baseline", "--help").out.startswith("usage: ctxlint baseline create|update|prune|show")
    assert check("baseline").status == 2
    assert check("baseline", "update", "--help").status == 0


def test_a_file_that_was_not_analysed_keeps_its_entries_and_is_two(project: Repository, check: Check) -> None:
    before = entries(project)
    project.write("agent.py", "# broken\n")
    for command in ("prune", "update"):
        done = check("baseline", command)
        assert done.status == 2 and "was not analysed (syntax error)" in done.err
        assert entries(project) == before
    assert "CTX004" not in check(".").out


def test_names_that_are_no_text_are_kept(repository: Repository, check: Check) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    repository.write(name, ONE)
    check("baseline", "create", "--baseline", "b.jsonl")
    assert check(".", "--baseline", "b.jsonl").status == 0
    os.unlink(repository.root / name)
    assert "b.jsonl:1:1: CTX004" in check(".", "--baseline", "b.jsonl").out


def entry(**changes: object) -> Entry:
    return Entry(**{"code": "CTX101", "path": "a.py", "symbol": "f", "fingerprint": "0", **changes})  # type: ignore[arg-type]


def test_the_same_entry_from_both_sides_of_a_merge_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "b.jsonl"
    file.write_text(baseline_text([entry()]) + baseline_text([entry(count=3)]) + baseline_text([entry(path="b.py")]))
    read = read_baseline(file)
    assert [(one.path, one.count) for one in read.entries] == [("a.py", 3), ("b.py", 1)]
    assert read.lines == (2, 3)


def test_the_order_of_lines_is_that_of_their_values() -> None:
    lines = baseline_text([entry(path="b.py"), entry(code="CTX302"), entry(fingerprint="1"), entry()]).splitlines()
    keys = [tuple(json.loads(line).values())[:4] for line in lines]
    assert keys == sorted(keys) and len(keys) == 4


def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "b").write_text(baseline_text([entry()]).rstrip("\n"))
    assert len(read_baseline(tmp_path / "b").entries) == 1
    (tmp_path / "b").write_text(baseline_text([entry()])[:-20])
    with pytest.raises(UsageError, match="damaged"):
        read_baseline(tmp_path / "b")
