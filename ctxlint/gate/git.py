"""What git knows of a work tree: commits, their files, what differs from them. Nothing is checked out and nothing is written.

Every question is one that git answers from its objects and its index, so it also works in a shallow clone that holds the commit.
What git cannot answer raises UsageError with git's own words and what to do about it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ctxlint.errors import UsageError

MERGE_BASE = "merge-base:"
"""Before a revision: not that one, but where the current branch left it."""

_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE")
"""Set inside hooks; they would answer for another repository than the one that holds the files."""


class Entry(msgspec.Struct, frozen=True):
    """One file of a commit: its mode (`100644`, `120000` a link, `160000` a submodule) and the name of its object."""

    mode: str
    object: str

    @property
    def is_link(self) -> bool:
        return self.mode == "120000"

    @property
    def is_submodule(self) -> bool:
        return self.mode == "160000"


class Change(msgspec.Struct, frozen=True):
    """The lines of a file's present text that differ from a commit.

    `lines` are those that are other or new; `gaps` are lines directly behind which something was taken away.
    """

    lines: tuple[range, ...]
    gaps: tuple[int, ...] = ()

    def has(self, line: int) -> bool:
        """Whether a line is other or new."""
        return any(line in lines for lines in self.lines)


WHOLE = Change((range(1, 1 << 31),))
"""A file that is new from its first line to its last."""


class Repository(msgspec.Struct, frozen=True):
    """A work tree. `root` is its topmost folder, by the name under which it was reached."""

    root: Path

    def commit(self, revision: str) -> str:
        """The name of the commit that `revision` means; `merge-base:REV` is the newest that REV and HEAD have in common."""
        if not revision.startswith(MERGE_BASE):
            return self._commit(revision)
        other = revision[len(MERGE_BASE):]
        self._commit(other)
        done = _git(self.root, "merge-base", other, "HEAD")
        if done.returncode:
            raise UsageError(
                f"--since {revision}: {other} and HEAD have no common commit in this clone"
                + (": it is shallow; fetch more of the history (`git fetch --unshallow`; in a workflow `fetch-depth: 0`), "
                   "or name a commit that it holds" if self.is_shallow() else f"; name a commit instead{_words(done)}"))
        return _text(done.stdout)

    def require(self, commit: str) -> None:
        """Raise UsageError when the clone does not hold a commit that another repository names."""
        if _git(self.root, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
            raise UsageError(f"--since: the submodule {self.root} does not hold the commit {commit} that it was at then; "
                             f"fetch it: `git -C {self.root} fetch origin {commit}`")

    def is_shallow(self) -> bool:
        """Whether the clone's history was cut."""
        return _text(_git(self.root, "rev-parse", "--is-shallow-repository").stdout) == "true"

    def entries(self, commit: str) -> dict[str, Entry]:
        """The files of a commit by their paths in the work tree, with `/` between folders."""
        out = _answer(self.root, f"cannot list the files of {commit}", "ls-tree", "-r", "-z", "--full-tree", commit)
        found = {}
        for record in out.split(b"\0"):
            if record:
                head, _, name = record.partition(b"\t")
                mode, _, thing = head.decode("ascii").split(" ")
                found[os.fsdecode(name)] = Entry(mode, thing)
        return found

    def changed(self, commit: str) -> frozenset[str]:
        """The paths whose present content is not that of the commit; files that git does not track are no part of it."""
        done = _git(self.root, "diff", "--name-only", "-z", "--no-renames", *_PLAIN, commit, "--")
        # Where a clone lacks contents, git can still tell which files may have changed, by their sizes and times.
        out = done.stdout if not done.returncode else _answer(
            self.root, f"cannot compare with {commit}", "diff-index", "--name-only", "-z", "--no-renames",
            "--ignore-submodules=all", commit, "--")
        return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)

    def ignored(self) -> tuple[str, ...]:
        """The Python files that git tracks although an ignore file in the work tree says that it is to ignore them."""
        out = _answer(self.root, "cannot list the files that are ignored", "ls-files", "-z", "--cached", "--ignored",
                      "--exclude-per-directory=.gitignore", "--", "*.py")
        return tuple(os.fsdecode(name) for name in out.split(b"\0") if name)

    def renamed(self, commit: str) -> dict[str, str]:
        """The new path of each file that was moved since the commit, with its old one."""
        out = _answer(self.root, f"cannot compare with {commit}", "diff", "--name-status", "-z", "-M", "-l5000",
                      "--diff-filter=R", *_PLAIN, commit, "--")
        names = [os.fsdecode(name) for name in out.split(b"\0") if name]
        return {names[number + 2]: names[number + 1] for number in range(0, len(names) - 2, 3)}

    def change(self, commit: str, path: str, before: str) -> Change:
        """How the present text of `path` differs from the commit's text of `before`, the name that the file had there."""
        out = _answer(self.root, f"cannot compare {path} with {commit}", "diff", "-U0", "-M", "-l5000", *_PLAIN, commit, "--",
                      f":(literal,top){path}", f":(literal,top){before}")
        return _change(out)

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """The contents of objects by their names, all asked for in one process."""
        wanted = sorted(set(names))
        if not wanted:
            return {}
        done = _git(self.root, "cat-file", "--batch", given="".join(f"{name}\n" for name in wanted).encode())
        if done.returncode:
            raise UsageError(f"{self.root}: git cannot read its objects{_words(done)}")
        return dict(self._blobs(done.stdout, wanted))

    def _blobs(self, answer: bytes, wanted: list[str]) -> Iterator[tuple[str, bytes]]:
        at = 0
        for name in wanted:
            end = answer.index(b"\n", at)
            header = answer[at:end].split(b" ")
            if len(header) != 3:
                raise UsageError(f"{self.root}: the object {name} is missing from this clone; `git fetch` it "
                                 "(`git fetch --refetch` after a partial clone, `git fsck` says what else is missing)")
            size = int(header[2])
            yield name, answer[end + 1 : end + 1 + size]
            at = end + 1 + size + 1

    def _commit(self, revision: str) -> str:
        if not revision:
            raise UsageError("--since names no revision; is the variable empty that should hold it?")
        if ".." in revision:
            raise UsageError(f"--since {revision}: one revision is wanted; `{MERGE_BASE}REV` is where the branch left REV")
        done = _git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode:
            raise UsageError(f"--since {revision}: {self.root} has no such commit{self._advice(revision)}{_words(done)}")
        return _text(done.stdout)

    def _advice(self, revision: str) -> str:
        if _NO_COMMIT.fullmatch(revision):
            return f"; the branch is new, so name what it will be merged into, as in `{MERGE_BASE}origin/main`"
        remote, _, branch = revision.partition("/")
        if branch and remote in _text(_git(self.root, "remote").stdout).split():
            return f"; fetch it: `git fetch {remote} {branch}:refs/remotes/{revision}`"
        if self.is_shallow() or len(revision) in (40, 64):
            return f"; fetch it: `git fetch --depth=1 origin {revision}` (in a workflow `fetch-depth: 0` fetches all)"
        return "; `git branch -a` and `git log` show what there is"


