"""What `--since` counts: findings that the revision does not have, however the code was moved about."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from tests.gate.repositories import Repository

Introduced = Callable[..., list[str]]
Check = Callable[..., Outcome]

ONE = "def save(x):\n    write(x)  # bug: A\n"
OTHER = "def drop(x):\n    remove(x)  # bug: B\n"


def test_only_what_was_introduced_counts(repository: Repository, introduced: Introduced, check: Check) -> None:
    repository.commit(agent=ONE)
    assert introduced("HEAD") == []
    repository.write("agent.py", ONE + OTHER)
    assert introduced("HEAD") == ["agent.py:4 bug B"]
    assert "1 introduced, 0 fixed, 1 pre-existing (compared with HEAD)" in check("--since", "HEAD").out
    repository.write("agent.py", OTHER)
    assert "1 introduced, 1 fixed, 0 pre-existing" in check("--since", "HEAD").out


def test_a_new_file_need_not_be_known_to_git(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent=ONE)
    repository.write("new.py", OTHER)
    assert introduced("HEAD") == ["new.py:2 bug B"]


@pytest.mark.parametrize("move", ["file", "file without telling git", "package", "function", "function into a class",
                                  "function renamed", "class renamed", "lines", "reformatted", "file and folder"])
def test_what_was_only_moved_is_not_new(repository: Repository, introduced: Introduced, move: str) -> None:
    before = "class Log:\n    def save(self, x):\n        write(x)  # bug: A\n"
    repository.commit(pkg__agent=before, pkg____init__="", other=OTHER)
    root = repository.root
    if move == "file":
        repository.git("mv", "pkg/agent.py", "pkg/agents.py")
    elif move == "file without telling git":
        os.rename(root / "pkg/agent.py", root / "moved.py")
    elif move == "package":
        repository.git("mv", "pkg", "package")
    elif move == "function":
        repository.write("other.py", OTHER + before)
        repository.write("pkg/agent.py", "")
    elif move == "function into a class":
        repository.write("other.py", "class Store:\n    def drop(x):\n        remove(x)  # bug: B\n")
    elif move == "function renamed":
        repository.write("pkg/agent.py", before.replace("save", "store"))
    elif move == "class renamed":
        repository.write("pkg/agent.py", before.replace("Log", "Journal"))
    elif move == "lines":
        repository.write("pkg/agent.py", "import os\n\n\n" + before)
    elif move == "reformatted":
        repository.write("pkg/agent.py", before.replace("write(x)", "write(\n            x)"))
    else:
        repository.write("deep/down/agent.py", before.replace("(self, x)", "(self, x, y=None)"))
        os.unlink(root / "pkg/agent.py")
    assert introduced("HEAD") == []


def test_equal_findings_are_counted(repository: Repository, introduced: Introduced) -> None:
    twice = "def save(x):\n    a = write(x)  # bug: A\n    b = write(x)  # bug: A\n"
    repository.commit(agent=twice)
    repository.write("agent.py", "def save(x):\n    a = write(x)  # bug: A\n    c = write(y)  # bug: A\n    b = write(x)  # bug: A\n")
    assert introduced("HEAD") == ["agent.py:3 bug A"]
    repository.write("copy.py", twice)
    assert len(introduced("HEAD")) == 3


def test_what_was_only_less_sure_is_not_new(repository: Repository, introduced: Introduced, check: Check) -> None:
    faint = ONE.replace("bug: A", "bug: A low")
    repository.commit(agent=faint)
    repository.write("agent.py", ONE)
    assert introduced("HEAD") == []
    assert "0 introduced, 0 fixed, 1 pre-existing" in check("--since", "HEAD").out
    repository.write("agent.py", ONE + "    write(x)  # bug: A\n")
    assert len(introduced("HEAD")) == 1     # it was there once
    repository.write("agent.py", faint + "    write(x)  # bug: A\n")
    assert len(introduced("HEAD")) == 1     # the one that was there is still unsure
    repository.write("ctxlint.toml", "per-file-ignores = {'old.py' = ['CTX101']}")
    repository.commit(agent="", old=faint, other=faint.replace("bug", "noqa: CTX101 # bug"))
    repository.git("mv", "old.py", "moved.py")
    repository.write("moved.py", ONE)
    repository.write("other.py", ONE)
    assert len(introduced("HEAD")) == 2     # settings and comments hid these


def test_repaired_here_and_made_there_is_new(repository: Repository, introduced: Introduced) -> None:
    """The same operations in another function are no move, as long as it does something else."""
    repository.commit(agent=ONE, other="def keep(x):\n    check(x)\n")
    repository.write("agent.py", "def save(x):\n    write_safely(x)\n")
    repository.write("other.py", "def keep(x):\n    check(x)\n    write(x)  # bug: A\n")
    assert introduced("HEAD") == ["other.py:3 bug A"]


SAFE = "    write_safely(x)\n"
FAULT = "    write(x)  # bug: A\n"


def stores(**bodies: str) -> str:
    return "".join(f"class {name}:\n    def save(self, x):\n    {body}" for name, body in bodies.items())


@pytest.mark.parametrize("hidden", ["# noqa: CTX101 # bug", "# bug: A low #"])
def test_what_stands_where_it_stood_has_not_moved(repository: Repository, introduced: Introduced, hidden: str) -> None:
    """A repair, or a comment that hides the old fault, does not pay for the same fault in another class or file."""
    repository.commit(agent=stores(A=FAULT, B=SAFE), other="")
    repository.write("agent.py", stores(A=SAFE, B=FAULT))
    assert introduced("HEAD") == ["agent.py:6 bug A"]
    repository.write("agent.py", stores(A=SAFE, B=SAFE))
    repository.write("memory.py", stores(Memory=FAULT))
    assert introduced("HEAD") == ["memory.py:3 bug A"]
    repository.write("agent.py", stores(A=FAULT.replace("# bug", hidden), B=SAFE))
    assert introduced("HEAD") == ["memory.py:3 bug A"]
    repository.write("agent.py", stores(A=SAFE, B=SAFE))
    repository.git("mv", "agent.py", "moved.py")
    assert introduced("HEAD") == ["memory.py:3 bug A"]


def test_a_hidden_finding_uses_up_what_was_known(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent="def save(x):\n" + FAULT)
    repository.write("agent.py", "def save(x):\n" + FAULT.replace("# bug", "# noqa: CTX101 # bug") + "    more()\n" + FAULT)
    assert len(introduced("HEAD")) == 1
    repository.commit()
    repository.write("agent.py", "import os\n" + (repository.root / "agent.py").read_text())
    assert introduced("HEAD") == []


def test_tracked_files_that_an_ignore_file_names_are_told(repository: Repository, check: Check) -> None:
    repository.commit(agent=ONE)
    repository.write("pkg/.gitignore", "*\n")
    repository.write("pkg/new.py", OTHER)
    assert "ignored by" not in check("--since", "HEAD").err
    repository.git("add", "-Af")
    assert "1 tracked file is ignored by a .gitignore and not analysed, as " in check("--since", "HEAD").err


def test_a_copied_function_is_new(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent=ONE)
    repository.write("copy.py", ONE)
    assert introduced("HEAD") == ["copy.py:2 bug A"]


def test_a_review_shows_the_step_that_the_change_touched(repository: Repository, check: Check) -> None:
    """The finding's own line is old; the comment that hides it still belongs there."""
    before = "def save(x):\n    y = read()\n    write(y)  # bug: A if step\n"
    repository.commit(agent=before)
    now = before.replace("read()\n", "read()\n    await other()  # step: A\n")
    repository.write("agent.py", now)
    (one,) = json.loads(check("--since", "HEAD", "--output-format", "json").out)
    assert (one["location"]["row"], one["stands"]["location"]["row"], one["noqa_row"]) == (3, 4, 4)
    shown = check("--since", "HEAD").out
    assert shown.startswith("agent.py:3:1: CTX101") and "it stands at agent.py:4, where a comment hides it" in shown
    check("--since", "HEAD", "--add-noqa=waits")
    assert (repository.root / "agent.py").read_text() == now.replace("if step", "if step  # noqa: CTX101 -- waits")
    assert check("--since", "HEAD").status == 0


