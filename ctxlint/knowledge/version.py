"""The version of this copy of ctxlint."""

from __future__ import annotations

from ctxlint.knowledge.places import PACKAGE
from ctxlint.knowledge.toml import read_toml


def version() -> str:
    """Return the version: of the checkout this runs from, else of the installed distribution."""
    pyproject = PACKAGE.parent / "pyproject.toml"
    if pyproject.is_file():
        project = read_toml(pyproject).get("project")
        if isinstance(project, dict) and project.get("name") == "ctxlint":
            return str(project["version"])
    from importlib.metadata import version as installed

    return installed("ctxlint")
