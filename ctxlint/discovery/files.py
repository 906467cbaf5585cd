"""The files of a run: those named, those under the folders named, in one order that does not depend on the machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pathspec

from ctxlint.discovery.modules import ModuleNames
from ctxlint.discovery.ignoring import Ignoring, ignoring_above, with_folder
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import Configuration

DEFAULT_EXCLUDE = (
    ".git", ".hg", ".svn", ".jj", ".venv", "venv", ".tox", ".nox", ".eggs", "*.egg-info", "*.dist-info", "__pycache__",
    "__pypackages__", "node_modules", "site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
    ".ctxlint_cache", ".ipynb_checkpoints", ".direnv", "build", "dist",
)
"""Folders that hold no source of the project. One of them that is a package (`__init__.py` in it) is source after all."""

STDIN = "-"


class SourceFile(msgspec.Struct, frozen=True):
    """A file to analyse: its absolute path and the dotted name of its module.

    `source` is its text when that was given and is not to be read from the disk.
    Two files may have the same module name (scripts in folders that are no packages).
    """

    path: str
    module: str
    is_package: bool
    source: bytes | None = None


def discover(paths: Iterable[str | Path], configuration: Configuration) -> tuple[SourceFile, ...]:
    """Return the files that `paths` name, ordered by path.

    A file named explicitly is taken even when it is excluded, unless `force-exclude` is set.
    Raises UsageError for a path that does not exist.
    """
    settings = configuration.settings
    excluded = _patterns((*(settings.exclude if settings.exclude is not None else DEFAULT_EXCLUDE),
                          *settings.extend_exclude))
    included = _patterns(settings.include)
    own = settings.exclude is None
    found: dict[Path, Path] = {}
    for given in sorted({Path(os.path.abspath(path)) for path in paths}):
        if given.is_dir():
            if not (settings.force_exclude and _is_excluded(given, configuration.folder, excluded, own)):
                for file in _walk(given, configuration.folder, excluded, included, own):
                    found.setdefault(file, given)
        elif given.is_file():
            if not (settings.force_exclude and _is_excluded(given, configuration.folder, excluded, own)):
                found.setdefault(given, given.parent)
        else:
            raise UsageError(f"{_shown(given, paths)}: no such file or folder")
    names = ModuleNames(configuration.paths(settings.src))
    return tuple(
        SourceFile(str(file), *names.name(file, found[file])) for file in sorted(found)
    )


def discover_stdin(filename: str, source: bytes, configuration: Configuration) -> tuple[SourceFile, ...]:
    """Return the one file whose text came on standard input; `filename` says where it would lie.

    It is left out when `force-exclude` is set and that place is excluded.
    """
    file = Path(os.path.abspath(filename))
    settings = configuration.settings
    excluded = _patterns((*(settings.exclude if settings.exclude is not None else DEFAULT_EXCLUDE),
                          *settings.extend_exclude))
    if settings.force_exclude and _is_excluded(file, configuration.folder, excluded, settings.exclude is None):
        return ()
    module, is_package = ModuleNames(configuration.paths(settings.src)).name(file, file.parent)
    return (SourceFile(str(file), module, is_package, source),)


def _walk(
    top: Path, folder: Path, excluded: pathspec.GitIgnoreSpec, included: pathspec.GitIgnoreSpec, own: bool
) -> Iterator[Path]:
    """Yield the files under `top` that are included, not excluded and not ignored; links to folders are not followed."""
    pending: list[tuple[Path, tuple[Ignoring, ...]]] = [(top, ignoring_above(top))]
    while pending:
        here, above = pending.pop()
        ignoring = with_folder(above, here)
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            raise UsageError(f"{here}: cannot be listed: {error.strerror}") from error
        for entry in entries:
            path = here / entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _matches(path, is_folder, folder, top, excluded) and not (own and is_folder and _is_package(path)):
                continue
            if _ignored(ignoring, path, is_folder):
                continue
            if is_folder:
                if not (path / "pyvenv.cfg").is_file():
                    pending.append((path, ignoring))
            elif entry.is_file() and _matches(path, False, folder, top, included):
                yield path


def _ignored(ignoring: tuple[Ignoring, ...], path: Path, is_folder: bool) -> bool:
    """Whether the ignore files say that `path` is ignored; the file nearest to it that has an opinion decides."""
    for level in reversed(ignoring):
        opinion = level.opinion(path, is_folder)
        if opinion is not None:
            return opinion
    return False


def _is_excluded(path: Path, folder: Path, excluded: pathspec.GitIgnoreSpec, own: bool) -> bool:
    """Whether `path` or a folder above it, up to the configuration's folder, is excluded."""
    inside = path.is_relative_to(folder)
    for place in (path, *path.parents):
        if place == folder or (not inside and place != path):
            return False
        is_folder = place.is_dir()
        if _matches(place, is_folder, folder, path.parent, excluded) and not (own and is_folder and _is_package(place)):
            return True
    return False


def _matches(path: Path, is_folder: bool, folder: Path, top: Path, spec: pathspec.GitIgnoreSpec) -> bool:
    """Match `path` relative to the configuration's folder, or to `top` when it lies elsewhere."""
    base = folder if path.is_relative_to(folder) else top
    return spec.match_file(path.relative_to(base).as_posix() + ("/" if is_folder else ""))


def _is_package(path: Path) -> bool:
    return (path / "__init__.py").is_file()


def _patterns(lines: Iterable[str]) -> pathspec.GitIgnoreSpec:
    return pathspec.GitIgnoreSpec.from_lines(lines)


def _shown(given: Path, paths: Iterable[str | Path]) -> str:
    """Return the path as the user wrote it."""
    return next((str(path) for path in paths if Path(os.path.abspath(path)) == given), str(given))