def test_what_was_taken_away_is_shown_beside_the_gap(repository: Repository, introduced: Introduced) -> None:
    """As when a lock is gone: no line of the present is new."""
    between = "    check()\n" * 3
    before = f"def save(x):\n    lock()  # broken\n    read()  # step: A\n{between}    write(y)  # bug: A\n"
    repository.commit(agent=before)
    repository.write("agent.py", before.replace("    lock()  # broken\n", ""))
    assert introduced("HEAD") == ["agent.py:2 bug A"]


def test_a_comment_taken_away_is_new(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent=ONE.replace("# bug", "# noqa: CTX101 # bug"))
    repository.write("agent.py", ONE)
    assert introduced("HEAD") == ["agent.py:2 bug A"]


def test_paths_limit_both_sides(repository: Repository, introduced: Introduced) -> None:
    repository.commit(a__one=ONE, b__one=OTHER)
    repository.git("mv", "b/one.py", "a/two.py")
    assert introduced("HEAD", "a") == []
    assert introduced("HEAD", "a/two.py") == []
    repository.write("b/new.py", ONE)
    assert introduced("HEAD", "a") == []


def test_a_deleted_file_may_be_named(repository: Repository, check: Check) -> None:
    """As `git diff --name-only` names it."""
    repository.commit(agent=ONE, other=OTHER)
    os.unlink(repository.root / "agent.py")
    done = check("agent.py", "other.py", "--since", "HEAD")
    assert (done.status, "0 introduced, 1 fixed, 1 pre-existing" in done.out) == (0, True)
    done = check("agent.py", "never.py", "--since", "HEAD")
    assert (done.status, "never.py: no such file or folder" in done.err) == (2, True)


