"""Where files are sought: on the disk, or in something that looks like it, as the files of a commit do."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ctxlint.discovery.asked import Asked


class Entry(Protocol):
    """One thing in a folder; `os.DirEntry` is one."""

    @property
    def name(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_file(self) -> bool: ...


class Tree(Protocol):
    """Files and folders under absolute paths."""

    def exists(self, path: Path) -> bool: ...

    def is_file(self, path: Path) -> bool:
        """Whether there is a file, or a link to one."""

    def is_folder(self, path: Path) -> bool: ...

    def entries(self, folder: Path) -> Iterable[Entry]:
        """What lies in a folder, in any order; raises OSError."""

    def python_files(self, folder: Path) -> Iterable[Path]:
        """The `*.py` files under a folder, in any order."""

    def read(self, file: Path) -> bytes:
        """The content of a file; raises OSError."""


class Disk:
    """The files as they are; `asked` notes what was listed."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def exists(self, path: Path) -> bool:
        return os.path.exists(path)     # a path's own methods raise where one may not look

    def is_file(self, path: Path) -> bool:
        return os.path.isfile(path)

    def is_folder(self, path: Path) -> bool:
        return os.path.isdir(path)

    def entries(self, folder: Path) -> Iterable[Entry]:
        return self._asked.listed(str(folder))

    def python_files(self, folder: Path) -> Iterable[Path]:
        self._asked.everything_under(folder, ".py")
        return folder.rglob("*.py")

    def read(self, file: Path) -> bytes:
        return file.read_bytes()
