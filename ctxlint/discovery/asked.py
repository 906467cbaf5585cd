"""What a run has asked of the file system before it analysed anything; while every answer stays the same, so does the run.

The state of a file is noted before it is read: when it changes afterwards, the note no longer fits, which is what matters.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ctxlint.discovery.world import kind, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctxlint.discovery.world import State

ABOVE = ("__init__.py", "pyproject.toml", "setup.py", "setup.cfg", ".git")
"""Whether a folder around the paths given holds one of these decides names of modules and which ignore files count."""
READ_ABOVE = ("ctxlint.toml", ".ctxlint.toml", "pyproject.toml", ".gitignore", os.path.join(".git", "info", "exclude"))
"""What is read in such a folder, when it is there."""


class Asked:
    """States of the files and folders that were read, the names in those folders, and kinds where only the kind counts."""

    def __init__(self) -> None:
        self.files: dict[str, State] = {}
        self.folders: dict[str, State] = {}
        self.kinds: dict[str, int] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.changed = False
        """Whether a text was another at the end of the run than at its beginning."""

    def read(self, paths: Iterable[str]) -> None:
        """These files will be read."""
        for path in paths:
            if path not in self.files:
                self.files[path] = state(path)

    def seen(self, paths: Iterable[str]) -> None:
        """What these are will be asked."""
        for path in paths:
            if path not in self.kinds:
                self.kinds[path] = kind(path)

    def around(self, path: Path) -> None:
        """The folders above a path, and itself, will be asked what may be asked of them."""
        for folder in (path, *path.parents):
            self.seen(os.path.join(folder, name) for name in ABOVE)
            self.read(os.path.join(folder, name) for name in READ_ABOVE)

    def listed(self, folder: str) -> list[os.DirEntry[str]]:
        """The entries of a folder in order of their names; where a link leads counts as well as that it is there."""
        if folder not in self.folders:
            self.folders[folder] = state(folder)
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        self.names[folder] = names(found)
        self.seen(entry.path for entry in found if entry.is_symlink())
        self.read(entry.path for entry in found if entry.name == ".gitignore")
        return found

    def passed_by(self, folder: Path) -> None:
        """A folder was left out; one with a package in it would not have been, one without an environment perhaps not."""
        self.seen((os.path.join(folder, "__init__.py"), os.path.join(folder, "pyvenv.cfg")))

    def everything_under(self, path: Path, suffix: str) -> None:
        """A file, or all files under a folder whose names end so, will be read."""
        if not path.is_dir():
            self.read([str(path)])
        for here, below, _ in os.walk(path):
            below[:] = [name for name in below if name != "__pycache__"]
            self.read(entry.path for entry in self.listed(here) if entry.name.endswith(suffix))


def names(entries: Sequence[os.DirEntry[str]]) -> tuple[str, ...]:
    """The names of entries, which tell folders from files."""
    return tuple(entry.name + os.sep if entry.is_dir(follow_symlinks=False) else entry.name for entry in entries)