def test_the_revision_is_looked_at_with_todays_settings(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent=ONE, gen__x=OTHER)
    repository.write("ctxlint.toml", 'extend-exclude = ["gen"]\n')
    repository.write("sub/gen.py", OTHER)
    assert introduced("HEAD") == ["gen.py:2 bug B"]


def test_a_revision_that_could_not_be_analysed_is_told(repository: Repository, check: Check) -> None:
    repository.commit(agent="# broken\n")
    repository.write("agent.py", ONE)
    done = check("--since", "HEAD")
    assert done.status == 1 and "agent.py:2" in done.out
    assert "agent.py could not be analysed at HEAD (syntax error): all of its findings count as introduced" in done.err


def test_a_file_that_cannot_be_analysed_is_two_also_when_it_never_could(repository: Repository, check: Check) -> None:
    repository.commit(agent="# broken\n")
    done = check("--since", "HEAD")
    assert (done.status, "CTX003" in done.out) == (2, True)


def test_nothing_changed_is_clean_and_says_what_was_looked_at(repository: Repository, check: Check) -> None:
    repository.commit(agent=ONE)
    done = check("--since", "HEAD")
    assert (done.status, re.sub("[0-9]+ rules", "all rules", done.out)) == (
        0, "0 introduced, 0 fixed, 1 pre-existing (compared with HEAD)\n1 file, 1 function, all rules, 0 not analysed\n")


def test_a_merge_base_is_where_the_branch_left(repository: Repository, introduced: Introduced) -> None:
    repository.commit(agent=ONE)
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(mine=OTHER)
    repository.git("checkout", "-q", "main")
    repository.commit(theirs=OTHER.replace("B", "C"), agent="")
    repository.git("checkout", "-q", "topic")
    assert introduced("merge-base:main") == ["mine.py:2 bug B"]
    assert introduced("main") == ["agent.py:2 bug A", "mine.py:2 bug B"]


