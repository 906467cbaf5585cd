"""What a project says about itself outside of ctxlint's own configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.toml import read_toml


def depends_on(package: str, folder: Path) -> bool:
    """Whether the project around `folder` needs `package` when it runs.

    The nearest pyproject.toml or requirements.txt, upwards, decides. What is needed only to develop does not count.
    """
    wanted = re.compile(rf"\s*{re.escape(package)}\s*(?:[\[<>=!~;@ ]|$)", re.IGNORECASE)
    return any(wanted.match(requirement) for file in project_files(folder) for requirement in _requirements(file))


def project_files(folder: Path) -> tuple[Path, ...]:
    """Return the files nearest to `folder`, upwards, in which a project says what it needs."""
    for place in (folder, *folder.parents):
        files = tuple(file for name in ("pyproject.toml", "requirements.txt") if (file := place / name).is_file())
        if files:
            return files
    return ()


def _requirements(file: Path) -> Iterator[str]:
    if file.name == "requirements.txt":
        try:
            yield from file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        return
    try:
        table = read_toml(file)
    except ConfigurationError:
        return                          # a broken file says nothing; whoever builds the project will tell
    project = table.get("project")
    dependencies = project.get("dependencies") if isinstance(project, dict) else None
    if isinstance(dependencies, Iterable):
        yield from (each for each in dependencies if isinstance(each, str))
    tool = table.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    needed = poetry.get("dependencies") if isinstance(poetry, dict) else None
    if isinstance(needed, dict):
        yield from needed
