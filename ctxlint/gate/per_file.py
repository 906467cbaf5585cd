"""The codes that the configuration ignores in single files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pathspec

from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.selection import matches


def ignored_in(configuration: Configuration) -> Callable[[str, str], bool]:
    """Return whether `per-file-ignores` hides a code in the file of an absolute path."""
    tables = [
        (pathspec.GitIgnoreSpec.from_lines([pattern]), prefixes)
        for pattern, prefixes in configuration.settings.per_file_ignores.items()
    ]
    folder = configuration.folder

    def ignored(path: str, code: str) -> bool:
        file = Path(path)
        relative = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.as_posix().lstrip("/")
        return any(matches(code, prefixes) and spec.match_file(relative) for spec, prefixes in tables)

    return ignored