@pytest.mark.parametrize(("words", "said"), [
    (["--since", "nope"], "has no such commit; `git branch -a` and `git log` show what there is"),
    (["--since", "origin/main"], "has no such commit; fetch it: `git fetch origin main:refs/remotes/origin/main`"),
    (["--since", "1" * 40], f"fetch it: `git fetch --depth=1 origin {'1' * 40}` (in a workflow `fetch-depth: 0` fetches all)"),
    (["--since", "0" * 40], "the branch is new, so name what it will be merged into, as in `merge-base:origin/main`"),
    (["--since", ""], "--since names no revision; is the variable empty that should hold it?"),
    (["--since", "merge-base:"], "--since names no revision"),
    (["--since", "main..topic"], "one revision is wanted; `merge-base:REV` is where the branch left REV"),
    (["--since", "merge-base:nope"], "--since nope: "),
    (["--since", "merge-base:alone"], "alone and HEAD have no common commit in this clone; name a commit instead"),
    (["--since=--output=x"], "--since --output=x: "),
    (["--since", "HEAD:agent.py"], "has no such commit"),
    (["--since", "HEAD", "../elsewhere.py", "agent.py"], "git repository"),
    (["--since", "HEAD", ".."], "lies in no git repository; only what git tracks can be compared"),
])
def test_a_base_that_is_not_there_is_two(repository: Repository, check: Check, words: list[str], said: str) -> None:
    repository.commit(agent=ONE)
    repository.git("remote", "add", "origin", "nowhere")
    alone = repository.git("commit-tree", "HEAD^{tree}", "-m", "x")
    repository.git("branch", "alone", alone)
    (repository.root.parent / "elsewhere.py").touch()
    done = check(*words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_file_outside_the_repository_is_two(repository: Repository, check: Check) -> None:
    outer = Repository(repository.root.parent)
    repository.commit(agent=ONE)
    outer.write("out.py", ONE)
    inner = Repository(repository.root / "inner")
    inner.commit(x=ONE)
    done = check("--since", "HEAD", "inner", str(inner.root / "x.py"))
    assert done.status == 0
    done = check("--since", "HEAD")
    assert done.status == 1 and "inner" in done.out     # git knows nothing of it


def test_a_shallow_clone_says_what_to_fetch(repository: Repository, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    first = repository.commit(agent=ONE)
    repository.commit(agent=ONE + OTHER)
    clone = repository.root.parent / "clone"
    repository.git("clone", "-q", "--depth=1", repository.root.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    done = check("--since", first)
    assert done.status == 2 and f"fetch it: `git fetch --depth=1 origin {first}`" in done.err
    done = check("--since", "HEAD~1")
    assert done.status == 2 and "git fetch" in done.err
    subprocess.run(["git", "fetch", "-q", "--depth=1", "origin", first], cwd=clone, check=True)
    done = check("--since", first)
    assert (done.status, "1 introduced" in done.out) == (1, True)
    done = check("--since", f"merge-base:{first}")
    assert done.status == 2 and "it is shallow; fetch more of the history (`git fetch --unshallow`" in done.err


def test_without_git_it_is_two(repository: Repository, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(agent=ONE)
    monkeypatch.setenv("PATH", str(repository.root))
    done = check("--since", "HEAD")
    assert (done.status, "there is no `git` on the PATH; install it" in done.err) == (2, True)


def test_a_repository_without_commits_is_two(repository: Repository, check: Check) -> None:
    repository.write("agent.py", ONE)
    assert check("--since", "HEAD").status == 2


def test_a_hooks_environment_does_not_lead_astray(
    repository: Repository, introduced: Introduced, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(agent=ONE)
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")
    repository.write("agent.py", ONE + OTHER)
    assert introduced("HEAD") == ["agent.py:4 bug B"]


def test_names_that_are_no_text(repository: Repository, introduced: Introduced, check: Check) -> None:
    name = os.fsdecode(b"caf\xe9 \n\t\"x\".py")
    (repository.root / name).write_text(ONE)
    (repository.root / "häßlich.py").write_text(OTHER)
    repository.commit()
    assert introduced("HEAD") == []
    (repository.root / name).write_text(ONE + OTHER.replace("B", "C"))
    done = check("--since", "HEAD", "--output-format", "json")
    assert [one["location"]["row"] for one in json.loads(done.out)] == [4]


def test_links(repository: Repository, introduced: Introduced) -> None:
    repository.commit(real__agent=ONE, other=OTHER)
    os.symlink("real/agent.py", repository.root / "link.py")
    os.symlink("real", repository.root / "folder")
    os.symlink("nowhere.py", repository.root / "dangling.py")
    os.symlink("../outside.py", repository.root / "outside.py")
    (repository.root.parent / "outside.py").write_text(ONE)
    repository.commit()
    assert introduced("HEAD") == []
    assert sorted(introduced("HEAD~1")) == ["link.py:2 bug A", "outside.py:2 bug A"]
    repository.write("real/agent.py", ONE + OTHER.replace("B", "C"))
    assert sorted(introduced("HEAD")) == ["agent.py:4 bug C", "link.py:4 bug C"]
    os.unlink(repository.root / "link.py")
    os.symlink("other.py", repository.root / "link.py")
    assert "link.py:2 bug B" in introduced("HEAD")


def test_a_work_tree_reached_over_a_link(
    repository: Repository, introduced: Introduced, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(pkg__agent=ONE)
    os.symlink(repository.root, repository.root.parent / "alias")
    monkeypatch.chdir(repository.root.parent / "alias" / "pkg")
    monkeypatch.setenv("PWD", os.path.join(repository.root.parent, "alias", "pkg"))
    repository.write("pkg/agent.py", ONE + OTHER)
    assert introduced("HEAD") == ["agent.py:4 bug B"]
    assert introduced("HEAD", str(repository.root.parent / "alias")) == ["agent.py:4 bug B"]


def test_a_submodule_is_seen_at_its_commit(repository: Repository, introduced: Introduced, check: Check) -> None:
    library = Repository(repository.root.parent / "library")
    library.commit(lib=ONE)
    repository.git("submodule", "add", "-q", str(library.root), "vendor")
    repository.commit(agent=ONE)
    assert introduced("HEAD") == []
    inside = Repository.__new__(Repository)
    inside.root = repository.root / "vendor"
    inside.commit(lib=ONE + OTHER)
    assert introduced("HEAD") == ["lib.py:4 bug B"]
    assert introduced("HEAD", "vendor") == ["lib.py:4 bug B"] or introduced("HEAD", "vendor") == []
    repository.commit()
    assert introduced("HEAD") == []
    assert introduced("HEAD~1") == ["lib.py:4 bug B"]


def test_a_submodule_that_is_not_checked_out_is_no_part_of_it(
    repository: Repository, introduced: Introduced, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Repository(repository.root.parent / "library")
    library.commit(lib=ONE)
    repository.git("submodule", "add", "-q", str(library.root), "vendor")
    repository.commit(agent=ONE)
    clone = repository.root.parent / "clone"
    repository.git("clone", "-q", str(repository.root), str(clone))
    monkeypatch.chdir(clone)
    assert introduced("HEAD") == []


def test_a_file_left_out_of_the_work_tree_is_left_out_of_both_sides(repository: Repository, check: Check) -> None:
    repository.commit(agent=ONE, far__other=OTHER)
    repository.git("sparse-checkout", "set", "--no-cone", "/agent.py", "/ctxlint.toml")
    done = check("--since", "HEAD")
    assert "0 introduced, 0 fixed, 1 pre-existing" in done.out


def test_standard_input_is_the_present(repository: Repository, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    repository.commit(agent=ONE)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((ONE + OTHER).encode())))
    done = check("-", "--stdin-filename", "agent.py", "--since", "HEAD", "--output-format", "concise")
    assert done.out == "agent.py:4:1: CTX101 bug B\n"


def test_line_ends_changed_by_git_are_no_change(repository: Repository, introduced: Introduced) -> None:
    repository.write(".gitattributes", "*.py text eol=crlf\n")
    repository.commit(agent=ONE)
    (repository.root / "agent.py").unlink()
    repository.git("checkout", "agent.py")
    assert b"\r\n" in (repository.root / "agent.py").read_bytes()
    assert introduced("HEAD") == []
    (repository.root / "agent.py").write_bytes((ONE + OTHER).replace("\n", "\r\n").encode())
    assert introduced("HEAD") == ["agent.py:4 bug B"]


@pytest.mark.parametrize("told", [("update-index", "--assume-unchanged", "agent.py"), ("update-index", "--skip-worktree", "agent.py")])
def test_an_index_that_does_not_look_hides_nothing(repository: Repository, introduced: Introduced, told: tuple[str, ...]) -> None:
    repository.commit(agent=OTHER)
    repository.git(*told)
    repository.write("agent.py", ONE + OTHER)
    assert repository.git("status", "--porcelain") == ""
    assert introduced("HEAD") == ["agent.py:2 bug A"]


def test_sarif_says_what_is_new(repository: Repository, check: Check) -> None:
    from tests.report.sarif_defects import assert_sound

    repository.commit(agent=ONE)
    repository.write("agent.py", ONE + OTHER)
    words = ("--since", "HEAD", "--output-format", "sarif")
    (log,) = assert_sound(check(*words).out)["runs"]
    assert [one["baselineState"] for one in log["results"]] == ["new"]
    (log,) = assert_sound(check(*words, "--show-suppressed").out)["runs"]
    assert [(one["baselineState"], one["suppressions"]) for one in log["results"]] == [("new", []), ("unchanged", [])]


def test_what_was_fixed_can_be_shown(repository: Repository, check: Check) -> None:
    repository.commit(agent=ONE)
    repository.write("agent.py", "")
    done = check("--since", "HEAD", "--output-format", "concise", "--show-suppressed")
    assert (done.status, done.out) == (0, "agent.py:2:1: CTX101 bug A [fixed]\n")
    assert check("--since", "HEAD", "--output-format", "github", "--show-suppressed").out == ""


def test_a_repository_that_git_does_not_trust_is_two(
    repository: Repository, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose user is another one than that of the checkout."""
    repository.commit(agent=ONE)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("HOME", str(repository.root))
    done = check("--since", "HEAD")
    assert (done.status, done.out) == (2, "")
    assert "safe.directory" in done.err


def test_an_object_that_the_clone_does_not_hold_is_two(repository: Repository, check: Check) -> None:
    """As after a partial clone whose remote cannot be reached."""
    repository.commit(agent=ONE)
    thing = repository.git("rev-parse", "HEAD:agent.py")
    repository.write("agent.py", ONE + OTHER)
    (repository.root / ".git/objects" / thing[:2] / thing[2:]).unlink()
    done = check("--since", "HEAD")
    assert (done.status, done.out) == (2, "")
    assert "git" in done.err and "fetch" in done.err, done.err


def test_git_in_the_folder_of_the_project_is_not_run(repository: Repository, introduced: Introduced) -> None:
    """A file called `git` beside the code is not on the PATH, and is not taken for it."""
    repository.commit(agent=ONE)
    (Path(repository.root) / "git").write_text("#!/bin/sh\nexit 1\n")
    os.chmod(repository.root / "git", 0o755)
    assert introduced("HEAD") == []