_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--inter-hunk-context=0", "--ignore-submodules=all")
"""Nothing that the user's configuration adds to a difference, and no look into submodules."""

_NO_COMMIT = re.compile(r"0{40}|0{64}")
"""What a forge calls the commit before the first one of a branch."""


def repository_of(folder: Path) -> Repository:
    """The repository whose work tree holds `folder`, which exists."""
    done = _git(folder, "rev-parse", "--show-toplevel")
    if done.returncode:
        said = _text(done.stderr)
        if "not a git repository" in said:
            raise UsageError(f"--since: {folder} lies in no git repository; only what git tracks can be compared")
        raise UsageError(f"--since: git cannot tell which repository holds {folder}{_words(done)}")
    return Repository(_as_reached(folder, Path(os.fsdecode(done.stdout.rstrip(b"\n")))))


def is_repository(folder: Path) -> bool:
    """Whether a folder is the top of a work tree of its own, as that of a submodule is."""
    return (folder / ".git").exists()


def _as_reached(folder: Path, top: Path) -> Path:
    """The name of the topmost folder under which `folder` was reached, which may lead over links."""
    real = top.resolve()
    return next((one for one in (folder, *folder.parents) if one.resolve() == real), top)


def _change(difference: bytes) -> Change:
    """Read the hunks of a difference without context."""
    lines, gaps = [], []
    for line in difference.split(b"\n"):
        if line.startswith(b"@@ "):
            start, _, count = line.split(b" ")[2].lstrip(b"+").partition(b",")
            first, many = int(start), int(count or b"1")
            if many:
                lines.append(range(first, first + many))
            else:
                gaps.append(first)
    return Change(tuple(lines), tuple(gaps))


def _answer(folder: Path, failure: str, *words: str) -> bytes:
    done = _git(folder, *words)
    if done.returncode:
        raise UsageError(f"{folder}: git {failure}{_words(done)}")
    return done.stdout


def _git(folder: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        return subprocess.run(
            ["git", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", *words],
            cwd=folder, env=environment, input=given, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("--since compares with git, and there is no `git` on the PATH; install it") from error
    except OSError as error:
        raise UsageError(f"--since: git cannot be run in {folder}: {error.strerror}") from error


def _words(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git complained about, as the end of a sentence."""
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    return f" (git: {said})" if said else ""


def _text(out: bytes) -> str:
    return out.decode("utf-8", "replace").strip()
