"""`.gitignore` files, each applied to what lies beneath its own folder."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pathspec


class Ignoring(msgspec.Struct, frozen=True):
    """The patterns of one ignore file and the folder they are relative to."""

    folder: Path
    spec: pathspec.GitIgnoreSpec

    def opinion(self, path: Path, is_folder: bool) -> bool | None:
        """Whether `path` is ignored (True), taken back by a `!pattern` (False) or not mentioned (None)."""
        relative = path.relative_to(self.folder).as_posix() + ("/" if is_folder else "")
        return self.spec.check_file(relative).include


def ignoring_above(top: Path) -> tuple[Ignoring, ...]:
    """Return the ignore files of the folders above `top`, outermost first, when `top` lies in a git work tree.

    An ignore file that ignores `top` itself is left out: `top` was asked for by name.
    """
    root = next((folder for folder in (top, *top.parents) if os.path.exists(folder / ".git")), None)
    if root is None:
        return ()
    levels: list[Ignoring] = []
    private = _read(root, root / ".git" / "info" / "exclude")
    for level in ([private] if private else []):
        levels.append(level)
    for folder in reversed((top, *top.parents)):
        if folder.is_relative_to(root) and folder != top:
            level_here = _read(folder, folder / ".gitignore")
            if level_here:
                levels.append(level_here)
    return tuple(level for level in levels if top == level.folder or not level.opinion(top, True))


def with_folder(above: tuple[Ignoring, ...], folder: Path) -> tuple[Ignoring, ...]:
    """Return `above` and the ignore file of `folder`, if it has one."""
    level = _read(folder, folder / ".gitignore")
    return (*above, level) if level else above


def _read(folder: Path, file: Path) -> Ignoring | None:
    if not file.is_file():
        return None     # no such file is the usual case; and who opens a pipe waits for whoever writes to it
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None     # one that cannot be read ignores nothing
    return Ignoring(folder, pathspec.GitIgnoreSpec.from_lines(lines))
