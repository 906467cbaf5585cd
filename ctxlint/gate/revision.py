"""The files of an earlier revision, seen at the places that they had in the work tree.

What has not changed since is read from the disk, the rest from git's objects.
A submodule is seen at the commit that the revision had of it, when it is checked out; its own objects are asked then.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ctxlint.errors import UsageError
from ctxlint.gate.git import WHOLE, Change, Entry, Repository, is_repository

MOST_LINKS = 20
"""A link that leads over more links than this leads nowhere."""


class Listed:
    """One thing in a folder of a revision."""

    def __init__(self, name: str, is_folder: bool, is_file: bool) -> None:
        self.name = name
        self._is_folder = is_folder
        self._is_file = is_file

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is_folder

    def is_file(self) -> bool:
        return self._is_file


class Revision:
    """The files of `commit`, by their absolute paths in the work tree of `repository`."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self.repository = repository
        self.commit = commit
        self._root = str(repository.root).rstrip(os.sep) + os.sep
        self._entries = repository.entries(commit)
        self._changed = repository.changed(commit)
        self._renamed: Mapping[str, str] | None = None
        self._contents: dict[str, bytes] = {}
        self._submodules = dict(self._checked_out())
        self._folders = self._listing()

    def exists(self, path: Path) -> bool:
        return self.is_file(path) or self.is_folder(path)

    def is_file(self, path: Path) -> bool:
        inside = self._submodule_of(path)
        return inside.is_file(path) if inside else self._entry(self._relative(path)) is not None

    def is_folder(self, path: Path) -> bool:
        inside = self._submodule_of(path)
        return inside.is_folder(path) if inside else self._relative(path) in self._folders

    def entries(self, folder: Path) -> Iterable[Listed]:
        inside = self._submodule_of(folder)
        if inside:
            return inside.entries(folder)
        here = self._relative(folder)
        above = f"{here}/" if here else ""
        return [
            Listed(name, is_folder, not is_folder and self._entry(above + name) is not None)
            for name, is_folder in sorted(self._folders.get(here, {}).items())
        ]

    def python_files(self, folder: Path) -> list[Path]:
        inside = self._submodule_of(folder)
        if inside:
            return inside.python_files(folder)
        here = self._relative(folder)
        above = f"{here}/" if here else ""
        return [Path(self._root + name) for name in self._entries
                if name.startswith(above) and name.endswith(".py") and self._entry(name) is not None]

    def read(self, file: Path) -> bytes:
        source = self.sources([file])[file]
        return file.read_bytes() if source is None else source

    def content(self, path: str) -> bytes | None:
        """The text that a file had, or None when there was none."""
        file = Path(path)
        return self.read(file) if self.is_file(file) else None

    def sources(self, files: Iterable[Path]) -> dict[Path, bytes | None]:
        """The texts of files of this revision; None for those that lie on the disk as they were."""
        found: dict[Path, bytes | None] = {}
        wanted: dict[Path, str] = {}
        nested: dict[Path, list[Path]] = {}
        for file in files:
            within = self._submodule_root(file)
            if within is not None:
                nested.setdefault(within, []).append(file)
                continue
            name = self._relative(file)
            entry = self._entry(name)
            if entry is None:
                raise UsageError(f"{file}: not in {self.commit}")
            is_link = self._entries[name].is_link and entry.object
            if name in self._changed or is_link or (entry.object and not _is_on_disk(file, entry.object)):
                wanted[file] = entry.object
            else:
                found[file] = None
        self._fetch(wanted.values())
        found.update((file, _unless_on_disk(file, self._contents[thing])) for file, thing in wanted.items())
        for root, those in nested.items():
            found.update(self._submodules[root].sources(those))
        return found

    def earlier_name(self, file: Path) -> Path | None:
        """The place that a file of the present had in this revision, if it was there: its own, or the one it was moved from."""
        inside = self._submodule_of(file)
        if inside:
            return inside.earlier_name(file)
        name = self._relative_or_none(file)
        if name is None:
            return None
        if name in self._entries:
            return file
        if self._renamed is None:
            self._renamed = self.repository.renamed(self.commit)
        before = self._renamed.get(name)
        return Path(self._root + before) if before is not None else None

    def change(self, file: Path) -> Change:
        """Which lines of the present text of a file are new since this revision."""
        inside = self._submodule_of(file)
        if inside:
            return inside.change(file)
        before = self.earlier_name(file)
        if before is None:
            return WHOLE
        name = self._relative(file)
        if before == file and name not in self._changed:
            return Change(())
        return self.repository.change(self.commit, name, self._relative(before))

    def _entry(self, name: str) -> Entry | None:
        """The file at a path, behind the links that lead to it; None when there is none that can be analysed.

        A file that git left out of the work tree is none: the present does not have it either.
        Of a link whose target git does not track, the present has the say; its object has no name.
        """
        for _ in range(MOST_LINKS):
            entry = self._entries.get(name)
            if entry is None or entry.is_submodule:
                return None
            if not entry.is_link:
                return entry if name in self._changed or os.path.lexists(self._root + name) else None
            self._fetch([entry.object])
            target = os.path.normpath(os.path.join(os.path.dirname(name), os.fsdecode(self._contents[entry.object])))
            if target not in self._entries:
                unchanged = name not in self._changed and os.path.isfile(self._root + name)
                return Entry(entry.mode, "") if unchanged else None
            name = target.replace(os.sep, "/")
        return None

    def _fetch(self, objects: Iterable[str]) -> None:
        self._contents.update(self.repository.blobs(set(objects) - self._contents.keys()))

    def _checked_out(self) -> Iterable[tuple[Path, Revision]]:
        for name, entry in self._entries.items():
            folder = Path(self._root + name)
            if entry.is_submodule and is_repository(folder):
                submodule = Repository(folder)
                submodule.require(entry.object)
                yield folder, Revision(submodule, entry.object)

    def _submodule_root(self, path: Path) -> Path | None:
        if not self._submodules:
            return None
        return next((one for one in (path, *path.parents) if one in self._submodules), None)

    def _submodule_of(self, path: Path) -> Revision | None:
        root = self._submodule_root(path)
        return self._submodules[root] if root is not None else None

    def _listing(self) -> dict[str, dict[str, bool]]:
        """What lies in each folder: names, and whether they are folders."""
        folders: dict[str, dict[str, bool]] = {"": {}}
        for name, entry in self._entries.items():
            if entry.is_submodule and Path(self._root + name) not in self._submodules:
                continue
            is_folder = entry.is_submodule
            while True:
                above, _, last = name.rpartition("/")
                known = above in folders
                folders.setdefault(above, {})[last] = is_folder
                if known:
                    break
                name, is_folder = above, True
        return folders

    def _relative(self, path: Path) -> str:
        name = self._relative_or_none(path)
        return ".." if name is None else name     # no file of a commit has that name

    def _relative_or_none(self, path: Path) -> str | None:
        text = str(path)
        if text + os.sep == self._root:
            return ""
        if not text.startswith(self._root):
            return None
        return text[len(self._root):].replace(os.sep, "/")


def _is_on_disk(file: Path, name: str) -> bool:
    """Whether a file has the content of git's object; its index can be told not to look, or not see a change.

    Line ends may be those that git gives a text on this system.
    """
    try:
        data = file.read_bytes()
    except OSError:
        return False
    return name in (_object_name(data, len(name)), _object_name(data.replace(b"\r\n", b"\n"), len(name)))


def _object_name(data: bytes, digits: int) -> str:
    """The name of a content in a repository whose names have as many digits."""
    digest = hashlib.new("sha1" if digits == 40 else "sha256", b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return digest.hexdigest()


def _unless_on_disk(file: Path, content: bytes) -> bytes | None:
    """The content, or None when the file on the disk has it too; git may only have guessed that it changed."""
    try:
        return None if file.read_bytes() == content else content
    except OSError:
        return content
