"""How a path is shown."""

from __future__ import annotations

import os
from pathlib import Path


def shown_path(path: str, folder: Path | None = None) -> str:
    """Return `path` relative to `folder` (the working directory) when it lies beneath, else as it is."""
    prefix = _prefix(folder)
    return path[len(prefix):] if path.startswith(prefix) else path


def posix_path(path: str, folder: Path) -> str:
    """Return `path` relative to `folder` when it lies beneath, with slashes and with names that are no UTF-8 escaped."""
    return Path(shown_path(path, folder)).as_posix().encode("utf-8", "backslashreplace").decode()


def shown_places(sentence: str, folder: Path | None = None) -> str:
    """Return `sentence` with the paths in its brackets, `(path:line)`, as `shown_path` shows them."""
    return sentence.replace("(" + _prefix(folder), "(")


def repository_root(folder: Path) -> Path:
    """Return the root of the git work tree that holds `folder`, or `folder` when none does."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _prefix(folder: Path | None) -> str:
    return str(folder or Path.cwd()).rstrip(os.sep) + os.sep
