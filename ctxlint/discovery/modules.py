"""The dotted name of the module that a file is.

A name is counted from the folder that Python would find on its search path:

1. a folder of the setting `src`, when the file lies under one;
2. else the folder above the topmost package (`__init__.py`) around the file, unless that package is a portion of a
   namespace package: then the folder from which its own files import it;
3. else, for a file in no package, the last folder between the path given and the file that is a project, is called
   `src`, or could not be part of a dotted name; else the path given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.tree import Disk, Tree

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
FILES_ASKED = 60
"""How many files of a package are asked under which name they import it."""


class ModuleNames:
    """Names modules; remembers what it found out about folders, so that a run asks about each of them once."""

    def __init__(self, sources: Iterable[Path] = (), tree: Tree | None = None) -> None:
        self._tree = tree or Disk(Asked())
        self._sources = sorted((source.absolute() for source in sources), key=lambda source: -len(source.parts))
        self._packages: dict[Path, bool] = {}
        self._roots: dict[tuple[Path, Path], Path] = {}
        self._package_roots: dict[tuple[Path, Path], Path] = {}

    def name(self, file: Path, given: Path) -> tuple[str, bool]:
        """Return the module name of `file` and whether it is a package; `given` is the folder it was found under."""
        root = self._root(file.parent, given)
        parts = list(file.relative_to(root).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        if is_package and len(parts) > 1:
            parts.pop()
        return ".".join(parts), is_package

    def _root(self, folder: Path, given: Path) -> Path:
        if (folder, given) not in self._roots:
            self._roots[folder, given] = self._sought_root(folder, given)
        return self._roots[folder, given]

    def _sought_root(self, folder: Path, given: Path) -> Path:
        for source in self._sources:
            if folder.is_relative_to(source):
                return source
        package = self._topmost_package(folder)
        if package is None:
            return self._outermost(folder, given)
        if (package, given) not in self._package_roots:
            self._package_roots[package, given] = self._package_root(package, given)
        return self._package_roots[package, given]

    def _package_root(self, package: Path, given: Path) -> Path:
        root = package.parent
        outermost = self._outermost(root, given) if root.is_relative_to(given) else root
        return outermost if outermost != root and _imports_itself_from(outermost, package, self._tree) else root

    def _topmost_package(self, folder: Path) -> Path | None:
        topmost = None
        while self._is_package(folder):
            topmost, folder = folder, folder.parent
        return topmost

    def _is_package(self, folder: Path) -> bool:
        if folder not in self._packages:
            self._packages[folder] = self._tree.is_file(folder / "__init__.py")
        return self._packages[folder]

    def _outermost(self, folder: Path, given: Path) -> Path:
        """Return the folder nearest to `folder`, between it and `given`, from which a dotted name can be counted."""
        while folder != given and folder.is_relative_to(given):
            if folder.name == "src" or not folder.name.isidentifier():
                return folder
            if any(self._tree.is_file(folder / name) for name in PROJECT_FILES):
                return folder
            folder = folder.parent
        return folder


def _imports_itself_from(root: Path, package: Path, tree: Tree) -> bool:
    """Whether files of `package` import it under its name counted from `root` rather than under its bare name.

    Without any such import the longer name stands: it is what the folders say.
    """
    long_name = ".".join(package.relative_to(root).parts)
    long = re.compile(rb"^[ \t]*(?:from|import)\s+" + re.escape(long_name.encode()) + rb"\b", re.MULTILINE)
    bare = re.compile(rb"^[ \t]*(?:from|import)\s+" + re.escape(package.name.encode()) + rb"\b", re.MULTILINE)
    for file in sorted(tree.python_files(package))[:FILES_ASKED]:
        try:
            text = tree.read(file)
        except OSError:
            continue    # a file that cannot be read has no say; it is reported where it is analysed
        if long.search(text):
            return True
        if bare.search(text):
            return False
    return True
