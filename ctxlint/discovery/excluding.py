"""What the configuration leaves out: names of folders that hold no source, and the patterns of the user."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

import msgspec
import pathspec

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.tree import Disk, Tree
from ctxlint.knowledge.configuration import Configuration

DEFAULT_EXCLUDE = (
    ".git", ".hg", ".svn", ".jj", ".venv", "venv", ".tox", ".nox", ".eggs", "*.egg-info", "*.dist-info", "__pycache__",
    "__pypackages__", "node_modules", "site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
    ".ctxlint_cache", ".ipynb_checkpoints", ".direnv", "build", "dist",
)
"""Folders that hold no source of the project. One of them that is a package (`__init__.py` in it) is source after all."""


class Excluding(msgspec.Struct, frozen=True):
    """`names` are names of single folders; `spec` are patterns relative to `folder`, the configuration's.

    `tree` is where the files are, since a folder that is a package is source whatever its name.
    """

    names: tuple[str, ...]
    spec: pathspec.GitIgnoreSpec
    folder: Path
    tree: Tree

    def entry(self, path: Path, is_folder: bool, top: Path) -> bool:
        """Whether an entry that a walk of `top` comes to is excluded."""
        return self._by_name(path, is_folder) or self.by_pattern(path, is_folder, top)

    def file(self, path: Path) -> bool:
        """Whether a path is excluded, by itself or by a folder above it up to the configuration's."""
        if self.by_pattern(path, self.tree.is_folder(path), path.parent):
            return True
        above = [path, *path.parents]
        inside = above[: above.index(self.folder)] if self.folder in above else above[:1]
        return any(self._by_name(place, self.tree.is_folder(place)) for place in inside)

    def by_pattern(self, path: Path, is_folder: bool, top: Path) -> bool:
        """Whether a pattern of the user matches a path, or a folder above it."""
        return matches(self.spec, path, is_folder, self.folder, top)

    def without_patterns(self) -> Excluding:
        """Return the names alone."""
        return Excluding(self.names, pathspec.GitIgnoreSpec.from_lines([]), self.folder, self.tree)

    def _by_name(self, path: Path, is_folder: bool) -> bool:
        named = is_folder and any(fnmatch.fnmatchcase(path.name, name) for name in self.names)
        return named and not self.tree.is_file(path / "__init__.py")


def excluding(configuration: Configuration, tree: Tree | None = None) -> Excluding:
    """Return what a configuration leaves out of a tree."""
    settings = configuration.settings
    return Excluding(
        names=DEFAULT_EXCLUDE if settings.exclude is None else (),
        spec=pathspec.GitIgnoreSpec.from_lines((*(settings.exclude or ()), *settings.extend_exclude)),
        folder=configuration.folder,
        tree=tree or Disk(Asked()),
    )


def matches(spec: pathspec.GitIgnoreSpec, path: Path, is_folder: bool, folder: Path, top: Path) -> bool:
    """Match `path` relative to `folder`, or to `top` when it lies elsewhere."""
    if not len(spec):
        return False
    relative = _beneath(path, folder) or _beneath(path, top)
    if relative is None:
        relative = path.relative_to(folder if path.is_relative_to(folder) else top).as_posix()
    return spec.match_file(relative + ("/" if is_folder else ""))


def _beneath(path: Path, folder: Path) -> str | None:
    """`path` relative to `folder`, told from their texts: comparing paths part by part takes most of a walk's time."""
    if os.sep != "/":
        return None
    text, start = str(path), f"{folder}/"
    return text[len(start) :] if text.startswith(start) else None
